"""Nothing is destroyed before its plan was shown and somebody said yes."""

from __future__ import annotations

import pytest

from muniment.surfaces.cli.failures import Exit
from surfaces.running import Run


@pytest.fixture
def family(inside: Run) -> dict[str, str]:
    """A claim, one derived from it, one derived from that, and one that has nothing to do with them."""
    ids: dict[str, str] = {}

    def say(name: str, *more: str) -> None:
        ids[name] = inside("remember", name, *more, "--json").json["claim_id"]

    say("parent", "--key", "ana::city")
    say("child", "--derived-from", ids["parent"])
    say("grandchild", "--derived-from", ids["child"])
    say("stranger")
    return ids


pytestmark = pytest.mark.usefixtures("operator")


def left(run: Run) -> set[str]:
    return {row["text"] for row in run("list", "--include", "all", "--json").json["rows"]}


def test_where_nobody_can_be_asked_nothing_is_erased_and_the_plan_is_given(family: dict[str, str], inside: Run) -> None:
    done = inside("forget", "--key", "ana::city", "--json")
    assert (done.code, done.error["code"]) == (Exit.USAGE, "validation")
    plan = done.error["details"]["plan"]
    assert plan["direct"] == [family["parent"]]
    assert set(plan["inherited"]) == {family["child"], family["grandchild"]}
    assert left(inside) == set(family)


def test_the_plan_alone_is_shown_even_with_consent(family: dict[str, str], inside: Run) -> None:
    shown = inside("forget", "--key", "ana::city", "--plan", "--json").json["hash"]
    done = inside("forget", "--key", "ana::city", "--plan", "--yes", shown)
    assert done.code == Exit.PASS
    assert "Would erase 1 claim and 2 derived" in done.out and shown in done.out
    assert all(family[name] in done.out for name in ("parent", "child", "grandchild"))
    assert left(inside) == set(family)


def test_what_is_erased_is_what_was_planned(family: dict[str, str], inside: Run) -> None:
    planned = inside("forget", "--ids", family["child"], "--plan", "--json").json
    done = inside("forget", "--ids", family["child"], "--yes", planned["hash"], "--json").json
    assert (planned["direct"], planned["inherited"]) == (done["erased"], done["derived"])
    assert left(inside) == {"parent", "stranger"}


def test_the_command_that_plans_gives_the_same_plan(family: dict[str, str], inside: Run) -> None:
    assert (
        inside("plan-forget", "--key", "ana::city", "--json").json
        == inside("forget", "--key", "ana::city", "--plan", "--json").json
    )


@pytest.mark.parametrize("consent", [["--yes"], ["--yes", ""], ["--yes", "yes"], ["--yes", "0" * 32]])
def test_a_bare_yes_or_the_hash_of_another_plan_is_no_consent(
    consent: list[str], family: dict[str, str], inside: Run
) -> None:
    done = inside("forget", "--key", "ana::city", *consent)
    assert done.code in (Exit.USAGE, Exit.FAIL)
    assert left(inside) == set(family)


def test_what_was_said_since_the_plan_is_not_erased_with_it(family: dict[str, str], inside: Run) -> None:
    shown = inside("forget", "--key", "ana::city", "--plan", "--json").json["hash"]
    inside("remember", "second thoughts", "--key", "ana::city")
    done = inside("forget", "--key", "ana::city", "--yes", shown, "--json")
    assert (done.code, done.error["code"]) == (Exit.FAIL, "conflict")
    assert left(inside) == {*family, "second thoughts"}
    assert inside("forget", "--key", "ana::city", "--yes", done.error["details"]["plan"]["hash"]).code == Exit.PASS


def test_a_plan_that_names_nothing_fails(inside: Run) -> None:
    inside("remember", "something")
    assert inside("forget", "--key", "nobody::nothing", "--plan").code == Exit.FAIL
    assert inside("forget", "--key", "nobody::nothing", "--yes", "0" * 32).code == Exit.FAIL


def test_a_plan_takes_the_scope_of_the_handle_and_no_other(inside: Run) -> None:
    inside("remember", "wide", "--key", "a::b")
    inside("remember", "narrow", "--key", "a::b", "--user", "ana")
    plan = inside("forget", "--key", "a::b", "--user", "ana", "--plan", "--json").json
    assert len(plan["direct"]) == 1
    assert inside("forget", "--key", "a::b", "--user", "ana", "--yes", plan["hash"]).code == Exit.PASS
    assert "erased at 20" in inside("history", "a::b", "--user", "ana").out
    told = inside("history", "a::b", "--user", "ana", "--json").json
    assert [(row["standing"], row["text"]) for row in told] == [("erased", ""), ("current", "wide")]
    assert left(inside) == {"wide"}


@pytest.mark.parametrize("answer", ["n\n", "\n", "maybe\n"])
def test_at_a_terminal_anything_but_yes_leaves_it(
    answer: str, family: dict[str, str], inside: Run, terminal: Run
) -> None:
    done = terminal("forget", "--key", "ana::city", typed=answer)
    assert done.code == Exit.PARTIAL
    assert "Nothing was done." in done.out
    assert left(inside) == set(family)


def test_at_a_terminal_a_yes_erases_after_the_plan_was_shown(
    family: dict[str, str], inside: Run, terminal: Run
) -> None:
    done = terminal("forget", "--key", "ana::city", typed="y\n")
    assert done.code == Exit.PASS
    assert done.out.index(family["grandchild"]) < done.out.index("Do it?")
    assert "grandchild" in done.out, "a person reads what goes, not only its id"
    assert left(inside) == {"stranger"}


def test_a_script_erases_nothing_without_the_operators_word(
    family: dict[str, str], inside: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MUNIMENT_CHANNEL")
    shown = inside("forget", "--key", "ana::city", "--plan", "--json").json["hash"]
    for arguments in ([], ["--yes", shown]):
        done = inside("forget", "--key", "ana::city", *arguments, "--json")
        assert (done.code, done.error["code"]) == (Exit.FAIL, "permission")
    assert left(inside) == set(family)
