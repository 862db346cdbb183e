"""Results for a reader who pays for every token: what is empty is left out, what a reviewer would mind never is.

A hit is ``{id, text, key, value, score, tags, markers}``, always all seven; a claim that is not simply the answer has
its standing among the markers. ``full=true`` gives what the Python interface gives.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import NoneType
from typing import Any, Final

from muniment.surfaces.mcp import schemas
from muniment.typenames import known_to

_KEPT: Final[dict[str, dict[str, str]]] = {
    "Hit": {"id": "claim_id", **{name: name for name in ("text", "key", "value", "score", "tags", "markers")}},
    "Statement": {
        "id": "claim_id",
        **{
            name: name
            for name in (
                "key", "text", "value", "standing", "markers", "channel", "source", "valid_from", "valid_to",
                "recorded_at", "confidence", "tags", "meta", "derived_from", "reason", "erased_at", "erased_by",
            )
        },
    },
    "CandidateView": {
        "id": "claim_id",
        **{
            name: name
            for name in ("value", "text", "channel", "source", "since", "until", "support", "confidence", "standing",
                         "accepted_by")
        },
    },
    "Belief": {
        name: name
        for name in (
            "key", "status", "value", "primary", "candidates", "leading", "markers", "currency", "since", "until",
            "beside", "beside_more", "retired_count", "line_version", "reason", "similar",
            "first_said", "holds_from",
        )
    },
    "IndexLines": {name: name for name in ("text", "tokens", "cursor", "degraded")},
    "Neighbor": {
        "id": "claim_id",
        **{name: name for name in ("relation", "text", "key", "value", "standing", "markers", "channel", "source")},
    },
    "Evidence": {
        "id": "claim_id",
        **{name: name for name in ("relation", "text", "key", "value", "standing", "markers", "channel", "source")},
    },
    "PromptContext": {name: name for name in ("text", "tokens", "omitted", "degraded")},
    "Hits": {name: name for name in ("hits", "truncated", "suppressed_retired", "degraded", "cursor")},
}  # fmt: skip
"""Of each result that has more fields than an agent needs: those that are kept, by the name they are given under."""

_LEFT: Final[dict[str, tuple[str, ...]]] = {"Chart": ("svg",)}
"""Of each result that turns into data in a way of its own: what is left out, for a picture that no model sees."""

_WHOLE: Final = frozenset({"Hit"})
"""Results of which nothing is left out for being empty."""

ROWS: Final = "rows"
"""What a sequence that is the whole result stands under, since a result is an object."""

_STAYS: Final = frozenset({"hits", ROWS})
"""What is there even when it is empty: that nothing was found is the answer."""

RESULT: Final = "result"
"""What anything else stands under that is no object: a result of None."""


def shown(result: Any, *, full: bool = False) -> dict[str, Any]:
    """Return a result as the plain object that a tool answers with.

    Args:
        result: What an operation returned.
        full: Every field, empty or not.
    """
    from muniment.verbs.plain import plain

    data = plain(result) if full else _shown(result)
    if isinstance(data, list):
        return {ROWS: data}
    return data if isinstance(data, dict) else {RESULT: data}


def _shown(result: Any) -> Any:
    from muniment.claims.scopes import Scope
    from muniment.verbs.plain import plain

    if is_dataclass(result) and not isinstance(result, Scope):
        return _fields(result)
    if isinstance(result, Mapping):
        return {str(name): _shown(value) for name, value in result.items()}
    if isinstance(result, Sequence | set | frozenset) and not isinstance(result, str):
        return [_shown(value) for value in result]
    return plain(result)


def _fields(result: Any) -> dict[str, Any]:
    kind = type(result).__name__
    if kind in _LEFT:
        return {name: value for name, value in result.to_dict().items() if name not in _LEFT[kind]}
    out: dict[str, Any] = {}
    for name, attribute in _names(type(result)).items():
        value = _shown(getattr(result, attribute))
        if kind in _WHOLE or name in _STAYS or not _empty(value):
            out[name] = value
    if kind == "Hit" and result.standing != "current":
        out["markers"] = [result.standing, *out["markers"]]
    if kind == "Belief" and len(result.candidates) == 1:
        out.pop("candidates", None)  # it is the primary
    return out


def _names(kind: type) -> dict[str, str]:
    kept = _KEPT.get(kind.__name__)
    return kept if kept is not None else {f.name: f.name for f in fields(kind) if not f.name.startswith("_")}


def _empty(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, dict | list) and not value)


def has_more(hint: Any) -> bool:
    """Say whether a result has fields that are left out unless they are asked for."""
    return any(kind.__name__ in (*_KEPT, "Page") for kind in _held(hint))


def gives_hits(hint: Any) -> bool:
    """Say whether a result is a sequence of hits, whose texts can be cut."""
    return any(kind.__name__ == "Hits" for kind in _held(hint))


def _held(hint: Any) -> list[type]:
    """Return the classes that a result is, or is a sequence of."""
    out: list[type] = []
    for member in schemas.members(hint):
        held = [arg for arg in typing.get_args(member) if arg is not Ellipsis]
        out += [kind for arg in held for kind in _held(arg)] if held else [member] if isinstance(member, type) else []
    return out


def returns(hint: Any) -> dict[str, Any]:
    """Return the schema of what a tool answers with, for an operation that returns a type."""
    return _object(hint, top=True)


def _object(hint: Any, *, top: bool) -> dict[str, Any]:
    kinds = [member for member in schemas.members(hint) if member is not NoneType]
    kind = kinds[0]
    if isinstance(kind, type) and is_dataclass(kind):
        if not top or kind.__name__ in _LEFT:
            return {"type": "object"}
        hints = typing.get_type_hints(kind, localns=known_to(kind.__module__))
        return schemas.object_of({name: _field(hints[at]) for name, at in _names(kind).items()})
    schema = schemas.of(kind)
    return schemas.object_of({ROWS: schema}) if top and schema.get("type") == "array" else schema


def _field(hint: Any) -> dict[str, Any]:
    schema = schemas.of(hint)
    if schema.get("items", {}).get("type") == "object":
        del schema["items"]
    if "type" in schema and NoneType in schemas.members(hint):
        kind = schema["type"]
        schema["type"] = [*([kind] if isinstance(kind, str) else kind), "null"]  # where every field is shown
    return schema
