"""A caller stays within its scope, a policy within its makers, a retracted value in its grave."""

import pytest

from muniment import Memory, PermissionDenied


def test_a_bound_caller_cannot_step_round_its_scope_through_a_namespace(memory: Memory) -> None:
    """scope.caller_cannot_widen: namespace() keeps what binds the caller.

    alice.namespace("default").scoped(user="bob") reads bob's claims today, whatever roles alice holds.
    Mend: the same namespace keeps the scope; another one needs the role admin.
    """
    context = memory._host.context(None, {"user": "alice"}, "user", "alice", None, ["reader", "writer"])
    alice = Memory(_host=memory._host, _context=context)
    memory.scoped(user="bob").remember("swordfish", key="bobs::code")
    with pytest.raises(PermissionDenied):
        alice.namespace("default").scoped(user="bob").believe("bobs::code")
    with pytest.raises(PermissionDenied):
        alice.namespace("other")
    assert memory.namespace("default").scoped(user="bob").believe("bobs::code").value == "swordfish", "the control"


@pytest.mark.parametrize("spelling", ["Аcme", "Ac\u200bme", "Ａcme"])
def test_a_retracted_value_does_not_come_back_under_a_look_alike(memory: Memory, spelling: str) -> None:
    """tombstone.key_normalization_attack: guards go by the value's identity alone, so a homoglyph or an invisible
    character passes the echo rule (a held value's look-alike is caught by step 7, a retracted one's is not).

    Mend: guards carry the look-alike identity of their value (column and index beside value), and for agent, model
    and document a guard of a look-alike counts like one of the value (semantics §2: look-alike folding serves guards).
    """
    memory.remember("Acme", key="ana::employer")
    memory.retract("ana::employer", "never so")
    said = memory.remember(spelling, key="ana::employer", channel="agent", session="x")
    assert (said.disposition, said.believed) == ("echo", False)
    assert memory.remember("Initech", key="ana::employer", channel="agent", session="x").believed, "the control"


def test_a_handle_with_a_scope_lays_down_no_policy_for_the_namespace(memory: Memory) -> None:
    context = memory._host.context(None, {"user": "alice"}, "user", "alice", None, ["reader", "writer"])
    alice = Memory(_host=memory._host, _context=context)
    with pytest.raises(PermissionDenied):
        alice.policy("*", boundary=False)


@pytest.mark.parametrize("nothing", ["\u200b\u200d", "\u2060", " \u00ad "])
def test_what_nobody_can_see_is_empty(memory: Memory, nothing: str) -> None:
    from muniment import ValidationError

    with pytest.raises(ValidationError):
        memory.remember(nothing)
    with pytest.raises(ValidationError):
        memory.remember("x", key=f"{nothing}::b")
    assert memory.remember("e\u0301", key="\u4e00::b").believed, "the control"
