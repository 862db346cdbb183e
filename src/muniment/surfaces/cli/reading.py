"""From what was typed to what an operation takes: JSON, numbers, times, files of statements."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from muniment.claims.numerals import DIGITS_LIMIT
from muniment.errors import ValidationError
from muniment.surfaces.cli import streams

_TYPED: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false")
"""What JSON would read as a number or a truth value."""

Reader = Callable[[str, str], Any]
"""Turns (what was typed, the option's name) into an argument, or raises ValidationError naming the option."""


def text(typed: str, option: str) -> str:
    """Take it as it is."""
    return typed


def plain_text(typed: str, option: str) -> str:
    """Take a value as text: 42 and "42" are two values, and what was typed says nothing of its type.

    Example:
        >>> plain_text("Berlin", "--value")
        'Berlin'
    """
    return typed


def looks_typed(typed: object) -> bool:
    """Say whether a value that was taken as text looks like a number or a truth value.

    Example:
        >>> looks_typed("8080"), looks_typed("Berlin")
        (True, False)
    """
    return isinstance(typed, str) and _TYPED.fullmatch(typed) is not None


def names(typed: str, option: str) -> list[str]:
    """Read names, which commas part.

    Example:
        >>> names("net, db", "--tags")
        ['net', 'db']
    """
    return [name for part in typed.split(",") if (name := part.strip())] or [typed]


def text_or_input(typed: str, option: str) -> str:
    """Take it as it is; ``-`` stands for standard input."""
    return streams.read_input(option).rstrip("\r\n") if typed == "-" else typed


def whole(typed: str, option: str) -> int:
    """Read a whole number.

    Example:
        >>> whole("6", "--k")
        6
    """
    try:
        return int(typed)
    except ValueError:
        raise ValidationError(f"{option} must be a whole number.", advice="Write digits alone, such as 10.") from None


def number(typed: str, option: str) -> float:
    """Read a number."""
    try:
        return float(typed)
    except ValueError:
        raise ValidationError(f"{option} must be a number.", advice="Write digits with a point, such as 0.8.") from None


def value(typed: str, option: str) -> Any:
    """Read a typed value written as JSON; decimals keep every digit.

    Example:
        >>> value("2.50", "--value-json")
        Decimal('2.50')
    """
    found = _json(typed, option, parse_float=Decimal)
    if found is None:
        raise ValidationError(f"{option} must not be null.", advice="Leave it out if there is no value.")
    return found


def mapping(typed: str, option: str) -> dict[str, Any]:
    """Read a JSON object."""
    found = _json(typed, option)
    if not isinstance(found, dict):
        raise ValidationError(f"{option} must be a JSON object.", advice=f'{option} \'{{"name": "value"}}\'')
    return found


def mappings(typed: str, option: str) -> list[dict[str, Any]]:
    """Read a JSON object, or an array of them.

    Example:
        >>> mappings('{"a": 1}', "--evidence"), mappings('[{"a": 1}, {"b": 2}]', "--evidence")
        ([{'a': 1}], [{'a': 1}, {'b': 2}])
    """
    found = _json(typed, option)
    listed = found if isinstance(found, list) else [found]
    if not all(isinstance(one, dict) for one in listed):
        raise ValidationError(
            f"{option} must be a JSON object, or an array of objects.", advice=f'{option} \'{{"name": "value"}}\''
        )
    return listed


def text_or_mapping(typed: str, option: str) -> str | dict[str, Any]:
    """Read a JSON object if it looks like one, else take the text as it is."""
    return mapping(typed, option) if typed.lstrip().startswith("{") else typed


def time(typed: str, option: str) -> datetime:
    """Read a date or an RFC 3339 time as a ``datetime``."""
    try:
        return datetime.fromisoformat(typed)
    except ValueError:
        raise ValidationError(f"{option} must be a date or a time.", advice="2025-01-31 or 2025-01-31T12:00Z") from None


def statements(typed: str, option: str) -> list[dict[str, Any]]:
    """Read a file of statements: one JSON object to a line, or one JSON array of them; ``-`` is standard input.

    Raises:
        ValidationError: If the file cannot be read, or a statement is not a JSON object; it names the line, or the
            place in the array.
    """
    if typed == "-":
        content = streams.read_input(option)
    else:
        try:
            content = streams.decode(Path(typed).read_bytes(), "The file")
        except OSError as error:
            raise ValidationError(
                f"The file of statements cannot be read: {error.strerror or 'not readable'}.",
                advice="Check the path; - stands for standard input.",
            ) from None
    if content.lstrip().startswith("["):
        found = list(_json(content, "The file"))
        place = next((place for place, one in enumerate(found, start=1) if not isinstance(one, dict)), None)
        if place is not None:
            raise ValidationError(f"Statement {place} of the file must be a JSON object.", advice=_STATEMENT)
        return found
    found = []
    for number, line in enumerate(content.split("\n"), start=1):
        if line.strip():
            one = _json(line, f"Line {number}")
            if not isinstance(one, dict):
                raise ValidationError(f"Line {number} must be a JSON object.", advice=_STATEMENT)
            found.append(one)
    return found


_STATEMENT = 'A line says, for example, {"text": "Ana moved to Porto", "key": "ana::city"}.'


def _json(typed: str, option: str, **how: Any) -> Any:
    try:
        return json.loads(typed, parse_constant=_no_constant, parse_int=_integer, **how)
    except ValidationError as error:
        raise ValidationError(f"{option} holds {error.message}", advice=error.advice, **error.details) from None
    except (ValueError, RecursionError):
        raise ValidationError(
            f"{option} is not JSON.", advice="Text goes in double quotes inside the JSON, and the whole in single ones."
        ) from None


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > DIGITS_LIMIT:
        raise ValidationError(
            f"an integer of more than {DIGITS_LIMIT:,} digits.",
            advice="Use another unit, or a text.",
            limit=DIGITS_LIMIT,
        )
    return int(digits)


def _no_constant(name: str) -> Any:
    raise ValueError(name)
