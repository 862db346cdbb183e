"""Annotations whose types are loaded when somebody asks."""

from __future__ import annotations

import os
import subprocess
import sys

import muniment.facade.memory  # noqa: F401  (declares the operations)
from muniment.operation import operations
from muniment.typenames import types_of
from surfaces.running import SOURCES


def test_every_annotation_of_every_operation_can_be_resolved() -> None:
    for operation in operations().values():
        assert "return" in types_of(operation.call), operation.name


def test_opening_a_memory_loads_no_kind_of_result_that_it_does_not_return() -> None:
    code = (
        "import sys; from muniment import Memory; Memory(':memory:').close();"
        "print([m for m in sys.modules if m in ('muniment.transfer.results', 'muniment.verbs.finding.companions',"
        " 'muniment.sessions.results', 'muniment.code.results', 'muniment.verbs.reviewing.proposals')])"
    )
    env = {**os.environ, "PYTHONPATH": str(SOURCES)}
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
