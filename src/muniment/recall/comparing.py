"""Equality and order between a stored value and a filter's operand, for values of any type and without exceptions.

Numbers are compared by value, whatever type either has: a float is the decimal that it is written as. Dates and times are
equal as values are, in instant and granularity, and ordered by their first instant. Other types are equal to and ordered
with their own only.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, TypeGuard

from muniment.claims.moments import Moment, parse_moment
from muniment.claims.numerals import written
from muniment.errors import ValidationError
from muniment.quick import dataclass

_COLLECTIONS = (list, tuple, set, frozenset)


@dataclass(frozen=True, slots=True)
class Stretch:
    """An operand that instants are compared with: they are equal to it from ``start`` to before ``end``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Time:
    """An operand that dates and times are compared with.

    Args:
        moment: The date or time.
        spelled: Texts that spell a date count as dates too: JSON has no others.
    """

    moment: Moment
    spelled: bool = False

    def of(self, value: object) -> Moment | None:
        """Return a stored value as a date or time; None if it is none."""
        if not isinstance(value, (date, Moment)) and not (self.spelled and isinstance(value, str)):
            return None
        try:
            return parse_moment(value, "A stored date")
        except ValidationError:  # a text that spells no date
            return None


def is_number(value: object) -> TypeGuard[int | float | Decimal]:
    """Say whether a value is a number that can be compared; booleans and NaN are not.

    Example:
        >>> is_number(1), is_number(True), is_number(float("nan"))
        (True, False, False)
    """
    if isinstance(value, Decimal):
        return not value.is_nan()
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


def exact(number: int | float | Decimal) -> int | Decimal:
    """Return a number as it is compared.

    Example:
        >>> exact(19.99) == Decimal("19.99"), exact(2)
        (True, 2)
    """
    return written(number) if isinstance(number, float) else number


def equal(value: Any, wanted: Any, *, unordered: bool = False) -> bool:
    """Say whether a stored value equals an operand.

    Args:
        value: What the record holds; ``None`` when it holds nothing.
        wanted: A scalar or a list of scalars. A scalar also equals a collection that holds it.
        unordered: A list operand means the same members in any order.

    Example:
        >>> equal(Decimal("0.1"), 0.1), equal(True, 1), equal(["a", "b"], "a"), equal("1", 1)
        (True, False, True, False)
    """
    if isinstance(wanted, list):
        if not isinstance(value, _COLLECTIONS) or len(value) != len(wanted):
            return False
        if unordered or isinstance(value, (set, frozenset)):
            return all(any(_same(a, b) for b in wanted) for a in value) and all(
                any(_same(a, b) for a in value) for b in wanted
            )
        return all(_same(a, b) for a, b in zip(value, wanted, strict=True))
    if isinstance(value, _COLLECTIONS):
        return any(_same(each, wanted) for each in value)
    return _same(value, wanted)


def _same(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    if isinstance(b, str):
        return isinstance(a, str) and str(a) == str(b)
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(b, Time):
        moment = b.of(a)
        return moment is not None and (moment.start, moment.granularity) == (b.moment.start, b.moment.granularity)
    if isinstance(b, Stretch):
        return order(a, b) == 0
    return is_number(a) and is_number(b) and exact(a) == exact(b)


def order(value: Any, wanted: Any) -> int | None:
    """Return how a stored value stands to an operand: -1, 0 or 1; ``None`` when the two have no order.

    Example:
        >>> order(2, 10), order("2", "10"), order("2", 10)
        (-1, 1, None)
    """
    if isinstance(wanted, Time):
        moment = wanted.of(value)
        return None if moment is None else _sign(moment.start, wanted.moment.start)
    if isinstance(wanted, Stretch):
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        return 0 if wanted.start <= value < wanted.end else _sign(value, wanted.start)
    if isinstance(value, str):
        return _sign(value, wanted) if isinstance(wanted, str) else None
    if is_number(value) and is_number(wanted):
        return _sign(exact(value), exact(wanted))
    return None


def _sign(a: Any, b: Any) -> int:
    return int(a > b) - int(a < b)


def contains(value: Any, wanted: Any) -> bool:
    """Say whether a stored text contains a text, or a stored collection a member.

    Example:
        >>> contains("blue car", "car"), contains(["car"], "ca"), contains(5, "5")
        (True, False, False)
    """
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted in value
    return isinstance(value, _COLLECTIONS) and equal(value, wanted)
