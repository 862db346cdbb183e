"""The examples in this room's docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import muniment.evidence
import muniment.store.audit

MODULES = [m.name for m in pkgutil.iter_modules(muniment.evidence.__path__, "muniment.evidence.")]


@pytest.mark.parametrize("name", [*MODULES, "muniment.store.audit"])
def test_examples_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
