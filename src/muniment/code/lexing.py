"""What of a text is code: a lexer says what are comments and strings, and they are blanked out.

The rest keeps its place to the character, so that whatever is found in it can be pointed at. A comment becomes white
space, since a name may go on behind it; a string becomes a character that no name goes on behind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from muniment.code.languages import Language
from muniment.errors import CapabilityError

ALLOWED: Final = "muniment: allow"
"""In a comment: the names of this line are used on purpose."""

_NOT_NEWLINE: Final = re.compile(r"[^\n]")
_VISIBLE: Final = re.compile(r"[^\s]")
_STRING: Final = "\0"

Span = tuple[int, int, str]
"""Start, end, and what it is: comment or string."""


@dataclass(frozen=True, slots=True)
class Lexed:
    """A text, taken apart.

    Args:
        text: The text.
        code: The same with comments and strings blanked out.
        apart: What was blanked out, in order.
        allowed: Lines, counted from 1, whose comment says that a use is on purpose.
    """

    text: str
    code: str
    apart: tuple[Span, ...]
    allowed: frozenset[int]


def lexer_of(language: Language) -> Any:
    """Return the lexer of a language.

    Raises:
        CapabilityError: If pygments is not installed.
    """
    try:
        return _lexer(language.name)
    except ImportError:
        raise CapabilityError(
            "Looking for names in code needs pygments.", advice='Install it: pip install "muniment[code]".'
        ) from None


@lru_cache(maxsize=64)
def _lexer(name: str) -> Any:
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(name)


def lex(text: str, language: Language) -> Lexed:
    """Take a text apart.

    Args:
        text: With ``\\n`` as its only line end.
        language: Its language.
    """
    pieces: list[str] = []
    apart: list[Span] = []
    allowed: set[int] = set()
    for start, kind, value in lexer_of(language).get_tokens_unprocessed(text):
        treat = _treatment(kind, language.text_counts)
        if treat is None:
            pieces.append(value)
            continue
        blank, what = treat
        pieces.append(blank(value))
        if what:
            apart.append((start, start + len(value), what))
        if what == "comment" and ALLOWED in value:
            allowed.update(_lines_of(text, start, value))
    code = "".join(pieces)
    if len(code) != len(text):  # a lexer that does not keep every character cannot be pointed with
        code, apart = text, []
    return Lexed(text, code, tuple(apart), frozenset(allowed))


def _lines_of(text: str, start: int, comment: str) -> Iterator[int]:
    at = comment.find(ALLOWED)
    first = text.count("\n", 0, start) + 1
    while at >= 0:
        yield first + comment.count("\n", 0, at)
        at = comment.find(ALLOWED, at + 1)


def _spaces(value: str) -> str:
    return _NOT_NEWLINE.sub(" ", value) if "\n" in value else " " * len(value)


def _string(value: str) -> str:
    return _NOT_NEWLINE.sub(_STRING, value) if "\n" in value else _STRING * len(value)


def _running(value: str) -> str:
    return _VISIBLE.sub(_STRING, value)


@lru_cache(maxsize=1024)
def _treatment(kind: Any, text_counts: bool) -> tuple[Callable[[str], str], str] | None:
    """Return how tokens of a kind are blanked out, and what they are; None if they are code."""
    from pygments.token import Comment, Generic, Literal, String, Text

    if kind in Comment:
        if kind in Comment.PreprocFile:
            return _string, "string"
        return None if kind in Comment.Preproc else (_spaces, "comment")
    if kind in String:
        return None if kind in String.Interpol or kind in String.Symbol else (_string, "string")
    if kind in Literal.Scalar or kind in Generic:
        return _string, "string"
    if kind in Text:
        return None if text_counts else (_running, "")
    return None
