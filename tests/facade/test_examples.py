"""The examples in this room's docstrings run, and those of the pages made from them."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import muniment.facade
from muniment import Memory

MODULES = [module.name for module in pkgutil.iter_modules(muniment.facade.__path__, "muniment.facade.")]


@pytest.mark.parametrize("name", [*MODULES, "muniment", "muniment.operation", "muniment.verbs.believing.drawing"])
def test_examples_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name), extraglobs={"Memory": Memory}).failed == 0
