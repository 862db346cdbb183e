"""What an answer looks like to a person, before it is known how wide the page is and whether it has colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence.

    Args:
        text: It.
        mood: ``plain``, ``good``, ``warn``, ``bad``, ``strong`` or ``faint``.
    """

    text: str
    mood: str = "plain"


@dataclass(frozen=True, slots=True)
class Fields:
    """Names and values."""

    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns. On a narrow page each row becomes names and values."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture made of characters.

    Args:
        draw: Returns it, for a page of so many columns, or of any width for None.
    """

    draw: Callable[[int | None], str]


Block = Line | Fields | Table | Drawing
