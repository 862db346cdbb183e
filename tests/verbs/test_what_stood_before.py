"""Then and since: what a policy, a verdict or its undoing changes, and what comes back where one is undone."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from muniment import Memory
from muniment.verbs.results import Belief

CITY = "ana::city"


def words(memory: Memory, **at: str) -> list[str]:
    return [claim.standing for claim in memory.history(CITY, **at)]


def then(memory: Memory, found: Belief) -> Belief:
    return memory.believe(found.key, as_of=found.as_of)


def test_a_policy_says_how_many_from_the_moment_it_is_laid_down_and_not_before(memory: Memory) -> None:
    memory.remember("x", key=CITY, cardinality="many")
    memory.remember("y", key=CITY)
    many = memory.believe(CITY)
    assert many.value == ("y", "x")
    memory.policy(CITY, cardinality="one")
    one = memory.believe(CITY)
    assert (one.status, [c.value for c in one.candidates]) == ("contested", ["y", "x"])
    memory.remember("z", key=CITY)
    assert then(memory, many).value == ("y", "x")
    assert then(memory, one).status == "contested"
    assert memory.log.verify().ok and memory.reindex()["corrected"] == 0


def test_a_line_of_one_is_of_many_as_soon_as_a_policy_says_so(memory: Memory) -> None:
    memory.remember("x", key=CITY)
    before = memory.believe(CITY)
    memory.policy("*::city", cardinality="many")
    assert memory.believe(CITY).value == ("x",)
    memory.policy(CITY, cardinality="one")
    assert memory.believe(CITY).value == "x"
    memory.policy("*", cardinality="many")
    assert memory.believe(CITY).value == "x", "the policy of the key itself is the more specific one"
    assert then(memory, before).value == "x"
    memory.policy(CITY, cardinality="many")
    assert memory.remember("y", key=CITY).disposition == "accepted"
    assert memory.believe(CITY).value == ("y", "x")


def test_the_first_vouched_writer_says_how_many_from_then_on(memory: Memory) -> None:
    memory.remember("x", key=CITY, channel="model", cardinality="many")
    guess = memory.believe(CITY)
    memory.remember("y", key=CITY, cardinality="one")
    assert (guess.value, memory.believe(CITY).value) == (("x",), "y")
    assert then(memory, guess).value == ("x",)
    assert memory.log.verify().ok and memory.reindex()["corrected"] == 0


def test_how_old_an_answer_counted_is_told_by_the_policy_of_then(memory: Memory) -> None:
    memory.remember("x", key=CITY)
    fresh = memory.believe(CITY)
    memory.policy(CITY, aging_days=0)
    assert (memory.believe(CITY).currency, then(memory, fresh).currency) == ("aging", "fresh")


def test_a_claim_that_was_turned_away_is_not_held_again_for_being_retracted_later(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    page = memory.remember("Rome", key=CITY, channel="document")
    held = memory.believe(CITY)
    memory.resolve(str(page.item), "keep", "no")
    kept = memory.believe(CITY)
    memory.retract(str(page.claim_id), "wrong page")
    assert [len(then(memory, found).beside) for found in (held, kept)] == [1, 0]
    memory.revert(CITY)
    assert [len(then(memory, found).beside) for found in (held, kept)] == [1, 0]
    assert not memory.believe(CITY).beside, "the verdict stands"
    assert memory.log.verify().ok and memory.reindex()["corrected"] == 0


def test_a_claim_that_waits_again_did_not_wait_in_between(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    guess = memory.remember("Rome", key=CITY, channel="agent")
    memory.release(str(guess.claim_id))
    away = memory.believe(CITY)
    memory.reopen(CITY)
    assert [c.standing for c in memory.believe(CITY).beside] == ["pending_review"]
    assert not then(memory, away).beside and words(memory, as_of=away.as_of)[1] == "released"
    assert memory.log.verify().ok and memory.reindex()["corrected"] == 0


def test_a_report_that_was_answered_in_between_marked_nothing_then(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    for source in ("crm://a", "crm://b"):
        memory.observe(CITY, "Rome", support=source, channel="tool")
    (item,) = memory.review(kind="under_review")
    memory.resolve(item.id, "unknown", "nobody knows")
    closed = memory.believe(CITY)
    memory.resolve(item.id, "keep", "it is so")
    memory.resolve(item.id, "moot", "it is over")
    assert "under_review" not in closed.markers
    assert then(memory, closed).markers == closed.markers
    assert memory.log.verify().ok


def test_what_is_released_and_given_back_is_called_by_what_took_it_before(memory: Memory) -> None:
    first = memory.remember("Porto", key=CITY)
    memory.remember("Rome", key=CITY)
    assert words(memory) == ["superseded", "current"]
    memory.release(str(first.claim_id))
    assert words(memory) == ["released", "current"]
    memory.reopen(str(first.claim_id))
    assert words(memory) == ["superseded", "current"]


def test_what_was_superseded_while_it_was_withheld_is_superseded(memory: Memory) -> None:
    parent = memory.remember("The move is to Porto", key="ana::plan")
    memory.remember("Porto", key=CITY, derived_from=[str(parent.claim_id)])
    memory.retract("ana::plan", "a slip")
    assert words(memory) == ["parent_withdrawn"]
    memory.remember("Rome", key=CITY)
    memory.revert("ana::plan")
    assert words(memory) == ["superseded", "current"]


def test_an_end_whose_reopening_is_undone_is_an_end_again(memory: Memory) -> None:
    claim = str(memory.remember("Porto", key=CITY, valid_from="2020").claim_id)
    memory.end(CITY, "2024-01-01")
    memory.reopen(CITY)
    memory.revert(CITY)
    assert words(memory) == ["ended"]
    assert memory.end(claim, "2024-01-01").disposition == "unchanged"
    assert memory.log.verify().ok and memory.reindex()["corrected"] == 0


def test_a_retraction_that_a_verdict_went_over_is_a_retraction_again(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    guess = memory.remember("Rome", key=CITY, channel="agent")
    memory.retract(str(guess.claim_id), "a slip")
    memory.resolve(str(guess.item), "reject", "never so")
    assert words(memory)[1] == "rejected"
    memory.resolve(str(guess.item), "unknown", "perhaps")
    assert words(memory)[1] == "retracted"
    assert memory.log.verify().ok and memory.reindex()["corrected"] == 0


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE claims SET earlier = NULL WHERE earlier IS NOT NULL",
        "UPDATE claims SET earlier = '5:9:::' WHERE text = 'Porto'",
        "UPDATE lines SET cardinalities = NULL WHERE cardinalities IS NOT NULL",
        "UPDATE lines SET cardinalities = replace(cardinalities, 'many', 'one') WHERE cardinalities IS NOT NULL",
        "UPDATE items SET shut = NULL WHERE shut IS NOT NULL",
    ],
)
def test_what_stood_before_cannot_be_edited_unseen(tmp_path: Path, edit: str) -> None:
    path = tmp_path / "memory.muniment"
    with Memory(path) as memory:
        memory.remember("Lyon", key=CITY, channel="model", cardinality="many")
        memory.remember("Porto", key=CITY, cardinality="one")
        guess = memory.remember("Rome", key=CITY, channel="agent")
        memory.resolve(str(guess.item), "unknown", "hm")
        memory.resolve(str(guess.item), "moot", "over")
        memory.release(str(guess.claim_id))
        memory.reopen(CITY)
        assert memory.log.verify().ok
    file = apsw.Connection(str(path))
    file.execute(edit)
    assert file.changes()
    file.close()
    with Memory(path) as memory:
        assert not memory.log.verify().ok
        if "items" not in edit:
            assert memory.reindex()["corrected"] and memory.log.verify().ok


def test_what_was_never_said_by_then_has_no_scope_also_if_all_that_was_said_since_was_erased(memory: Memory) -> None:
    nothing = memory.believe(CITY)
    said = memory.remember("Rome", key=CITY)
    assert then(memory, nothing).scope is None
    memory.forget(ids=[said.claim_id])
    assert (then(memory, nothing).reason, then(memory, nothing).scope) == (nothing.reason, None)


def test_an_erased_narrower_line_does_not_hide_what_a_wider_one_said_before_it(memory: Memory) -> None:
    memory.remember("Bern", key=CITY, valid_from="2024")
    narrow = memory.scoped(user="ana")
    before = narrow.believe(CITY, valid_at="2021")
    narrow.remember("Rome", key=CITY, valid_from="2020")
    narrow.forget(key=CITY)
    again = narrow.believe(CITY, valid_at="2021", as_of=before.as_of)
    assert (again.reason, again.holds_from) == (before.reason, before.holds_from)
    assert before.holds_from is not None
