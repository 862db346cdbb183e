"""What only a person decides: the plan is shown, the verdict typed, and nothing else stands for it."""

from __future__ import annotations

import shlex
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import ElicitResult, ErrorData

from muniment import Memory
from surfaces.mcp.talking import ERAS, accept, connected, program, refused, said, talk

SECRET = "The safe opens with 4711"


def decline(params: Any) -> ElicitResult:
    return ElicitResult(action="decline")


def nod(params: Any) -> ElicitResult:
    """A client that says yes to everything, without a person who reads it."""
    return ElicitResult(action="accept", content={})


def mistype(params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"confirm": "yes"})


async def _safe(it: Client) -> None:
    await said(it, "remember", text=SECRET, key="safe::code", value="4711")


@pytest.mark.parametrize("era", ERAS)
def test_forgetting_shows_the_plan_and_erases_what_a_person_confirmed(era: str, env: dict[str, str]) -> None:
    async def conversation() -> None:
        asked: list[str] = []
        async with connected(program(env), era, accept, asked) as it:
            await _safe(it)
            gone = await said(it, "forget", key="safe::code", basis="no longer needed")
            assert len(gone["erased"]) == 1 and gone["state"] == "clean"
            assert SECRET in asked[0] and "for good" in asked[0] and len(asked) == 1
            assert (await said(it, "recall", query="safe"))["hits"] == []
            (row,) = (await said(it, "history", key="safe::code"))["rows"]
            assert row["standing"] == "erased" and "text" not in row

    talk(conversation)


def one_after_the_other(params: Any, answers: list[Any] = [decline, nod, mistype]) -> ElicitResult:  # noqa: B006
    """Answer in each of the ways that are no confirmation, in turn."""
    answers.append(answers.pop(0))
    result: ElicitResult = answers[-1](params)
    return result


@pytest.mark.parametrize("era", ERAS)
def test_nothing_is_done_unless_the_person_says_what_was_asked_for(era: str, env: dict[str, str]) -> None:
    async def conversation() -> None:
        asked: list[str] = []
        async with connected(program(env), era, one_after_the_other, asked) as it:
            await _safe(it)
            item = await _page(it)
            for _ in range(3):
                assert (await refused(it, "forget", key="safe::code"))["code"] == "declined"
            for _ in range(3):
                error = await refused(it, "resolve", item=item, verdict="accept", reason="because", by="user")
                assert error["code"] == "declined"
            assert (await said(it, "believe", key="safe::code"))["value"] == "4711"
            assert (await said(it, "believe", key="api::limit"))["value"] == 100
            assert len(asked) == 6

    talk(conversation)


@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_cannot_ask_anybody_erases_only_with_the_role_and_the_plan(era: str, env: dict[str, str]) -> None:
    async def conversation() -> None:
        async with connected(program(env), era) as it:
            await _safe(it)
            error = await refused(it, "forget", key="safe::code")
            assert error["code"] == "permission" and "cannot ask" in error["message"]
            plan = error["details"]["plan"]
            assert len(plan["direct"]) == 1 and f"--yes {plan['hash']}" in error["advice"]
            again = await refused(it, "forget", key="safe::code", plan=plan["hash"])
            assert again["code"] == "permission", "a hash that it could read gives a client no right"
            assert (await said(it, "believe", key="safe::code"))["value"] == "4711"
        async with connected(program(env | {"MUNIMENT_CHANNEL": "user"}), era) as it:
            error = await refused(it, "forget", key="safe::code")
            assert "cannot ask one" in error["message"] and "plan" in error["advice"]
            plan = error["details"]["plan"]["hash"]
            await said(it, "remember", text="It was 4712 before", key="safe::code", value="4712")
            assert (await refused(it, "forget", key="safe::code", plan=plan))["code"] == "conflict"
            plan = (await refused(it, "forget", key="safe::code"))["details"]["plan"]["hash"]
            assert len((await said(it, "forget", key="safe::code", plan=plan))["erased"]) == 2

    talk(conversation)


@pytest.mark.parametrize("place", [(), ("--user", "ana", "--scope-session", "monday")])
def test_the_plan_that_a_client_could_not_ask_about_is_carried_out_by_the_command_that_it_names(
    env: dict[str, str], place: tuple[str, ...]
) -> None:
    async def conversation() -> None:
        async with connected(program(env, *place)) as it:
            await _safe(it)
            advice = (await refused(it, "forget", key="safe::code"))["advice"]
            (line,) = [one for one in advice.split("\n") if one.startswith("muniment ")]
            command = [*program(env).args[:2], *shlex.split(line)[1:]]  # as pasted
            assert "--key safe::code --yes" in line
            done = await anyio.run_process([program(env).command, *command], env=env | {"MUNIMENT_CHANNEL": "user"})
            assert done.returncode == 0
            (row,) = (await said(it, "history", key="safe::code"))["rows"]
            assert row["standing"] == "erased"

    talk(conversation)


def test_a_call_that_waits_for_a_person_cannot_be_bent(env: dict[str, str]) -> None:
    """The state that comes back is sealed and bound to the call; an answer to another plan asks anew."""

    async def conversation() -> None:
        async with connected(program(env), ERAS[1], accept) as it:
            await _safe(it)
            await said(it, "remember", text="tea", key="shop::list", value="tea")
            call = it.session.call_tool
            first: Any = await call("forget", {"key": "safe::code"}, allow_input_required=True)
            assert first.result_type == "input_required"
            yes: Any = {"confirm": accept(first.input_requests["confirm"].params)}
            for arguments, state in (
                ({"key": "shop::list"}, first.request_state),
                ({"key": "safe::code"}, first.request_state[:-4] + "AAAA"),
                ({"key": "safe::code"}, "c0ffee"),
            ):
                with pytest.raises(MCPError, match="requestState"):
                    await call("forget", arguments, input_responses=yes, request_state=state)
            unasked: Any = await call("forget", {"key": "safe::code"}, input_responses=yes, allow_input_required=True)
            assert unasked.result_type == "input_required", "an answer without a question counts for nothing"
            await said(it, "remember", text="4713", key="safe::code", value="4713")
            again: Any = await call(
                "forget", {"key": "safe::code"}, input_responses=yes, request_state=first.request_state,
                allow_input_required=True,
            )  # fmt: skip
            assert again.result_type == "input_required" and again.request_state != first.request_state
            assert "4713" in again.input_requests["confirm"].params.message
            done = await call("forget", {"key": "safe::code"}, input_responses=yes, request_state=again.request_state)
            assert len(done.structured_content["erased"]) == 2

    talk(conversation)


def test_a_client_that_says_it_can_ask_and_cannot_has_confirmed_nothing(env: dict[str, str]) -> None:
    def fail(params: Any) -> Any:
        return ErrorData(code=-32603, message="there is no window to ask in")

    async def conversation() -> None:
        async with connected(program(env), ERAS[0], fail) as it:
            await _safe(it)
            assert (await refused(it, "forget", key="safe::code"))["code"] == "declined"
            assert (await said(it, "believe", key="safe::code"))["value"] == "4711"

    talk(conversation)


async def _page(it: Client) -> str:
    """Have a page say something, which is held until a person decides."""
    await said(it, "remember", text="The limit is 100", key="api::limit", value=100)
    page = await said(it, "remember", text="No limit since May", key="api::limit", value="none", channel="document")
    assert page["disposition"] == "held" and not page["believed"]
    item: str = page["item"]
    return item


@pytest.mark.parametrize("era", ERAS)
def test_a_person_admits_what_a_page_said_by_typing_the_verdict(era: str, env: dict[str, str]) -> None:
    async def conversation() -> None:
        asked: list[str] = []
        async with connected(program(env), era, accept, asked) as it:
            item = await _page(it)
            done = await said(it, "resolve", item=item, verdict="accept", reason="I read the announcement")
            assert done["disposition"] == "resolved" and len(asked) == 1
            assert "No limit since May" in asked[0] and "The limit is 100" in asked[0]
            assert "Type accept to decide so, for this reason: I read the announcement" in asked[0]
            assert (await said(it, "believe", key="api::limit"))["value"] == "none"
            echo = await said(it, "remember", text="It is 100", key="api::limit", value=100)
            assert not echo["believed"], "what a person decided ranks as theirs"

    talk(conversation)


@pytest.mark.parametrize("channel", ["agent", "user"])
def test_without_anybody_to_ask_a_held_claim_stays_held_whatever_the_caller_says(
    channel: str, env: dict[str, str]
) -> None:
    async def conversation() -> None:
        async with connected(program(env | {"MUNIMENT_CHANNEL": channel})) as it:
            item = await _page(it)
            error = await refused(it, "resolve", item=item, verdict="accept", reason="because", by="a person")
            assert error["code"] == "permission"
            assert (await refused(it, "resolve", item=item, verdict="nod", reason="so"))["code"] in (
                "validation",
                "permission",
            )

    talk(conversation)


def test_a_signed_verdict_decides_without_anybody_to_ask(env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    from input.world import ANA
    from muniment.ledger.tokens import Statement, key_name, sign_token

    monkeypatch.setenv("MUNIMENT_KEY_HOME", env["MUNIMENT_KEY_HOME"])
    with Memory(env["MUNIMENT_PATH"]) as memory:
        memory.add_reviewer(ANA.verifying.vkey)

    async def conversation() -> None:
        async with connected(program(env)) as it:
            item = await _page(it)
            version = (await said(it, "review"))["rows"][0]["line_version"]
            token = sign_token(Statement("default", item, version, "accept", 2**52, key_name(ANA.verifying)), ANA)
            await said(it, "resolve", item=item, verdict="accept", reason="signed", token=token)
            assert (await said(it, "believe", key="api::limit"))["value"] == "none"
            assert (await refused(it, "resolve", item=item, verdict="keep", reason="x", token=token))["code"] in (
                "permission",
                "conflict",
            )

    talk(conversation)


def test_what_a_policy_keeps_for_a_person_is_live_once_they_approve_of_it(env: dict[str, str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUNIMENT_KEY_HOME", env["MUNIMENT_KEY_HOME"])
        with Memory(env["MUNIMENT_PATH"]) as memory:
            memory.policy("*", on_conflict="review", review=["model"])

    async def conversation() -> None:
        async with connected(program(env), ERAS[1], accept) as it:
            guess = await said(it, "remember", text="Ana likes tea", key="ana::drink", value="tea", channel="model")
            assert guess["disposition"] == "pending_review"
            assert (await said(it, "recall", query="what does Ana drink"))["hits"] == []
            done = await said(it, "resolve", item=guess["item"], verdict="accept", reason="She said so", by="Ana")
            assert done["disposition"] == "resolved"
            (hit,) = (await said(it, "recall", query="what does Ana drink"))["hits"]
            assert hit["value"] == "tea"

    talk(conversation)


def test_what_was_served_is_no_evidence_when_it_comes_back(env: dict[str, str]) -> None:
    async def conversation() -> None:
        async with connected(program(env)) as it:
            await said(it, "remember", text="Berlin", key="ana::city", value="Berlin")
            assert (await said(it, "believe", key="ana::city"))["primary"]["support"] == 1
            back = await said(it, "remember", text="Ana lives in Berlin", key="ana::city", value="Berlin")
            assert back["disposition"] == "reentry"
            await said(it, "remember", text="Porto", key="bea::city", value="Porto")
            await said(it, "recall", query="bea city")
            back = await said(it, "remember", text="Bea lives in Porto", key="bea::city", value="Porto")
            assert back["disposition"] == "reentry"

    talk(conversation)
