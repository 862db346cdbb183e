"""The ledger diff: what happened between two sizes of the log, told from the log alone."""

from __future__ import annotations

import json

import pytest

from muniment import Memory, PermissionDenied, ValidationError


def became(diff: object) -> list[str]:
    return [row.became.value for row in diff]  # type: ignore[attr-defined]


def everything(memory: Memory) -> None:
    """Let one thing of each kind happen."""
    memory.remember("Berlin", key="office::city", value="Berlin")  # said
    memory.remember("Munich", key="office::city", value="Munich")  # changed
    memory.remember("Paris", key="office::city", value="Paris", channel="document")  # held
    memory.remember("five", key="pool::size", value=5, channel="tool", source="a")  # said
    memory.remember("six", key="pool::size", value=6, channel="tool", source="b")  # contested
    memory.remember("zebraquartz", key="secret::word", value="zebraquartz")  # said, then erased
    memory.forget(key="secret::word", basis="asked")  # erased
    memory.revert("office::city", reason="it was not decided")  # changed


def test_every_entry_is_told_as_what_became_of_it(memory: Memory) -> None:
    begin = memory.sessions.open()
    everything(memory)
    diff = memory.sessions.diff(since=begin.size)
    assert became(diff) == ["said", "changed", "held", "said", "contested", "said", "erased", "changed"]
    assert diff.counts == {"said": 3, "changed": 2, "contested": 1, "held": 1, "erased": 1, "other": 0}
    assert (diff.since, diff.until) == (begin.size, memory.sessions.open().size)


def test_of_what_is_held_or_erased_nothing_is_told_but_which_it_is(memory: Memory) -> None:
    everything(memory)
    diff = memory.sessions.diff(since=0)
    held = next(row for row in diff if row.became.value == "held")
    assert (held.key, held.text) == ("office::city", None)
    assert held.claims
    assert "zebraquartz" not in json.dumps(diff.to_dict())
    assert "Paris" not in json.dumps(diff.to_dict())
    assert "Munich" in json.dumps(diff.to_dict()), "the control"


def test_what_was_withdrawn_since_is_named_and_not_repeated(memory: Memory) -> None:
    for name in ("rejected", "released", "kept"):
        memory.remember(f"zebraquartz {name}", key=f"{name}::word", value=name)
    memory.retract("rejected::word", "never so")
    memory.release(memory.believe("released::word").primary.claim_id, "not ours")  # type: ignore[union-attr]
    texts = {row.key: row.text for row in memory.sessions.diff(since=0) if row.type == "claim"}
    assert texts == {"rejected::word": None, "released::word": None, "kept::word": "zebraquartz kept"}


def test_a_diff_ends_where_it_is_told_to(memory: Memory) -> None:
    memory.remember("one", key="a::x")
    middle = memory.sessions.open().size
    memory.remember("two", key="b::x")
    assert [row.key for row in memory.sessions.diff(since=0, until=middle)] == ["a::x"]
    assert [row.key for row in memory.sessions.diff(since=middle)] == ["b::x"]
    assert len(memory.sessions.diff(since=middle, until=middle)) == 0


def test_rows_are_limited_and_the_counts_are_of_everything(memory: Memory) -> None:
    begin = memory.sessions.open().size
    memory.remember_many([{"text": f"note {n}"} for n in range(1100)])
    diff = memory.sessions.diff(since=begin, limit=7)
    assert (len(diff), diff.truncated, diff.counts["said"]) == (7, True, 1100)


@pytest.mark.parametrize(("since", "until"), [(99, None), (0, 99), (2, 1)])
def test_sizes_that_the_log_never_had_are_refused(memory: Memory, since: int, until: int | None) -> None:
    with pytest.raises(ValidationError):
        memory.sessions.diff(since=since, until=until)


def test_closing_writes_numbers_and_nothing_of_what_was_said(memory: Memory) -> None:
    begin = memory.sessions.open(session="monday")
    everything(memory)
    closed = memory.sessions.close(since=begin.size, session=begin.session)
    assert closed.claim_id is not None
    claim = memory.get(closed.claim_id)
    assert claim.value == {"since": begin.size, "until": closed.until, **closed.counts}
    assert (
        claim.text == f"Log entries {begin.size} to {closed.until}: 3 said, 2 changed, 1 contested, 1 held, 1 erased."
    )
    assert (claim.key, claim.session, claim.channel) == ("session monday::ledger", "monday", "agent")


def test_opening_says_the_size_that_closing_asks_for_and_closing_what_it_wrote_and_where(memory: Memory) -> None:
    memory.remember("Tea", key="drink::now")
    begin = memory.sessions.open(session="monday")
    assert str(begin) == f"Session monday begins: the log has {begin.size} entries, which closing it asks for."
    assert "Nothing happened, so nothing was written." in str(memory.sessions.close(since=begin.size, session="monday"))
    memory.remember("Milk", key="drink::then")
    closed = memory.sessions.close(since=begin.size, session="monday")
    assert closed.wrote == f"Written down under session monday::ledger, in numbers alone: claim {closed.claim_id}."
    assert closed.wrote in str(closed)
    assert closed.key is not None and memory.believe(closed.key).primary.claim_id == closed.claim_id
    assert memory.sessions.diff(since=begin.size).wrote == ""


def test_a_session_in_which_nothing_happened_leaves_no_trace(memory: Memory) -> None:
    begin = memory.sessions.open()
    assert memory.sessions.close(since=begin.size).claim_id is None
    assert memory.sessions.open().size == begin.size


def test_a_record_of_a_session_is_neither_told_to_the_next_nor_counted_as_said(memory: Memory) -> None:
    begin = memory.sessions.open(session="monday")
    memory.remember("Berlin", key="office::city", value="Berlin")
    memory.sessions.close(since=begin.size, session="monday")
    assert [row.key for row in memory.sessions.digest()] == ["office::city"]
    assert [row.key for row in memory.sessions.diff(since=begin.size)] == ["office::city"]


def test_a_narrow_handle_is_told_of_its_own_entries_alone(memory: Memory) -> None:
    begin = memory.sessions.open()
    memory.scoped(user="ana").remember("hers", key="a::x")
    memory.scoped(user="bob").remember("his", key="b::x")
    diff = memory.scoped(user="ana").sessions.diff(since=begin.size)
    assert [row.key for row in diff] == ["a::x"]
    assert diff.counts["said"] == 1


def test_a_session_whose_name_looks_like_a_key_is_closed_under_one_line(memory: Memory) -> None:
    begin = memory.sessions.open(session="a::b")
    memory.remember("said", key="x::y")
    memory.sessions.close(since=begin.size, session="a::b")
    assert memory.believe("session a:b::ledger").value["said"] == 1


def test_closing_needs_a_writer_and_looking_does_not(tmp_path: object) -> None:
    with Memory(":memory:", roles=["reader"]) as reader:
        assert reader.sessions.open().size >= 0
        assert len(reader.sessions.diff(since=0)) == 0
        with pytest.raises(PermissionDenied):
            reader.sessions.close(since=0)


def test_P59_what_a_policy_wants_reviewed_is_neither_recalled_nor_told_before_a_person_said_so(memory: Memory) -> None:
    memory.policy("*", on_conflict="review", review=["model"])
    outcome = memory.remember("Ana prefers tea", key="ana::drink", value="tea", channel="model")
    assert outcome.disposition.value == "pending_review"
    assert len(memory.recall("Ana tea")) == 0
    assert memory.sessions.digest().rows == ()
    assert outcome.item is not None
    memory.resolve(outcome.item, "accept", "she says so")
    assert memory.believe("ana::drink").value == "tea"
    (row,) = memory.sessions.digest().rows
    assert row.key == "ana::drink"
    (item,) = [one for one in memory.changes(content=True) if one.type == "verdict"]
    assert outcome.claim_id in item.claims
