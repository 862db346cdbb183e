"""What a revert, a redo or a reopening did, in a sentence for whoever asked for it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from muniment.beliefs.state import Cause, Effect

_STEPS: Final = {
    "claim": ("change", "what it replaced", "what it said"),
    "end": ("end", "what it ended", "what it said"),
    "retract": ("retraction", "what it took away", "what it said"),
    "release": ("release", "what it let go", "what it said"),
    "revert": ("revert", "what it took away", "what it gave back"),
    "reopen": ("reopening", "what it took away", "what it gave back"),
    "verdict": ("verdict", "what it took away", "what it let in"),
}
"""Of each kind of step: its name, what it took and what it gave."""

_KEPT: Final = "what was said or decided since stands."

_OTHER: Final = ("change", "what it took away", "what it gave")


def undoing(kinds: Sequence[str], effects: Iterable[Effect]) -> str:
    """Return what a revert did.

    Args:
        kinds: The kinds of entry it undoes, each by the name of its type; the latest last.
        effects: What came of it.

    Example:
        >>> undoing(["end"], [Effect("c", True, 0, 9, Cause.RETURN)])
        'The end is undone: what it ended is back.'
    """
    name, took, gave = _named(kinds)
    are = "are" if len(kinds) > 1 else "is"
    said = f"The last {name} {are} undone" if kinds[-1] == "claim" or len(kinds) > 1 else f"The {name} {are} undone"
    effects = tuple(effects)
    if _back(effects):
        return f"{said}: {took} is back."
    if any(e.cause not in (Cause.MEET, Cause.WITHDRAW) for e in effects):
        return f"{said}: {gave} no longer holds."
    return f"{said}, but nothing comes back: {_KEPT}"


def redoing(kinds: Sequence[str], effects: Iterable[Effect]) -> str:
    """Return what a redo did: it undoes the revert of steps of these kinds (see :func:`undoing`).

    Example:
        >>> redoing(["claim", "end"], [Effect("c", False, 0, 9, Cause.REVERT)])
        'The 2 changes that were undone stand again.'
    """
    name = _named(kinds)[0]
    said = f"The {name} that were undone stand again" if len(kinds) > 1 else f"The {name} that was undone stands again"
    moved = any(e.cause is not Cause.MEET for e in effects)
    return f"{said}." if moved else f"{said}, but nothing moves: {_KEPT}"


def reopening(kind: str, effects: Iterable[Effect]) -> str:
    """Return what a reopening of an end or a release did."""
    name, took, _ = _named([kind])
    if _back(effects):
        return f"The {name} is taken back: {took} is back."
    return f"The {name} is taken back, but nothing comes back: {_KEPT}"


def _named(kinds: Sequence[str]) -> tuple[str, str, str]:
    """Return the name of one or several steps, what they took and what they gave."""
    if len(kinds) == 1:
        return _STEPS.get(kinds[0], _OTHER)
    return f"{len(kinds)} changes", "what they replaced", "what they said"


def _back(effects: Iterable[Effect]) -> bool:
    """Say whether something came back."""
    return any(e.gain and e.cause is Cause.RETURN for e in effects)
