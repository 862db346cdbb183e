"""An asynchronous memory that a test written for Memory can drive: each call is awaited on an event loop."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from muniment import AsyncMemory


class Driven:
    """Looks like a Memory, is an AsyncMemory.

    Args:
        subject: The asynchronous memory, or a group of it.
        runner: The loop that every call is run on.
    """

    def __init__(self, subject: Any, runner: asyncio.Runner) -> None:
        self._subject, self._runner = subject, runner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._subject, name)
        if inspect.iscoroutinefunction(found):
            return self._awaited(found)
        if name in ("scoped", "namespace"):
            return self._opened(found)
        return Driven(found, self._runner) if type(found).__name__.startswith("Async") else found

    def _awaited(self, method: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **kwargs: self._runner.run(method(*args, **kwargs))

    def _opened(self, method: Callable[..., AsyncMemory]) -> Callable[..., Driven]:
        return lambda *args, **kwargs: Driven(self._runner.run(method(*args, **kwargs).open()), self._runner)
