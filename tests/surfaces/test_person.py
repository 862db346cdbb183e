"""Deciding review items at the command line: a person types the verdict, or has signed it."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import Memory
from muniment.surfaces.cli.failures import Exit
from surfaces.running import Run

PORT = "db::port"


@pytest.fixture
def item(places: dict[str, str], inside: Run) -> str:
    """What a page says of what a person said before."""
    with Memory(places["MUNIMENT_PATH"]) as memory:
        memory.remember("5433", key=PORT)
        said = memory.remember("5432", key=PORT, channel="document", source="https://page.example")
    assert said.item is not None
    return said.item


def value(run: Run) -> object:
    return run("believe", PORT, "--json").json["value"]


def test_a_verdict_is_typed_at_a_terminal_by_somebody_who_sees_both_sides(
    item: str, terminal: Run, inside: Run
) -> None:
    done = terminal("resolve", item, "accept", "I checked", typed="accept\n", columns=120)
    assert done.code == Exit.PASS
    for shown in ("in question", "holds now", "5432", "5433", "https://page.example", "document", "user"):
        assert shown in done.out, shown
    assert value(inside) == "5432"


@pytest.mark.usefixtures("operator")
def test_of_a_dispute_it_is_not_said_that_one_side_holds(inside: Run, terminal: Run) -> None:
    inside("remember", "8", "--key", "a::b", "--channel", "tool", "--source", "x://one")
    other = inside("remember", "9", "--key", "a::b", "--channel", "tool", "--source", "x://two", "--json").json
    shown = terminal("resolve", other["item"], "accept", "I counted", typed="\n", columns=120).out
    assert "in dispute with" in shown and "holds now" not in shown


@pytest.mark.parametrize("typed", ["\n", "y\n", "yes\n", "reject\n"])
def test_anything_else_that_is_typed_decides_nothing(item: str, terminal: Run, inside: Run, typed: str) -> None:
    done = terminal("resolve", item, "accept", "I checked", typed=typed)
    assert (done.code, value(inside)) == (Exit.PARTIAL, "5433")
    assert "Nothing was decided. What was typed is not the word accept." in done.out


@pytest.mark.parametrize("channel", ["agent", "user"])
def test_a_script_is_no_person_whatever_it_may_speak_as(item: str, inside: Run, places: dict[str, str],
                                                         monkeypatch: pytest.MonkeyPatch, channel: str) -> None:  # fmt: skip
    monkeypatch.setenv("MUNIMENT_CHANNEL", channel)
    done = inside("resolve", item, "accept", "so", "--json", stdin="accept\n")
    assert (done.code, done.error["code"]) == (Exit.FAIL, "permission")
    assert value(inside) == "5433"


def test_there_is_no_yes(item: str, inside: Run) -> None:
    assert inside("resolve", item, "accept", "so", "--yes").code == Exit.USAGE


def test_a_script_decides_what_no_boundary_holds(
    places: dict[str, str], inside: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNIMENT_CHANNEL", "user")
    with Memory(places["MUNIMENT_PATH"]) as memory:
        memory.remember("5433", key=PORT, channel="tool", source="a")
        said = memory.remember("5432", key=PORT, channel="tool", source="b")
    assert inside("resolve", str(said.item), "accept", "b is live").code == Exit.PASS
    assert value(inside) == "5432"


def test_a_token_needs_no_terminal_and_no_ceiling(
    item: str, inside: Run, tmp_path: Path, places: dict[str, str]
) -> None:
    file = tmp_path / "ana.key"
    made = inside("reviewer-key", "reviewer.example/ana", "--out", str(file), "--json").json
    assert inside("add-reviewer", made["key"], "--json").code == Exit.FAIL, "a script registers nobody"
    with Memory(places["MUNIMENT_PATH"]) as memory:
        memory.add_reviewer(made["key"])
    version = inside("review", "--json").json["rows"][0]["line_version"]
    signed = inside("sign-verdict", item, "accept", "--version", version, "--key", str(file), "--json").json["token"]
    refused = inside("resolve", item, "keep", "so", "--token", signed, "--json")
    assert (refused.code, refused.error["code"]) == (Exit.FAIL, "permission")
    done = inside("resolve", item, "accept", "ana signed it", "--token", signed, "--json")
    assert (done.code, done.json["believed"]) == (Exit.PASS, True)
    assert value(inside) == "5432"
    assert [row["name"] for row in inside("reviewers", "--json").json] == ["reviewer.example/ana"]


def test_a_private_key_is_read_by_its_owner_only_and_never_overwritten(inside: Run, tmp_path: Path) -> None:
    file = tmp_path / "ana.key"
    assert inside("reviewer-key", "ana", "--out", str(file)).code == Exit.PASS
    assert file.stat().st_mode & 0o077 == 0
    before = file.read_text()
    assert inside("reviewer-key", "ana", "--out", str(file)).code == Exit.USAGE
    assert file.read_text() == before


def test_a_key_that_is_none_signs_nothing_and_is_not_shown(item: str, inside: Run, tmp_path: Path) -> None:
    file = tmp_path / "no.key"
    for text in (None, "PRIVATE+KEY+secret", "\x00"):
        if text is not None:
            file.write_text(text)
        done = inside("sign-verdict", item, "accept", "--version", item, "--key", str(file))
        assert done.code == Exit.USAGE
        assert "secret" not in done.out + done.err


def test_whoever_accepts_a_request_reads_what_is_asked_and_what_holds_afterwards(
    places: dict[str, str], terminal: Run, inside: Run
) -> None:
    with Memory(places["MUNIMENT_PATH"]) as memory:
        memory.remember("Rate 7", key="q::r", value=7)
        item = str(memory.retract("q::r", "obsolete", channel="agent").item)
    listed = inside("review").out
    done = terminal("resolve", item, "accept", "7 is right", typed="\n", columns=120)
    for shown in ("asked: retract Rate 7 (by agent): obsolete", "now 7 -> after accept: no answer"):
        assert shown in listed and shown in done.out
    assert inside("believe", "q::r", "--json").json["value"] == 7


@pytest.mark.parametrize(
    ("arguments", "why"),
    [(("yes", "counted"), "There is no such verdict"), (("both", "counted"), "both needs a period")],
)
def test_what_is_wrong_with_a_verdict_is_said_before_anybody_is_asked(
    item: str, terminal: Run, arguments: tuple[str, str], why: str
) -> None:
    done = terminal("resolve", item, *arguments, columns=120)
    assert done.code == Exit.USAGE and "Type" not in done.out


def test_a_request_that_accept_does_not_carry_out_is_refused_before_anybody_is_asked(
    places: dict[str, str], terminal: Run
) -> None:
    with Memory(places["MUNIMENT_PATH"]) as memory:
        memory.remember("Rate 6", key="q::r", value=6)
        memory.remember("Rate 7", key="q::r", value=7)
        item = str(memory.revert("q::r", channel="agent").item)
    done = terminal("resolve", item, "accept", "so", columns=120)
    assert done.code == Exit.FAIL and "Type" not in done.out and "muniment revert" in done.out


@pytest.mark.parametrize(("typed", "code", "port"), [("redo\n", Exit.PASS, "5432"), ("y\n", Exit.PARTIAL, "5433")])
def test_a_redo_of_what_only_a_person_admits_is_confirmed_at_the_terminal(
    item: str, terminal: Run, inside: Run, typed: str, code: Exit, port: str
) -> None:
    terminal("resolve", item, "accept", "I checked", typed="accept\n")
    terminal("revert", PORT)
    asked = inside("redo", PORT, "--json")
    assert asked.code != Exit.PASS
    done = terminal("redo", PORT, typed=typed, columns=120)
    assert "https://page.example" in done.out and "Type redo" in done.out
    assert (done.code, value(inside)) == (code, port)


@pytest.mark.parametrize(
    ("words", "env"),
    [(["item", "banana"], {}), (["item", "accept"], {"MUNIMENT_NAMESPACE": "a\nb"}), (["it\nem", "accept"], {})],
    ids=["verdict", "namespace", "item"],
)
def test_what_no_verdict_could_be_is_not_signed(
    words: list[str], env: dict[str, str], inside: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside("reviewer-key", "ana", "--out", "key")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    done = inside("sign-verdict", *words, "--version", "v", "--key", "key", "--json")
    assert (done.code, done.error["code"], done.out) == (2, "validation", "")
