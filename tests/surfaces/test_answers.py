"""The command line answers what Python answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muniment import Memory
from surfaces.running import Run

UNSTEADY = {"claim_id", "entry_id", "line_version", "item", "id", "recorded_at", "opened_at", "since", "until",
            "valid_at", "as_of", "retired", "contested_with", "session", "periods", "score", "why", "valid_from",
            "valid_to", "location", "log_root", "entries", "erased", "hash", "direct", "decided_at", "first_said", "head",
            "holds_from"}  # fmt: skip
"""Members that differ between two runs: ids, instants, places."""

# Each call of the command line is a session of its own, so what was said in two is not beside each other.
SCRIPT: list[tuple[list[str], str, tuple[Any, ...], dict[str, Any]]] = [
    (["remember", "Ana lives in Berlin", "--key", "ana::city", "--value", "Berlin", "--tags", "home", "--tags", "de",
      "--meta", '{"a": 1}', "--about", "ana"],
     "remember", ("Ana lives in Berlin",),
     {"key": "ana::city", "value": "Berlin", "tags": ["home", "de"], "meta": {"a": 1}, "about": ["ana"], "session": "one"}),
    (["remember", "Munich now", "--key", "ana::city", "--value", "Munich"],
     "remember", ("Munich now",), {"key": "ana::city", "value": "Munich", "session": "two"}),
    (["remember", "--key", "rate::limit", "--value-json", "250", "--channel", "document", "--source", "web:page"],
     "remember", (None,), {"key": "rate::limit", "value": 250, "channel": "document", "source": "web:page"}),
    (["remember", "a note about tea", "--confidence", "0.1"], "remember", ("a note about tea",), {"confidence": 0.1}),
    (["believe", "ana::city"], "believe", ("ana::city",), {}),
    (["believe", "ana::city", "--valid-at", "2020-01-01"], "believe", ("ana::city",), {"valid_at": "2020-01-01"}),
    (["recall", "where does Ana live", "--k", "3", "--include", "superseded"],
     "recall", ("where does Ana live",), {"k": 3, "include": ["superseded"]}),
    (["history", "ana::city"], "history", ("ana::city",), {}),
    (["list", "--where", '{"tags": "home"}', "--include", "all"],
     "list", (), {"where": {"tags": "home"}, "include": ["all"]}),
    (["revert", "ana::city", "--reason", "no"], "revert", ("ana::city",), {"reason": "no"}),
    (["redo", "ana::city"], "redo", ("ana::city",), {}),
    (["end", "ana::city", "2999-01-01"], "end", ("ana::city", "2999-01-01"), {}),
    (["reopen", "ana::city"], "reopen", ("ana::city",), {}),
    (["retract", "ana::city", "it was wrong"], "retract", ("ana::city", "it was wrong"), {}),
    (["policy", "rate::*", "--on-conflict", "contest", "--critical"],
     "policy", ("rate::*",), {"on_conflict": "contest", "critical": True}),
    (["review"], "review", (), {}),
    (["plan-forget", "--key", "rate::limit"], "plan_forget", (), {"key": "rate::limit"}),
    (["forget", "--key", "rate::limit"], "forget", (), {"key": "rate::limit"}),
    (["history", "ana::city"], "history", ("ana::city",), {}),
    (["stats"], "stats", (), {}),
]  # fmt: skip


def steady(data: Any) -> Any:
    """Return plain data without what differs between two runs."""
    if isinstance(data, dict):
        return {name: steady(value) for name, value in data.items() if name not in UNSTEADY}
    if isinstance(data, list):
        return [steady(one) for one in data]
    return data


def members(data: Any) -> Any:
    """Return the names of all members, at any depth."""
    if isinstance(data, dict):
        return {name: members(value) for name, value in data.items() if name not in ("meta", "factors")}
    if isinstance(data, list):
        return [members(one) for one in data]
    return None


@pytest.mark.usefixtures("operator")
def test_the_same_script_gives_the_same_answers(inside: Run, tmp_path: Path) -> None:
    from muniment.verbs.plain import plain

    with Memory(tmp_path / "python.muniment", channel="user") as memory:
        for arguments, method, given, named in SCRIPT:
            consent = ["--yes", inside(*arguments, "--plan", "--json").json["hash"]] if method == "forget" else []
            done = inside(*arguments, *consent, "--json")
            assert (done.code, done.err) == (0, ""), arguments
            wanted = plain(getattr(memory, method)(*given, **named))
            assert steady(done.json) == steady(wanted), arguments
            assert members(done.json) == members(wanted), arguments


def test_a_real_process_answers_the_same_as_the_entry_point_inside(muniment: Run, inside: Run) -> None:
    said = muniment("remember", "Ünïcode 東京", "--key", "a::b", "--json")
    assert said.code == 0
    outside, here = muniment("history", "a::b", "--json"), inside("history", "a::b", "--json")
    assert outside == here
    assert outside.json[0]["text"] == "Ünïcode 東京"


def test_options_of_the_program_may_stand_before_or_after_the_command(inside: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "other.muniment")
    inside("remember", "something else")
    inside("--path", path, "--user", "ana", "remember", "tea", "--key", "drink::now")
    after = inside("believe", "drink::now", "--user", "ana", "--path", path, "--json").json
    before = inside("--json", "--path", path, "--user", "ana", "believe", "drink::now").json
    assert before["value"] == after["value"] == "tea"
    assert after["scope"] == {"user": "ana"}
    assert inside("--path", path, "believe", "drink::now", "--json").json["status"] == "none"
    assert inside("--user", "ana", "believe", "drink::now", "--json").json["status"] == "none"


def test_what_stands_after_the_command_wins(inside: Run) -> None:
    inside("remember", "tea", "--key", "drink::now", "--user", "ana")
    found = inside("--user", "bob", "believe", "drink::now", "--user", "ana", "--json").json
    assert found["value"] == "tea"


def test_a_session_is_provenance_and_a_scope_part_is_not(inside: Run) -> None:
    inside("remember", "tea", "--key", "drink::now", "--session", "s-1")
    row = inside("history", "drink::now", "--json").json[0]
    assert (row["session"], row["scope"]) == ("s-1", {})
    inside("remember", "milk", "--key", "food::now", "--scope-session", "s-2")
    assert inside("history", "food::now", "--scope-session", "s-2", "--json").json[0]["scope"] == {"session": "s-2"}


def test_an_operator_is_told_that_another_scope_says_a_key_and_nobody_else_is(
    inside: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = "It is said in another scope, which this handle does not cover."
    inside("remember", "noon", "--key", "lunch::time", "--scope-session", "monday")
    assert told not in inside("believe", "lunch::time").out, "an agent learns nothing of other scopes"
    assert inside("believe", "lunch::time", "--json").json["elsewhere"] is False
    monkeypatch.setenv("MUNIMENT_CHANNEL", "user")
    assert told in inside("believe", "lunch::time").out
    assert told not in inside("believe", "lunch::place").out
    assert told not in inside("believe", "lunch::time", "--user", "ana").out
    with Memory() as operator:  # in a program somebody else may sit behind the handle
        assert not operator.believe("lunch::time").elsewhere


def test_a_session_says_how_it_is_closed(inside: Run) -> None:
    inside("remember", "noon", "--key", "lunch::time")
    begun = inside("sessions", "open", "--session", "my day").out
    assert "the log has 3 entries" in begun
    assert "muniment sessions close --since 3 --session 'my day'" in begun
    inside("remember", "one", "--key", "lunch::time", "--session", "my day")
    closed = inside("sessions", "close", "--since", "3", "--session", "my day").out
    assert "Written down under session my day::ledger" in closed
    assert inside("believe", "session my day::ledger").code == 0


def test_both_kinds_of_not_yet_are_answers_and_a_key_nobody_said_is_none(inside: Run) -> None:
    inside("remember", "noon", "--key", "lunch::time")
    assert inside("believe", "lunch::time", "--as-of", "2020").code == 0
    assert inside("believe", "lunch::time", "--valid-at", "2020").code == 0
    assert inside("history", "lunch::time", "--as-of", "2020").code == 0
    assert inside("believe", "dinner::time").code == 1


def test_statements_come_from_a_file_or_from_standard_input(inside: Run, tmp_path: Path) -> None:
    rows = [{"text": "tea", "key": "drink::now"}, {"text": "milk", "tags": ["shopping"]}]
    lines = "\n".join(json.dumps(row) for row in rows) + "\n\n"
    file = tmp_path / "statements.jsonl"
    file.write_text("\ufeff" + lines, "utf-8")
    from_file = inside("remember-many", str(file), "--json")
    assert [row["disposition"] for row in from_file.json] == ["accepted", "accepted"]
    from_input = inside("remember-many", "-", "--json", stdin=lines)
    assert [row["disposition"] for row in from_input.json] == ["reinforced", "reinforced"]


def test_a_bad_line_of_a_file_is_named_and_nothing_is_stored(inside: Run) -> None:
    done = inside("remember-many", "-", "--json", stdin='{"text": "tea"}\n{"text": \n')
    assert done.code == 2
    assert "Line 2" in done.error["message"]
    assert inside("stats", "--json").code == 1, "there is no store"


def test_a_text_may_come_from_standard_input(inside: Run) -> None:
    inside("remember", "-", "--key", "a::b", stdin="first line\nsecond line\n")
    assert inside("believe", "a::b", "--json").json["value"] == "first line\nsecond line"


def test_pages_lead_on(inside: Run) -> None:
    for n in range(3):
        inside("remember", f"note {n}")
    first = inside("list", "--limit", "2", "--json").json
    second = inside("list", "--limit", "2", "--cursor", first["cursor"], "--json").json
    assert [row["text"] for row in first["rows"] + second["rows"]] == ["note 0", "note 1", "note 2"]
    assert f"--cursor {first['cursor']}" in inside("list", "--limit", "2").err


def test_a_store_that_a_call_makes_is_worth_a_note(inside: Run, tmp_path: Path) -> None:
    first = inside("remember", "tea")
    assert str(tmp_path / "memory.muniment") in first.err
    assert inside("remember", "milk").err == ""
    assert inside("remember", "milk", "--path", "other.muniment", "--json").err == ""


READING = [["believe", "a::b"], ["history", "a::b"], ["list"], ["review"], ["recall", "x"]]


@pytest.mark.parametrize("arguments", READING)
def test_an_empty_memory_answers_in_words(arguments: list[str], inside: Run) -> None:
    inside("remember", "the memory's own words", "--channel", "recall")
    done = inside(*arguments)
    assert done.code == (arguments[0] in ("believe", "history"))  # of a key that was never said
    assert (done.out or done.err).strip()


@pytest.mark.parametrize("arguments", [*READING, ["stats"], ["verify"], ["plan-forget", "--key", "a::b"]])
def test_where_there_is_no_store_a_reader_is_told_so_and_makes_none(
    arguments: list[str], inside: Run, tmp_path: Path
) -> None:
    done = inside(*arguments)
    assert (done.code, done.out) == (1, "")
    assert "There is no store at" in done.err and "muniment remember" in done.err
    assert inside(*arguments, "--json").error["code"] == "not_found"
    assert not list(tmp_path.glob("*.muniment*")) and not (tmp_path / "keys").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["remember", "x", "--key", "::"], ["remember", "x", "--confidence", "7"], ["remember"],
        ["remember", "x", "--channel", "user"], ["revert", "a::b"], ["end", "a::b", "2025"], ["policy", "a::b"],
        ["remember-many", "-"], ["forget", "--key", "a::b"], ["reindex"],
    ],
)  # fmt: skip
def test_a_call_that_is_refused_makes_no_store(arguments: list[str], inside: Run, tmp_path: Path) -> None:
    done = inside(*arguments, stdin='{"text": "fine"}\n{"key": 7}\n')
    assert done.code in (1, 2) and "Error" in done.err and "Note" not in done.err
    assert not list(tmp_path.glob("*.muniment*")) and not (tmp_path / "keys").exists()


def test_a_namespace_that_is_only_asked_about_is_not_made(inside: Run) -> None:
    inside("remember", "x")
    size = inside("stats", "--json").json
    done = inside("believe", "a::b", "--namespace", "slip", "--json")
    assert (done.code, done.error["code"]) == (1, "not_found")
    assert inside("stats", "--json").json == size
    assert inside("remember", "x", "--namespace", "slip").code == 0
    assert inside("list", "--namespace", "slip").code == 0


def test_a_store_in_ram_can_be_asked_although_it_is_always_new(inside: Run) -> None:
    assert inside("believe", "a::b", "--path", ":memory:", "--json").json["status"] == "none"


@pytest.mark.usefixtures("operator")
def test_a_decision_that_waits_is_not_done_and_ends_with_a_code_of_its_own(inside: Run) -> None:
    for value in ("one", "two"):
        inside("remember", value, "--key", "a::b")
    item = inside("remember", "three", "--key", "a::b", "--channel", "document", "--json").json["item"]
    for decision in (
        ("revert", "a::b"), ("retract", "a::b", "a mistake"), ("end", "a::b", "2099"), ("reopen", "a::b"), ("redo", "a::b"),
    ):  # fmt: skip
        if decision[0] in ("reopen", "redo"):
            inside(*{"reopen": ("end", "a::b", "2099"), "redo": ("revert", "a::b")}[decision[0]])
        ran = inside(*decision, "--channel", "agent")
        assert ran.code == 3 and ran.out.startswith("pending_review: not done\n"), decision
        assert inside(*decision, "--channel", "agent", "--json").code == 3
    assert inside("resolve", item, "accept", "so it is", "--channel", "agent").code == 1
    kept = inside("remember", "four", "--key", "a::b", "--channel", "agent")
    assert (kept.code, kept.out.partition("\n")[0]) == (0, "pending_review: kept, not believed")
    done = inside("revert", "a::b", "--to", "one")
    assert (done.code, done.out.splitlines()[:3]) == (
        0, ["reverted", "The last change is undone: what it replaced is back.", "Now a::b is one."],
    )  # fmt: skip


def test_a_key_that_was_never_said_is_told_with_the_one_that_was_meant_and_ends_with_1(inside: Run) -> None:
    inside("remember", "80", "--key", "svc::port")
    asked = inside("believe", "svc::prot")
    assert (asked.code, asked.out) == (1, "svc::prot: no answer (never_said). Did you mean svc::port?\n")
    found = inside("believe", "svc::prot", "--json")
    assert (found.code, found.json["similar"], found.json["reason"]) == (1, ["svc::port"], "never_said")
    told = inside("history", "svc::prot")
    assert (told.code, told.out, told.err) == (1, "", "Nothing there.\nDid you mean svc::port?\n")
    listed = inside("history", "svc::prot", "--json")
    assert (listed.code, listed.json, listed.err) == (1, [], "")
    assert inside("believe", "svc::port").code == inside("history", "svc::port").code == 0


@pytest.mark.usefixtures("operator")
def test_a_key_without_an_answer_was_answered_if_something_was_said_under_it(inside: Run) -> None:
    inside("remember", "80", "--key", "svc::port")
    inside("retract", "svc::port", "a mistake")
    asked = inside("believe", "svc::port")
    assert (asked.code, asked.out.partition("\n")[0]) == (0, "svc::port: no answer (retracted)")
    assert inside("list").code == inside("review").code == inside("recall", "zebra").code == 0


@pytest.mark.usefixtures("operator")
def test_what_a_person_accepted_is_shown_with_their_name(inside: Run) -> None:
    told = ("--channel", "document", "--source", "https://x.example")
    page = inside("remember", "Faro", "--key", "ana::city", *told, "--json")
    with Memory() as memory:
        memory.resolve(page.json["item"], "accept", "I was there", by="Bea")
    shown = inside("believe", "ana::city").out
    assert "by            document, https://x.example\naccepted by   Bea\n" in shown, shown
