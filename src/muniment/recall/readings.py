"""What words may mean as a value: a number, a quantity, a date; and whether it is the value that is believed.

Values are compared as everywhere: numbers by number, quantities after conversion, dates by what they span. Words can be
read in more ways than one (``1.000`` is one, or a thousand). Then nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from muniment.claims.intervals import Span
from muniment.claims.moments import Granularity, parse_moment
from muniment.claims.quantities import Quantity, quantity_form
from muniment.claims.text import stand_in_text
from muniment.claims.values import Value, ValueKind, text_value_equality
from muniment.errors import ValidationError
from muniment.recall.times import times_of
from muniment.recall.wordings import FIGURE, MARK, Wording

LONGEST: Final = 200
"""Characters of words that are read as one value."""

_SIGN: Final = re.compile(r"[-+−]?")
_PLAIN: Final = re.compile(r"\d+(?:\.\d+)?")
_ENGLISH: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_SPACED: Final = re.compile(r"\d{1,3}(?:[ \u00a0\u202f\u2009'’_]\d{3})+(?:\.\d+)?")
_CONTINENTAL: Final = re.compile(r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}\.\d{3},\d+")
_EITHER: Final = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_COMMA: Final = re.compile(r"\d+,\d+")
_AMOUNT: Final = re.compile(r"([-+−]?\s?[\d][\d.,'’]*)\s*([^\d\s].*)", re.DOTALL)
_CURRENCY_FIRST: Final = re.compile(r"([-+−]?)\s?([A-Z]{3}|[^\w\s.,+−-])\s?([-+−]?[\d][\d.,'’]*)")
_TRUTHS: Final = {"true": True, "false": False}
_PRESENTS: Final = (0, 10**15)
"""Two instants, in microseconds: a time that is told from now differs between them."""


def numbers(text: str) -> tuple[frozenset[Decimal], bool]:
    """Return the numbers that a text may stand for, and whether there is no doubt.

    Example:
        >>> numbers("1,000"), numbers("1.000")[1], numbers("Oslo")
        ((frozenset({Decimal('1000')}), True), False, (frozenset(), False))
    """
    bare = text.strip()
    sign = _SIGN.match(bare)
    minus, digits = (sign[0] if sign else ""), bare[sign.end() if sign else 0 :].strip()
    if len(digits) > LONGEST or (not digits.isascii() and not _SPACED.fullmatch(digits)):
        return frozenset(), False
    found, sure = _digits(digits)
    return frozenset(-n if minus in ("-", "−") else n for n in found), sure


def _digits(digits: str) -> tuple[list[Decimal], bool]:
    if _EITHER.fullmatch(digits):
        return [Decimal(digits), Decimal(digits.replace(".", ""))], False
    if _PLAIN.fullmatch(digits):
        return [Decimal(digits)], True
    if _ENGLISH.fullmatch(digits) or _SPACED.fullmatch(digits):
        return [Decimal(re.sub(r"[^\d.]", "", digits))], True
    if _CONTINENTAL.fullmatch(digits):
        return [Decimal(digits.replace(".", "").replace(",", "."))], True
    return ([Decimal(digits.replace(",", "."))], False) if _COMMA.fullmatch(digits) else ([], False)


def agrees(text: str, value: Value) -> bool | None:
    """Say whether words stand for a value.

    Args:
        text: The words, and nothing around them.
        value: What is believed.

    Returns:
        True or False; None where it cannot be told.

    Example:
        >>> [agrees(words, Value.parse(1000)) for words in ("1,000", "1000.00", "-1000", "1.000", "many")]
        [True, True, False, None, None]
        >>> [agrees(words, Value.parse(Quantity(Decimal("0.5"), "GB"))) for words in ("500 MB", "500 GB", "500")]
        [True, False, None]
    """
    if value.kind is ValueKind.TEXT:
        held = str(value.data)
        if text_value_equality(text) in (text_value_equality(held), value.equality):
            return True
        return None if _read_alike(text, held) else False
    words = stand_in_text(text)
    if len(words) > LONGEST:
        return None
    if value.kind in (ValueKind.INTEGER, ValueKind.DECIMAL):
        return _is_number(words, value)
    if value.kind is ValueKind.BOOLEAN:
        truth = _TRUTHS.get(words)
        return None if truth is None else truth is value.data
    if value.kind is ValueKind.QUANTITY:
        return _is_quantity(text, value)
    if value.kind is ValueKind.MOMENT:
        return _is_moment(text, value)
    return True if words == stand_in_text(value.display) else None


def _is_number(words: str, value: Value) -> bool | None:
    found, sure = numbers(words)
    if not found:
        return None
    alike = value.to_python() in found
    return alike if sure or not alike else None


def _is_quantity(text: str, value: Value) -> bool | None:
    held = value.equality
    found = {form for amount in amounts(text) if (form := _form(amount)) is not None}
    if held[2:] in found:
        return True if len(found) == 1 else None
    if not found:
        return None
    # Who writes mb may mean MB.
    cases = (change for amount in amounts(text) for change in (str.upper, str.lower, str.capitalize)
             if _form(Quantity(amount.number, change(amount.unit))) == held[2:])  # fmt: skip
    return False if next(cases, None) is None else None


def _is_moment(text: str, value: Value) -> bool | None:
    moment = parse_moment(value.to_python(), "A stored moment")
    found = spans(text)
    if not found:
        return None
    own = (moment.start, moment.end)
    if own in found:
        return True if len(found) == 1 else None
    return False if all(end <= own[0] or start >= own[1] for start, end in found) else None


def _read_alike(one: str, other: str) -> bool:
    """Say whether two texts may stand for one number, quantity or time, though they are different texts."""
    if max(len(one), len(other)) > LONGEST or not (any(map(str.isdigit, one)) and any(map(str.isdigit, other))):
        return False
    if numbers(stand_in_text(one))[0] & numbers(stand_in_text(other))[0]:
        return True
    if set(spans(one)) & set(spans(other)):
        return True
    return bool({_form(each) for each in amounts(one)} & {_form(each) for each in amounts(other)} - {None})


def amounts(text: str) -> Iterator[Quantity]:
    """Yield the quantities that words may stand for.

    Example:
        >>> [str(amount) for text in ("19.90 EUR", "€5", "5%", "soon") for amount in amounts(text)]
        ['19.9 EUR', '5 €', '5 %']
    """
    bare = text.strip().rstrip(".!…,;:").strip()
    if match := _AMOUNT.fullmatch(bare):
        digits, unit = match.groups()
    elif match := _CURRENCY_FIRST.fullmatch(bare):
        digits, unit = match[1] + match[3], match[2]
    else:
        return
    for number in sorted(numbers(digits)[0]):
        try:
            yield Quantity(number, unit)
        except ValidationError:
            return


def _form(amount: Quantity) -> str | None:
    """Return the text by which a quantity is equal; None where its unit is not known."""
    try:
        return quantity_form(amount)
    except ValidationError:
        return None


def different_amounts(one: str, other: str) -> bool:
    """Say whether two texts are certainly different quantities."""
    forms = [{_form(amount) for amount in amounts(text)} for text in (one, other)]
    return all(forms) and None not in forms[0] | forms[1] and not forms[0] & forms[1]


def is_amount(text: str) -> bool:
    """Say whether words are a number with a unit.

    Example:
        >>> is_amount("5 kg"), is_amount("5"), is_amount("5 seats")
        (True, False, False)
    """
    return any(_form(amount) is not None for amount in amounts(text))


def spans(text: str) -> tuple[Span, ...]:
    """Return the times that words may stand for, those aside that are told from now.

    Example:
        >>> spans("2 January 2026") == spans("2026-01-02"), spans("yesterday")
        (True, ())
    """
    try:
        moment = parse_moment(stand_in_text(text).upper(), "A time")
    except ValidationError:
        one, other = (times_of(text, now).spans for now in _PRESENTS)
        return tuple(span for span in one if span in other)
    return ((moment.start, moment.end),)


def mentions(statement: Wording, value: Value) -> bool:
    """Say whether a number, a quantity or a date in a text is a value.

    Example:
        >>> mentions(Wording("It has 500 MB now"), Value.parse(Quantity(Decimal("0.5"), "GB")))
        True
    """
    if value.kind is ValueKind.MOMENT:
        moment = parse_moment(value.to_python(), "A stored moment")
        return moment.granularity is not Granularity.INSTANT and spans(statement.text) == ((moment.start, moment.end),)
    if value.kind not in (ValueKind.INTEGER, ValueKind.DECIMAL, ValueKind.QUANTITY):
        return False
    tokens, chunks = statement.tokens, statement.chunks
    for n, token in enumerate(tokens):
        if token.kind != FIGURE:
            continue
        around = [tokens[at] for at in (n - 1, n + 1) if 0 <= at < len(tokens) and tokens[at].kind == MARK]
        if value.kind is ValueKind.QUANTITY:
            near = (" ".join(chunks[first:after]) for first in (token.at, token.at - 1) if first >= 0
                    for after in range(token.at + 1, token.at + 3))  # fmt: skip
            if any(agrees(words, value) for words in near):
                return True
        elif not around and agrees(token.text, value):
            return True
    return False
