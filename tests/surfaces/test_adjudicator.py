"""The operator lets a program decide contests at the command line: MUNIMENT_ADJUDICATOR, claim-request, answer."""

from __future__ import annotations

import pytest

from surfaces.running import Ran, Run

CITY = "ana::city"


def say(run: Run, **env: str) -> Ran:
    """Two systems of record disagree; return what became of the second statement."""
    for value in ("Porto", "Faro"):
        done = run(
            "remember", value, "--key", CITY, "--channel", "tool", "--source", f"{value}://ana", "--json",
            env={"MUNIMENT_CHANNEL": "tool", **env},
        )  # fmt: skip
        assert done.code == 0, done.err
    return done


def test_evidence_is_an_object_or_an_array_of_them(inside: Run) -> None:
    for typed in ('{"channel": "tool"}', '[{"channel": "tool"}, {"channel": "user"}]'):
        asked = inside("answer", "no-such-request", "keep", "--evidence", typed, "--json")
        assert asked.error["code"] != "validation" or "JSON" not in asked.error["message"], asked.err
    for typed in ("[1]", "7", '"text"', "[[]]"):
        asked = inside("answer", "no-such-request", "keep", "--evidence", typed, "--json")
        assert (asked.code, asked.error["message"]) == (2, "--evidence must be a JSON object, or an array of objects.")


def test_a_program_polls_and_answers_through_real_command_lines(muniment: Run) -> None:
    mode = {"MUNIMENT_ADJUDICATOR": "user"}
    assert say(muniment, **mode).json["disposition"] == "queued"
    assert [row["kind"] for row in muniment("review", "--json").json["rows"]] == ["queued"]
    request = muniment("claim-request", "--json", env=mode).json
    assert request["challenger"]["value"] == "Faro" and request["ticket"]
    assert muniment("claim-request", "--json", env=mode).json is None, "somebody works on it"
    given = ("answer", request["id"], "affirm", "--reason", "the register says so", "--json")
    refused = muniment(*given, env=mode)
    assert refused.code == 1 and "claimed" in refused.error["message"]
    assert muniment(*given, "--ticket", request["ticket"], env=mode).code == 0
    assert muniment("believe", CITY, "--json").json["value"] == "Faro"
    assert muniment("verify").code == 0


def test_without_the_setting_there_is_no_queue_and_nothing_to_claim(muniment: Run) -> None:
    assert say(muniment).json["disposition"] == "contested"
    for channel, told in (("agent", "role reviewer"), ("user", "MUNIMENT_ADJUDICATOR")):
        refused = muniment("claim-request", env={"MUNIMENT_CHANNEL": channel})
        assert refused.code == 1 and told in refused.err


def test_an_answer_ranks_as_the_operator_set(muniment: Run) -> None:
    mode = {"MUNIMENT_ADJUDICATOR": "agent"}
    item = say(muniment, **mode).json["item"]
    muniment("answer", item, "affirm", "--json", env=mode)
    assert muniment("believe", CITY, "--json").json["status"] == "contested", "an agent takes nothing from a tool"


def test_the_setting_gives_a_script_no_other_right_of_a_reviewer(muniment: Run) -> None:
    mode = {"MUNIMENT_ADJUDICATOR": "user"}
    item = say(muniment, **mode).json["item"]
    for command in (("resolve", item, "accept", "so"), ("policy", "*", "--on-conflict", "supersede"), ("export", "x")):
        refused = muniment(*command, env=mode)
        assert refused.code == 1, command
    assert muniment("believe", CITY, "--json").json["status"] == "contested"


@pytest.mark.parametrize(("rank", "told"), [(None, "wait for a person"), ("tool", "rank as tool")])
def test_where_and_doctor_show_it(rank: str | None, told: str, muniment: Run) -> None:
    muniment("remember", "x", "--key", "a::b")
    env = {} if rank is None else {"MUNIMENT_ADJUDICATOR": rank}
    shown = {row["name"]: row["value"] for row in muniment("where", "--json", env=env).json["settings"]}
    assert shown["adjudicator"] == (rank or "none")
    assert told in muniment("doctor", env=env).out


def test_a_rank_that_is_none_is_refused_by_name(muniment: Run) -> None:
    refused = muniment("remember", "x", "--json", env={"MUNIMENT_ADJUDICATOR": "document"})
    assert refused.code == 2 and "MUNIMENT_ADJUDICATOR" in refused.error["message"]
