"""What hooks remember from one call to the next, beside the store: where sessions began, and what went wrong.

It holds names of sessions, sizes of the log and codes of errors; nothing that was said. A file that cannot be read or
written is no reason to fail: then a session's end has nothing to close, and what went wrong is said once only.

Hooks of several sessions, and of several tools of one, run at once. So the file is written at its end only, one JSON object
a line, and what it comes to is what its lines come to, in whatever order processes wrote them.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

ENDING: Final = ".hooks"
"""How the name of the file ends."""

SESSIONS: Final = 32
"""Sessions that are remembered: the latest. One that was never ended is forgotten after so many others."""

MAX_SIZE: Final = 65_536
"""Bytes of a file that is read: what is larger was not written here."""

LONG: Final = 16_384
"""Bytes from which on the file is rewritten as what it comes to: some hundred sessions."""


class State:
    """The file beside a store.

    Args:
        place: The file of the store; None for one in RAM, which has nothing beside it.
    """

    def __init__(self, place: str | os.PathLike[str] | None) -> None:
        self._path = None if place is None else os.fspath(place) + ENDING

    def begun(self, session: str, size: int) -> None:
        """Note where a session begins."""
        self._note({"begun": session, "size": size})

    def ended(self, session: str) -> int | None:
        """Return where a session began, and forget it; None where that is not known."""
        size = self._read()[0].get(session)
        if size is not None:
            self._note({"ended": session})
        return size

    def failed(self, event: str, code: str) -> None:
        """Count a hook that did nothing."""
        self._note({"failed": {f"{event} {code}": 1}})

    def failures(self) -> Counter[str]:
        """Return how often which hook did nothing since that was last told."""
        return self._read()[1]

    def taken(self) -> Counter[str]:
        """Return the failures, and count anew."""
        found = self.failures()
        if found:
            self._note({"told": found})
        return found

    def _read(self) -> tuple[dict[str, int], Counter[str]]:
        """Return where sessions began that have not ended, and what failed. A line of another shape says nothing."""
        sessions: dict[str, int] = {}
        failures: Counter[str] = Counter()
        for line in self._lines():
            name = line.get("begun")
            if isinstance(name, str) and "size" in _numbers(line):
                sessions.pop(name, None)
                sessions[name] = line["size"]
            if isinstance(ended := line.get("ended"), str):
                sessions.pop(ended, None)
            failures.update(_numbers(line.get("failed")))
            failures -= Counter(
                _numbers(line.get("told"))
            )  # two may have told the same: it does not fall below nothing
        return dict([*sessions.items()][-SESSIONS:]), failures

    def _lines(self) -> Iterator[dict[str, Any]]:
        if self._path is None:
            return
        data = b""
        with suppress(OSError), open(self._path, "rb") as file:
            data = file.read(MAX_SIZE)
        for line in data.splitlines():
            with suppress(ValueError, RecursionError):
                found = json.loads(line)
                if isinstance(found, dict):
                    yield found

    def _note(self, line: dict[str, Any]) -> None:
        if self._path is None:
            return
        with suppress(OSError):
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(
                    file, b"\n" + json.dumps(line).encode() + b"\n"
                )  # first an end, for a line that was broken off
                size = os.fstat(file).st_size
            finally:
                os.close(file)
            if size > LONG:
                self._shorten(self._path, size)

    def _shorten(self, path: str, size: int) -> None:
        """Put a file in place that says the same in fewer words; another time, if somebody writes meanwhile."""
        sessions, failures = self._read()
        lines: list[dict[str, Any]] = [{"begun": name, "size": at} for name, at in sessions.items()]
        new = f"{path}.{os.urandom(6).hex()}.new"
        try:
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.writelines(json.dumps(line) + "\n" for line in [*lines, {"failed": failures}])
            if os.stat(path).st_size == size:
                os.replace(new, path)
        finally:
            with suppress(OSError):
                os.unlink(new)


def _numbers(found: Any) -> dict[str, int]:
    if not isinstance(found, dict):
        return {}
    return {name: n for name, n in found.items() if isinstance(n, int) and not isinstance(n, bool) and n >= 0}
