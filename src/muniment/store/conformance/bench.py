"""How the suite gets at the store it tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from muniment.claims.intervals import FOREVER
from muniment.store.conformance.scribe import Scribe, found
from muniment.store.records import ClaimRow

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Store, Writer

T = TypeVar("T")


class Bench:
    """A store under test with one namespace in it, and a scribe who writes there.

    Args:
        open: Opens the store; called again to open the same one anew.
        durable: Whether a second opening finds what the first one left.
    """

    def __init__(self, open: Callable[[], Store], durable: bool) -> None:
        self._open = open
        self.durable = durable
        self.store = open()
        self.scribe: Scribe = found(self.store)

    def read(self, work: Callable[[Reader], T], namespace: str = "a") -> T:
        """Read the namespace."""
        return self.store.read(namespace, work)

    def write(self, work: Callable[[Writer], T], namespace: str = "a") -> T:
        """Write to the namespace."""
        return self.store.write(namespace, work)

    def say(self, key: str, text: str, start: int | None = None, end: int = FOREVER, **more: Any) -> ClaimRow:
        """Say something, in a transaction of its own (``Scribe.say``)."""
        return self.write(lambda tx: self.scribe.say(tx, key, text, start, end, **more))

    def reopen(self) -> None:
        """Close the store and open it again."""
        self.store.close()
        self.store = self._open()

    def second(self) -> Store:
        """Open the same store once more, beside the first."""
        return self._open()

    def close(self) -> None:
        """Close the store."""
        self.store.close()
