"""What an answer looks like to a person, before it is known how wide the page is and whether it has colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from muniment.quick import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence.

    Args:
        text: It.
        mood: ``plain``, ``good``, ``warn``, ``bad``, ``strong`` or ``faint``.
        aside: A remark about the answer and no part of it: in a pipe it goes to standard error, so that whoever pastes
            the answer into a prompt pastes nothing else.
    """

    text: str
    mood: str = "plain"
    aside: bool = False


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


def remark(text: str, mood: str = "faint") -> Line:
    """Return a sentence about an answer that is no part of it."""
    return Line(text, mood, aside=True)


Block = Line | Fields | Table | Drawing
