"""A replaced name is a claim like any other: it has a history, is taken back, disputed, held, forgotten and proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import ConflictError, Memory, NotFoundError, PermissionDenied, ValidationError


@pytest.fixture
def memory() -> Memory:
    return Memory(":memory:")


def test_what_was_replaced_is_told_with_its_reason(memory: Memory) -> None:
    outcome = memory.code.deprecate("db.fetch", "db.load", "one call for both")
    status = memory.code.symbol_status("db::fetch")
    assert outcome.believed
    assert (status.status, status.replacement, status.reason) == ("replaced", "db.load", "one call for both")
    assert [one.text for one in memory.history(status.key)] == ["db.fetch was replaced by db.load: one call for both"]
    assert memory.log.verify().ok


def test_a_name_of_which_nothing_was_said_may_be_used(memory: Memory) -> None:
    assert memory.code.symbol_status("nobody").status == "active"
    assert memory.code.symbols() == ()


def test_capital_letters_make_another_name(memory: Memory) -> None:
    for old, new in (("getUser", "fetchUser"), ("GetUser", "FetchUser"), ("getuser", "FETCHUSER")):
        assert memory.code.deprecate(old, new).disposition.value == "accepted"
    assert [(one.name, one.replacement) for one in memory.code.symbols()] == [
        ("GetUser", "FetchUser"), ("getUser", "fetchUser"), ("getuser", "FETCHUSER"),
    ]  # fmt: skip
    assert memory.code.deprecate("getUser", "fetchuser").disposition.value == "superseded_prior"
    assert memory.code.symbol_status("getUser").replacement == "fetchuser"


def test_a_chain_of_renames_leads_to_its_end(memory: Memory) -> None:
    memory.code.deprecate("a", "b")
    memory.code.deprecate("b", "c")
    status = memory.code.symbol_status("a")
    assert (status.replacement, status.via) == ("c", ("b",))
    assert memory.code.check("a()").uses[0].message == "a was replaced; use c (after b)"


def test_a_circle_is_refused_and_opens_when_the_first_is_taken_back(memory: Memory) -> None:
    memory.code.deprecate("a", "b")
    memory.code.deprecate("b", "c")
    with pytest.raises(ConflictError, match="leads back"):
        memory.code.deprecate("c", "a")
    memory.code.undeprecate("a")
    assert memory.code.deprecate("c", "a").believed
    assert memory.code.symbol_status("b").replacement == "a"


def test_a_circle_that_came_about_otherwise_names_no_replacement(memory: Memory) -> None:
    """Anybody may write to the keys; whoever reads them must come to an end all the same."""
    memory.code.deprecate("a", "b")
    memory.remember("b was replaced by a", key="symbol::b", value="a")
    status = memory.code.symbol_status("a")
    assert (status.status, status.replacement) == ("replaced", None)
    assert "circle" in memory.code.check("a()").uses[0].message


@pytest.mark.parametrize(
    ("old", "new"), [("a", "a"), ("a.b", "a::b"), ("a", "a b"), ("", "b"), (".*", "b"), ("a", None)]
)
def test_what_is_no_rename_is_refused(memory: Memory, old: str, new: str) -> None:
    with pytest.raises(ValidationError):
        memory.code.deprecate(old, new)
    assert memory.stats()["claims"] == 0


def test_a_name_is_allowed_again_and_replaced_again_and_keeps_its_history(memory: Memory) -> None:
    memory.code.deprecate("a", "b")
    assert memory.code.undeprecate("a", reason="we went back").disposition.value == "ended"
    assert memory.code.check("a()").ok
    assert memory.code.undeprecate("a").disposition.value == "unchanged"
    assert memory.code.deprecate("a", "b").believed
    assert not memory.code.check("a()").ok
    memory.code.undeprecate("a")
    assert len(memory.history("symbol::a")) == 2
    assert memory.log.verify().ok


def test_a_request_that_was_done_is_answered_as_it_was_whatever_holds_by_now(memory: Memory) -> None:
    first = memory.code.deprecate("a", "b", idempotency_key="r1")
    back = memory.code.undeprecate("a", idempotency_key="r2")
    memory.code.deprecate("b", "a")  # to say the first anew would close a circle
    before = memory.stats()
    again = memory.code.deprecate("a", "b", idempotency_key="r1")
    assert (again.claim_id, again.disposition) == (first.claim_id, first.disposition)
    assert memory.code.undeprecate("a", idempotency_key="r2").entry_id == back.entry_id is not None
    assert memory.stats() == before
    with pytest.raises(ConflictError, match="idempotency"):
        memory.code.undeprecate("b", idempotency_key="r2")


def test_that_there_was_nothing_to_take_back_is_kept_as_an_answer_too(memory: Memory) -> None:
    assert memory.code.undeprecate("a", idempotency_key="r1").disposition == "unchanged"
    memory.code.deprecate("a", "b")
    assert memory.code.undeprecate("a", idempotency_key="r1").disposition == "unchanged"
    assert memory.code.symbol_status("a").status == "replaced"
    assert memory.code.undeprecate("a", idempotency_key="r2").disposition == "ended"


def test_what_is_replaced_in_a_wider_scope_is_not_taken_back_in_a_narrower_one(memory: Memory) -> None:
    memory.code.deprecate("a", "b")
    narrow = memory.scoped(project="moon")
    with pytest.raises(NotFoundError):
        narrow.code.undeprecate("a")
    assert narrow.code.symbol_status("a").status == "replaced"


def test_who_does_not_vouch_takes_nothing_back_not_even_what_was_never_said(memory: Memory) -> None:
    for channel in ("model", "document"):
        with pytest.raises(PermissionDenied):
            memory.code.undeprecate("a", channel=channel)


def test_revert_goes_back_to_what_replaced_it_before(memory: Memory) -> None:
    memory.code.deprecate("a", "b")
    key = memory.code.symbol_status("a").key
    memory.code.deprecate("a", "c")
    memory.revert(key)
    assert memory.code.symbol_status("a").replacement == "b"
    memory.redo(key)
    assert memory.code.symbol_status("a").replacement == "c"


def test_two_systems_that_disagree_are_both_told(memory: Memory) -> None:
    memory.code.deprecate("a", "b", channel="tool", source="ci://one")
    item = memory.code.deprecate("a", "c", channel="tool", source="ci://two").item
    status = memory.code.symbol_status("a")
    assert (status.status, status.replacement, status.candidates) == ("disputed", None, ("b", "c"))
    assert memory.code.check("a()").uses[0].message == "a was replaced; its replacement is in dispute: b or c"
    assert item is not None
    memory.resolve(item, "accept", "two is the live one")
    assert memory.code.symbol_status("a").replacement == "c"


@pytest.mark.parametrize("channel", ["document", "model"])
def test_what_nobody_vouches_for_guards_nothing_and_waits(memory: Memory, channel: str) -> None:
    outcome = memory.code.deprecate("a", "evil", channel=channel)  # type: ignore[arg-type]
    assert memory.code.symbols() == () and memory.code.check("a()").ok
    assert memory.code.symbol_status("a").status == "active"
    assert outcome.disposition.value in ("held", "inferred")
    memory.code.deprecate("a", "good", channel="agent")
    assert memory.code.symbol_status("a").replacement == "good", "the control"


def test_an_agent_does_not_overrule_a_person(memory: Memory) -> None:
    memory.code.deprecate("a", "b", channel="user")
    assert memory.code.deprecate("a", "evil", channel="agent").disposition.value == "pending_review"
    assert memory.code.symbol_status("a").replacement == "b"


def test_whoever_may_only_read_replaces_nothing(tmp_path: Path) -> None:
    with Memory(tmp_path / "m") as memory:
        memory.code.deprecate("a", "b")
    with Memory(tmp_path / "m", roles=["reader"]) as reader:
        for call in (lambda: reader.code.deprecate("c", "d"), lambda: reader.code.undeprecate("a")):
            with pytest.raises(PermissionDenied):
                call()
        assert not reader.code.check("a()").ok


def test_the_narrower_scope_answers_and_the_others_keep_theirs(memory: Memory) -> None:
    memory.code.deprecate("a", "b")
    one, other = memory.scoped(project="one"), memory.scoped(project="other")
    one.code.deprecate("a", "c")
    one.code.deprecate("only", "here")
    assert [(s.name, s.replacement) for s in one.code.symbols()] == [("a", "c"), ("only", "here")]
    assert [(s.name, s.replacement) for s in other.code.symbols()] == [("a", "b")]
    assert one.code.symbol_status("a").replacement == "c"


def test_what_was_forgotten_guards_nothing_and_can_be_said_again(memory: Memory) -> None:
    memory.code.deprecate("a", "b")
    assert memory.code.symbols()
    memory.forget(key="symbol::a")
    late = memory.namespace("default")
    assert memory.code.symbols() == late.code.symbols() == ()
    memory.code.deprecate("a", "b")
    for handle in (memory, late):  # one saw it go, the other first looked when it was gone
        assert [one.name for one in handle.code.symbols()] == ["a"]


def test_a_handle_sees_what_another_process_replaces(tmp_path: Path) -> None:
    with Memory(tmp_path / "m") as one, Memory(tmp_path / "m") as other:
        one.code.deprecate("a", "b")
        assert len(other.code.symbols()) == 1
        one.code.deprecate("c", "d")
        one.code.undeprecate("a")
        assert [symbol.name for symbol in other.code.symbols()] == ["c"]


def test_many_names_are_all_found_among_many_other_claims(memory: Memory) -> None:
    memory.remember_many({"text": f"note {n}", "key": f"k{n}::symbol"} for n in range(1_100))
    for n in range(20):
        memory.code.deprecate(f"name{n}", f"other{n}")
    memory.remember_many({"text": f"note {n}", "key": f"symbol {n}::x"} for n in range(1_100))
    assert len(memory.code.symbols()) == 20


def test_what_is_written_to_such_a_key_by_hand_and_is_no_name_is_passed_over(memory: Memory) -> None:
    memory.remember("x", key="symbol::a b", value="c")
    memory.remember("y", key="symbol::d", value=42)
    memory.remember("z", key="symbol::e", value=["f"])
    memory.remember("w", key="symbol::g", value="h", cardinality="many")
    memory.remember("w", key="symbol::g", value="i")
    assert [(one.name, one.candidates) for one in memory.code.symbols()] == [("g", ("h", "i"))]
    assert memory.code.symbol_status("d").status == "active"


def test_reading_a_row_that_was_changed_behind_the_log_is_refused(tmp_path: Path) -> None:
    import apsw

    from muniment import TamperedError

    with Memory(tmp_path / "m") as memory:
        memory.code.deprecate("a", "b")
    file = apsw.Connection(str(tmp_path / "m"))
    file.execute("UPDATE claims SET value_text = replace(value_text, 'b', 'e')")
    file.close()
    with Memory(tmp_path / "m") as memory, pytest.raises(TamperedError):
        memory.code.symbols()


async def _through_async() -> list[str]:
    from muniment import AsyncMemory

    async with AsyncMemory(":memory:") as memory:
        await memory.code.deprecate("a", "b")
        return [str(use) for use in (await memory.code.check("a()")).uses]


def test_it_can_be_awaited() -> None:
    import asyncio

    assert asyncio.run(_through_async()) == ["-:1:1: a was replaced; use b"]
