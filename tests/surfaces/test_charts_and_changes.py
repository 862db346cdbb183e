"""The picture of a key and the feed of changes, on the command line."""

from __future__ import annotations

import pytest

from surfaces.running import Run


@pytest.mark.usefixtures("operator")
def test_a_key_is_drawn_as_text_and_as_a_document(inside: Run) -> None:
    inside("remember", "Berlin", "--key", "ana::city", "--valid-from", "2023", "--valid-to", "2023")
    inside("remember", "Munich", "--key", "ana::city", "--valid-from", "2024")
    drawn = inside("chart", "ana::city")
    assert drawn.code == 0
    lines = drawn.out.splitlines()
    assert lines[0].startswith("ana::city, believed true from")
    assert lines[1].split() == ["known", "from", "2023-01-01", "2024-01-01"]
    assert lines[-1].rstrip().endswith("Munich")
    document = inside("chart", "ana::city", "--json").json
    assert document["svg"].startswith("<svg ") and len(document["stretches"]) == 2


@pytest.mark.usefixtures("operator")
def test_a_chart_of_a_key_that_was_never_said_is_no_success(inside: Run) -> None:
    assert inside("chart", "nobody::knows").code == inside("history", "nobody::knows").code == 1


def test_a_picture_wider_than_the_page_has_its_periods_under_each_other(inside: Run, terminal: Run) -> None:
    for year in range(2018, 2025):
        inside("remember", "x", "--key", "ana::city", "--value", f"Town of {year}", "--valid-from", str(year))
    lines = terminal("chart", "ana::city", columns=80).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines.count("  2018-01-01  Town of 2018") == 7 and lines[-1].split() == ["2024-01-01", "Town", "of", "2024"]


@pytest.mark.usefixtures("operator")
def test_the_feed_is_a_table_and_goes_on_where_it_stopped(inside: Run) -> None:
    inside("remember", "Berlin", "--key", "ana::city")
    first = inside("changes", "--limit", "2")
    assert "genesis" in first.out and "Berlin" not in first.out
    cursor = first.err.rpartition("--since ")[2].strip()
    rest = inside("changes", "--since", cursor, "--content")
    assert "claim" in rest.out and "ana::city" in rest.out and "Berlin" in rest.out
    assert inside("changes", "--since", "now").err.strip() == "Nothing new."
