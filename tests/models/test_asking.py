"""Vectors as they are kept, and what is asked of a model."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from embedders import Speller
from muniment.models import asking, units
from muniment.models.asking import Asker
from muniment.models.faults import EmbedderError
from muniment.models.units import cosine, packed, unit, unpacked


def test_the_examples_run() -> None:
    for module in (units, asking):
        assert doctest.testmod(module).failed == 0


def test_an_int8_row_is_the_vector_to_within_half_a_step() -> None:
    rng = np.random.default_rng(7)
    for _ in range(50):
        vector = unit(rng.normal(size=384))
        scale, row = packed(vector)
        assert np.abs(unpacked(scale, row) - vector).max() <= scale / 2 + 1e-7
        assert cosine(unpacked(scale, row), vector) > 0.999


def test_very_large_and_very_small_vectors_have_a_direction_too() -> None:
    for size in (1e300, 1e-300, 1.0):
        assert unit([size, size]).tolist() == pytest.approx([0.5**0.5] * 2)


@pytest.mark.parametrize(
    "bad", [[], [0.0, 0.0], [float("nan")], [float("inf"), 1.0], "text", None, [[1.0]], ["x"], 3.0]
)
def test_what_has_no_direction_is_no_vector(bad: object) -> None:
    with pytest.raises(EmbedderError):
        unit(bad)


def test_another_dimension_is_refused() -> None:
    with pytest.raises(EmbedderError, match="dimension"):
        unit([1.0, 2.0], 3)


def test_a_dimension_that_was_declared_wrongly_is_found_out() -> None:
    with pytest.raises(EmbedderError, match="dimension"):
        Asker(Speller(9, spoil=lambda texts: [[1.0] * 8 for _ in texts])).documents(["x"])


def test_a_text_that_is_refused_at_full_length_is_given_in_part() -> None:
    def long(texts: list[str]) -> None:
        if any(len(text) > 2_000 for text in texts):
            raise ValueError

    vectors = Asker(Speller(spoil=long)).documents(["kettle " * 500, "short"])
    assert all(vector is not None for vector in vectors)


def test_what_an_embedder_says_in_its_error_is_not_repeated() -> None:
    def leak(texts: list[str]) -> None:
        raise RuntimeError(f"cannot embed {texts[0]}")

    with pytest.raises(EmbedderError) as caught:
        Asker(Speller(spoil=leak)).documents(["a secret"])
    assert "secret" not in str(caught.value) and caught.value.__cause__ is None
