"""Acting as a user whom file modes bind: root is bound by none."""

from __future__ import annotations

import ctypes  # noqa: F401  # where only root can read the library, it must be loaded before root's rights are given up
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65_534


@contextmanager
def bound() -> Iterator[None]:
    """Give up root's rights for a while, really and effectively, and take them back afterwards."""
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setresuid(0, 0, 0)


@contextmanager
def folder() -> Iterator[Path]:
    """Yield a new folder that everybody can reach; pytest's own lie where only their maker can go."""
    made = Path(tempfile.mkdtemp(prefix="muniment-"))
    made.chmod(0o755)
    try:
        yield made
    finally:
        for inner in (made, *made.rglob("*")):
            if not inner.is_symlink():
                inner.chmod(0o755)
        shutil.rmtree(made)
