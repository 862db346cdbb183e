"""The filter language ``where=``: checked as a whole, compiled to a predicate, never spliced into a query.

A filter is a mapping. A field with a plain operand means equality; a field with operators means all of them; several
fields mean all of them; ``$and``, ``$or`` and ``$not`` combine filters::

    {"kind": "semantic", "confidence": {"$gte": 0.8}, "$or": [{"tags": "billing"}, {"meta.team": "ops"}]}

Everything that is wrong with a filter is a ``ValidationError`` before any claim is looked at, a value that its field
can never have included (``recall.operands``). Afterwards nothing raises: values of unlike types are not equal and not
ordered (``recall.comparing``), and a value that is not there matches only ``$ne``, ``$nin``, ``{"$exists": false}`` and
equality with ``None``. Text is compared exactly, in code-point order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from muniment.errors import ValidationError
from muniment.quick import dataclass
from muniment.recall.comparing import contains, equal, order
from muniment.recall.operands import (
    AS_DATE,
    COMPARISONS,
    FIELDS,
    INSTANT_FIELDS,
    LIST_FIELDS,
    MEMBER,
    MOMENT,
    RANKED_FIELDS,
    SCOPE_FIELDS,
    Operands,
    ReadMoment,
    moment_read,
    place_read,
)

Record = Mapping[str, Any]
Test = Callable[[Record], bool]
Read = Callable[[Record], Any]

MAX_DEPTH: Final = 8
MAX_CONDITIONS: Final = 200
MAX_LIST: Final = 1_000

_OPERATORS: Final = ("$eq", "$ne", "$in", "$nin", *COMPARISONS, "$contains", "$exists", "$not")


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
    moment: ReadMoment,
    fold_key: Callable[[str], str] | None = None,
) -> Where:
    """Check a filter and turn it into a predicate over records.

    Args:
        where: The filter; ``None`` and ``{}`` let everything pass.
        moment: Reads a date in text, a ``date`` or a ``datetime``, and raises ``ValidationError`` for anything else,
            naming the place in the filter that it is told.
        fold_key: Brings a key, or a part of one, to the form in which records hold it.

    Returns:
        A predicate over a mapping with the names in ``FIELDS``; ``scope`` and ``meta`` are mappings inside it. Times
        may be microseconds or text (read by ``moment``), ``rank`` and ``criticality`` names or numbers.

    Raises:
        ValidationError: An unknown field or operator, or an operand of the wrong shape.

    Example:
        >>> from muniment.claims.moments import parse_moment
        >>> test = compile_where({"priority": {"$gt": 3}, "meta.team": "ops"}, parse_moment)
        >>> test({"priority": 5, "meta": {"team": "ops"}}), test({"priority": "5", "meta": {}})
        (True, False)
    """
    compiler = _Compiler(moment, fold_key)
    test = compiler.filter({} if where is None else where, "where", 1)
    return Where(test, frozenset(compiler.fields))


class _Compiler:
    def __init__(self, moment: ReadMoment, fold_key: Callable[[str], str] | None) -> None:
        self._moment = moment
        self._operands = Operands(moment, fold_key)
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
        read = _reader(field, self._moment)
        if not isinstance(operand, Mapping) or MOMENT in operand:
            return self._value_test(field, read, "$eq", operand, shown)
        if not operand:
            raise ValidationError(f"{shown} has an empty mapping.", advice=f"Use one of {', '.join(_OPERATORS)}.")
        tests = []
        for operator, value in operand.items():
            self._count()
            if operator not in _OPERATORS:
                raise ValidationError(
                    f"{shown} has an unknown operator.",
                    advice=f"Use one of {', '.join(_OPERATORS)}; a nested name is written meta.a.b, a date {AS_DATE}.",
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
            wanted = self._list(field, operator, operand, f"{shown}.{operator}")
            return _is_in(read, wanted) if operator == "$in" else _not(_is_in(read, wanted))
        if operator in ("$eq", "$ne"):
            same = self._equality(field, read, operand, shown)
            return same if operator == "$eq" else _not(same)
        value = self._operands.read(field, operator, operand, f"{shown}.{operator}")
        if value is None or (isinstance(value, bool) and operator != "$contains"):
            raise ValidationError(
                f"{shown}.{operator} needs a number, a text or a date.", advice="Use $exists for what may be missing."
            )
        return _contains(read, value) if operator == "$contains" else _compare(read, operator, value)

    def _equality(self, field: str, read: Read, operand: object, shown: str) -> Test:
        if not isinstance(operand, (list, tuple)):
            return _equals(read, self._operands.read(field, "$eq", operand, shown))
        if field in FIELDS and field not in LIST_FIELDS and field != "value":
            raise ValidationError(f"{shown} holds one value, not a list.", advice="Use $in for any of several.")
        return _equals(read, self._list(field, MEMBER, operand, shown), unordered=field in LIST_FIELDS)

    def _list(self, field: str, operator: str, operand: object, path: str) -> list[Any]:
        if not isinstance(operand, (list, tuple, set, frozenset)):
            raise ValidationError(f"{path} needs a list.", advice="Put the value into one: [value].")
        if len(operand) > MAX_LIST:
            raise ValidationError(f"{path} has too many entries.", advice=f"Use at most {MAX_LIST}.", limit=MAX_LIST)
        return [self._operands.read(field, operator, each, path) for each in operand]


def _field_name(name: object, path: str) -> str:
    if isinstance(name, str) and (name in FIELDS or (name.startswith("meta.") and len(name) > len("meta."))):
        return name
    what = "operator" if isinstance(name, str) and name.startswith("$") else "field"
    raise ValidationError(
        f"{path} names an unknown {what}.",
        advice=f"Known fields: {', '.join(sorted(FIELDS))}; your own are written meta.<name>. Filters combine with "
        "$and, $or, $not.",
    )


def _reader(field: str, moment: ReadMoment) -> Read:
    """Return a function that reads a field of a record; ``None`` when it is not there."""
    if field.startswith("meta."):
        return _nested("meta", field.removeprefix("meta."))
    if field in SCOPE_FIELDS:
        return _nested("scope", SCOPE_FIELDS[field])
    if field in LIST_FIELDS:
        return lambda record: record.get(field) or None
    if field in RANKED_FIELDS:
        return lambda record: place_read(record.get(field), field)
    if field in INSTANT_FIELDS:
        return lambda record: moment_read(record.get(field), field, moment)
    return lambda record: record.get(field)


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
