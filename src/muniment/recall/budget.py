"""How many tokens a text takes: a careful guess without any tokenizer, and the limits of a budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from muniment.patterns import pattern

LETTERS: Final = 4
"""Letters, digits and spaces to a token, in ASCII. English prose has about 4.5 in the usual vocabularies; less is on
the careful side, and code and names have fewer."""

_MARK: Final = pattern(r"[!-/:-@\[-`{-~\x00-\x1f\x7f]")

Counter = Callable[[str], int]
"""Counts the tokens of a text."""


def estimated(text: str) -> int:
    """Guess how many tokens a text takes, rather too many than too few.

    One for four ASCII letters, digits or spaces, and one for each other character. For records of this memory in
    English that is a sixth more than the vocabularies cl100k and o200k need; for bare hexadecimal it is too little.

    Args:
        text: Any text.

    Example:
        >>> estimated("The rate limit is 100/min"), estimated("用户"), estimated("")
        (7, 2, 0)
    """
    wide = 0 if text.isascii() else len(text) - len(text.encode("ascii", "ignore"))
    marks = len(_MARK.findall(text))
    return math.ceil((len(text) - wide - marks) / LETTERS) + marks + wide


def shortened(text: str, words: int) -> str:
    """Return the first sentence of a text, or as many of its words as are wanted.

    Args:
        text: Any text.
        words: At most so many; what white space parts, so that a script without any is cut by characters.

    Example:
        >>> shortened("It runs on port 5433. Ask Ana.", 20), shortened("one two three", 2)
        ('It runs on port 5433.', 'one two …')
    """
    first = _SENTENCE.split(text.strip(), maxsplit=1)[0]
    found = first.split()
    cut = " ".join(found[:words])
    most = words * _WORD
    whole = len(found) <= words and len(cut) <= most
    return cut if whole else f"{cut[:most].rstrip()} …"


_SENTENCE: Final = pattern(r"(?<=[.!?])\s+(?=\S)|\s*\n\s*|(?<=[。！？])")

_WORD: Final = 12
"""Characters of a long word: what a run without spaces counts as."""
