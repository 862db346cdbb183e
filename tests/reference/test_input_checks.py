"""What no memory should take: numbers that are none, clipped times, strings for lists, nothing for something."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from muniment import Memory, MunimentError, ValidationError

DUE = "task::due"


@pytest.mark.parametrize(
    "number", ["inf", "-inf", "nan", "Infinity", "1e999", float("inf"), float("nan"), "x", True, [], 2, -0.1]
)
@pytest.mark.parametrize("name", ["confidence", "valid_confidence"])
def test_a_confidence_that_is_no_fraction_is_refused(memory: Memory, name: str, number: Any) -> None:
    """Item 16: infinity and NaN are refused, also when they come as a string."""
    with pytest.raises(ValidationError):
        memory.remember("something", **{name: number})
    assert memory.stats()["claims"] == 0
    assert memory.remember("something", **{name: "0.75"}).believed, "the control: a number as a string is a number"


@pytest.mark.parametrize("number", ["inf", "nan", float("inf"), float("nan"), 1.5, 11, -1, True, "high"])
def test_a_priority_that_is_no_step_is_refused(memory: Memory, number: Any) -> None:
    """Item 16: the caller's weight is bounded and finite."""
    with pytest.raises(ValidationError):
        memory.remember("something", priority=number)
    assert memory.remember("something", priority="7").believed, "the control"


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan"), Decimal("Infinity"), Decimal("NaN")])
def test_a_value_that_is_no_number_is_refused(memory: Memory, number: Any) -> None:
    """Item 16: as a value, and wherever it hides in one."""
    for value in (number, [number], {"a": {"b": number}}):
        with pytest.raises(ValidationError):
            memory.remember("something", key="thing::value", value=value)
    for meta in ({"a": number}, {"a": [number]}):
        with pytest.raises(ValidationError):
            memory.remember("something", meta=meta)
    assert memory.remember("something", key="thing::value", value=1.5).believed, "the control"


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("2026-02-01T10:00:00+02:00", "2026-02-01T08:00:00Z"),
        ("2026-02-01T10:00:00-05:30", "2026-02-01T15:30:00Z"),
        ("2026-02-01T00:30:00+05:45", "2026-01-31T18:45:00Z"),
        ("2026-02-01T10:00:00.25Z", "2026-02-01T10:00:00.250000Z"),
        ("2026-02-01T10:00:00.123456Z", "2026-02-01T10:00:00.123456Z"),
        ("2026-02-01 10:00:00", "2026-02-01T10:00:00Z"),
        ("2026-02-01", "2026-02-01"),
        ("2026-02", "2026-02"),
        ("2026", "2026"),
        (date(2026, 2, 1), "2026-02-01"),
        (datetime(2026, 2, 1, 10), "2026-02-01T10:00:00Z"),
        (datetime(2026, 2, 1, 10, tzinfo=timezone(timedelta(hours=9))), "2026-02-01T01:00:00Z"),
        (datetime(2026, 2, 1, 10, 0, 0, 5, tzinfo=UTC), "2026-02-01T10:00:00.000005Z"),
    ],
)
def test_offsets_fractions_and_bare_dates_are_honoured(memory: Memory, said: Any, stored: str) -> None:
    """Item 16: an offset moves the instant, a fraction is kept, a date is a date."""
    outcome = memory.remember("the work began", key=DUE, valid_from=said)
    assert outcome.claim_id is not None
    assert memory.get(outcome.claim_id).valid_from == stored
    assert memory.believe(DUE, valid_at=said).value == "the work began"
    start = datetime.fromisoformat(stored + "-01" * (2 - stored.count("-")) if len(stored) < 10 else stored)
    start = start.replace(tzinfo=start.tzinfo or UTC)
    assert memory.believe(DUE, valid_at=start - timedelta(microseconds=1)).status == "none", "and not a moment earlier"


def test_a_bare_date_as_an_end_is_inclusive(memory: Memory) -> None:
    """Item 16: until the 31st means the whole of the 31st."""
    memory.remember("open", key=DUE, valid_from="2024-01-01", valid_to="2024-12-31")
    assert memory.believe(DUE, valid_at="2024-12-31T23:59:59.999999Z").value == "open"
    assert memory.believe(DUE, valid_at="2025-01-01").status == "none"


@pytest.mark.parametrize(
    "moment",
    ["yesterday", "2026-13-01", "2026-02-30", "2026-02-01T25:00:00Z", "", "  ", "2026-02-01T10:00:00+25:00", "26-02-01", 5.0,
     float("nan"), True, ["2026"], "2026-02-01T10:00:00Z and more", "10000-01-01"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["valid_from", "valid_to", "expires_at"])
def test_a_date_that_is_none_is_refused(memory: Memory, name: str, moment: Any) -> None:
    """Item 16: nothing is guessed and nothing clipped."""
    with pytest.raises(ValidationError):
        memory.remember("something", key=DUE, **{name: moment})
    assert memory.stats()["claims"] == 0
    assert memory.remember("something", key=DUE, **{name: "2029-02-01"}).claim_id is not None, "the control"


@pytest.mark.parametrize("name", ["tags", "about"])
@pytest.mark.parametrize("words", ["abc", b"abc", 5, {"a": 1}, [1], [""], ["  "], [None], ["a\nb"]])
def test_a_string_is_no_list_of_strings(memory: Memory, name: str, words: Any) -> None:
    """Item 16: tags="abc" is an error, not three letters."""
    with pytest.raises(ValidationError):
        memory.remember("something", **{name: words})
    said = memory.remember("something", **{name: ("abc", "de")})
    assert said.claim_id is not None
    assert getattr(memory.get(said.claim_id), name) == ("abc", "de"), "the control"


@pytest.mark.parametrize(
    "text", ["", "   ", "\n\t", None, 5, b"bytes", ["a"], "a\x00b", "\ud800", "x" * (1 << 20) + "x"]
)
def test_a_text_that_says_nothing_is_refused(memory: Memory, text: Any) -> None:
    """Item 16: empty, blank, invisible, too long or no text at all."""
    with pytest.raises(ValidationError):
        memory.remember(text)
    assert memory.stats()["claims"] == 0
    assert memory.remember("x").believed, "the control"
    assert memory.remember("x" * (1 << 20)).believed, "the control: one mebibyte fits"


@pytest.mark.parametrize("key", ["", "  ", "::", "a::", "::b", "a\x00::b", "a\n::b", "\ud800::b", 5, ["a"]])
def test_a_key_that_names_nothing_is_refused(memory: Memory, key: Any) -> None:
    """Item 16: empty parts, control characters, things that are no text."""
    for call in (lambda: memory.remember("x", key=key), lambda: memory.believe(key), lambda: memory.history(key)):
        with pytest.raises(ValidationError):
            call()
    assert memory.remember("x", key="a::b").believed, "the control"
    assert memory.remember("x", key="subject only").believed, "the control: no predicate is the predicate value"


def test_an_error_never_quotes_what_was_said(memory: Memory) -> None:
    """Item 16: the check says which argument and which limit; the words stay out of errors and logs."""
    secret = "ana's secret word is swordfish"
    calls: list[dict[str, Any]] = [
        {"confidence": secret}, {"valid_from": secret}, {"tags": secret}, {"channel": secret}, {"kind": secret},
        {"meta": secret}, {"expires_at": secret}, {"priority": secret}, {"meta": {"_" + secret: 1}},
        {"key": secret + "\x00"}, {"source": {secret: 1}}, {"derived_from": [secret]}, {"opinion": {secret: 1}},
        {"key": "k::v", "expect": secret}, {"cardinality": secret, "key": "k::v"}, {"criticality": secret},
    ]  # fmt: skip
    for given in calls:
        with pytest.raises(MunimentError) as raised:
            memory.remember(secret, **given)
        shown = f"{raised.value} {raised.value.diagnostics()!r}"
        assert "swordfish" not in shown, given
