"""The filter language ``where=``: checked as a whole, compiled to a predicate, never spliced into a query.

A filter is a mapping. A field with a plain operand means equality; a field with operators means all of them; several
fields mean all of them; ``$and``, ``$or`` and ``$not`` combine filters::

    {"kind": "semantic", "confidence": {"$gte": 0.8}, "$or": [{"tags": "billing"}, {"meta.team": "ops"}]}

Everything that is wrong with a filter is a ``ValidationError`` before any claim is looked at, a value that its field
can never have included; a number may be given as text where the field is one. Afterwards nothing
raises: values of unlike types are not equal and not ordered, and a value that is not there matches only ``$ne``,
``$nin``, ``{"$exists": false}`` and equality with ``None``. Text is compared exactly, in code-point order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from muniment.beliefs.policy import HALF_LIFE_DAYS
from muniment.claims.channels import Channel, Rank
from muniment.errors import ValidationError
from muniment.quick import dataclass
from muniment.recall.comparing import contains, equal, order

Record = Mapping[str, Any]
Test = Callable[[Record], bool]
Read = Callable[[Record], Any]
ParseInstant = Callable[[Any, str], int]

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
LIST_FIELDS: Final = frozenset(("tags", "about"))
RANKED_FIELDS: Final[Mapping[str, Mapping[str, int]]] = {
    "rank": {rank.name.lower(): int(rank) for rank in Rank},
    "criticality": {name: place for place, name in enumerate(("low", "medium", "high", "critical"))},
}
FIELDS: Final = TEXT_FIELDS | NUMBER_FIELDS.keys() | INSTANT_FIELDS | LIST_FIELDS | RANKED_FIELDS.keys() | {"value"}
"""Every field a filter may name, besides ``meta.<name>``."""

MAX_DEPTH: Final = 8
MAX_CONDITIONS: Final = 200
MAX_LIST: Final = 1_000
MAX_TEXT: Final = 10_000

_COMPARISONS: Final = ("$gt", "$gte", "$lt", "$lte")
_PARTIAL: Final = (*_COMPARISONS, "$contains")
"""Operators whose operand need not be a value that the field can have."""

_OPERATORS: Final = ("$eq", "$ne", "$in", "$nin", *_COMPARISONS, "$contains", "$exists", "$not")


@dataclass(frozen=True, slots=True)
class Where:
    """A compiled filter: call it with a record.

    Args:
        matches: The predicate.
        fields: The fields it reads, so that a store may fetch no more than these.
    """

    matches: Test
    fields: frozenset[str]

    def __call__(self, record: Record) -> bool:
        """Say whether the record passes."""
        return self.matches(record)


def compile_where(
    where: Mapping[str, Any] | None,
    instant: ParseInstant,
    fold_key: Callable[[str], str] | None = None,
) -> Where:
    """Check a filter and turn it into a predicate over records.

    Args:
        where: The filter; ``None`` and ``{}`` let everything pass.
        instant: Turns a date in text, a ``date`` or a ``datetime`` into microseconds since 1970 (UTC) and raises
            ``ValidationError`` for anything else, naming the place in the filter that it is told; used for the time
            fields.
        fold_key: Brings a key, or a part of one, to the form in which records hold it.

    Returns:
        A predicate over a mapping with the names in ``FIELDS``; ``scope`` and ``meta`` are mappings inside it. Times
        may be microseconds or text (read by ``instant``), ``rank`` and ``criticality`` names or numbers.

    Raises:
        ValidationError: An unknown field or operator, or an operand of the wrong shape.

    Example:
        >>> test = compile_where({"priority": {"$gt": 3}, "meta.team": "ops"}, int)
        >>> test({"priority": 5, "meta": {"team": "ops"}}), test({"priority": "5", "meta": {}})
        (True, False)
    """
    compiler = _Compiler(instant, fold_key)
    test = compiler.filter({} if where is None else where, "where", 1)
    return Where(test, frozenset(compiler.fields))


class _Compiler:
    def __init__(self, instant: ParseInstant, fold_key: Callable[[str], str] | None) -> None:
        self._instant = instant
        self._fold_key = fold_key
        self._conditions = 0
        self.fields: set[str] = set()

    def filter(self, where: object, path: str, depth: int) -> Test:
        """Compile a filter: all of its entries."""
        if not isinstance(where, Mapping):
            raise ValidationError(f"{path} must be a mapping.", advice='Write {"field": value}.')
        if depth > MAX_DEPTH:
            raise ValidationError("The filter is nested too deeply.", advice=f"At most {MAX_DEPTH} levels.")
        return _all([self._entry(name, operand, path, depth) for name, operand in where.items()])

    def _entry(self, name: object, operand: object, path: str, depth: int) -> Test:
        self._count()
        if name in ("$and", "$or"):
            if not isinstance(operand, (list, tuple)) or not operand:
                raise ValidationError(
                    f"{path}.{name} needs a list of one or more filters.",
                    advice=f'Write {{"{name}": [{{"field": value}}, …]}}.',
                )
            tests = [self.filter(each, f"{path}.{name}[{i}]", depth + 1) for i, each in enumerate(operand)]
            return _all(tests) if name == "$and" else _any(tests)
        if name == "$not":
            return _not(self.filter(operand, f"{path}.$not", depth + 1))
        return self._field(_field_name(name, path), operand, path, depth)

    def _count(self) -> None:
        self._conditions += 1
        if self._conditions > MAX_CONDITIONS:
            raise ValidationError(
                "The filter has too many conditions.",
                advice=f"Use at most {MAX_CONDITIONS}; $in takes many values at once.",
                limit=MAX_CONDITIONS,
            )

    def _field(self, field: str, operand: object, path: str, depth: int) -> Test:
        """Compile what stands behind a field: an operand, or operators."""
        self.fields.add(field)
        shown = f"{path}.{field}" if field in FIELDS else f"{path}.meta"  # a name of the caller's is not repeated
        read = _reader(field, self._instant)
        if not isinstance(operand, Mapping):
            return self._value_test(field, read, "$eq", operand, shown)
        if not operand:
            raise ValidationError(f"{shown} has an empty mapping.", advice=f"Use one of {', '.join(_OPERATORS)}.")
        tests = []
        for operator, value in operand.items():
            self._count()
            if operator not in _OPERATORS:
                raise ValidationError(
                    f"{shown} has an unknown operator.",
                    advice=f"Use one of {', '.join(_OPERATORS)}; a nested name is written meta.a.b.",
                )
            if operator != "$not":
                tests.append(self._value_test(field, read, operator, value, shown))
            elif not isinstance(value, Mapping) or depth >= MAX_DEPTH:
                raise ValidationError(
                    f"{shown}.$not needs a mapping of operators.",
                    advice=f'Write {{"$not": {{"$in": […]}}}}, at most {MAX_DEPTH} levels deep.',
                )
            else:
                tests.append(_not(self._field(field, value, path, depth + 1)))
        return _all(tests)

    def _value_test(self, field: str, read: Read, operator: str, operand: object, shown: str) -> Test:
        """Compile one operator of a field."""
        if operator == "$exists":
            if not isinstance(operand, bool):
                raise ValidationError(f"{shown}.$exists needs true or false.", advice="Pass true or false.")
            return (lambda record: read(record) is not None) if operand else (lambda record: read(record) is None)
        if operator in ("$in", "$nin"):
            wanted = self._list(field, operand, f"{shown}.{operator}")
            return _is_in(read, wanted) if operator == "$in" else _not(_is_in(read, wanted))
        if operator in ("$eq", "$ne"):
            same = self._equality(field, read, operand, shown)
            return same if operator == "$eq" else _not(same)
        value = self._scalar(field, operand, f"{shown}.{operator}")
        if value is None or (isinstance(value, bool) and operator != "$contains"):
            raise ValidationError(
                f"{shown}.{operator} needs a number, a text or a date.", advice="Use $exists for what may be missing."
            )
        return _contains(read, value) if operator == "$contains" else _compare(read, operator, value)

    def _equality(self, field: str, read: Read, operand: object, shown: str) -> Test:
        if not isinstance(operand, (list, tuple)):
            return _equals(read, self._scalar(field, operand, shown))
        if field in FIELDS and field not in LIST_FIELDS and field != "value":
            raise ValidationError(f"{shown} holds one value, not a list.", advice="Use $in for any of several.")
        return _equals(read, self._list(field, operand, shown), unordered=field in LIST_FIELDS)

    def _list(self, field: str, operand: object, path: str) -> list[Any]:
        if not isinstance(operand, (list, tuple, set, frozenset)):
            raise ValidationError(f"{path} needs a list.", advice="Put the value into one: [value].")
        if len(operand) > MAX_LIST:
            raise ValidationError(f"{path} has too many entries.", advice=f"Use at most {MAX_LIST}.", limit=MAX_LIST)
        return [self._scalar(field, each, path) for each in operand]

    def _scalar(self, field: str, operand: object, path: str) -> Any:
        """Check one operand and bring it to the form in which records hold the field."""
        if isinstance(operand, str):
            if len(operand) > MAX_TEXT:
                raise ValidationError(
                    f"{path} has too long a text.", advice=f"Use at most {MAX_TEXT} characters.", limit=MAX_TEXT
                )
        elif isinstance(operand, (float, Decimal)):
            if not Decimal(operand).is_finite():
                raise ValidationError(f"{path} needs a finite number.", advice="NaN and infinity match nothing.")
        elif operand is not None and not isinstance(operand, (bool, int, date)):
            raise ValidationError(
                f"{path} needs a text, a number, true, false, a date or null.", advice="Other types match nothing."
            )
        if field in INSTANT_FIELDS and isinstance(operand, (str, date)):
            return self._instant(operand, path)
        if field in NUMBER_FIELDS and operand is not None:
            return _number(field, operand, path)
        if isinstance(operand, date):
            return operand.isoformat()
        if isinstance(operand, str):
            if field in RANKED_FIELDS:
                return _place(field, operand, path)
            if field in NAMED_FIELDS and not path.endswith(_PARTIAL):
                return _name(field, operand, path)
            if self._fold_key and field in ("key", "subject", "predicate"):
                return self._fold_key(operand)
        return operand


def _field_name(name: object, path: str) -> str:
    if isinstance(name, str) and (name in FIELDS or (name.startswith("meta.") and len(name) > len("meta."))):
        return name
    what = "operator" if isinstance(name, str) and name.startswith("$") else "field"
    raise ValidationError(
        f"{path} names an unknown {what}.",
        advice=f"Known fields: {', '.join(sorted(FIELDS))}; your own are written meta.<name>. Filters combine with "
        "$and, $or, $not.",
    )


def _place(field: str, name: str, path: str) -> int:
    places = RANKED_FIELDS[field]
    if name.lower() not in places:
        raise ValidationError(f"{path} names an unknown {field}.", advice=f"Use one of {', '.join(places)}.")
    return places[name.lower()]


def _name(field: str, name: str, path: str) -> str:
    """Return one of the names that a field can have."""
    if name.lower() not in NAMED_FIELDS[field]:
        raise ValidationError(
            f"{path} names an unknown {field}.", advice=f"Use one of {', '.join(NAMED_FIELDS[field])}."
        )
    return name.lower()


def _number(field: str, operand: object, path: str) -> float:
    """Return what a field that is a number is compared with; text that spells one is one."""
    least, most = NUMBER_FIELDS[field]
    try:
        found = Decimal(operand.strip()) if isinstance(operand, str) else operand
        if isinstance(found, (int, float, Decimal)) and not isinstance(found, bool) and least <= found <= most:
            return float(found)  # as records have them, so that a decimal of the same digits is equal
    except ArithmeticError:  # text that spells no number, or none that has an order
        pass
    raise ValidationError(f"{path} needs a number.", advice=f"A {field} is a number from {least} to {most}.")


def _reader(field: str, instant: ParseInstant) -> Read:
    """Return a function that reads a field of a record; ``None`` when it is not there."""
    if field.startswith("meta."):
        return _nested("meta", field.removeprefix("meta."))
    if field in SCOPE_FIELDS:
        return _nested("scope", SCOPE_FIELDS[field])
    if field in LIST_FIELDS:
        return lambda record: record.get(field) or None
    if field in RANKED_FIELDS:
        places = RANKED_FIELDS[field]
        return lambda record: _named(record.get(field), lambda name: places.get(name.lower()))
    if field in INSTANT_FIELDS:
        return lambda record: _named(record.get(field), lambda text: _instant_or_none(text, field, instant))
    return lambda record: record.get(field)


def _named(value: Any, meaning: Callable[[str], int | None]) -> Any:
    return meaning(value) if isinstance(value, str) else value


def _instant_or_none(text: str, field: str, instant: ParseInstant) -> int | None:
    try:
        return instant(text, field)
    except ValueError:  # ValidationError is one
        return None


def _nested(outer: str, name: str) -> Read:
    """Return a reader for a name inside a mapping: the whole name first, then step by step at its dots."""
    steps = name.split(".")

    def read(record: Record) -> Any:
        value = record.get(outer)
        if isinstance(value, Mapping) and name in value:
            return value[name]
        for step in steps:
            if not isinstance(value, Mapping):
                return None
            value = value.get(step)
        return value

    return read


def _all(tests: Sequence[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]
    return lambda record: all(test(record) for test in tests)


def _any(tests: Sequence[Test]) -> Test:
    return lambda record: any(test(record) for test in tests)


def _not(test: Test) -> Test:
    return lambda record: not test(record)


def _equals(read: Read, wanted: Any, unordered: bool = False) -> Test:
    return lambda record: equal(read(record), wanted, unordered=unordered)


def _is_in(read: Read, wanted: Sequence[Any]) -> Test:
    def test(record: Record) -> bool:
        value = read(record)
        return any(equal(value, each) for each in wanted)

    return test


def _contains(read: Read, wanted: Any) -> Test:
    return lambda record: contains(read(record), wanted)


def _compare(read: Read, operator: str, wanted: Any) -> Test:
    accepted = {"$gt": (1,), "$gte": (0, 1), "$lt": (-1,), "$lte": (-1, 0)}[operator]
    return lambda record: order(read(record), wanted) in accepted
