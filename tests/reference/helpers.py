"""Other processes, raw looks at a store's files, and instants: what several of these tests need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import apsw

import muniment
from fakes import FakeClock
from muniment import Memory

SOURCES = Path(muniment.__file__).resolve().parents[1]
TESTS = Path(__file__).resolve().parents[1]


def environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of another process: this one's, with the sources and tests to import from."""
    path = os.pathsep.join((str(SOURCES), str(TESTS)))
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **(changes or {})}


class OtherProcess:
    """Another process that keeps the store open, with caches as warm as its calls make them."""

    def __init__(self, path: Path, **given: Any) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("worker.py")), json.dumps({"path": str(path), **given})],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(),
        )  # fmt: skip
        assert self._hear() == "ready"

    def _hear(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the other process ended"
        return json.loads(line)

    def answer(self, verb: str, *args: Any, scope: Mapping[str, str] | None = None, **given: Any) -> dict[str, Any]:
        """Let it make a call; return ``{"is": …}`` or ``{"raised": name}``."""
        assert self._process.stdin is not None
        call = {"do": verb, "args": args, "with": given, "scope": dict(scope or {})}
        self._process.stdin.write(json.dumps(call) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = self._hear()
        return answer

    def do(self, verb: str, *args: Any, scope: Mapping[str, str] | None = None, **given: Any) -> Any:
        """Let it make a call that must succeed; return the result as plain data."""
        answer = self.answer(verb, *args, scope=scope, **given)
        assert "is" in answer, answer
        return answer["is"]

    def __enter__(self) -> OtherProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)
        assert self._process.stdout is not None
        self._process.stdout.close()


def run_script(script: str, *args: str, env: Mapping[str, str] | None = None) -> Any:
    """Run a script in another process and return the JSON that it prints."""
    ran = subprocess.run(
        [sys.executable, "-c", script, *args],
        capture_output=True, text=True, env=environment(env), timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def raw(path: Path, sql: str, *bindings: Any) -> list[tuple[Any, ...]]:
    """Run SQL on a store's file, past the product, as somebody with the file would."""
    connection = apsw.Connection(str(path))
    try:
        connection.set_busy_timeout(5_000)
        return list(connection.execute(sql, bindings))
    finally:
        connection.close()


def files_of(path: Path) -> dict[str, bytes]:
    """Return the bytes of everything that lies in the folder of a store, by name."""
    return {file.name: file.read_bytes() for file in sorted(path.parent.iterdir()) if file.is_file()}


def places_of(path: Path, word: str) -> dict[str, int]:
    """Return how often a word lies in each file of a store's folder, in any case, as UTF-8 or UTF-16."""
    found = {}
    for name, data in files_of(path).items():
        low = data.lower()
        forms = {word.lower().encode(), word.lower().encode("utf-16-le"), word.lower().encode("utf-16-be")}
        count = sum(low.count(form) for form in forms)
        if count:
            found[name] = count
    return found


def moment(clock: FakeClock) -> datetime:
    """Return the instant that lies just behind everything written so far."""
    return datetime.fromtimestamp(clock.now() / 1e6, UTC)


def texts(memory: Memory, query: str, **given: Any) -> list[str]:
    """Return the texts of what a query finds."""
    return [hit.text for hit in memory.recall(query, **given)]
