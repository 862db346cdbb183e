"""What was typed and may have been meant otherwise is told: keys, lists, numbers, paths, files."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import Memory
from surfaces.running import Run


def test_a_key_with_single_colons_is_shown_as_it_was_written(inside: Run) -> None:
    told = inside("remember", "tea", "--key", "Shop:drink:hot")
    assert "The key is shop:drink:hot::value: only two colons part a key." in told.out
    for plain in ("shop::drink", "shop", "shop:drink::value"):
        assert "colons" not in inside("remember", "tea", "--key", plain).out


def test_a_repeated_request_shows_the_key_again(memory: Memory) -> None:
    told = [memory.remember("tea", key="shop:drink", idempotency_key="1").next for _ in range(2)]
    assert told[0] == told[1] and told[0].count("shop:drink::value") == 1


def test_commas_part_tags(inside: Run) -> None:
    inside("remember", "The fleet is in Porto", "--tags", "net, db,", "--tags", "ops")
    (hit,) = inside("recall", "fleet", "--json").json["hits"]
    assert sorted(hit["tags"]) == ["db", "net", "ops"]


def test_that_a_number_was_kept_as_text_is_told_once(inside: Run) -> None:
    said = ("remember", "It listens on 8080", "--key", "svc::port", "--value")
    first = inside(*said, "8080")
    assert first.err.endswith("Note: the value is kept as text; --value-json keeps a number or a truth value.\n")
    assert "Note" not in inside(*said, "8081").err
    assert "Note" not in inside("remember", "x", "--key", "svc::name", "--value", "api").err
    assert "Note" not in inside(*said[:-1], "--value-json", "1", "--value", "2").err


def test_a_store_in_a_folder_that_is_not_there_is_told_with_the_folder(inside: Run, tmp_path: Path) -> None:
    assert "makes one" in inside("remember", "x", "--path", str(tmp_path / "a.muniment")).err
    assert (
        "and the folder that it lies in" in inside("remember", "x", "--path", str(tmp_path / "no" / "a.muniment")).err
    )


@pytest.mark.usefixtures("operator")
def test_a_file_that_cannot_be_checked_is_named_and_is_no_use_that_was_found(inside: Run, tmp_path: Path) -> None:
    inside("code", "deprecate", "db.fetch", "db.load")
    (tmp_path / "a.py").write_text("db.fetch()\n")
    assert inside("code", "check", "a.py").code == 1
    told = inside("code", "check", "nope.py")
    assert told.code == 3 and "nope.py does not exist" in told.err


@pytest.mark.usefixtures("operator")
def test_a_name_that_is_taken_back_says_what_checks_go_by(inside: Run) -> None:
    assert "code sync brings it in line" in inside("code", "deprecate", "db.fetch", "db.load").out
    taken = inside("code", "undeprecate", "db.fetch")
    assert "checks go by that: code sync brings it in line" in taken.out
    assert "code sync" not in inside("code", "undeprecate", "db.fetch").out, "nothing changed"


@pytest.mark.usefixtures("operator")
def test_a_decision_with_nothing_to_do_ends_well_and_says_so(inside: Run) -> None:
    inside("remember", "tea", "--key", "shop::drink")
    told = inside("revert", "shop::drink", "--json")
    assert told.code == 0 and told.json["disposition"] == "unchanged"


@pytest.mark.usefixtures("operator")
def test_a_store_that_needs_no_migration_says_what_is_in_it(inside: Run) -> None:
    inside("remember", "tea", "--key", "shop::drink")
    assert inside("migrate", "--json").json["entries"] == inside("stats", "--json").json["log_size"]
