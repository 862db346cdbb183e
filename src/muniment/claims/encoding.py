"""The stored form of typed values: JSON without floats and without null.

Texts, booleans, lists, objects and integers within ±(2^53 - 1) are JSON's own. Everything else is an object with
one member whose name starts with ``$``::

    {"$integer": "9007199254740993"}   {"$decimal": "30.00"}   {"$moment": "2024-03"}
    {"$quantity": [5, "km"]}           {"$object": {"$x": 1}}

The last one wraps an object that would be mistaken for one of these. So the form is lossless, says its own types,
and any JSON reader holds it exactly.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from muniment.claims.intervals import SECOND
from muniment.claims.moments import Granularity, Moment, format_instant, parse_moment
from muniment.claims.numerals import SAFE_INTEGER, decimal_of, integer_of, integer_text, read_number
from muniment.claims.text import TEXT_LIMIT, check_characters
from muniment.errors import ValidationError

if TYPE_CHECKING:
    from muniment.claims.quantities import Quantity

Json = str | int | bool | list["Json"] | dict[str, "Json"]

DEPTH_LIMIT: Final = 32
"""How deeply lists and objects may be nested."""

_INTEGER_BITS: Final = TEXT_LIMIT * 4  # as many as 1 MiB of hexadecimal digits have


class ValueKind(StrEnum):
    """The types of values."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    MOMENT = "moment"
    QUANTITY = "quantity"
    LIST = "list"
    OBJECT = "object"


_TAGGED: Final = {
    "$integer": ValueKind.INTEGER,
    "$decimal": ValueKind.DECIMAL,
    "$moment": ValueKind.MOMENT,
    "$quantity": ValueKind.QUANTITY,
    "$object": ValueKind.OBJECT,
}


def kind_of(data: Json) -> ValueKind:
    """Return the type that a stored form says it has.

    Raises:
        ValidationError: It is no stored form.
    """
    kind = _PLAIN.get(type(data))
    if kind is not None:
        return kind
    if type(data) is dict:
        return _TAGGED.get(tag_of(data) or "", ValueKind.OBJECT)
    raise _malformed()


_PLAIN: Final[dict[type, ValueKind]] = {
    str: ValueKind.TEXT,
    int: ValueKind.INTEGER,
    bool: ValueKind.BOOLEAN,
    list: ValueKind.LIST,
}


def tag_of(data: dict[str, Json]) -> str | None:
    """Return the ``$`` member of a tagged form, or None for an object."""
    if len(data) == 1:
        (name,) = data
        if type(name) is str and name[:1] == "$":
            return name
    return None


def _malformed() -> ValidationError:
    return ValidationError("This is not the stored form of a value.", advice="Use Value.parse for Python values.")


class Encoder:
    """Turns one Python value into its stored form, within the limits on depth and size.

    Args:
        what: The argument's name, for errors.
    """

    __slots__ = ("_left", "_what")

    def __init__(self, what: str) -> None:
        self._what = what
        self._left = TEXT_LIMIT

    def encode(self, obj: object, depth: int = 0) -> Json:
        """Return the stored form of ``obj``.

        Raises:
            ValidationError: A type that is no value, null, a number that is not finite, text that cannot be stored,
                more than 32 levels or 1 MiB.
        """
        if isinstance(obj, str):
            return self._text(obj)
        if isinstance(obj, bool):
            return obj
        if isinstance(obj, (int, float, Decimal)):
            return self._number(obj)
        if isinstance(obj, (list, tuple)):
            self._enter(depth, len(obj))
            return [self.encode(item, depth + 1) for item in obj]
        if isinstance(obj, dict):
            return self._object(obj, depth)
        if isinstance(obj, (datetime, date, Moment)):
            return {"$moment": self._text(str(parse_moment(obj, self._what)))}
        from muniment.claims.quantities import Quantity, unit_form

        if isinstance(obj, Quantity):
            unit_form(obj.unit)  # an unknown unit could never be compared
            return {"$quantity": [self._number(obj.number), self._text(obj.unit)]}
        raise self._refused(obj)

    def _refused(self, obj: object) -> ValidationError:
        if obj is None:
            return ValidationError(
                f"{self._what} is null, or holds one.",
                advice="Leave the member out; to say that nothing holds any more, use end or retract.",
            )
        return ValidationError(
            f"{self._what} is of a type that cannot be stored: {type(obj).__name__}.",
            advice="Use text, numbers, booleans, dates, quantities, lists and objects.",
        )

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise ValidationError(
                f"{self._what} has more than {TEXT_LIMIT} bytes.",
                advice="Store it elsewhere and keep a reference.",
                limit=TEXT_LIMIT,
            )

    def _enter(self, depth: int, members: int) -> None:
        if depth >= DEPTH_LIMIT:
            raise ValidationError(
                f"{self._what} is nested more than {DEPTH_LIMIT} levels deep.",
                advice="Flatten it, or store its JSON as text.",
                limit=DEPTH_LIMIT,
            )
        self._spend(2 + members)

    def _text(self, text: str) -> str:
        plain = str.__str__(text)
        if not plain.isprintable():
            check_characters(plain, self._what)
        self._spend(len(plain) if plain.isascii() else len(plain.encode("utf-8")))
        return plain

    def _number(self, obj: int | float | Decimal) -> Json:
        number = read_number(obj, self._what)
        if isinstance(number, Decimal):
            return {"$decimal": self._text(str(number))}
        if -SAFE_INTEGER <= number <= SAFE_INTEGER:
            self._spend(1)
            return number
        if number.bit_length() > _INTEGER_BITS:
            self._spend(TEXT_LIMIT + 1)
        return {"$integer": self._text(integer_text(number))}

    def _object(self, obj: dict[Any, object], depth: int) -> Json:
        tagged = False
        for name in obj:
            if not isinstance(name, str):
                raise ValidationError(
                    f"{self._what} has an object with a member name that is no text.", advice="Use texts as names."
                )
            tagged = name[:1] == "$" and len(obj) == 1
        self._enter(depth, len(obj))
        depth += 1
        if tagged:
            self._enter(depth, 1)
            depth += 1
        members = {self._text(name): self.encode(item, depth) for name, item in obj.items()}
        return {"$object": members} if tagged else members


def decode(data: Json) -> object:
    """Return the Python value of a stored form.

    Returns:
        str, int, Decimal, bool, :class:`Quantity`, list or dict; for moments a ``date``, an aware ``datetime`` in
        UTC, or a :class:`~muniment.claims.moments.Moment` for a month or a year.

    Raises:
        ValidationError: It is no stored form.
    """
    kind = type(data)
    if kind is str or kind is int or kind is bool:
        return data
    if isinstance(data, list):
        return [decode(item) for item in data]
    if not isinstance(data, dict):
        raise _malformed()
    tag = tag_of(data)
    if tag is None:
        return {name: decode(item) for name, item in data.items()}
    return _decode_tagged(tag, data[tag])


def _decode_tagged(tag: str, inner: Json) -> object:
    if tag == "$object" and isinstance(inner, dict):
        return {name: decode(item) for name, item in inner.items()}
    if tag == "$quantity" and isinstance(inner, list):
        return quantity_of(inner)
    if isinstance(inner, str):
        if tag == "$integer":
            return integer_of(inner)
        if tag == "$decimal":
            return decimal_of(inner)
        if tag == "$moment":
            return _natural(parse_moment(inner, "A stored moment"))
    raise _malformed()


def quantity_of(inner: list[Json]) -> Quantity:
    """Return the quantity of a ``$quantity`` form's content.

    Raises:
        ValidationError: It is not a number and a unit.
    """

    from muniment.claims.quantities import Quantity

    if len(inner) != 2 or not isinstance(inner[1], str):
        raise _malformed()
    number = decode(inner[0])
    if isinstance(number, bool) or not isinstance(number, (int, Decimal)):
        raise _malformed()
    return Quantity(number, inner[1])


def _natural(moment: Moment) -> date | datetime | Moment:
    if moment.granularity is Granularity.DAY:
        return date.fromisoformat(format_instant(moment.start, Granularity.DAY))
    if moment.granularity is Granularity.INSTANT:
        whole, micros = divmod(moment.start, SECOND)
        days, seconds = divmod(whole, 86_400)
        hours, rest = divmod(seconds, 3600)
        day = date.fromordinal(days + date(1970, 1, 1).toordinal())
        return datetime(day.year, day.month, day.day, hours, rest // 60, rest % 60, micros, UTC)
    return moment
