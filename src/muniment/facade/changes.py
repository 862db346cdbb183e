"""Following the changes of a namespace: a callback that is told of each entry, after the commit.

What fails here fails alone: the write it was told of is done, and neither it nor its caller notices.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from muniment.errors import ClosedError, ValidationError
from muniment.verbs.believing.feed import NOW, Change

if TYPE_CHECKING:
    from muniment.verbs.context import Context

_PAGE: Final = 100


def check_callback(value: object, what: str) -> None:
    """Refuse what cannot be called.

    Raises:
        ValidationError: If it cannot.
    """
    if not callable(value):
        raise ValidationError(
            f"{what} must be a function, not {type(value).__name__}.", advice="Pass what is to be called with a change."
        )


class Subscription:
    """Tells a callback of every entry that is appended, once each and in order, until it is closed.

    It is told in the thread of a write through this process, after its commit and before the call returns; what other
    processes wrote meanwhile is told first. An error of the callback is logged by its type alone and counted; the
    event counts as told. A callback may write: what it writes is told after it returns.

    Args:
        context: Who follows, and what they see.
        callback: Called with each change.
        content: Whether a change says what was said.

    Example:
        >>> from muniment import Memory
        >>> with Memory(":memory:") as memory, memory.subscribe(lambda change: print(change.type, change.disposition)):
        ...     _ = memory.remember("The office is in Berlin", key="office::city", value="Berlin")
        claim accepted
    """

    def __init__(self, context: Context, callback: Callable[[Change], Any], *, content: bool = False) -> None:
        from muniment.verbs.believing.changes import changes

        check_callback(callback, "callback")
        self._changes = changes
        self._context, self._callback, self._content = context, callback, content
        self._turn = threading.Lock()
        self._due = False
        self.failures = 0
        with self._turn:  # what is written from here on is told, though nobody may tell it before the place is known
            context.listeners.append(self.look)
            try:
                self._cursor = changes(context, NOW, content=content).cursor
            except BaseException:
                context.listeners.remove(self.look)
                raise
        if self._due:
            self.look()

    def look(self) -> None:
        """Tell what is new. Whoever is at it already tells the rest as well."""
        self._due = True
        while self._due and self._turn.acquire(blocking=False):
            try:
                self._due = False
                self._tell()
            finally:
                self._turn.release()

    def _tell(self) -> None:
        more = True
        while more:
            try:
                page = self._changes(self._context, self._cursor, _PAGE, self._content)
            except ClosedError:
                return
            except Exception as error:
                self._failed(error)
                return
            for change in page.rows:
                self._cursor = change.id
                try:
                    self._callback(change)
                except Exception as error:
                    self._failed(error)
            self._cursor, more = page.cursor, page.more

    def _failed(self, error: Exception) -> None:
        import logging

        self.failures += 1
        logging.getLogger("muniment.changes").warning("Telling of a change failed: %s", type(error).__name__)

    def close(self) -> None:
        """Tell no more. Closing twice is fine."""
        with suppress(ValueError):
            self._context.listeners.remove(self.look)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
