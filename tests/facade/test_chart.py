"""The picture of a key in both kinds of time says what believe says, and nothing in it steers what shows it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from fakes import DAY, FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from muniment.verbs.believing.charts import Chart
from muniment.verbs.believing.drawing import MAX_BANDS, Box, grid_of

KEY = "ana::city"


def tell(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Ana lives in Berlin", key=KEY, value="Berlin", valid_from="2023")
    clock.advance(DAY)
    memory.remember("Ana moved to Munich", key=KEY, value="Munich", valid_from="2024")
    clock.advance(DAY)
    memory.remember("It was Hamburg", key=KEY, value="Hamburg", correct=True)
    clock.advance(DAY)
    memory.remember("In Rome for a year", key=KEY, value="Rome", channel="tool", valid_from="2025", valid_to="2025")
    clock.advance(DAY)
    memory.end(KEY, "2030-01-01", value="Hamburg")


def moment(us: int) -> datetime:
    return datetime.fromtimestamp(us // 1_000_000, UTC).replace(microsecond=us % 1_000_000)


def test_every_cell_of_the_picture_is_what_is_believed_there(memory: Memory, clock: FakeClock) -> None:
    tell(memory, clock)
    grid = grid_of(memory.chart(KEY)._boxes)
    assert len(grid.rows) == 5
    for known, cells in zip(grid.rows, grid.cells, strict=True):
        for start, labels in zip(grid.columns[:-1], cells, strict=True):
            belief = memory.believe(KEY, valid_at=moment(start), as_of=moment(known))
            wanted = {candidate.value for candidate in belief.candidates}
            assert {label.removesuffix(" ?") for label in labels} == wanted, (known, start)


def test_the_text_shows_rows_of_knowledge_and_columns_of_truth(memory: Memory, clock: FakeClock) -> None:
    tell(memory, clock)
    assert memory.chart(KEY).to_text().splitlines() == [
        "ana::city, believed true from …",
        "known from  2023-01-01  2024-01-01  2025-01-01      2026-01-01  2030-01-01",
        "──────────  ──────────  ──────────  ──────────────  ──────────  ──────────",
        "2026-03-01  Berlin      Berlin      Berlin          Berlin      Berlin",
        "2026-03-02  Berlin      Munich      Munich          Munich      Munich",
        "2026-03-03  Berlin      Hamburg     Hamburg         Hamburg     Hamburg",
        "2026-03-04  Berlin      Hamburg     Hamburg | Rome  Hamburg     Hamburg",
        "2026-03-05  Berlin      Hamburg     Hamburg | Rome  Hamburg     ·",
    ]


def test_a_picture_as_of_a_day_is_the_picture_of_that_day(memory: Memory, clock: FakeClock) -> None:
    tell(memory, clock)
    past = memory.chart(KEY, as_of="2026-03-03")
    assert {stretch.value for stretch in past.stretches} == {"Berlin", "Munich"}
    assert [stretch.known_to for stretch in past.stretches if stretch.value == "Munich"] == [None]
    assert "Hamburg" not in past.to_svg()


def test_on_a_narrow_page_periods_stand_under_each_other_and_equal_ones_are_one(
    memory: Memory, clock: FakeClock
) -> None:
    tell(memory, clock)
    chart = memory.chart(KEY)
    assert chart.to_text(200) == chart.to_text()
    assert chart.to_text(40).splitlines()[-6:] == [
        "known from 2026-03-05",
        "  2023-01-01  Berlin",
        "  2024-01-01  Hamburg",
        "  2025-01-01  Hamburg | Rome",
        "  2026-01-01  Hamburg",
        "  2030-01-01  ·",
    ]


def test_nothing_said_is_nothing_to_draw(memory: Memory) -> None:
    empty = memory.chart("nobody::knows")
    assert empty.stretches == () and empty.scope is None
    assert str(empty) == "nobody::knows: nothing to draw."
    ET.fromstring(empty.to_svg())


def test_what_was_erased_is_not_in_the_picture(memory: Memory) -> None:
    memory.remember("Ana lives in Berlin", key=KEY, value="Berlin")
    memory.forget(key=KEY)
    assert memory.chart(KEY).stretches == ()


def test_a_handle_draws_its_own_line_and_no_other(memory: Memory) -> None:
    memory.remember("Tea", key="drink::likes", value="Tea")
    ana = memory.scoped(user="ana")
    assert [one.value for one in ana.chart("drink::likes").stretches] == ["Tea"]
    ana.remember("Coffee", key="drink::likes", value="Coffee")
    assert [one.value for one in ana.chart("drink::likes").stretches] == ["Coffee"]
    assert [one.value for one in memory.chart("drink::likes").stretches] == ["Tea"]


HOSTILE = [
    "<script>alert(1)</script>",
    "</text><image href='x' onload='alert(1)'/>",
    "a & b \" ' > c",
    "]]>",
    "\u202egnp.exe\u2066",
    "line\nline\ttab",
    "<!ENTITY x SYSTEM 'file:///etc/passwd'>",
]


@pytest.mark.parametrize("value", HOSTILE)
def test_what_was_said_cannot_steer_what_shows_the_picture(memory: Memory, value: str) -> None:
    memory.remember("x", key="k::v", value=value)
    chart = memory.chart("k::v")
    root = ET.fromstring(chart.to_svg())
    names = {element.tag.partition("}")[2] for element in root.iter()}
    assert names <= {"svg", "title", "desc", "rect", "line", "text"}
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not any(name.startswith("on") or "href" in name for name in attributes)
    for steering in ("\u202e", "\u2066", "\t"):
        assert steering not in chart.to_text() and steering not in chart.to_svg()
    assert len(chart.to_text().splitlines()) == 4


def test_a_key_is_escaped_like_a_value(memory: Memory) -> None:
    memory.remember("x", key="<b>&::\"'", value="y")
    assert ET.fromstring(memory.chart("<b>&::\"'").to_svg())[0].text == "<b>&::\"'"


def test_the_same_story_gives_the_same_picture_to_the_byte(opened: Callable[..., Memory]) -> None:
    def drawn(namespace: str) -> str:
        clock = FakeClock()
        memory = opened(namespace=namespace, clock=clock, ids=seeded_ids(), entropy=SeededEntropy())
        tell(memory, clock)
        return memory.chart(KEY).to_svg()

    assert drawn("one") == drawn("two")


def test_a_long_story_is_cut_to_its_latest_part_and_says_so(memory: Memory) -> None:
    for n in range(MAX_BANDS + 10):
        memory.remember(f"Version {n}", key="app::version", value=n)
    chart = memory.chart("app::version")
    assert len(chart.stretches) > MAX_BANDS
    assert "Earlier rows are left out." in chart.to_text() and "Earlier rows are left out." in chart.to_svg()
    assert f"{MAX_BANDS + 9}" in chart.to_text().splitlines()[-2]


def test_a_shared_granule_is_drawn_as_possible(memory: Memory) -> None:
    memory.remember("Berlin", key=KEY, valid_to="2025-06")
    memory.remember("Munich", key=KEY, valid_from="2025-06")
    assert any(
        label.endswith(" ?") for row in grid_of(memory.chart(KEY)._boxes).cells for cell in row for label in cell
    )


def test_plain_data_holds_the_picture_too(memory: Memory) -> None:
    memory.remember("Berlin", key=KEY)
    data = memory.chart(KEY).to_dict()
    assert set(data) == {"key", "scope", "as_of", "stretches", "text", "svg"}
    assert isinstance(memory.chart(KEY), Chart) and data["svg"].startswith("<svg ")


def test_long_values_are_cut_and_long_lines_stay_short() -> None:
    grid = grid_of([Box(0, 1, 0, 9, "x" * 1000, False)])
    assert len(grid.cells[0][0][0]) == 22
