"""Paths as text. ``pathlib`` is loaded where one is not spelled as it would spell it: it brings ``urllib`` along."""

from __future__ import annotations

import os


def absolute(text: str) -> str:
    """Return a path from the root, with ``~`` expanded.

    Raises:
        RuntimeError: If it begins with a user whose home is not known.

    Example:
        >>> absolute("/srv//app/./memory.muniment")
        '/srv/app/memory.muniment'
    """
    if os.path.isabs(text) and os.path.normpath(text) == text:
        return text
    from pathlib import Path

    return str(Path(text).expanduser().absolute())
