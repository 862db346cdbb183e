"""Equality and order between a stored value and a filter's operand, for values of any type and without exceptions."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, TypeGuard

_COLLECTIONS = (list, tuple, set, frozenset)


def is_number(value: object) -> TypeGuard[int | float | Decimal]:
    """Say whether a value is a number that can be compared; booleans and NaN are not.

    Example:
        >>> is_number(1), is_number(True), is_number(float("nan"))
        (True, False, False)
    """
    if isinstance(value, Decimal):
        return not value.is_nan()
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


def equal(value: Any, wanted: Any, *, unordered: bool = False) -> bool:
    """Say whether a stored value equals an operand.

    Args:
        value: What the record holds; ``None`` when it holds nothing.
        wanted: A scalar or a list of scalars. A scalar also equals a collection that holds it.
        unordered: A list operand means the same members in any order.

    Example:
        >>> equal(1.0, 1), equal(True, 1), equal(["a", "b"], "a"), equal("1", 1)
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
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str) and str(a) == str(b)
    return is_number(a) and is_number(b) and a == b


def order(value: Any, wanted: Any) -> int | None:
    """Return how a stored value stands to an operand: -1, 0 or 1; ``None`` when the two have no order.

    Example:
        >>> order(2, 10), order("2", "10"), order("2", 10)
        (-1, 1, None)
    """
    if isinstance(value, str):
        return (value > wanted) - (value < wanted) if isinstance(wanted, str) else None
    if is_number(value) and is_number(wanted):
        return (value > wanted) - (value < wanted)
    return None


def contains(value: Any, wanted: Any) -> bool:
    """Say whether a stored text contains a text, or a stored collection a member.

    Example:
        >>> contains("blue car", "car"), contains(["car"], "ca"), contains(5, "5")
        (True, False, False)
    """
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted in value
    return isinstance(value, _COLLECTIONS) and equal(value, wanted)
