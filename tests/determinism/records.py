"""The log as it lies in a store, its root worked out from the definition, and programs run in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import muniment
from muniment import Memory
from muniment.store.records import EntryRow

SOURCES = Path(muniment.__file__).resolve().parents[1]
TESTS = Path(__file__).resolve().parents[1]


def entries(memory: Memory) -> list[EntryRow]:
    """Return every entry of the handle's namespace, in log order."""
    context = memory._context
    return context.store.read(context.namespace, lambda reader: list(reader.log()))


def leaves(memory: Memory) -> list[bytes]:
    """Return the bytes of every entry, in log order."""
    return [entry.leaf for entry in entries(memory)]


def root_of(data: Sequence[bytes]) -> str:
    """Return the Merkle tree hash of some leaves, by the recursion of RFC 6962 §2.1 and nothing cleverer."""
    return _root(data).hex()


def _root(data: Sequence[bytes]) -> bytes:
    if len(data) <= 1:
        return sha256(b"\x00" + data[0] if data else b"").digest()
    half = 1 << (len(data) - 1).bit_length() - 1
    return sha256(b"\x01" + _root(data[:half]) + _root(data[half:])).digest()


def check_log(memory: Memory, size: int | None = None) -> list[EntryRow]:
    """Check what every log must be, whoever wrote it and however many at once; return its entries."""
    rows = entries(memory)
    stats = memory.stats()
    assert [row.idx for row in rows] == list(range(len(rows)))
    assert stats["entries"] == stats["log_size"] == len(rows)
    assert stats["log_root"] == root_of([row.leaf for row in rows])
    assert all(one.at < later.at for one, later in pairwise(rows))
    assert len({row.id for row in rows}) == len(rows)
    assert size is None or len(rows) == size
    report = memory.log.verify()
    assert report.ok, report
    return rows


def environment(changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """Return the environment of another process: this one's with the sources and tests to import from.

    Args:
        changes: Variables to set, or to leave out (None).
    """
    path = os.pathsep.join((str(SOURCES), str(TESTS)))
    given = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **(changes or {})}
    return {name: value for name, value in given.items() if value is not None}


def spawn(script: Path, *arguments: object, env: Mapping[str, str | None] | None = None) -> subprocess.Popen[str]:
    """Start a program of the tests in a process of its own, with pipes to and from it."""
    return subprocess.Popen(
        [sys.executable, str(script), *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        env=environment({"PYTHONIOENCODING": "utf-8", **(env or {})}),
    )  # fmt: skip


def finished(process: subprocess.Popen[str], timeout: float = 120) -> str:
    """Wait for a process that must end well; return what it printed."""
    out, err = process.communicate(timeout=timeout)
    assert process.returncode == 0, err
    return out
