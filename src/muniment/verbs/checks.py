"""Checks of arguments: one clear error each, before anything is stored. No message quotes what was passed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Set
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from muniment.beliefs.policy import HALF_LIFE_DAYS
from muniment.claims.text import check_text
from muniment.errors import ValidationError

if TYPE_CHECKING:
    from decimal import Decimal

MILLION: Final = 1_000_000
"""Confidences are kept as integer parts per million: no float ever reaches hashed bytes."""

MAX_SHORT: Final = 1024
"""Bytes of a tag, an author, a session, an idempotency key."""

MAX_LIST: Final = 256
"""Entries of a list argument (tags, about, derived_from)."""

MAX_DIGITS: Final = 1_024
"""Characters of a number that is given as text."""

KINDS: Final = tuple(HALF_LIFE_DAYS)
CRITICALITIES: Final = ("low", "medium", "high", "critical")


CERTAIN: Final = "1 means certain, 0 means worthless."
RELEVANT: Final = "0 leaves nothing out; 1 leaves everything out but what could not match better."
UNLIKE: Final = "0 goes by relevance alone, 1 by being unlike the hits before alone."
"""What the ends of a confidence, of a relevance and of a wish for variety mean."""


def fraction(value: Any, what: str, ends: str = CERTAIN) -> int:
    """Read a number from 0 to 1 as parts per million.

    Args:
        value: int, float, Decimal or a numeric string.
        what: Name of the argument.
        ends: What 0 and 1 mean, for the advice.
    """
    if type(value) in (int, float) and not value:  # as mostly
        return 0
    number = _finite(value, what)
    if not 0 <= number <= 1:
        raise ValidationError(f"{what} must lie between 0 and 1.", advice=ends)
    return round(number * MILLION)


def whole(value: Any, what: str, low: int, high: int) -> int:
    """Read a whole number within bounds."""
    number = value if type(value) is int else _finite(value, what)
    # The bounds first: the integer of 1e999999999 would fill the memory.
    if not low <= number <= high or number != int(number):
        raise ValidationError(
            f"{what} must be a whole number from {low} to {high}.", advice="Pass a whole number within these bounds."
        )
    return int(number)


def _finite(value: Any, what: str) -> Decimal:
    from decimal import Decimal, InvalidOperation

    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        raise ValidationError(f"{what} must be a number, not {type(value).__name__}.", advice="Pass a number.")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValidationError(f"{what} must be finite.", advice="NaN and infinity are no numbers to store.")
    if isinstance(value, str) and len(value) > MAX_DIGITS:
        raise ValidationError(f"{what} has too many digits.", advice=f"Pass at most {MAX_DIGITS}.", limit=MAX_DIGITS)
    try:
        # A float as it is printed; numpy's print themselves otherwise.
        number = Decimal(value) if not isinstance(value, float) else Decimal(float.__repr__(value))
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
        raise ValidationError(
            f"{what} must be true or false, not {type(value).__name__}.",
            advice="Pass a truth value, not a text or a number.",
        )
    return value


def function(value: Any, what: str) -> Callable[..., Any] | None:
    """Read a function to be called, or None."""
    if value is not None and not callable(value):
        raise ValidationError(
            f"{what} must be a function, not {type(value).__name__}.", advice="Pass one, or leave it out."
        )
    return value  # type: ignore[no-any-return]


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
    entries = list(islice(value, MAX_LIST + 1))  # an iterator may have no end
    if len(entries) > MAX_LIST:
        raise ValidationError(
            f"{what} may hold at most {MAX_LIST} entries.", advice="Pass fewer of them to one call.", limit=MAX_LIST
        )
    texts = [short(entry, f"each of {what}") for entry in entries]
    if isinstance(value, Set):
        texts.sort()  # the order in which a set is walked differs from process to process
    return tuple(dict.fromkeys(texts))


is_id: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch
"""Claims are named by UUID text; everything else that names a target is a key."""


def spelled(value: Any) -> str:
    """Write an argument down so that two requests are alike exactly when their arguments are equal.

    The order of a dict's or a set's members does not matter, nor whether a sequence is a list or a tuple. The argument
    was checked before: a type that no argument has is only named.

    Example:
        >>> spelled({"b": (1, 2), "a": None}) == spelled({"a": None, "b": [1, 2]})
        True
    """
    if value is None or isinstance(value, bool | float):  # as mostly
        return repr(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(sorted(f'{spelled(k)}: {spelled(v)}' for k, v in value.items()))}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(spelled(entry) for entry in value)}]"
    if isinstance(value, Set):
        return f"<{', '.join(sorted(spelled(entry) for entry in value))}>"
    if isinstance(value, str):
        return repr(str(value))  # a word of an enumeration is that word
    if isinstance(value, int):
        from muniment.claims.numerals import integer_text

        return integer_text(value)  # of any length: repr() gives up at 4,300 digits
    from dataclasses import is_dataclass
    from datetime import date
    from decimal import Decimal

    return repr(value) if isinstance(value, Decimal | date) or is_dataclass(value) else type(value).__name__
