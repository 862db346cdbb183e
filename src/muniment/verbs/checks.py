"""Checks of arguments: one clear error each, before anything is stored. No message quotes what was passed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from muniment.claims.text import check_text
from muniment.errors import ValidationError

MILLION: Final = 1_000_000
"""Confidences are kept as integer parts per million: no float ever reaches hashed bytes."""

MAX_SHORT: Final = 1024
"""Bytes of a tag, an author, a session, an idempotency key."""

MAX_LIST: Final = 256
"""Entries of a list argument (tags, about, derived_from)."""

MAX_META: Final = 65_536
"""Bytes of meta as JSON."""

KINDS: Final = ("episodic", "semantic", "procedural")
CRITICALITIES: Final = ("low", "medium", "high", "critical")
RESERVED_META: Final = ("muniment", "_")
"""Names in meta that begin so are reserved for Muniment itself."""


def fraction(value: Any, what: str) -> int:
    """Read a number from 0 to 1 as parts per million.

    Args:
        value: int, float, Decimal or a numeric string.
        what: Name of the argument.
    """
    number = _finite(value, what)
    if not 0 <= number <= 1:
        raise ValidationError(f"{what} must lie between 0 and 1.", advice="1 means certain, 0 means worthless.")
    return round(number * MILLION)


def whole(value: Any, what: str, low: int, high: int) -> int:
    """Read a whole number within bounds."""
    number = _finite(value, what)
    if number != int(number) or not low <= number <= high:
        raise ValidationError(f"{what} must be a whole number from {low} to {high}.", advice="")
    return int(number)


def _finite(value: Any, what: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        raise ValidationError(f"{what} must be a number, not {type(value).__name__}.", advice="Pass a number.")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValidationError(f"{what} must be finite.", advice="NaN and infinity are no numbers to store.")
    try:
        number = Decimal(value) if not isinstance(value, float) else Decimal(repr(value))
    except InvalidOperation:
        raise ValidationError(f"{what} must be a number.", advice="Pass a number, or a string of digits.") from None
    if not number.is_finite():
        raise ValidationError(f"{what} must be finite.", advice="NaN and infinity are no numbers to store.")
    return number


def one_of(value: Any, what: str, choices: Iterable[str]) -> str:
    """Read a word of a closed vocabulary."""
    choices = tuple(choices)
    if not isinstance(value, str) or value not in choices:
        raise ValidationError(f"There is no such {what}.", advice=f"Use one of: {', '.join(choices)}.")
    return str(value)


def flag(value: Any, what: str) -> bool:
    """Read a boolean; nothing else passes for one."""
    if not isinstance(value, bool):
        raise ValidationError(f"{what} must be True or False, not {type(value).__name__}.", advice="")
    return value


def short(value: Any, what: str) -> str:
    """Read a short text: an author, a session, a tag, an idempotency key."""
    return check_text(value, what, limit_bytes=MAX_SHORT, allow_newlines=False)


def words(value: Any, what: str) -> tuple[str, ...]:
    """Read a list of short texts, without repeats, in the order given; a set, which has none, is sorted."""
    if value is None:
        return ()
    if isinstance(value, str | bytes) or not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise ValidationError(
            f"{what} must be a list of strings, not {type(value).__name__}.", advice=f'For one, pass {what}=["…"].'
        )
    texts = [short(entry, f"each of {what}") for entry in value]
    if isinstance(value, Set):
        texts.sort()  # the order in which a set is walked differs from process to process
    out = tuple(dict.fromkeys(texts))
    if len(out) > MAX_LIST:
        raise ValidationError(f"{what} may hold at most {MAX_LIST} entries.", advice="Split the statement.")
    return out


def spelled(value: Any) -> str:
    """Write an argument down so that two requests are alike exactly when their arguments are equal.

    The order of a dict's or a set's members does not matter, nor whether a sequence is a list or a tuple.

    Example:
        >>> spelled({"b": (1, 2), "a": None}) == spelled({"a": None, "b": [1, 2]})
        True
    """
    if isinstance(value, Mapping):
        return f"{{{', '.join(sorted(f'{spelled(k)}: {spelled(v)}' for k, v in value.items()))}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(spelled(entry) for entry in value)}]"
    if isinstance(value, Set):
        return f"<{', '.join(sorted(spelled(entry) for entry in value))}>"
    return repr(str(value) if isinstance(value, str) else value)  # a word of an enumeration is that word


def metadata(value: Any) -> dict[str, Any]:
    """Read the meta argument: a JSON object without reserved names."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValidationError(f"meta must be a dict, not {type(value).__name__}.", advice='Pass meta={"name": …}.')
    for name in value:
        if not isinstance(name, str):
            raise ValidationError("Names in meta must be strings.", advice="")
        if name.startswith(RESERVED_META):
            raise ValidationError(
                "A name in meta is reserved.", advice=f"Names must not begin with {' or '.join(RESERVED_META)}."
            )
    return dict(value)
