"""Typed values: what a claim says of its line.

A value is text, integer, decimal, boolean, moment, quantity, list or object; null is none. Punctuation and sign
are content: ``-5`` is not ``5``, ``C`` not ``C++``, ``v1.0`` not ``v1-0``.

**Explicit values and texts that stand for one.** A value given as such is compared as it is (case and white space
aside): ``Berlin.`` keeps its stop. A claim without a value has its text for value, and sentences end with marks that
say nothing, so :func:`text_value_equality` drops outer quotes and final ``. ! ? …`` first. The two compare with each
other: the text ``"Berlin."`` agrees with the value ``Berlin``.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Final, cast

from muniment import jsontext
from muniment.claims.agreement import equality_of, lookalike_of, text_look
from muniment.claims.encoding import DEPTH_LIMIT, Encoder, Json, ValueKind, decode, kind_of
from muniment.claims.moments import parse_moment
from muniment.claims.numerals import number_text
from muniment.claims.text import TEXT_LIMIT, stand_in_text
from muniment.errors import ValidationError
from muniment.quick import dataclass

__all__ = ["DEPTH_LIMIT", "Json", "Value", "ValueKind", "text_value_equality", "text_value_lookalike"]

_SORTED: Final = jsontext.OPT_SORT_KEYS


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A typed value.

    Two are the same (``==``) when type and stored form are; whether they *agree* is said by :attr:`equality`.

    Args:
        kind: The type.
        data: The stored form: JSON without floats and null. To be read, not changed.

    Example:
        >>> Value.parse(30).equality == Value.parse(30.0).equality
        True
        >>> Value.parse("30").equality == Value.parse(30).equality
        False
    """

    kind: ValueKind
    data: Json

    @classmethod
    def parse(cls, obj: object, what: str = "value") -> Value:
        """Return the value that a Python object is.

        Args:
            obj: str, int, float (whole: an integer; else the decimal it is printed as), Decimal, bool, date,
                datetime (naive = UTC), Moment, Quantity, list, tuple, dict with str names, or a Value.
            what: The argument's name, for errors.

        Raises:
            ValidationError: null, another type, a number that is not finite, an unknown unit, text with control
                characters or lone surrogates, more than 32 levels or 1 MiB.

        Example:
            >>> Value.parse({"port": 8080}).kind
            <ValueKind.OBJECT: 'object'>
        """
        if type(obj) is str and len(obj) <= TEXT_LIMIT // 4 and obj.isprintable():
            return cls(ValueKind.TEXT, obj)
        if isinstance(obj, Value):
            return obj
        data = Encoder(what).encode(obj)
        value = cls(kind_of(data), data)
        if isinstance(data, (list, dict)) and len(jsontext.dumps(data)) > TEXT_LIMIT:
            raise ValidationError(
                f"{what} has more than {TEXT_LIMIT} bytes.",
                advice="Store it elsewhere and keep a reference.",
                limit=TEXT_LIMIT,
            )
        return value

    @classmethod
    def from_data(cls, data: object) -> Value:
        """Return the value of a stored form that comes from outside, checked throughout.

        Raises:
            ValidationError: It is no stored form, or not the one that :meth:`parse` makes.

        Example:
            >>> Value.from_data({"$quantity": [5, "km"]}).display
            '5 km'
        """
        stored = cast(Json, data)  # decode checks what it is given
        try:
            value = cls.parse(decode(stored))
        except RecursionError:
            value = None
        if value is None or value != cls(value.kind, stored):
            raise ValidationError("This is not the stored form of a value.", advice="Use Value.parse.")
        return value

    @classmethod
    def from_json_text(cls, text: str) -> Value:
        """Read :meth:`to_json_text` back. For text that this program wrote; see :meth:`from_data` for any other.

        Raises:
            ValidationError: It is not JSON, or not a stored form.
        """
        try:
            data = jsontext.loads(text)
        except jsontext.JSONDecodeError:
            raise ValidationError("This is not the stored form of a value.", advice="Use Value.parse.") from None
        return cls(kind_of(data), data)

    def to_json_text(self) -> str:
        """Return the stored form as compact JSON.

        Example:
            >>> Value.parse([1, Decimal("2.50")]).to_json_text()
            '[1,{"$decimal":"2.50"}]'
        """
        return jsontext.dumps(self.data).decode()

    def to_python(self) -> object:
        """Return the natural Python value: what was parsed, but lists for tuples, ints and Decimals for floats,
        and aware datetimes in UTC."""
        return decode(self.data)

    @property
    def equality(self) -> str:
        """The text by which values agree."""
        return equality_of(self.data)

    @property
    def lookalike(self) -> str:
        """The text by which values look the same; for guards only."""
        return lookalike_of(self.data)

    @property
    def display(self) -> str:
        """The value for people: a text as it is, a list or object in the manner of JSON."""
        return _show(decode(self.data), nested=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value):
            return NotImplemented
        if self.kind is not other.kind:
            return False
        if type(self.data) is str:
            return self.data == other.data
        # By text, because Python holds True and 1 to be equal.
        return jsontext.dumps(self.data, option=_SORTED) == jsontext.dumps(other.data, option=_SORTED)

    def __hash__(self) -> int:
        return hash((self.kind, jsontext.dumps(self.data, option=_SORTED)))


def text_value_equality(text: str) -> str:
    """Return :attr:`Value.equality` of a text that stands for the value (see the module's rule).

    Example:
        >>> text_value_equality("Berlin.") == Value.parse("Berlin").equality
        True
    """
    return "t:" + stand_in_text(text)


def text_value_lookalike(text: str) -> str:
    """Return :attr:`Value.lookalike` of a text that stands for the value."""
    return text_look(text)


def _show(obj: object, *, nested: bool) -> str:
    if isinstance(obj, str):
        return jsontext.dumps(obj).decode() if nested else obj
    if isinstance(obj, bool):
        return "true" if obj else "false"
    if isinstance(obj, (int, Decimal)):
        return number_text(obj)
    if isinstance(obj, list):
        return "[" + ", ".join(_show(item, nested=True) for item in obj) + "]"
    if isinstance(obj, dict):
        return "{" + ", ".join(f"{name}: {_show(item, nested=True)}" for name, item in obj.items()) + "}"
    if isinstance(obj, date):
        return str(parse_moment(obj, "A stored moment"))
    return str(obj)
