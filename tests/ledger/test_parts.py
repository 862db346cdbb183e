"""An entry that is too large for one leaf: how it is divided, and that nothing else passes for a division."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.ledger.continuity import Continuity
from muniment.ledger.differences import DifferenceKind as Kind
from muniment.ledger.entries import MAX_LEAF_SIZE, EntryType, Leaf, encode
from muniment.ledger.parts import MOST, continuation_id, divide, joined
from muniment.ledger.verifier import check_log

HASH = "A" * 43
AT = 1_772_366_400_000_000


def entry_id(number: int) -> str:
    return f"0190a5b0-0000-7000-8000-{number:012x}"


def whole(refs: int, effects: int, **more: Any) -> Leaf:
    """An entry that names so many of each."""
    return Leaf(
        entry_id(0), EntryType.RETRACT, AT, line=entry_id(7), disposition="invalidated", channel="user", rank=4,
        refs=tuple(("target", entry_id(n)) for n in range(refs)),
        effects=tuple((entry_id(n), "-", HASH) for n in range(effects)), record=HASH, **more,
    )  # fmt: skip


def members(leaf: Leaf) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(encode(leaf))
    return found


def followed(leaves: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """What is named of a log of these leaves."""
    found: list[tuple[str, int]] = []
    continuity = Continuity(lambda kind, index, _: found.append((kind.value, index)))
    for index, leaf in enumerate(leaves):
        continuity.follow(index, leaf)
    continuity.interrupt()
    return found


LOG = [members(part) for part in divide(whole(700, 900))]


def changed(at: int, change: Callable[[dict[str, Any]], object]) -> list[dict[str, Any]]:
    log: list[dict[str, Any]] = orjson.loads(orjson.dumps(LOG))
    change(log[at])
    return log


@given(st.integers(0, 3 * MOST), st.integers(0, 3 * MOST))
def test_what_is_divided_is_joined_again(refs: int, effects: int) -> None:
    entry = whole(refs, effects, extra={"opens": "contested"})
    parts = divide(entry)
    assert len(parts) == max(1, -(-(refs + effects) // MOST))
    assert followed([members(part) for part in parts]) == []
    again = joined([members(part) for part in parts])
    if len(parts) > 1:
        assert again["x"].pop("parts") == len(parts) - 1
    assert again == members_unbounded(entry)


def members_unbounded(leaf: Leaf) -> dict[str, Any]:
    """The members of a leaf, however large."""
    small = members(replace(leaf, refs=(), effects=()))
    if leaf.refs:
        small["refs"] = [list(ref) for ref in leaf.refs]
    if leaf.effects:
        small["fx"] = [list(effect) for effect in leaf.effects]
    return small


def test_an_entry_that_fits_is_written_as_it_is() -> None:
    entry = whole(MOST // 2, MOST // 2)
    assert divide(entry) == [entry]


def test_the_largest_leaf_of_a_division_fits_beside_all_that_a_leaf_may_say() -> None:
    facts: dict[str, int | str] = {f"{n:x>32}".replace("0", "a"): "y" * 512 for n in range(31)}
    entry = replace(whole(0, 0, extra=facts), refs=(("r" * 32, entry_id(1)),) * 100, effects=whole(0, 900).effects)
    assert all(len(encode(part)) <= MAX_LEAF_SIZE for part in divide(entry))


def test_a_continuation_bears_the_line_of_its_entry_and_nothing_else_of_it() -> None:
    first, *rest = divide(whole(700, 900))
    assert (first.record, first.rank, first.disposition) == (HASH, 4, "invalidated")
    for part in rest:
        assert part.line == first.line
        assert (part.record, part.rank, part.disposition, part.channel) == (None, None, None, None)


def test_ids_of_continuations_are_of_their_time_and_differ() -> None:
    ids = [continuation_id(entry_id(0), part, AT + part) for part in range(1, 2000)]
    assert len(set(ids)) == len(ids)
    for part, id_ in enumerate(ids, 1):
        made = uuid.UUID(id_)
        assert (made.version, made.variant) == (7, uuid.RFC_4122)
        assert made.int >> 80 == (AT + part) // 1000
    assert ids == sorted(ids)


def test_a_whole_division_is_in_order() -> None:
    assert followed(LOG) == []


def test_a_continuation_that_is_missing_is_named() -> None:
    assert ("missing", 0) in followed(LOG[:-1])
    assert ("missing", 0) in followed(LOG[:1])
    assert followed(LOG[:2] + LOG[3:]) != []
    alone = members(Leaf(entry_id(9), EntryType.CLAIM, AT + 99))
    assert followed([*LOG[:2], alone]) == [("missing", 0)]


def test_a_continuation_that_was_added_is_named() -> None:
    assert followed([*LOG, LOG[-1]]) == [("added", len(LOG))]
    assert followed(LOG[1:2]) == [("added", 0)]


def test_continuations_out_of_place_are_named() -> None:
    found = followed([LOG[0], LOG[2], LOG[1], *LOG[3:]])
    assert ("reordered", 1) in found and ("reordered", 2) in found


def test_a_continuation_of_another_entry_is_named() -> None:
    other = changed(1, lambda leaf: leaf["x"].update({"of": entry_id(3)}))
    found = followed(other)
    assert ("relabelled", 1) in found and ("missing", 0) in found


@pytest.mark.parametrize("parts", [0, -1, 1, 2, 4, 99, "3"])
def test_a_wrong_number_of_parts_is_named(parts: int | str) -> None:
    assert LOG[0]["x"]["parts"] == 3
    assert followed(changed(0, lambda leaf: leaf["x"].update({"parts": parts}))) != []


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "time": lambda leaf: leaf.update(at=leaf["at"] + 1),
    "id": lambda leaf: leaf.update(id=entry_id(77)),
    "line": lambda leaf: leaf.update(line=entry_id(77)),
    "no line": lambda leaf: leaf.pop("line"),
    "rank": lambda leaf: leaf.update(rank=4),
    "record": lambda leaf: leaf.update(rec=HASH),
    "another fact": lambda leaf: leaf["x"].update(opens="contested"),
    "one more effect": lambda leaf: leaf["fx"].append([entry_id(3), "-", HASH]),
    "one effect less": lambda leaf: leaf["fx"].pop(),
    "a reference after effects": lambda leaf: (leaf["fx"].pop(), leaf.update(refs=[["target", entry_id(1)]])),
}


@pytest.mark.parametrize("name", CHANGES)
def test_there_is_one_way_to_divide_an_entry(name: str) -> None:
    assert followed(changed(2, CHANGES[name])) == [("edited", 2)]


def test_an_entry_that_is_continued_is_full_and_none_is_fuller() -> None:
    assert followed(changed(0, lambda leaf: leaf["refs"].pop())) == [("edited", 0)]
    crowded = members(whole(0, MOST + 1))
    assert followed([crowded]) == [("edited", 0)]


def test_the_stand_alone_check_names_a_division_that_does_not_fit() -> None:
    target = Leaf(entry_id(0), EntryType.CLAIM, AT - 9)
    claims = [replace(target, id=entry_id(n + 1), recorded_at=AT - 2000 + n) for n in range(900)]
    decision = replace(whole(0, 0), id=entry_id(5000), effects=tuple((c.id, "-", HASH) for c in claims))
    parts = divide(decision)

    def named(log: list[Leaf]) -> list[tuple[Kind, str]]:
        found = check_log([encode(leaf) for leaf in log]).differences
        return [(one.kind, one.where) for one in found if one.where not in ("entry 0", "entry 1")]

    assert named([*claims, *parts]) == []
    assert named([*claims, *parts[:1]]) == [(Kind.MISSING, "entry 900")]
    assert named([*claims, parts[1]]) == [(Kind.ADDED, "entry 900")]
