"""Regular expressions that are compiled when they are first used.

A process that loads fifty to use eight, as a hook does, spent a tenth of its time on compiling the others.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

_METHODS = (
    "flags",
    "fullmatch",
    "groupindex",
    "groups",
    "findall",
    "finditer",
    "match",
    "search",
    "split",
    "sub",
    "subn",
)


class _Pattern:
    """Stands for a compiled pattern, and is made of its methods once one of them was asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self.pattern, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return self.__dict__[name]


def _pattern(text: str, flags: int = 0) -> _Pattern:
    """Return a pattern: see ``re.compile``.

    Example:
        >>> pattern(r"[a-z]+").findall("to be")
        ['to', 'be']
    """
    return _Pattern(text, flags)


if TYPE_CHECKING:
    pattern = re.compile
else:
    pattern = _pattern

__all__ = ["pattern"]
