"""The fields that a filter may name, and what may stand behind each: read once, refused where it cannot be meant.

What a field holds decides what it can be compared with: a text field with texts, a time with dates, tags with texts.
``value`` and ``meta`` hold anything, so there every operand is meant, and what has another type does not match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Final

from muniment.beliefs.policy import HALF_LIFE_DAYS
from muniment.claims.channels import Channel, Rank
from muniment.claims.moments import Moment
from muniment.errors import ValidationError
from muniment.recall.comparing import Stretch, Time, exact

ReadMoment = Callable[[Any, str], Moment]

SCOPE_FIELDS: Final[Mapping[str, str]] = {
    "scope.user": "user", "scope.agent": "agent", "scope.session": "session", "scope.project": "project",
    "user": "user", "agent": "agent", "project": "project",
}  # fmt: skip
"""Scope parts, long and short. A bare ``session`` is the session of the call and no scope part."""

TEXT_FIELDS: Final = frozenset(
    ("id", "key", "subject", "predicate", "text", "kind", "channel", "source", "author", "session", *SCOPE_FIELDS)
)
NUMBER_FIELDS: Final[Mapping[str, tuple[int, int]]] = {"confidence": (0, 1), "priority": (0, 10)}
"""Fields that are numbers, with the least and the greatest that a claim can have."""

NAMED_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "kind": tuple(HALF_LIFE_DAYS), "channel": tuple(str(channel) for channel in Channel),
}  # fmt: skip
"""Fields with a fixed list of names; case does not matter."""

INSTANT_FIELDS: Final = frozenset(("recorded_at", "valid_from", "valid_to", "expires_at"))
END_FIELD: Final = "valid_to"
"""The time that is an end: a day, month or year stated as one is included, and so it ends with its last instant."""

LIST_FIELDS: Final = frozenset(("tags", "about"))
RANKED_FIELDS: Final[Mapping[str, Mapping[str, int]]] = {
    "rank": {rank.name.lower(): int(rank) for rank in Rank},
    "criticality": {name: place for place, name in enumerate(("low", "medium", "high", "critical"))},
}
FIELDS: Final = TEXT_FIELDS | NUMBER_FIELDS.keys() | INSTANT_FIELDS | LIST_FIELDS | RANKED_FIELDS.keys() | {"value"}
"""Every field a filter may name, besides ``meta.<name>``."""

COMPARISONS: Final = ("$gt", "$gte", "$lt", "$lte")
_PARTIAL: Final = (*COMPARISONS, "$contains")
"""Operators whose operand need not be a value that the field can have."""

MOMENT: Final = "$moment"
"""The one member of an object that stands for a date or time where an operand is written as JSON, which has none: as the
stored form of a value says it."""

MEMBER: Final = "a member"
"""In the place of an operator: the operand is a member of a list that is the operand."""

_UNDIVIDED: Final = NUMBER_FIELDS.keys() | INSTANT_FIELDS | RANKED_FIELDS.keys()
"""Fields whose values contain nothing."""

MAX_TEXT: Final = 10_000

AS_DATE: Final = f'{{"{MOMENT}": "2026-01-31"}}'
"""How a date is spelled in JSON."""


class Operands:
    """Checks operands, and brings each to the form in which it is compared.

    Args:
        moment: Reads a date or time, and raises ``ValidationError`` for anything else, naming the place that it is told.
        fold_key: Brings a key, or a part of one, to the form in which records hold it.
    """

    __slots__ = ("_fold_key", "_moment")

    def __init__(self, moment: ReadMoment, fold_key: Callable[[str], str] | None) -> None:
        self._moment, self._fold_key = moment, fold_key

    def read(self, field: str, operator: str, operand: object, path: str) -> Any:
        """Return one operand as it is compared; None stands for no value.

        Args:
            field: The field, one of ``FIELDS`` or ``meta.<name>``.
            operator: What is asked of it, such as ``$eq``, or ``MEMBER``.
            operand: The operand.
            path: Where it stands, for errors.

        Raises:
            ValidationError: The field can hold no such value, or nothing can be compared with it.

        Example:
            >>> from muniment.claims.moments import parse_moment
            >>> Operands(parse_moment, None).read("priority", "$eq", "5", "where.priority")
            Decimal('5')
        """
        _check_operator(field, operator, path)
        if isinstance(operand, Mapping) and MOMENT in operand:
            operand = self._spelled(operand, path)
        _check_type(operand, path)
        if operand is None:
            if field in LIST_FIELDS and operator == MEMBER:
                raise ValidationError(f"{path} holds texts.", advice="Use $exists for what may be missing.")
            return None
        if field in INSTANT_FIELDS:
            moment = self._moment(operand, path)
            return Stretch(moment.start, moment.end if field == END_FIELD else moment.start + 1)
        if field in NUMBER_FIELDS:
            return _number(field, operand, path)
        if field in RANKED_FIELDS:
            return _place(field, operand, path)
        if field in TEXT_FIELDS or field in LIST_FIELDS:
            return self._text(field, operator, operand, path)
        if isinstance(operand, (date, Moment)):
            return Time(self._moment(operand, path), spelled=field != "value")
        return exact(operand) if isinstance(operand, float) else operand

    def _spelled(self, operand: Mapping[str, Any], path: str) -> Moment:
        """Return the date or time that an object spells."""
        text = operand[MOMENT]
        if len(operand) > 1 or not isinstance(text, str):
            raise ValidationError(
                f"{path} has no date behind {MOMENT}.", advice=f"Write {AS_DATE}, and nothing beside it."
            )
        return self._moment(text, path)

    def _text(self, field: str, operator: str, operand: object, path: str) -> str:
        if not isinstance(operand, str):
            raise ValidationError(f"{path} needs a text.", advice=f"{field} holds text; numbers and dates match none.")
        if field in NAMED_FIELDS and operator not in _PARTIAL:
            return _name(field, operand, path)
        if self._fold_key and field in ("key", "subject", "predicate"):
            return self._fold_key(operand)
        return operand


def moment_read(value: Any, field: str, moment: ReadMoment) -> Any:
    """Return a time of a record as an instant: a text by what it spells, of an end the last instant of it.

    Args:
        value: Microseconds since 1970 (UTC), a text, or None.
        field: Which time it is.
        moment: Reads a text.
    """
    if not isinstance(value, str):
        return value
    try:
        found = moment(value, field)
    except ValueError:  # ValidationError is one
        return None
    return found.end - 1 if field == END_FIELD else found.start


def place_read(value: Any, field: str) -> Any:
    """Return the place of a record's rank or criticality, which may be its name."""
    return RANKED_FIELDS[field].get(value.lower()) if isinstance(value, str) else value


def _check_operator(field: str, operator: str, path: str) -> None:
    if operator == "$contains" and field in _UNDIVIDED:
        raise ValidationError(
            f"{path} looks into a text or a list, which {field} is not.", advice="Compare it with $eq, $in, $gt or $lt."
        )
    if operator in COMPARISONS and field in LIST_FIELDS:
        raise ValidationError(f"{path} asks for an order, which {field} has not.", advice="Use $in or $contains.")


def _check_type(operand: object, path: str) -> None:
    if isinstance(operand, str):
        if len(operand) > MAX_TEXT:
            raise ValidationError(
                f"{path} has too long a text.", advice=f"Use at most {MAX_TEXT} characters.", limit=MAX_TEXT
            )
    elif isinstance(operand, (float, Decimal)):
        if not Decimal(exact(operand)).is_finite():
            raise ValidationError(f"{path} needs a finite number.", advice="NaN and infinity match nothing.")
    elif operand is not None and not isinstance(operand, (bool, int, date, Moment)):
        raise ValidationError(
            f"{path} needs a text, a number, true, false, a date or null.",
            advice=f"Other types match nothing. In JSON a date is written {AS_DATE}.",
        )


def _place(field: str, operand: object, path: str) -> int:
    """Return the place of a name; of a rank, its number is a name too."""
    places = RANKED_FIELDS[field]
    if isinstance(operand, str) and operand.lower() in places:
        return places[operand.lower()]
    if field == "rank" and isinstance(operand, int) and not isinstance(operand, bool) and operand in places.values():
        return int(operand)
    raise ValidationError(f"{path} names an unknown {field}.", advice=f"Use one of {', '.join(places)}.")


def _name(field: str, name: str, path: str) -> str:
    """Return one of the names that a field can have."""
    if name.lower() not in NAMED_FIELDS[field]:
        raise ValidationError(
            f"{path} names an unknown {field}.", advice=f"Use one of {', '.join(NAMED_FIELDS[field])}."
        )
    return name.lower()


def _number(field: str, operand: object, path: str) -> int | Decimal:
    """Return what a field that is a number is compared with; text that spells one is one."""
    least, most = NUMBER_FIELDS[field]
    try:
        found = Decimal(operand.strip()) if isinstance(operand, str) else operand
        if isinstance(found, (int, float, Decimal)) and not isinstance(found, bool) and least <= exact(found) <= most:
            return exact(found)
    except ArithmeticError:  # text that spells no number, or none that has an order
        pass
    raise ValidationError(f"{path} needs a number.", advice=f"A {field} is a number from {least} to {most}.")
