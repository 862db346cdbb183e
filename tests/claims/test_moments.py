"""Instants, granules, periods, and that the machine's time zone plays no part."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.claims.intervals import FOREVER, NEVER
from muniment.claims.moments import (
    DAY,
    SECOND,
    Granularity,
    Moment,
    format_end,
    format_instant,
    granule_at,
    parse_moment,
    point,
    resolve_period,
)
from muniment.errors import ValidationError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
instants = st.integers(point("0001", "x"), parse_moment("9999", "x").end - 1)
granularities = st.sampled_from(Granularity)


def us(*parts: int) -> int:
    """Return the instant of a UTC date and time."""
    return (datetime(*parts, tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("text", "start", "end", "granularity"),
    [
        ("2024", us(2024, 1, 1), us(2025, 1, 1), "year"),
        ("2024-02", us(2024, 2, 1), us(2024, 3, 1), "month"),
        ("2024-12", us(2024, 12, 1), us(2025, 1, 1), "month"),
        ("2024-02-29", us(2024, 2, 29), us(2024, 3, 1), "day"),
        ("0001", us(1, 1, 1), us(2, 1, 1), "year"),
        ("9999-12-31", us(9999, 12, 31), us(9999, 12, 31) + DAY, "day"),
    ],
)
def test_a_date_month_or_year_is_the_stretch_it_names(text: str, start: int, end: int, granularity: str) -> None:
    assert parse_moment(text, "x") == Moment(start, end, Granularity(granularity))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-03-05T10:30:00Z", us(2024, 3, 5, 10, 30)),
        ("2024-03-05t10:30:00z", us(2024, 3, 5, 10, 30)),
        ("2024-03-05 10:30:00Z", us(2024, 3, 5, 10, 30)),
        ("2024-03-05T10:30", us(2024, 3, 5, 10, 30)),
        ("2024-03-05T10:30:00", us(2024, 3, 5, 10, 30)),
        (" 2024-03-05T10:30:00Z ", us(2024, 3, 5, 10, 30)),
        ("2024-03-05T10:30:00+05:45", us(2024, 3, 5, 4, 45)),
        ("2024-03-05T10:30:00-08:00", us(2024, 3, 5, 18, 30)),
        ("2024-03-05T10:30:00-00:00", us(2024, 3, 5, 10, 30)),
        ("2024-03-05T10:30:00.5Z", us(2024, 3, 5, 10, 30, 0, 500_000)),
        ("2024-03-05T10:30:00.123456Z", us(2024, 3, 5, 10, 30, 0, 123_456)),
        ("2024-03-05T10:30:00.1234569Z", us(2024, 3, 5, 10, 30, 0, 123_456)),
        ("2016-12-31T23:59:60Z", us(2017, 1, 1)),
        ("2016-12-31T23:59:60.25Z", us(2017, 1, 1, 0, 0, 0, 250_000)),
        ("2016-12-31T15:59:60-08:00", us(2017, 1, 1)),
        ("1969-12-31T23:59:59.999999Z", -1),
    ],
)
def test_a_time_is_an_instant_in_utc(text: str, expected: int) -> None:
    assert parse_moment(text, "x") == Moment(expected, expected + 1, Granularity.INSTANT)


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "yesterday",
        "24",
        "2024-3",
        "2024-13",
        "2023-02-29",
        "0000",
        "20240305",
        "2024-03-05T",
        "2024-03-05T24:00:00Z",
        "2024-03-05T25:00:00Z",
        "2024-03-05T10:60:00Z",
        "2024-03-05T10:30:60Z",
        "2024-03-05T10:30:61Z",
        "2024-03-05T10:30:00+24:00",
        "2024-03-05T10:30:00+05:60",
        "2024-03-05T10:30:00Z junk",
        "2024-03-05Z",
        "٢٠٢٤",
        "9999-12-31T23:59:60Z",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:00:00-02:00",
        5,
        1_709_632_800.5,
        True,
        None,
        b"2024",
        timedelta(1),
    ],
)
def test_what_is_no_date_is_refused_with_advice_and_not_quoted(bad: object) -> None:
    with pytest.raises(ValidationError) as caught:
        parse_moment(bad, "valid_from")
    assert caught.value.message.startswith("valid_from ")
    assert caught.value.advice
    assert "yesterday" not in str(caught.value) and "junk" not in str(caught.value)


def test_python_dates_and_datetimes_are_read() -> None:
    assert parse_moment(date(2024, 3, 5), "x") == parse_moment("2024-03-05", "x")
    assert point(datetime(2024, 3, 5, 10, 30), "x") == us(2024, 3, 5, 10, 30)
    kathmandu = timezone(timedelta(hours=5, minutes=45))
    assert point(datetime(2024, 3, 5, 10, 30, tzinfo=kathmandu), "x") == us(2024, 3, 5, 4, 45)
    odd = timezone(timedelta(microseconds=1))
    assert point(datetime(2024, 3, 5, tzinfo=odd), "x") == us(2024, 3, 5) - 1
    moment = parse_moment("2024-03", "x")
    assert parse_moment(moment, "x") is moment


def test_a_moment_that_is_no_granule_is_refused() -> None:
    with pytest.raises(ValidationError):
        parse_moment(Moment(5, 9, Granularity.DAY), "x")


@pytest.mark.parametrize("text", ["2024", "2024-01", "2024-01-01", "2024-01-01T00:00:00Z"])
def test_as_a_point_a_granule_is_its_first_instant(text: str) -> None:
    assert point(text, "valid_at") == us(2024, 1, 1)


@given(instants, granularities)
def test_a_granule_holds_its_instant_and_reads_back_from_its_text(at: int, granularity: Granularity) -> None:
    moment = granule_at(at, granularity)
    assert moment.start <= at < moment.end
    assert parse_moment(str(moment), "x") == moment
    assert granule_at(moment.start, granularity) == granule_at(moment.end - 1, granularity) == moment


@given(instants, granularities)
def test_the_end_of_a_granule_is_written_as_the_granule(at: int, granularity: Granularity) -> None:
    moment = granule_at(at, granularity)
    if granularity is Granularity.INSTANT:
        assert format_end(at, granularity) == format_instant(at)
    else:
        assert format_end(moment.end, granularity) == str(moment)


@given(instants)
def test_an_instant_is_what_datetime_says(at: int) -> None:
    stamp = EPOCH + timedelta(microseconds=at)
    assert point(stamp, "x") == at
    assert format_instant(at) == stamp.isoformat().replace("+00:00", "Z")


def test_no_more_is_shown_than_was_said() -> None:
    at = us(2024, 3, 5, 10, 30)
    shown = [format_instant(at, granularity) for granularity in reversed(Granularity)]
    assert shown == ["2024", "2024-03", "2024-03-05", "2024-03-05T10:30:00Z"]
    assert format_instant(at + 5) == "2024-03-05T10:30:00.000005Z"
    assert format_instant(NEVER) == format_end(FOREVER, Granularity.DAY) == "unbounded"
    assert format_instant(parse_moment("9999", "x").end) == "10000-01-01T00:00:00Z"


NOW = us(2024, 6, 15)


def resolved(start: str | None, end: str | None) -> tuple[int, int, bool]:
    """Resolve a period given as text."""
    low = parse_moment(start, "valid_from") if start else None
    high = parse_moment(end, "valid_to") if end else None
    period = resolve_period(low, high, NOW)
    assert (period.explicit_start, period.explicit_end) == (start is not None, end is not None)
    assert (period.start_granule, period.end_granule) == (low, high)
    return period.start, period.end, period.timing_uncertain


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (None, None, (NOW, FOREVER, False)),
        ("2024-01-01", None, (us(2024, 1, 1), FOREVER, False)),
        ("2030", None, (us(2030, 1, 1), FOREVER, False)),
        ("2024-01-01", "2024-12-31", (us(2024, 1, 1), us(2025, 1, 1), False)),
        ("2024-03", "2024-03", (us(2024, 3, 1), us(2024, 4, 1), False)),
        ("2024", "2024", (us(2024, 1, 1), us(2025, 1, 1), False)),
        ("2024-06-20", "2024", (us(2024, 6, 20), us(2025, 1, 1), False)),
        ("2024", "2024-01-01T00:00:01Z", (us(2024, 1, 1), us(2024, 1, 1) + SECOND, False)),
        (None, "2024-12", (NOW, us(2025, 1, 1), False)),
        (None, "2024-06-15", (NOW, us(2024, 6, 16), False)),
        (None, "2024-06-15T00:00:00.000001Z", (NOW, NOW + 1, False)),
        (None, "2024-06-15T00:00:00Z", (NEVER, NOW, True)),
        (None, "2024-06-14", (NEVER, NOW, True)),
        (None, "2020", (NEVER, us(2021, 1, 1), True)),
    ],
)
def test_a_period_is_half_open_and_an_end_granule_is_included(
    start: str | None, end: str | None, expected: tuple[int, int, bool]
) -> None:
    assert resolved(start, end) == expected


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2024-03", "2024-02"),
        ("2024-03-05", "2024-03-04"),
        ("2024-03-05T10:00:00Z", "2024-03-05T10:00:00Z"),
        ("2024-03-05", "2024-03-05T00:00:00Z"),
        ("2025", "2024"),
    ],
)
def test_an_empty_period_is_refused(start: str, end: str) -> None:
    with pytest.raises(ValidationError, match="empty"):
        resolved(start, end)


def test_a_period_knows_the_granules_at_its_edges() -> None:
    june = parse_moment("2024-06", "x")
    exact = parse_moment("2024-01-01T00:00:00Z", "x")
    period = resolve_period(june, june, NOW)
    assert (period.start_until, period.end_from) == (us(2024, 7, 1), us(2024, 6, 1))
    period = resolve_period(None, None, NOW)
    assert (period.start_until, period.end_from) == (NOW + 1, FOREVER)
    period = resolve_period(exact, parse_moment("2024-01-01T00:00:01Z", "x"), NOW)
    assert (period.start_until, period.end_from) == (exact.start + 1, exact.start + SECOND)


@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "America/Los_Angeles", "UTC"])
def test_the_time_zone_of_the_machine_plays_no_part(zone: str) -> None:
    code = (
        "from datetime import date, datetime\n"
        "from muniment.claims.moments import format_instant, parse_moment\n"
        "from muniment.claims.values import Value\n"
        "print(parse_moment('2024-03-10', 'x').start, parse_moment(datetime(2024, 3, 10, 2, 30), 'x').start,"
        " parse_moment(date(2024, 3, 10), 'x').start, parse_moment('2024-03-10T02:30:00', 'x').start,"
        " format_instant(0), Value.parse(datetime(2024, 3, 10, 2, 30)).to_python())\n"
    )
    source = Path(__file__).parents[2] / "src"
    environment = {**os.environ, "TZ": zone, "PYTHONPATH": str(source)}
    out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    midnight, half_past_two = us(2024, 3, 10), us(2024, 3, 10, 2, 30)
    assert out.stdout.split()[:5] == [
        str(midnight),
        str(half_past_two),
        str(midnight),
        str(half_past_two),
        "1970-01-01T00:00:00Z",
    ]
    assert out.stdout.strip().endswith("2024-03-10 02:30:00+00:00")
