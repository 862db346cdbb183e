"""Quantities: exact conversion, known units, and units that cannot be made to work for long."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.claims.quantities import Quantity, quantity_form, unit_form
from muniment.errors import ValidationError


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Quantity(5, "km"), Quantity(5000, "m")),
        (Quantity(1, "inch"), Quantity(Decimal("2.54"), "cm")),
        (Quantity(36, "km/h"), Quantity(10, "m/s")),
        (Quantity(1, "m²"), Quantity(10_000, "cm**2")),
        (Quantity(1, "L"), Quantity(1000, "cm^3")),
        (Quantity(1, "kWh"), Quantity(3_600_000, "J")),
        (Quantity(12, "month"), Quantity(1, "year")),
        (Quantity(90, "min"), Quantity(1.5, "hour")),
        (Quantity(1, "GiB"), Quantity(1024, "MiB")),
        (Quantity(0, "°C"), Quantity(32, "°F")),
        (Quantity(-40, "degC"), Quantity(-40, "degF")),
        (Quantity(Decimal("273.15"), "K"), Quantity(0, "°C")),
        (Quantity(1, "µm"), Quantity(1, "μm")),
        (Quantity(5, "m·s"), Quantity(5, "s m")),
        (Quantity(360, "°"), Quantity(1, "turn")),
        (Quantity(50, "%"), Quantity(50, "percent")),
        (Quantity(9, "€"), Quantity(9, "EUR")),
        (Quantity(12, "EUR/year"), Quantity(1, "EUR/month")),
        (Quantity(7, "dBm"), Quantity(7, "dBm")),
    ],
)
def test_the_same_amount_in_other_units_is_equal(a: Quantity, b: Quantity) -> None:
    assert quantity_form(a) == quantity_form(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Quantity(5, "km"), Quantity(5, "kg")),
        (Quantity(5, "m"), Quantity(5, "m²")),
        (Quantity(5, "EUR"), Quantity(5, "USD")),
        (Quantity(5, "mg"), Quantity(5, "µg")),
        (Quantity(1, "MB"), Quantity(1, "MiB")),
        (Quantity(5, "dB"), Quantity(5, "dBm")),
        (Quantity(5, "K"), Quantity(5, "°C")),
        (
            Quantity(Decimal("0.3333333333333333333333333333"), "m"),
            Quantity(Decimal("0.333333333333333333333333333"), "m"),
        ),
        (Quantity(10**30, "m"), Quantity(10**30 + 1, "m")),
    ],
)
def test_another_amount_or_dimension_is_not(a: Quantity, b: Quantity) -> None:
    assert quantity_form(a) != quantity_form(b)


@settings(deadline=None)
@given(st.decimals(-(10**12), 10**12, allow_nan=False, places=9), st.sampled_from(["km", "mile", "°F", "week", "MiB"]))
def test_conversion_loses_no_digit(number: Decimal, unit: str) -> None:
    form = unit_form(unit)
    base = Fraction(number) * form.scale + form.offset
    assert (base - form.offset) / form.scale == Fraction(number)
    assert quantity_form(Quantity(number, unit)) != quantity_form(Quantity(number + 1, unit))


@pytest.mark.parametrize(
    "unit",
    [
        "bananas",
        "$",
        "KM",
        "5 km",
        "km; drop",
        "__import__('os')",
        "m**m",
        "m**",
        "m**9**9",
        "m)**99",
        "(m",
        "m**99999999",
        "9**9**9**9*m",
        "m**9*" * 12 + "m**9",
        "(" * 30 + "m" + ")" * 30 + "x",
        "dB/km",
        "\N{ZERO WIDTH SPACE}",
    ],
)
@pytest.mark.timeout(60)  # a power of powers would be computed for ever
def test_an_unknown_unit_is_refused_at_once_with_advice(unit: str) -> None:
    with pytest.raises(ValidationError) as caught:
        unit_form(unit)
    assert "currency code" in caught.value.advice
    assert "banana" not in str(caught.value)


@pytest.mark.parametrize(
    ("number", "unit"),
    [
        (float("nan"), "m"),
        (True, "m"),
        ("5", "m"),
        (None, "m"),
        (Decimal("1e7000"), "m"),
        (10**1500, "m"),
        (Decimal("0." + "1" * 1500), "m"),
        (5, ""),
        (5, "m" * 65),
        (5, None),
        (5, "m\n"),
    ],
)
def test_what_is_no_quantity_cannot_be_made(number: object, unit: object) -> None:
    with pytest.raises(ValidationError):
        Quantity(number, unit)  # type: ignore[arg-type]


def test_a_quantity_keeps_its_digits_and_spelling() -> None:
    quantity = Quantity(Decimal("5.00"), " km  / h ")
    assert str(quantity.number) == "5.00" and quantity.unit == "km / h"
    assert Quantity(0.1, "m").number == Decimal("0.1")


def test_units_are_loaded_only_when_a_quantity_is_used() -> None:
    code = "import sys, muniment.claims.values as v; v.Value.parse(5); sys.exit('pint' in sys.modules)"
    source = Path(__file__).parents[2] / "src"
    assert subprocess.run([sys.executable, "-c", code], cwd=source, check=False).returncode == 0
