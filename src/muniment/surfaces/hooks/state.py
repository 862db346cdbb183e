"""What hooks remember from one call to the next, beside the store: where sessions began, and what went wrong.

It holds names of sessions, sizes of the log and codes of errors; nothing that was said. A file that cannot be read or
written is no reason to fail: then a session's end has nothing to close, and what went wrong is said once only.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

ENDING: Final = ".hooks"
"""How the name of the file ends."""

SESSIONS: Final = 32
"""Sessions that are remembered: the latest. One that was never ended is forgotten after so many others."""

MAX_SIZE: Final = 65_536
"""Bytes of a file that is read: what is larger was not written here."""


class State:
    """The file beside a store.

    Args:
        place: The file of the store; None for one in RAM, which has nothing beside it.
    """

    def __init__(self, place: str | os.PathLike[str] | None) -> None:
        self._path = None if place is None else os.fspath(place) + ENDING

    def begun(self, session: str, size: int) -> None:
        """Note where a session begins."""

        def change(known: dict[str, Any]) -> None:
            sessions = {name: at for name, at in known["sessions"].items() if name != session}
            known["sessions"] = dict([*sessions.items(), (session, size)][-SESSIONS:])

        self._change(change)

    def ended(self, session: str) -> int | None:
        """Return where a session began, and forget it; None where that is not known."""
        size: int | None = self._read()["sessions"].get(session)
        if size is not None:
            self._change(lambda known: known["sessions"].pop(session, None))
        return size

    def failed(self, event: str, code: str) -> None:
        """Count a hook that did nothing."""
        self._change(lambda known: known["failures"].update({f"{event} {code}": 1}))

    def failures(self) -> Counter[str]:
        """Return how often which hook did nothing since that was last told."""
        return Counter(self._read()["failures"])

    def taken(self) -> Counter[str]:
        """Return the failures, and count anew."""
        found = self.failures()
        if found:
            self._change(lambda known: known["failures"].clear())
        return found

    def _read(self) -> dict[str, Any]:
        """Return what is known; what is not of the right shape is nothing."""
        found: Any = None
        if self._path is not None:
            with suppress(OSError, ValueError, RecursionError), open(self._path, encoding="utf-8") as file:
                found = json.loads(file.read(MAX_SIZE))
        found = found if isinstance(found, dict) else {}
        return {"sessions": _numbers(found.get("sessions")), "failures": Counter(_numbers(found.get("failures")))}

    def _change(self, change: Callable[[dict[str, Any]], Any]) -> None:
        if self._path is None:
            return
        known = self._read()
        change(known)
        new = f"{self._path}.{os.getpid()}.new"
        try:
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(known, file)
            os.replace(new, self._path)
        except OSError:
            with suppress(OSError):
                os.unlink(new)


def _numbers(found: Any) -> dict[str, int]:
    if not isinstance(found, dict):
        return {}
    return {name: n for name, n in found.items() if isinstance(n, int) and not isinstance(n, bool) and n >= 0}
