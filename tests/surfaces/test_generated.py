"""What a generated command looks like and how it reads what was typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

import pytest

from muniment.errors import ValidationError
from muniment.operation import Access, Operation
from muniment.surfaces.cli import catalogue, docstrings, generate, naming, parameters
from muniment.surfaces.cli.parameters import Form, Parameter
from surfaces.running import Run


def declared(call: Any) -> Operation:
    return Operation(call.__name__, call.__name__, "", "core", Access.READS, True, "reader", "Title", False, call)


def written(call: Any) -> dict[str, Parameter]:
    return {parameter.name: parameter for parameter in parameters.parameters(declared(call), {})}


def test_the_form_of_a_parameter_follows_from_its_annotation() -> None:
    def call(
        self: Any,
        key: str,
        text: str | None,
        *,
        k: int = 6,
        trust: float | None = None,
        kind: Literal["a", "b"] | None = None,
        tags: Sequence[str] | None = None,
        prefer: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        meta: Mapping[str, Any] | None = None,
        source: str | Mapping[str, Any] | None = None,
        at: str | datetime | None = None,
        quick: bool = False,
        full: bool = True,
        value: Any = None,
        progress: Any = None,
        channel: str | None = None,
    ) -> None: ...

    found = written(call)
    forms = {name: (parameter.form, parameter.metavar) for name, parameter in found.items()}
    assert forms == {
        "key": (Form.ARGUMENT, "KEY"), "text": (Form.ARGUMENT, "TEXT"), "k": (Form.OPTION, "COUNT"),
        "trust": (Form.OPTION, "NUMBER"), "kind": (Form.OPTION, "a|b"), "tags": (Form.REPEATED, "TEXT"),
        "prefer": (Form.REPEATED, "JSON"), "meta": (Form.OPTION, "JSON"), "source": (Form.OPTION, "TEXT|JSON"),
        "at": (Form.OPTION, "WHEN"), "quick": (Form.FLAG, ""), "full": (Form.SWITCH, ""),
        "value": (Form.OPTION, "TEXT"), "value_json": (Form.OPTION, "JSON"),
    }  # fmt: skip
    assert [name for name, parameter in found.items() if parameter.required] == ["key"]


def test_an_iterable_of_mappings_is_a_file_of_json_lines() -> None:
    def call(self: Any, statements: Iterable[Mapping[str, Any]]) -> None: ...

    assert (written(call)["statements"].form, written(call)["statements"].metavar) == (Form.ARGUMENT, "FILE")


def test_a_type_without_a_form_is_refused_when_the_command_is_built() -> None:
    def call(self: Any, *, what: bytes) -> None: ...

    with pytest.raises(TypeError, match="what"):
        written(call)


def test_what_was_left_out_is_not_passed_on() -> None:
    found = parameters.parameters(naming.declared()["recall"], {})
    assert generate.read(found, {"query": "x", "k": None, "trusted_only": False, "include": None}) == {"query": "x"}


def test_a_value_is_text_unless_it_is_given_as_json() -> None:
    found = parameters.parameters(naming.declared()["remember"], {})
    assert generate.read(found, {"text": "x", "value": "5"}) == {"text": "x", "value": "5"}
    assert generate.read(found, {"value_json": "2.50"}) == {"text": None, "value": Decimal("2.50")}
    assert generate.read(found, {"value_json": '["a", 1]'}) == {"text": None, "value": ["a", 1]}


def test_a_value_cannot_be_given_in_two_ways() -> None:
    found = parameters.parameters(naming.declared()["remember"], {})
    with pytest.raises(ValidationError, match="--value-json"):
        generate.read(found, {"value": "5", "value_json": "5"})


@pytest.mark.parametrize(
    ("name", "typed", "named"),
    [
        ("k", "six", "--k"), ("min_relevance", "much", "--min-relevance"), ("where", "{", "--where"),
        ("where", "[1]", "--where"), ("where", '{"a": NaN}', "--where"), ("where", "[" * 100_000, "--where"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_by_the_name_of_its_option(name: str, typed: str, named: str) -> None:
    found = parameters.parameters(naming.declared()["recall"], {})
    with pytest.raises(ValidationError, match=named) as refused:
        generate.read(found, {name: typed})
    assert typed not in str(refused.value) or len(typed) < 2


def test_going_back_to_a_time_is_a_time_and_not_a_value() -> None:
    found = parameters.parameters(naming.declared()["revert"], {})
    assert generate.read(found, {"key": "a", "to": "2025-01-31"}) == {"key": "a", "to": "2025-01-31"}
    assert generate.read(found, {"key": "a", "to_time": "2025-01-31"})["to"] == datetime(2025, 1, 31)


def test_a_docstring_is_taken_apart() -> None:
    found = docstrings.describe(
        """Do it.

        More about :meth:`it`.

        Args:
            one, two: Both of
                them, ``really``.
            three: As for :meth:`other`.

        Returns:
            four: not an argument.
        """
    )
    assert (found.summary, found.body) == ("Do it.", "More about it.")
    assert found.arguments == {
        "one": "Both of them, ``really``.", "two": "Both of them, ``really``.", "three": "As for :meth:`other`."
    }  # fmt: skip
    elsewhere = {"other": {"three": "As for :meth:`third`."}, "third": {"three": "The third."}}
    assert docstrings.resolve(found.arguments, elsewhere)["three"] == "The third."


def test_docstrings_that_point_at_each_other_do_not_hang() -> None:
    elsewhere = {"a": {"x": "As for :meth:`b`."}, "b": {"x": "As for :meth:`a`."}}
    assert docstrings.resolve({"x": "As for :meth:`a`."}, elsewhere)["x"].startswith("As for")


@pytest.mark.parametrize("name", catalogue.names())
def test_every_command_has_help(name: str, inside: Run) -> None:
    done = inside(*name.split(), "--help")
    assert done.code == 0
    assert done.out.startswith("Usage: muniment " + name)
    assert "--json" in done.out


def test_the_help_of_the_program_lists_every_command_once(inside: Run) -> None:
    done = inside("--help")
    listed = [
        line[2:].partition("  ")[0] for line in done.out.splitlines() if line.startswith("  ") and line[2:3].strip()
    ]
    for name in catalogue.names():
        assert listed.count(name) == 1


def test_without_a_command_the_help_is_shown(inside: Run) -> None:
    assert inside() == inside("--help")
