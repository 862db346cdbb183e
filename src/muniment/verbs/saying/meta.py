"""The meta argument: the caller's own JSON, kept with a claim."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from muniment.claims.encoding import DEPTH_LIMIT
from muniment.claims.text import check_characters
from muniment.errors import ValidationError
from muniment.ledger.canonical import MAX_INTEGER, canonical_user

MAX_META: Final = 65_536
"""Bytes of meta as JSON."""

RESERVED: Final = ("muniment", "_")
"""Names that begin so are reserved for Muniment itself."""


def metadata(value: Any) -> dict[str, Any]:
    """Read the meta argument: a JSON object without reserved names.

    Args:
        value: A dict of text, numbers, booleans, null, lists and dicts, or None.

    Raises:
        ValidationError: It is none, or holds what JSON has no form for or no text may hold.

    Example:
        >>> metadata({"team": "core", "tries": 3})
        {'team': 'core', 'tries': 3}
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValidationError(f"meta must be a mapping, not {type(value).__name__}.", advice='Pass meta={"name": …}.')
    found = dict(value)
    _check(found, 0)
    for name in found:
        if not name or name.isspace():
            raise ValidationError("A name in meta is empty.", advice="Give every member a name that can be seen.")
        if name.startswith(RESERVED):
            raise ValidationError(
                "A name in meta is reserved.", advice=f"Names must not begin with {' or '.join(RESERVED)}."
            )
    return found


def _check(value: Any, depth: int) -> None:
    if isinstance(value, str):
        check_characters(str.__str__(value), "A text in meta")
    elif isinstance(value, dict | list | tuple):
        if depth >= DEPTH_LIMIT:
            raise ValidationError(
                f"meta is nested more than {DEPTH_LIMIT} levels deep.", advice="Flatten it.", limit=DEPTH_LIMIT
            )
        if isinstance(value, dict):
            for name in value:
                if not isinstance(name, str):
                    raise ValidationError("Names in meta must be strings.", advice="Use texts as names, as JSON does.")
                check_characters(str.__str__(name), "A name in meta")
        for inner in value.values() if isinstance(value, dict) else value:
            _check(inner, depth + 1)
    else:
        _check_scalar(value)


def _check_scalar(value: Any) -> None:
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, int):
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise ValidationError(
                "meta holds an integer beyond ±(2^53 - 1), which not every reader of JSON holds exactly.",
                advice="Write it as text.",
                limit=MAX_INTEGER,
            )
    elif not isinstance(value, float):
        raise ValidationError(
            f"meta holds what is no JSON: {type(value).__name__}.",
            advice="Use text, numbers, true, false, null, lists and objects.",
        )
    elif not math.isfinite(value):
        raise ValidationError("meta holds a number that is not finite.", advice="Leave it out, or write it as text.")


def meta_text(meta: dict[str, Any]) -> str | None:
    """Return meta as committed: canonical JSON, or None when empty.

    Raises:
        ValidationError: It has more than 64 KiB.
    """
    if not meta:
        return None
    encoded = canonical_user(meta)
    if len(encoded) > MAX_META:
        raise ValidationError(
            f"meta may hold at most {MAX_META} bytes.",
            advice="Keep it elsewhere, and a locator here.",
            limit=MAX_META,
            size=len(encoded),
        )
    return encoded.decode()
