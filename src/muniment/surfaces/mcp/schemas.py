"""From the types of the facade to JSON Schema: what a tool takes, and what it returns.

Written for whoever pays for every token of it: no title, no default, nothing that a name and a type say already.
"""

from __future__ import annotations

import inspect
import os
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from typing import Any, Final, Literal

from muniment.claims.channels import Channel
from muniment.operation import Operation
from muniment.surfaces.cli import parameters
from muniment.typenames import types_of

SUPPLIED: Final = parameters.SUPPLIED | {"self"}
"""Arguments that the server itself supplies, or that are functions, which no message can hold."""

Schema = dict[str, Any]

_PLAIN: Final[dict[Any, str]] = {
    str: "string", bool: "boolean", int: "integer", float: "number", Mapping: "object", dict: "object",
    date: "string", datetime: "string", os.PathLike: "string",
}  # fmt: skip
"""The JSON type of each Python type that has one."""


def takes(operation: Operation, meanings: Mapping[str, str]) -> Schema:
    """Return the schema of what an operation takes.

    Args:
        operation: The declared operation.
        meanings: What each argument means; one without a meaning is told by its type alone.
    """
    hints = types_of(operation.call)
    properties: Schema = {}
    required: list[str] = []
    for name, parameter in inspect.signature(operation.call).parameters.items():
        if name in SUPPLIED:
            continue
        schema = of(hints[name])
        if meanings.get(name):
            schema["description"] = meanings[name]
        properties[name] = schema
        if parameter.default is parameter.empty and types.NoneType not in members(hints[name]):
            required.append(name)
    return object_of(properties, required)


def object_of(properties: Schema, required: Sequence[str] = ()) -> Schema:
    """Return the schema of an object."""
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    return schema


def of(hint: Any) -> Schema:
    """Return the schema of one type; of a union, what covers all its members but None.

    Example:
        >>> of(str | None), of(typing.Sequence[str]), of(Any)
        ({'type': 'string'}, {'type': 'array', 'items': {'type': 'string'}}, {})
    """
    kinds: list[Any] = [member for member in members(hint) if member is not types.NoneType]
    if Channel in kinds:
        return {"enum": [str(channel) for channel in Channel]}
    for kind in kinds:
        if typing.get_origin(kind) is Literal:
            return {"enum": list(typing.get_args(kind))}
        if isinstance(kind, type) and issubclass(kind, Enum):
            return {"type": "string"}
    if Any in kinds or object in kinds:
        return {}
    named = sorted({_json_type(kind) for kind in kinds})
    schema: Schema = {"type": named[0] if len(named) == 1 else named}
    if named == ["array"]:
        held = typing.get_args(kinds[0])[:1]
        items = of(held[0]) if held else {}
        if items:
            schema["items"] = items
    return schema


def members(hint: Any) -> list[Any]:
    """Return the alternatives of a union, or the one type."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return [member for part in typing.get_args(hint) for member in members(part)]
    return [hint]


def _json_type(kind: Any) -> str:
    plain = typing.get_origin(kind) or kind
    if plain in _PLAIN:
        return _PLAIN[plain]
    if isinstance(plain, type) and issubclass(plain, Sequence | Iterable | set | frozenset):
        return "array"
    return "object"
