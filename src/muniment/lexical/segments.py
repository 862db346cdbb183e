"""Cutting a stretch of text without white space into terms: words, identifiers with their parts, and n-grams.

The splitter works on a *shadow* of the text: one ASCII character for each character, that says only what kind it
is (``A`` upper-case, ``a`` other letter, ``0`` digit, ``<`` Chinese, Japanese or Korean, ``>`` Thai, Lao, Khmer or
Burmese, ``*`` symbol, a connector such as ``-`` as itself, space for the rest). Plain regular expressions over the
shadow then serve every script, on any Python, without tables of their own.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from muniment.lexical.stems import TABLE_LIMIT, bare, fold, stem
from muniment.patterns import pattern

LONGEST: Final = 64
"""Characters of the longest term. What is longer is a key or a blob; its first 64 characters name it."""

_MIXED_PARTS: Final = 4
"""More runs of letters and digits than this make a hash, which nobody looks up by its parts."""

_SHORTEST_PARTS: Final = 3
"""Average length of the words in a ``camelCase`` name; what changes case more often is a hash, or ``LoCoMo``."""

_CONNECTORS: Final = "-_.:/@+#'&\\~="

_UNSPACED: Final = ((0x1100, 0x11FF, "<"), (0x2E80, 0x2FDF, "<"), (0x3005, 0x3007, "<"), (0x3021, 0x3029, "<"),
                    (0x3031, 0x3035, "<"), (0x3041, 0x3096, "<"), (0x3099, 0x309A, "<"), (0x309D, 0x309F, "<"),
                    (0x30A1, 0x30FA, "<"), (0x30FC, 0x31BF, "<"), (0x31F0, 0x31FF, "<"), (0x3400, 0x4DBF, "<"),
                    (0x4E00, 0x9FFF, "<"), (0xA000, 0xA48C, "<"), (0xA960, 0xA97F, "<"), (0xAC00, 0xD7FF, "<"),
                    (0xF900, 0xFAFF, "<"), (0x20000, 0x3FFFD, "<"),
                    (0x0E01, 0x0E3A, ">"), (0x0E40, 0x0E4E, ">"), (0x0E81, 0x0EDF, ">"), (0x1000, 0x109F, ">"),
                    (0x1780, 0x17D3, ">"), (0xA9E0, 0xA9FF, ">"), (0xAA60, 0xAA7F, ">"))  # fmt: skip
"""Scripts written without spaces between words (Hangul has spaces, but joins particles to its nouns)."""


class _ShadowTable(dict[int, str]):
    """A ``str.translate`` table to shadow characters, filled as code points are met."""

    def __missing__(self, code: int) -> str:
        kind = _kind_of(code)
        if len(self) < TABLE_LIMIT:
            self[code] = kind
        return kind


def _kind_of(code: int) -> str:
    for first, last, kind in _UNSPACED:
        if first <= code <= last:
            return kind
    character = chr(code)
    if code < 0x80:
        if character.isalpha():
            return "A" if character.isupper() else "a"
        return "0" if character.isdigit() else character if character in _CONNECTORS else " "
    category = unicodedata.category(character)
    if category in ("Lu", "Lt"):
        return "A"
    if category[0] in "LM":
        return "a"
    # An unassigned character is most likely an emoji that this Python does not know yet.
    return "0" if category[0] == "N" else "*" if category in ("So", "Cn") else " "


_SHADOW: Final = _ShadowTable()

_RUN: Final = pattern(
    r"((?:(?<![.@#])[.@#])?[aA0_]+(?:(?:::|://|\+\+|[-.:/@+#'&\\~=])[aA0_]+)*(?:\+\+?|\#)?)|([<>]+)|(\*)"
)
_WORD: Final = pattern(r"A?a+|A+")
_CAPITALS_AND_S: Final = pattern(r"AA+a")
_PIECE: Final = pattern(r"[aA0]+")
_ALIKE: Final = pattern(r"[aA]+|0+")
_PART: Final = pattern(r"A+(?=Aa)|A?a+|A+")
_JOINT: Final = pattern(r"://|::|[/@:=&\\~]")
_INITIALS: Final = pattern(r"[aA](?:\.[aA])+")
_APOSTROPHE: Final = pattern(r"[aA]+'[aA]+")
_THOUSANDS: Final = pattern(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")

_ELIDED: Final = frozenset(("l", "d", "j", "m", "t", "s", "n", "c", "qu"))
"""French and Italian words that lose their vowel before the next (``l'homme``)."""

_CONTRACTED: Final = frozenset(("t", "re", "ve", "ll", "d", "m"))
"""What English adds after an apostrophe (``don't``, ``we're``)."""


class Terms:
    """What the splitter found: ``terms`` in order, and two sets of places that a query treats differently.

    ``spare`` holds the places that only the index needs: single characters inside a longer run (a query of two
    characters means the pair). ``parts`` holds the places of pieces of an identifier, which weigh less in a
    query than the identifier they came from.
    """

    __slots__ = ("parts", "spare", "terms")

    def __init__(self) -> None:
        self.terms: list[str] = []
        self.spare: set[int] = set()
        self.parts: set[int] = set()

    def add(self, term: str, part: bool = False) -> None:
        """Add a term at the next place."""
        if part:
            self.parts.add(len(self.terms))
        self.terms.append(term[:LONGEST])

    def add_word(self, word: str, part: bool) -> None:
        """Add the stem of a lower-case word, and the word behind a Hebrew prefix."""
        self.add(stem(word) if len(word) <= LONGEST else word, part)
        if bare(word):
            self.add(bare(word), True)


def split(chunk: str) -> Terms:
    """Split a stretch of text into terms.

    Args:
        chunk: Text; usually what stood between two spaces.

    Example:
        >>> split("db-3.internal:").terms
        ['db-3.internal', 'db', '3', 'internal']
        >>> split("腾讯云").terms
        ['腾', '腾讯', '讯', '讯云', '云']
    """
    found = Terms()
    text = fold(chunk)
    if "," in text:
        text = _THOUSANDS.sub("", text)
    shadow = text.translate(_SHADOW)
    for run in _RUN.finditer(shadow):
        start, end = run.span()
        if run.lastindex == 1:
            _compound(text[start:end], shadow[start:end], found)
        elif run.lastindex == 2:
            _grams(text[start:end], found)
        else:
            found.add(text[start:end])
    return found


def _grams(run: str, found: Terms) -> None:
    """Add each character and each pair of neighbours. A character is a base with the marks on it."""
    clusters: list[str] = []
    for character in run:
        if clusters and unicodedata.category(character)[0] == "M":
            clusters[-1] += character
        else:
            clusters.append(character)
    last = len(clusters) - 1
    for i, cluster in enumerate(clusters):
        if last:
            found.spare.add(len(found.terms))
        found.add(cluster)
        if i < last:
            found.add(cluster + clusters[i + 1])


def _compound(text: str, shadow: str, found: Terms) -> None:
    """Add a word; or an identifier: itself, the stretches between its main joints, its pieces and their parts."""
    if _is_word(text, shadow):
        found.add_word(text.lower(), False)
        return
    if "'" in shadow:
        if text[-2:] in ("'s", "'S"):
            _compound(text[:-2], shadow[:-2], found)
            return
        if _APOSTROPHE.fullmatch(shadow):
            _apostrophe(text, shadow, found)
            return
    pieces = len(_PIECE.findall(shadow))
    nested = len(text) <= LONGEST and _PIECE.fullmatch(shadow) is None
    if pieces and nested:
        found.add(text.lower())
    if _INITIALS.fullmatch(shadow):
        found.add(text.replace(".", "").lower(), True)
        return
    at = 0
    for joint in [*_JOINT.finditer(shadow), None]:
        start, end = joint.span() if joint else (len(shadow), 0)
        _segment(text[at:start], shadow[at:start], found, pieces, nested)
        at = end


def _is_word(text: str, shadow: str) -> bool:
    if _WORD.fullmatch(shadow):
        return True
    return text[-1] == "s" and _CAPITALS_AND_S.fullmatch(shadow) is not None  # URLs, APIs


def _apostrophe(text: str, shadow: str, found: Terms) -> None:
    """Add two words joined by an apostrophe: as one word, the second alone, or all three."""
    first, second = text.lower().split("'")
    if first in _ELIDED and len(second) > 2:
        _compound(text[len(first) + 1 :], shadow[len(first) + 1 :], found)
        return
    found.add(first + second)
    if second not in _CONTRACTED:
        for word in (first, second):
            if len(word) > 1:
                found.add_word(word, True)


def _segment(text: str, shadow: str, found: Terms, pieces: int, nested: bool) -> None:
    """Add what stands between two joints of an identifier: the stretch, unless it is all or one piece, then pieces."""
    inside = [piece.span() for piece in _PIECE.finditer(shadow)]
    if 1 < len(inside) < pieces and len(text) <= LONGEST:
        found.add(text.lower(), nested)
    for start, end in inside:
        _piece(text[start:end], shadow[start:end], found, nested)


def _piece(text: str, shadow: str, found: Terms, nested: bool) -> None:
    """Add a run of letters and digits, then its words and numbers (``getUser2``: get, user, 2)."""
    if "0" not in shadow:
        _letters(text, shadow, found, nested)
        return
    found.add(text.lower(), nested)
    runs = list(_ALIKE.finditer(shadow)) if len(text) <= LONGEST else []
    if 1 < len(runs) <= _MIXED_PARTS:
        for run in runs:
            start, end = run.span()
            if shadow[start] == "0":
                found.add(text[start:end], True)
            elif end - start > 1:  # the v of v2 says nothing by itself
                _letters(text[start:end], shadow[start:end], found, True)


def _letters(text: str, shadow: str, found: Terms, nested: bool) -> None:
    """Add a run of letters, then the words that capitals mark in it."""
    lowered = text.lower()
    found.add_word(lowered, nested)
    if _is_word(text, shadow) or len(text) > LONGEST:
        return
    parts = [part.span() for part in _PART.finditer(shadow)]
    if len(parts) * _SHORTEST_PARTS <= len(text) + 2:
        for start, end in parts:
            if end - start > 1:  # nor does the i of iPhone
                found.add_word(lowered[start:end], True)
