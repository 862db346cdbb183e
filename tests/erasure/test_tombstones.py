"""That something was erased, when, and by which entry, is told to whoever would have seen it, and to nobody else."""

from __future__ import annotations

import pytest

from muniment import Memory, NotFoundError

KEY = "ana::city"


def refusal(memory: Memory, id: str) -> tuple[str, str, dict[str, object]]:
    with pytest.raises(NotFoundError) as caught:
        memory.get(id)
    return caught.value.message, caught.value.advice, caught.value.details


def test_history_and_get_tell_when_a_claim_went_and_what_shows_it(memory: Memory) -> None:
    old = memory.remember("Porto", key=KEY, value="Porto").claim_id or ""
    new = memory.remember("Lisbon", key=KEY, value="Lisbon").claim_id or ""
    entry = memory.forget(ids=[old]).entries[0]
    erased, current = memory.history(KEY)
    assert (erased.claim_id, erased.standing, erased.erased_by) == (old, "erased", entry)
    assert (erased.text, erased.value, erased.author, erased.channel) == ("", None, "", "")
    assert current.claim_id == new and current.erased_at is None
    message, _, details = refusal(memory, old)
    assert entry in message and str(erased.erased_at) in message
    assert details == {"erased_at": erased.erased_at, "erased_by": entry}
    assert erased.recorded_at < current.recorded_at < str(erased.erased_at)


def test_the_log_of_a_line_of_which_all_is_gone_still_tells(memory: Memory) -> None:
    claim = memory.remember("Porto", key=KEY).claim_id
    memory.forget(key=KEY)
    assert [(s.claim_id, s.key, s.standing) for s in memory.history(KEY)] == [(claim, None, "erased")]
    assert "erased at" in str(memory.history(KEY)[0])


def test_what_was_not_recorded_yet_was_not_erased_then(memory: Memory) -> None:
    memory.remember("Porto", key=KEY)
    then = memory.history(KEY)[0].recorded_at
    memory.remember("Lisbon", key=KEY)
    memory.forget(key=KEY)
    assert len(memory.history(KEY, as_of=then)) == 1
    assert len(memory.history(KEY)) == 2


@pytest.mark.parametrize("left", [True, False])
def test_an_erased_claim_of_a_scope_that_one_cannot_see_reads_like_one_that_never_was(
    memory: Memory, left: bool
) -> None:
    alice, bob = memory.scoped(user="alice"), memory.scoped(user="bob")
    secret = alice.remember("a secret", key="a::b").claim_id or ""
    if left:
        alice.remember("another one", key="c::d")
    alice.forget(key="a::b")
    never = "0199c0de-0000-7000-8000-000000000000"
    for handle in (bob, memory):
        assert refusal(handle, secret) == refusal(handle, never)
        refused = []
        for parent in (secret, never):
            with pytest.raises(NotFoundError) as caught:
                handle.remember("so it seems", derived_from=[parent])
            refused.append((caught.value.message, caught.value.advice, caught.value.details))
        assert refused[0] == refused[1]
        assert handle.history("a::b") == ()
    if left:
        assert "erased at" in refusal(alice, secret)[0]
        assert alice.remember("so it seems", derived_from=[secret]).disposition == "held"


def test_the_control_an_erased_parent_of_ones_own_scope_holds_what_derives_from_it(memory: Memory) -> None:
    parent = memory.remember("a note").claim_id or ""
    memory.forget(ids=[parent])
    assert memory.remember("so it seems", derived_from=[parent]).disposition == "held"
