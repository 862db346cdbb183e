"""When two typed values agree, and when they only look the same: one text each, compared for equality.

The rule by type: numbers by number (``30`` = ``30.0``), quantities after exact conversion, moments by instant and
granularity, booleans and texts apart from numbers (the text ``30`` is not the number 30), lists in order, objects
by their members in any order. The texts are deterministic, so they can be hashed.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from muniment import jsontext
from muniment.claims.encoding import Json, decode, quantity_of, tag_of
from muniment.claims.moments import parse_moment
from muniment.claims.numerals import number_form, number_text
from muniment.claims.text import equal_text, skeleton, stand_in_text
from muniment.errors import ValidationError

_PLAIN_DIGITS: Final = 40


def equality_of(data: Json) -> str:
    """Return the text by which values are equal.

    Args:
        data: The stored form of a value.

    Example:
        >>> equality_of("New  York"), equality_of(30)
        ('t:new york', 'n:3e1')
    """
    if type(data) is str:
        return "t:" + equal_text(data)
    node = _equal_node(data)
    if isinstance(node, str):
        return node
    mark = "l:" if isinstance(node, list) else "o:"
    return mark + jsontext.dumps(node, option=jsontext.OPT_SORT_KEYS).decode()


def _equal_node(data: Json) -> Json:
    if isinstance(data, str):
        return "t:" + equal_text(data)
    if isinstance(data, bool):
        return "b:true" if data else "b:false"
    if isinstance(data, int):
        return "n:" + number_form(data)
    if isinstance(data, list):
        return [_equal_node(item) for item in data]
    tag = tag_of(data)
    inner = data if tag is None else data[tag]
    if isinstance(inner, dict):
        return {name: _equal_node(item) for name, item in inner.items()}
    if tag == "$quantity" and isinstance(inner, list):
        return "q:" + _quantity_form(inner)
    if tag == "$moment":
        moment = parse_moment(inner, "A stored moment")
        return f"m:{moment.granularity}:{moment.start}"
    return "n:" + number_form(_number(data))


def _number(data: Json) -> int | Decimal:
    number = decode(data)
    if not isinstance(number, (int, Decimal)):
        raise ValidationError("This is not the stored form of a value.", advice="Use Value.parse for Python values.")
    return number


def lookalike_of(data: Json) -> str:
    """Return the text by which values look the same. For guards only: it never says that two values agree.

    Equal values look alike. So do a number and the text of its digits, a date and its text, and a text with and
    without outer quotes and final marks.

    Example:
        >>> lookalike_of("\u0412erlin."), lookalike_of(30), lookalike_of("30")
        ('berlin', '30', '30')
    """
    if type(data) is str:
        return text_look(data)
    node = _look_node(data)
    return node if isinstance(node, str) else jsontext.dumps(node).decode()


def text_look(text: str) -> str:
    """Return how a text looks, whether it is a value or stands for one.

    It is stripped twice: first, so that texts which stand for equal values look alike whatever their quotes, and
    again because folding can reveal quotes and marks.
    """
    if text.isascii():
        return stand_in_text(text)  # nothing of it can be folded
    return stand_in_text(skeleton(stand_in_text(text)))


def _quantity_form(inner: list[Json]) -> str:
    from muniment.claims.quantities import quantity_form

    return quantity_form(quantity_of(inner))


def _look_node(data: Json) -> Json:
    if isinstance(data, str):
        return text_look(data)
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, int):
        return _number_look(data)
    if isinstance(data, list):
        return [_look_node(item) for item in data]
    tag = tag_of(data)
    inner = data if tag is None else data[tag]
    if isinstance(inner, dict):
        # Names that look alike may be distinct, so members are pairs, in an order of their own.
        pairs: list[Json] = [[skeleton(name), _look_node(item)] for name, item in inner.items()]
        return sorted(pairs, key=jsontext.dumps)
    if tag == "$quantity" and isinstance(inner, list):
        return _quantity_form(inner)
    if tag == "$moment":
        return str(parse_moment(inner, "A stored moment")).lower()
    return _number_look(_number(data))


def _number_look(number: int | Decimal) -> str:
    text = number_text(number)
    return text if len(text) <= _PLAIN_DIGITS else number_form(number)
