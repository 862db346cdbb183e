"""Exact numbers: integers and decimals, read, written and compared without floats.

CPython refuses to turn integers of more than 4,300 digits into decimal text and back, because that takes quadratic
time: what is handed out must print, so no longer integer is taken as a value. Those that arise on the way (a filter's, a
quantity's in its base unit) are written by way of ``Decimal``, which has no such limit; beyond what a decimal can equal
(decimals end at 10^6144) in hexadecimal, which takes linear time.
"""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation
from typing import Final

from muniment.errors import ValidationError
from muniment.patterns import pattern

SAFE_INTEGER: Final = 2**53 - 1
"""The largest integer that every JSON reader holds exactly."""

EXPONENT_LIMIT: Final = 6144
"""The largest power of ten of a decimal, that of IEEE 754 decimal128."""

DIGITS_LIMIT: Final = 4_300
"""The most digits of an integer that is stored: what Python prints and every JSON reader written in it reads."""

_TOO_LONG: Final = 10**DIGITS_LIMIT
_PLACES_LIMIT: Final = 2_000_000  # keeps 0E+999999999 out; longer decimals fail by their bytes
_SHORT_BITS: Final = 10_000  # about 3,000 digits
_SHORT_DIGITS: Final = 3_000
_LONG_BITS: Final = 20_500  # beyond 10**6145, and so beyond every decimal
_INTEGER: Final = pattern(r"-?(?:[0-9]+|0x[0-9a-f]+)")

Number = int | Decimal


def written(number: float) -> Decimal:
    """Return a float as the decimal that its shortest text writes: what the caller wrote, 10**23 for 1e23.

    Everything that takes floats for numbers takes them so: values, and what filters compare with them.

    Example:
        >>> written(0.1), written(1e23) == 10**23
        (Decimal('0.1'), True)
    """
    return Decimal(float.__repr__(number))


def read_number(obj: object, what: str) -> Number:
    """Return ``obj`` as an exact number.

    Args:
        obj: An int, a Decimal, or a float: it becomes an int when it is whole, else the decimal it is printed as.
        what: The argument's name, for the error.

    Raises:
        ValidationError: Not a number, not finite, an integer of more than 4,300 digits, or a decimal beyond 10^±6144.

    Example:
        >>> read_number(0.1, "value"), read_number(30.0, "value")
        (Decimal('0.1'), 30)
    """
    if isinstance(obj, bool):
        raise ValidationError(
            f"{what} must be a number, not a truth value.", advice="Pass a number, not a text or a truth value."
        )
    if isinstance(obj, int):
        if not -_TOO_LONG < obj < _TOO_LONG:
            raise ValidationError(
                f"{what} has more than {DIGITS_LIMIT:,} digits.",
                advice="Use another unit, or a text.",
                limit=DIGITS_LIMIT,
            )
        return int(obj)
    if isinstance(obj, float):
        if not math.isfinite(obj):
            raise ValidationError(f"{what} is not a finite number.", advice="Pass a number, or a text.")
        number = written(obj)
        return int(number) if number == number.to_integral_value() else number
    if isinstance(obj, Decimal):
        if not obj.is_finite():
            raise ValidationError(f"{what} is not a finite number.", advice="Pass a number, or a text.")
        if (obj and abs(obj.adjusted()) > EXPONENT_LIMIT) or abs(_exponent(obj)) > _PLACES_LIMIT:
            raise ValidationError(
                f"{what} has a power of ten beyond ±{EXPONENT_LIMIT}.",
                advice="Use another unit, or a text.",
                limit=EXPONENT_LIMIT,
            )
        return obj
    raise ValidationError(
        f"{what} must be a number, not {type(obj).__name__}.", advice="Pass a number, not a text or a truth value."
    )


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)  # finite
    return exponent


def integer_text(number: int) -> str:
    """Write an integer of any size: decimal digits, or hexadecimal ones with ``0x`` beyond about 6,170 digits."""
    bits = number.bit_length()
    if bits < _SHORT_BITS:
        return str(number)
    return str(Decimal(number)) if bits <= _LONG_BITS else hex(number)


def integer_of(text: str) -> int:
    """Read what :func:`integer_text` wrote.

    Raises:
        ValidationError: It is not the text of an integer.
    """
    if not _INTEGER.fullmatch(text) or (len(text) > _SHORT_DIGITS * 3 and "x" not in text[:3]):
        raise ValidationError("This is not the text of an integer.", advice="Use decimal digits.")
    if "x" in text[:3]:
        return int(text, 16)
    return int(text) if len(text) < _SHORT_DIGITS else int(Decimal(text))


def decimal_of(text: str) -> Decimal:
    """Read a finite decimal.

    Raises:
        ValidationError: Not the text of a finite decimal.
    """
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValidationError("This is not the text of a decimal.", advice="Use digits and a point.") from None
    result = read_number(number, "A decimal")
    assert isinstance(result, Decimal)
    return result


def number_form(number: Number) -> str:
    """Return the text by which numbers are equal: digits without trailing zeros, then a power of ten.

    Example:
        >>> number_form(30), number_form(Decimal("30.00")), number_form(Decimal("-0.5"))
        ('3e1', '3e1', '-5e-1')
    """
    if isinstance(number, Decimal):
        sign, digit_tuple, exponent = number.as_tuple()
        digits = "".join(map(str, digit_tuple)).lstrip("0")
        minus = "-" if sign else ""
        assert isinstance(exponent, int)
    else:
        digits, exponent, minus = integer_text(int(number)), 0, ""
        if "x" in digits[:3]:
            return digits
    stripped = digits.rstrip("0")
    if not stripped:
        return "0"
    exponent += len(digits) - len(stripped)
    return f"{minus}{stripped}e{exponent}" if exponent else minus + stripped


def number_text(number: Number) -> str:
    """Write a number for people: plain digits where that is short, without trailing zeros.

    Example:
        >>> number_text(Decimal("30.00")), number_text(Decimal("1E+3"))
        ('30', '1000')
    """
    if not isinstance(number, Decimal):
        return integer_text(number)
    if not number:
        return "0"
    if abs(number.adjusted()) > 40:
        return number_form(number)
    plain = format(number, "f")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return plain
