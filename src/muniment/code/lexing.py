"""What of a text is code: a lexer says what are comments and strings, and they are blanked out.

The rest keeps its place to the character, so that whatever is found in it can be pointed at. A comment becomes white
space, since a name may go on behind it; a string becomes a character that no name goes on behind.

Lexers are made of regular expressions, some of which take for ever on a text that no person wrote: five thousand empty
lines in C, a hundred thousand characters without a line end. Such a text is not given to them, and one that takes too
long is taken away from them; what is in it counts as code then, so that nobody hides a use that way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from time import monotonic
from typing import Any, Final

from muniment.code.languages import Language
from muniment.errors import CapabilityError
from muniment.quick import dataclass

ALLOWED: Final = "muniment: allow"
"""In a comment: the names of this line are used on purpose."""

LONG_LINE: Final = 4_000
"""Characters of a line that a lexer is given. At twice as many the slowest (make, terraform) take seconds for one."""

LONG_GAP: Final = 1_000
"""White space on end that a lexer is given: 0.15 s in C, and four times that at twice the length."""

SECONDS: Final = 2.0
"""What a lexer may take for one text. It does some 10,000 lines in a second; the largest file has 50,000, of which few
hold a name that is looked for."""

_LOOK_AT_CLOCK: Final = 64
"""Tokens after which the clock is looked at."""

_TOO_MUCH: Final = re.compile(rf"[^\n]{{{LONG_LINE + 1}}}|\s{{{LONG_GAP + 1}}}")
_ALLOWED: Final = re.compile(re.escape(ALLOWED))
_NOT_NEWLINE: Final = re.compile(r"[^\n]")
_VISIBLE: Final = re.compile(r"[^\s\\]")  # a backslash may join two lines
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
        whole: No lexer could be asked, so everything counts as code.
    """

    text: str
    code: str
    apart: tuple[Span, ...]
    allowed: frozenset[int]
    whole: bool = False


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


def lex(text: str, language: Language, clock: Callable[[], float] = monotonic) -> Lexed:
    """Take a text apart.

    Args:
        text: With ``\\n`` as its only line end.
        language: Its language.
        clock: Tells seconds.
    """
    lexer = lexer_of(language)
    whole = Lexed(text, text, (), frozenset(), True)
    if _TOO_MUCH.search(text):
        return whole
    until, count = clock() + SECONDS, 0
    pieces: list[str] = []
    apart: list[Span] = []
    allowed: list[int] = []
    for start, kind, value in lexer.get_tokens_unprocessed(text):
        count += 1
        if count % _LOOK_AT_CLOCK == 0 and clock() > until:
            return whole
        treat = _treatment(kind, language.text_counts)
        if treat is None:
            pieces.append(value)
            continue
        blank, what = treat
        pieces.append(blank(value))
        if what:
            apart.append((start, start + len(value), what))
        if what == "comment" and ALLOWED in value:
            allowed += [start + one.start() for one in _ALLOWED.finditer(value)]
    code = "".join(pieces)
    if len(code) != len(text):  # a lexer that does not keep every character cannot be pointed with
        return whole
    return Lexed(text, code, tuple(apart), frozenset(_lines_of(text, allowed)))


def _lines_of(text: str, places: list[int]) -> Iterator[int]:
    """Yield the lines on which places of a text lie, which are given in order."""
    line, before = 1, 0
    for place in places:
        line += text.count("\n", before, place)
        before = place
        yield line


def _spaces(value: str) -> str:
    return _NOT_NEWLINE.sub(" ", value) if "\n" in value else " " * len(value)


def _string(value: str) -> str:
    return _NOT_NEWLINE.sub(_STRING, value) if "\n" in value else _STRING * len(value)


def _running(value: str) -> str:
    return _VISIBLE.sub(_STRING, value)


@lru_cache(maxsize=1024)
def _treatment(kind: Any, text_counts: bool) -> tuple[Callable[[str], str], str] | None:
    """Return how tokens of a kind are blanked out, and what they are; None if they are code."""
    from pygments.token import Comment, Generic, Literal, Other, String, Text

    if kind in Comment:
        if kind in Comment.PreprocFile:
            return _string, "string"
        return None if kind in Comment.Preproc else (_spaces, "comment")
    if kind in String.Doc:  # for people, however the language stores it
        return _string, "comment"
    if kind in String:
        return None if kind in String.Interpol or kind in String.Symbol else (_string, "string")
    if kind in Literal.Scalar or kind in Generic:
        return _string, "string"
    if kind in Text or kind in Other:
        return None if text_counts else (_running, "")
    return None
