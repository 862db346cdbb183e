"""Quantities: a number with a unit, equal when they are the same amount.

Conversion is exact: scales and offsets of units are fractions, so ``5 km`` equals ``5000 m`` and ``20 °C`` equals
``68 °F`` to the last digit. The units are those of pint (loaded at the first quantity) and the currencies of
ISO 4217, each of which is a dimension of its own: no rate is ever applied.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from unicodedata import normalize

from muniment.claims.numerals import Number, integer_text, number_form, number_text, read_number
from muniment.claims.text import check_text
from muniment.errors import ValidationError
from muniment.patterns import pattern
from muniment.quick import dataclass

if TYPE_CHECKING:
    from pint import UnitRegistry

UNIT_LIMIT: Final = 64
"""The most bytes that the text of a unit may have."""

DIGITS_LIMIT: Final = 1000
"""The most digits of a quantity's number: exact conversion of longer ones would take long."""

_CURRENCIES: Final = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC
CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR
ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK
MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE
SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER
ZAR ZMW
"""
_SIGNS: Final = {"€": "EUR", "£": "GBP", "℃": "°C", "℉": "°F"}
_SUPERSCRIPTS: Final = pattern("([⁻]?[¹²³⁴-⁹])")
_SUPERSCRIPT_DIGITS: Final = str.maketrans("⁻¹²³⁴⁵⁶⁷⁸⁹", "-123456789")

# Only names, one-digit exponents, products, quotients and brackets: nothing that could be computed for long.
_NAME: Final = r"[^\W\d][\w°]*"
_UNIT: Final = pattern(
    rf"(?:1 ?/ ?)?\(*(?:{_NAME}|%|°{_NAME}|°)(?:(?:\*\*|\^)-?[1-9])?\)*"
    rf"(?:(?: ?[*/·] ?| )\(*(?:{_NAME}|%|°{_NAME}|°)(?:(?:\*\*|\^)-?[1-9])?\)*)*"
)
_UNKNOWN_ADVICE: Final = (
    "Use a unit of measurement such as km, kg, min, GB or °C, a currency code such as EUR, "
    "or give the number alone and name what is counted in the key."
)


@dataclass(frozen=True, slots=True, init=False)
class Quantity:
    """A number and its unit.

    Args:
        number: An int, Decimal or finite float (which becomes one of the others).
        unit: A unit of measurement, a currency code, or a product of such: ``km``, ``EUR/month``, ``J/(kg*K)``.

    Raises:
        ValidationError: Not a finite number, or not the form of a unit. Whether the unit is known is asked when
            the quantity becomes a value.

    Example:
        >>> str(Quantity(5, "km"))
        '5 km'
    """

    number: Number
    unit: str

    def __init__(self, number: Number | float, unit: str) -> None:
        number = read_number(number, "A quantity's number")
        if _digits(number) > DIGITS_LIMIT:
            raise ValidationError(
                f"A quantity's number has more than {DIGITS_LIMIT} digits.", advice="Round it, or use a number value."
            )
        object.__setattr__(self, "number", number)
        unit = check_text(unit, "A quantity's unit", limit_bytes=UNIT_LIMIT, allow_newlines=False)
        object.__setattr__(self, "unit", " ".join(normalize("NFC", unit).split()))

    def __str__(self) -> str:
        return f"{number_text(self.number)} {self.unit}"


def _digits(number: Number) -> int:
    if isinstance(number, Decimal):
        return len(number.as_tuple().digits)
    return number.bit_length() * 3 // 10  # log10(2) is a little more


@dataclass(frozen=True, slots=True)
class UnitForm:
    """How a unit leads to the base units: amount = number * scale + offset.

    Args:
        scale, offset: Exact.
        base: The base units with their powers, as text; different for different dimensions.
    """

    scale: Fraction
    offset: Fraction
    base: str


@lru_cache(maxsize=1)
def _registry() -> UnitRegistry[Any]:
    import pint

    registry: UnitRegistry[Any] = pint.UnitRegistry(non_int_type=Fraction)
    for code in _CURRENCIES.split():
        registry.define(f"{code} = [currency_{code}]")
    return registry


@lru_cache(maxsize=1024)
def unit_form(unit: str) -> UnitForm:
    """Return how a unit leads to the base units.

    Args:
        unit: As in :class:`Quantity`.

    Raises:
        ValidationError: The unit is not known.

    Example:
        >>> unit_form("km").scale
        Fraction(1000, 1)
    """
    spelled = _spelled(unit)
    if not _UNIT.fullmatch(spelled) or spelled.count("(") != spelled.count(")"):
        raise ValidationError("A quantity's unit is not one that can be read.", advice=_UNKNOWN_ADVICE)
    from pint.errors import PintError

    try:
        registry = _registry()
        parsed = registry.parse_units(spelled)
        # More than a hundred powers come of no real unit, and would take long to compute.
        powers: dict[str, Any] = dict(parsed._units)
        if sum(abs(power) for power in powers.values()) <= 100:
            return _reduce(registry, parsed)
    except (PintError, ValueError, TypeError, AttributeError, RecursionError):
        pass  # pint's messages quote the unit, and not all of its failures are its own errors
    raise ValidationError("A quantity's unit is not known.", advice=_UNKNOWN_ADVICE)


def _spelled(unit: str) -> str:
    """Return the unit with signs and superscripts as pint reads them."""
    if unit.isascii():
        return unit
    spelled = _SUPERSCRIPTS.sub(lambda m: "**" + m[1].translate(_SUPERSCRIPT_DIGITS), unit)
    for sign, code in _SIGNS.items():
        spelled = spelled.replace(sign, code)
    return spelled


def _reduce(registry: UnitRegistry[Any], parsed: Any) -> UnitForm:
    try:
        zero = registry.Quantity(Fraction(0), parsed).to_root_units()
        one = registry.Quantity(Fraction(1), parsed).to_root_units()
        exact = isinstance(zero.magnitude, Fraction) and isinstance(one.magnitude, Fraction)
    except TypeError:  # numpy takes no logarithm of a fraction
        exact = False
    if not exact:
        # Decibels and their like convert by logarithms, never exactly: each is its own dimension.
        return UnitForm(Fraction(1), Fraction(0), _base_text(dict(parsed._units).items()))
    return UnitForm(one.magnitude - zero.magnitude, zero.magnitude, _base_text(zero.unit_items()))


def _base_text(powers: Iterable[tuple[str, Any]]) -> str:
    return "*".join(f"{name}^{power}" for name, power in sorted(powers)) or "1"


def quantity_form(quantity: Quantity) -> str:
    """Return the text by which quantities are equal: the exact amount in base units.

    Raises:
        ValidationError: The unit is not known.

    Example:
        >>> quantity_form(Quantity(5, "km")) == quantity_form(Quantity(5000, "m"))
        True
    """
    unit = unit_form(quantity.unit)
    amount = Fraction(quantity.number) * unit.scale + unit.offset
    if amount.denominator == 1:
        return f"{number_form(amount.numerator)} {unit.base}"
    return f"{integer_text(amount.numerator)}/{integer_text(amount.denominator)} {unit.base}"
