"""Only a person admits what the injection boundary holds, or closes its item. What proves one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fakes import HOUR, FakeClock
from muniment import ConflictError, Memory, NotFoundError, PermissionDenied, ValidationError
from muniment.claims.channels import Channel
from muniment.ledger.keys import SigningKey, signing_key
from muniment.ledger.tokens import Statement, key_name, sign_token
from muniment.verbs import persons

PORT = "db::port"
ANA = signing_key("reviewer.example/ana", bytes(range(32)))
EVE = signing_key("reviewer.example/ana", bytes(32))  # the same name, another key


def handle(memory: Memory, **changes: Any) -> Memory:
    """Another caller of the same store."""
    return Memory(_host=memory._host, _context=replace(memory._context, **changes))


def agent(memory: Memory) -> Memory:
    """An agent that was trusted with every role."""
    return handle(memory, ceiling=Channel.AGENT, author="bot")


@pytest.fixture
def item(memory: Memory) -> str:
    memory.remember("5433", key=PORT)
    said = memory.remember("5432", key=PORT, channel="document", source="https://page.example")
    assert said.disposition == "held" and said.item is not None
    return said.item


def shown(memory: Memory, item: str) -> str:
    """The line version that the item shows."""
    return next(str(row.line_version) for row in memory.review(closed=True) if row.id == item)


def token(memory: Memory, item: str, verdict: str = "accept", /, key: SigningKey = ANA, **changes: Any) -> str:
    """What a reviewer signs who looks at the item now."""
    hour = memory._context.clock.now() + HOUR
    said = Statement("default", item, shown(memory, item), verdict, hour, key_name(key.verifying))
    return sign_token(replace(said, **changes), key)


# Who is none ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", ["accept", "keep", "reject", "moot", "unknown"])
def test_an_agent_decides_nothing_that_the_boundary_holds(memory: Memory, item: str, verdict: Any) -> None:
    with pytest.raises(PermissionDenied):
        agent(memory).resolve(item, verdict, "I say so")
    assert [(i.id, i.status) for i in memory.review()] == [(item, "open")]
    assert memory.believe(PORT).value == "5433"


def test_a_string_proves_nothing(memory: Memory, item: str) -> None:
    for by in ("user", "ana", "reviewer.example/ana"):
        with pytest.raises(PermissionDenied):
            agent(memory).resolve(item, "accept", "so", by=by)
    for person in ("user", "terminal", True, {"how": "terminal"}):
        with pytest.raises(PermissionDenied):
            handle(memory, ceiling=Channel.AGENT, person=person).resolve(item, "accept", "so")


def test_a_proof_cannot_be_made_up(item: str) -> None:
    with pytest.raises(PermissionDenied):
        persons.Person("terminal", "terminal", "ana", None)
    with pytest.raises(PermissionDenied):
        persons.confirmed("--yes", item, "accept", "v")


def test_a_door_is_nobody_by_itself_whatever_its_ceiling(memory: Memory, item: str) -> None:
    door = handle(memory, door="cli")
    with pytest.raises(PermissionDenied):
        door.resolve(item, "accept", "so")
    with pytest.raises(PermissionDenied):
        door.namespace("default").resolve(item, "accept", "so")


def test_without_the_role_nobody_decides(memory: Memory, item: str) -> None:
    with pytest.raises(PermissionDenied):
        handle(memory, roles=frozenset({"reader", "writer", "auditor"})).resolve(item, "accept", "so")


def test_a_faint_page_is_a_page(memory: Memory) -> None:
    said = memory.remember("5432", key=PORT, channel="document", confidence=0.1, source="https://page.example")
    assert said.disposition == "low_confidence"
    with pytest.raises(PermissionDenied):
        agent(memory).resolve(str(said.item), "accept", "so")
    assert memory.resolve(str(said.item), "accept", "so").believed, "the control: a person does"


def test_restoring_gives_no_standing_to_a_page_in_passing(memory: Memory) -> None:
    page = memory.remember(
        "red", key="x::y", channel="document", source="https://page.example", opinion={"relation": "new"}
    )
    assert page.disposition == "accepted"
    memory.remember("blue", key="x::y", channel="agent")
    echo = memory.remember("red", key="x::y", channel="model")
    assert echo.disposition == "echo"
    with pytest.raises(PermissionDenied):
        agent(memory).resolve(str(echo.item), "restore", "so")
    assert memory.believe("x::y").value == "blue"
    assert memory.resolve(str(echo.item), "restore", "so").believed


def test_an_agent_cannot_close_the_item_by_retracting_or_releasing_the_claim(memory: Memory, item: str) -> None:
    (row,) = memory.review()
    assert row.claim is not None
    for verb in (lambda m: m.retract(row.claim.claim_id, "gone"), lambda m: m.release(row.claim.claim_id)):
        with pytest.raises(PermissionDenied):
            verb(agent(memory))
    assert [i.id for i in memory.review()] == [item]
    assert memory.retract(row.claim.claim_id, "an invention").disposition == "invalidated", "the control: a person does"


def test_an_agent_cannot_take_a_persons_verdict_back_or_bring_it_back(memory: Memory, item: str) -> None:
    memory.resolve(item, "accept", "so")
    assert agent(memory).revert(PORT).disposition == "pending_review"
    assert memory.believe(PORT).value == "5432"
    memory.revert(PORT)
    assert agent(memory).redo(PORT).disposition == "pending_review"
    assert memory.believe(PORT).value == "5433"


def test_a_door_cannot_bring_an_acceptance_back_by_reverting_or_redoing(memory: Memory, item: str) -> None:
    door = handle(memory, door="cli")  # it speaks as a user, and is none
    memory.resolve(item, "accept", "so")
    memory.revert(PORT)
    with pytest.raises(PermissionDenied):
        door.redo(PORT)
    memory.resolve(item, "accept", "so after all")
    memory.resolve(item, "keep", "no")
    with pytest.raises(PermissionDenied):
        door.revert(PORT)
    assert memory.believe(PORT).value == "5433"
    assert memory.revert(PORT).disposition == "reverted"
    assert memory.believe(PORT).value == "5432", "the control: a person does"


# Who is one -----------------------------------------------------------------------------------------------------------


def test_whoever_opened_the_store_as_a_user_is_one(memory: Memory, item: str) -> None:
    assert memory.resolve(item, "accept", "so").disposition == "resolved"


def test_a_confirmation_proves_the_decision_that_was_shown_and_no_other(memory: Memory, item: str) -> None:
    version = shown(memory, item)
    proof = persons.confirmed(persons.TERMINAL, item, "accept", version)
    door = handle(memory, door="cli", person=proof)
    with pytest.raises(PermissionDenied):
        door.resolve(item, "reject", "so")
    memory.remember("6000", key=PORT)
    with pytest.raises(ConflictError):
        door.resolve(item, "accept", "so")
    again = persons.confirmed(persons.TERMINAL, item, "accept", shown(memory, item))
    assert handle(memory, door="cli", person=again).resolve(item, "accept", "so").believed


# Tokens ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def registered(memory: Memory) -> None:
    memory.add_reviewer(ANA.verifying.vkey, reason="she keeps the servers")


def test_a_signed_verdict_is_a_persons_whoever_hands_it_in(memory: Memory, item: str, registered: None) -> None:
    done = agent(memory).resolve(item, "accept", "ana signed it", token=token(memory, item), by="ana, by mail")
    assert done.believed
    assert memory.remember("1", key=PORT, channel="agent").disposition == "pending_review", "it ranks as a user's"
    assert memory.log.verify().ok


def test_a_token_serves_once(memory: Memory, item: str, registered: None) -> None:
    signed = token(memory, item)
    agent(memory).resolve(item, "accept", "so", token=signed)
    memory.resolve(item, "keep", "no")
    with pytest.raises(PermissionDenied, match="decided since"):
        agent(memory).resolve(item, "accept", "so", token=signed)
    assert memory.believe(PORT).value == "5433"


def test_a_token_that_decided_nothing_serves_once_too(memory: Memory, item: str, registered: None) -> None:
    signed = token(memory, item, "unknown")
    agent(memory).resolve(item, "unknown", "so", token=signed)
    with pytest.raises(PermissionDenied, match="decided since"):
        agent(memory).resolve(item, "unknown", "so", token=signed)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"verdict": "keep"}, "another verdict"),
        ({"namespace": "other"}, "another namespace"),
        ({"item": "0199c0de-0000-7000-8000-000000000001"}, "another item"),
        ({"expires": 1}, "expired"),
    ],
)
def test_a_token_for_something_else_is_refused(
    memory: Memory, item: str, registered: None, changes: dict[str, Any], told: str
) -> None:
    with pytest.raises(PermissionDenied, match=told):
        agent(memory).resolve(item, "accept", "so", token=token(memory, item, **changes))
    assert memory.believe(PORT).value == "5433"


def test_a_token_expires(memory: Memory, item: str, registered: None, clock: FakeClock) -> None:
    signed = token(memory, item)
    clock.advance(2 * HOUR)
    with pytest.raises(PermissionDenied, match="expired"):
        agent(memory).resolve(item, "accept", "so", token=signed)


def test_a_token_of_a_key_that_nobody_registered_is_refused(memory: Memory, item: str) -> None:
    with pytest.raises(PermissionDenied, match="No registered reviewer"):
        agent(memory).resolve(item, "accept", "so", token=token(memory, item))
    memory.add_reviewer(ANA.verifying.vkey)
    with pytest.raises(PermissionDenied, match="No registered reviewer"):
        agent(memory).resolve(item, "accept", "so", token=token(memory, item, key=EVE))
    forged = token(memory, item)[:-8] + "AAAAAAAA"
    with pytest.raises((PermissionDenied, ValidationError)):
        agent(memory).resolve(item, "accept", "so", token=forged)


def test_a_token_of_a_revoked_key_is_refused_and_what_it_decided_stays(
    memory: Memory, item: str, registered: None
) -> None:
    signed = token(memory, item)
    other = memory.remember("7777", key=PORT, channel="document", source="https://third.example")
    later = token(memory, str(other.item))
    agent(memory).resolve(item, "accept", "so", token=signed)
    memory.revoke_reviewer("reviewer.example/ana", reason="she left")
    with pytest.raises(PermissionDenied, match="revoked"):
        agent(memory).resolve(str(other.item), "accept", "so", token=later)
    assert memory.believe(PORT).value == "5432"
    assert memory.log.verify().ok


def test_a_token_is_about_what_its_signer_saw(memory: Memory, item: str, registered: None) -> None:
    signed = token(memory, item)
    memory.remember("6000", key=PORT)
    memory.review()
    with pytest.raises(ConflictError):
        agent(memory).resolve(item, "accept", "so", token=signed)


def test_no_token_says_both(memory: Memory, item: str, registered: None) -> None:
    with pytest.raises(PermissionDenied):
        agent(memory).resolve(item, "both", "so", token=token(memory, item, "both"), valid_to="2020-12-31")


def test_a_token_of_another_namespace_opens_nothing_here(memory: Memory, item: str, registered: None) -> None:
    other = memory.namespace("other")
    other.remember("5433", key=PORT)
    held = other.remember("5432", key=PORT, channel="document", source="https://page.example")
    with pytest.raises(PermissionDenied, match="No registered reviewer"):  # keys are registered for each namespace
        other.resolve(str(held.item), "accept", "so", token=token(other, str(held.item), namespace="other"))


# Keys -----------------------------------------------------------------------------------------------------------------


def test_keys_are_registered_listed_and_revoked_in_the_log(memory: Memory) -> None:
    added = memory.add_reviewer(ANA.verifying.vkey)
    assert added.disposition == "key_added"
    (known,) = memory.reviewers()
    assert (known.name, known.key, known.revoked_at) == ("reviewer.example/ana", ANA.verifying.vkey, None)
    with pytest.raises(ConflictError):
        memory.add_reviewer(ANA.verifying.vkey)
    with pytest.raises(ConflictError):
        memory.add_reviewer(EVE.verifying.vkey)
    assert memory.revoke_reviewer(ANA.verifying.vkey).disposition == "key_revoked"
    with pytest.raises(NotFoundError):
        memory.revoke_reviewer(ANA.verifying.vkey)
    memory.add_reviewer(EVE.verifying.vkey)
    assert [bool(key.revoked_at) for key in memory.reviewers()] == [True, False]
    report = memory.log.verify()
    assert report.ok, report.differences


def test_only_an_admin_registers_keys(memory: Memory) -> None:
    plain = handle(memory, roles=frozenset({"reader", "writer", "reviewer", "auditor"}))
    with pytest.raises(PermissionDenied):
        plain.add_reviewer(ANA.verifying.vkey)
    with pytest.raises(PermissionDenied):
        plain.revoke_reviewer(ANA.verifying.vkey)
    assert plain.reviewers() == ()


def test_a_key_of_another_kind_is_no_reviewers(memory: Memory) -> None:
    for key in ("ana", signing_key("w", bytes(32), 0x04).verifying.vkey, ANA.private_text):
        with pytest.raises(ValidationError):
            memory.add_reviewer(key)
