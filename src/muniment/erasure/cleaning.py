"""Cleaning the file after something left it: now, or later, but never as if what was committed had not happened."""

from __future__ import annotations

from muniment.errors import ClosedError, CorruptError, StoreError
from muniment.verbs.context import Context


def clean(context: Context) -> str:
    """Rewrite the file so that no byte of what was erased or replaced is left in it.

    What came before is committed and stays so, whatever becomes of this; so the caller is told, not refused.

    Returns:
        ``clean``, or ``pending`` while a reader or another writer holds the file, or there is no room to rewrite it:
        call ``reindex`` later.

    Raises:
        CorruptError: If the file is found not to be sound.
    """
    try:
        return context.store.purge()
    except CorruptError:
        raise
    except (StoreError, ClosedError):
        return "pending"
