"""Paths as text. ``pathlib`` is loaded where one is not spelled as it would spell it: it brings ``urllib`` along."""

from __future__ import annotations

import os

from muniment.errors import ValidationError


def here() -> str:
    """Return the current folder.

    Raises:
        ValidationError: If it is not there any more.
    """
    try:
        return os.getcwd()
    except OSError:
        raise ValidationError(
            "The current folder is not there any more.", advice="Go to another one, or write paths in full."
        ) from None


def absolute(text: str) -> str:
    """Return a path from the root, with ``~`` expanded.

    Raises:
        ValidationError: If it begins with a user whose home is not known, or with a folder that is not there any more.

    Example:
        >>> absolute("/srv//app/./memory.muniment")
        '/srv/app/memory.muniment'
    """
    if os.path.isabs(text) and os.path.normpath(text) == text:
        return text
    from pathlib import Path

    try:
        path = Path(text).expanduser()
    except RuntimeError:
        raise ValidationError(
            "The path begins with a user whose home is not known.", advice="Write the path in full."
        ) from None
    return str(path if path.is_absolute() else Path(here()) / path)
