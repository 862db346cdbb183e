"""The examples in the docstrings of this room are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import muniment.ledger

MODULES = sorted(module.name for module in pkgutil.iter_modules(muniment.ledger.__path__))


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"muniment.ledger.{name}"))
    assert result.failed == 0


def test_there_are_examples_to_run() -> None:
    finder = doctest.DocTestFinder()
    found = [
        example
        for name in MODULES
        for test in finder.find(importlib.import_module(f"muniment.ledger.{name}"))
        for example in test.examples
    ]
    assert len(found) >= 20
