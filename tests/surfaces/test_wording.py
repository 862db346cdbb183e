"""The command line speaks of commands and options: nothing that it says has to be translated from Python first."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import muniment
from input.test_advice import raised, words
from muniment.surfaces.cli import generate, naming, wording
from surfaces.running import Run

SOURCES = Path(muniment.__file__).parent

PYTHON = re.compile(r"\w=(?!\w)|\w='|\w=(?:True|False|None)|[a-z_]\(|\b(?:True|False|None|bool|dict|str|int|tuple)\b")
"""What only a program would write."""

REACHED = ("beliefs", "claims", "code", "erasure", "evidence", "recall", "sessions", "transfer", "verbs")
"""Rooms whose sentences a command can lead to. The others speak to the programs that build on them."""

PROGRAMS = {
    "scope must be a Scope or a dict.",  # the command line reads an object, and refuses anything else itself
    "rewrite returned neither a text nor a dict of text and value.",
    "Return None to leave it.",
    'Ask who can know, then say it as that channel. Or a person settles it now: muniment resolve ITEM accept "why", or '
    'resolve(item, "accept", "why"). The review inbox lists it until then.',
    "The operator registers one: MUNIMENT_ADJUDICATOR, or in a program: adjudicator='queue', or a function.",
}
"""Sentences of those rooms that only a program meets, or that say themselves what is for programs."""


def sentences(path: Path) -> list[str]:
    """Return what a module says in errors, outcomes and notes: every sentence in it but its comments."""
    tree = ast.parse(path.read_text("utf-8"))
    comments = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    found = [
        words(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in comments | parts
    ]
    told = [words(keyword.value) for call in raised(tree) for keyword in call.keywords if keyword.arg == "advice"]
    return [one for one in (*found, *told) if re.match(r"[A-Z…a-z].* .*[.…]$", one) and "\n" not in one]


@pytest.mark.parametrize("room", REACHED)
def test_no_sentence_that_a_command_can_lead_to_speaks_python(room: str) -> None:
    found = [one for path in sorted((SOURCES / room).rglob("*.py")) for one in sentences(path)]
    assert found
    spoken = {wording.typed(one) for one in found if one not in PROGRAMS and "SELECT" not in one}
    assert {one for one in spoken if PYTHON.search(one)} == set()


@pytest.mark.parametrize("name", naming.declared())
def test_no_help_of_a_command_speaks_python(name: str) -> None:
    operation = naming.declared()[name]
    from muniment.surfaces.cli.parameters import parameters

    told = {one.flag: one.help for one in parameters(operation, generate.meanings(operation))}
    assert {flag: text for flag, text in told.items() if PYTHON.search(text)} == {}


def test_what_names_no_argument_and_no_command_stays_as_it_is() -> None:
    for sentence in (
        "Set PYTHONUTF8=1.",
        "MUNIMENT_CHANNEL=user",
        "pip install 'muniment[mcp]'",
        "f(x) = 2",
        "Memory()",
    ):
        assert wording.typed(sentence) == sentence


def test_a_call_becomes_the_command_that_does_it() -> None:
    assert wording.typed("retract(key, reason, value=…)") == "muniment retract KEY REASON --value …"
    assert wording.typed("Use end() or revert().") == "Use end or revert."
    assert wording.typed("Write without correct=True, or with boundary=False.").endswith(
        "--correct, or with --no-boundary."
    )


@pytest.mark.usefixtures("operator")
def test_an_error_and_an_outcome_are_told_as_one_types_them(inside: Run) -> None:
    for value in ("Munich", "Berlin"):
        inside("remember", f"She moved to {value}", "--key", "ana::city", "--value", value)
    echo = inside("remember", "She lives in Munich", "--key", "ana::city", "--value", "Munich")
    assert "Pass --reaffirm" in echo.out and "reaffirm=" not in echo.out
    assert "--ids for claims" in inside("forget").err
    assert "--key" in inside("--json", "forget").error["advice"]
