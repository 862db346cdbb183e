"""Folding and light stemming, chosen by script and never by guessing a language.

A three-word query is too short to tell German from English, and a word stemmed one way in a claim and another
way in a question is a word that is never found. So the script decides: one algorithm for each, the same for
claims and for queries.

Stemming algorithms: Snowball (M. F. Porter, https://snowballstem.org).
"""

from __future__ import annotations

import threading
import unicodedata
from bisect import bisect_right
from typing import Any, Final

from muniment.patterns import pattern

_BLOCKS: Final = (
    # (first code point, stemming algorithm or a name of ours); a block ends where the next begins.
    (0x0000, "english"),
    (0x0250, ""),
    (0x0370, "greek"),
    (0x0400, "russian"),
    (0x0530, "armenian"),
    (0x0590, "hebrew"),
    (0x0600, "arabic"),
    (0x0700, ""),
    (0x0750, "arabic"),
    (0x0780, ""),
    (0x0900, "hindi"),
    (0x0980, ""),
    (0x0B80, "tamil"),
    (0x0C00, ""),
    (0x1E00, "english"),
    (0x1F00, "greek"),
    (0x2000, ""),
    (0x2C60, "english"),
    (0x2C80, ""),
    (0xA640, "russian"),
    (0xA6A0, ""),
    (0xA720, "english"),
    (0xA800, ""),
)
_STARTS: Final = [start for start, _ in _BLOCKS]

_HEBREW_PREFIXES: Final = frozenset("ובהלמשכ")
"""One-letter words ("and", "in", "the", "to", "from", "that", "like") that Hebrew writes joined to the next word."""

_ARABIC_AND: Final = pattern("[وف](?=(?:ال|بال|كال|لل)..)")
"""The one-letter "and" before an article, which the stemmer knows only where no article follows."""

_ARABIC_ARTICLES: Final = ("ال", "بال", "كال", "لل")

_LETTERS: Final = str.maketrans(
    {
        # Letters that Unicode does not decompose, as people type them on a plain keyboard.
        "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L", "ħ": "h", "Ħ": "H", "ı": "i", "ŧ": "t",
        "Ŧ": "T", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D",
        "ß": "ss", "ẞ": "SS", "ŋ": "ng", "Ŋ": "NG", "ς": "σ",
        # Cyrillic: only what writers leave out. й, ї and ў are letters of their own.
        "ё": "е", "Ё": "Е", "ѐ": "е", "Ѐ": "Е", "ѝ": "и", "Ѝ": "И",
        # Arabic: seats of the hamza, and the Persian twins of kaf and yeh.
        "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ک": "ك", "ـ": "",
        # Apostrophes and hyphens in all their shapes.
        "’": "'", "‘": "'", "ʼ": "'", "ʹ": "'", "′": "'", "‐": "-", "‑": "-", "−": "-",
    }
)  # fmt: skip

_BEFORE: Final = str.maketrans({"™": " ", "℠": " ", "®": " "})
"""NFKC would glue these to the word as letters (``Foo™`` to ``FooTM``)."""

_VOWEL_MARKS: Final = ((0x0300, 0x036F), (0x0591, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F), (0x0670, 0x0670),
                       (0x06D6, 0x06ED), (0x08D3, 0x08FF), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF),
                       (0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0xE0100, 0xE01EF))  # fmt: skip
"""Marks a reader may leave out. Those of Indic, Thai and kana are part of the spelling and stay."""

TABLE_LIMIT: Final = 20_000
"""Code points remembered in a translation table: all of everyday writing, and no more than about 2 MB."""


class _FoldTable(dict[int, str | None]):
    """A ``str.translate`` table that works out a code point when it is first met."""

    def __missing__(self, code: int) -> str | None:
        folded = _fold_character(chr(code))
        if len(self) < TABLE_LIMIT:
            self[code] = folded
        return folded


def _fold_character(character: str) -> str | None:
    code = ord(character)
    category = unicodedata.category(character)
    if category in ("Cf", "Cs"):
        return None
    if category == "Mn" and any(first <= code <= last for first, last in _VOWEL_MARKS):
        return None
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category[0] == "L" and algorithm_of(character) in ("english", "greek"):
        base = unicodedata.normalize("NFD", character)
        return "".join(c for c in base if unicodedata.category(c) != "Mn").translate(_LETTERS)
    return character


_FOLD: Final = _FoldTable(_LETTERS)


def fold(text: str) -> str:
    """Return ``text`` in NFKC without diacritics, vowel points, invisible characters and foreign digits.

    Case is kept, because the splitter still needs it (``camelCase``).

    Args:
        text: Any text, lone surrogates included (they are dropped).

    Example:
        >>> fold("Café №٣"), fold("Łódź")
        ('Cafe No3', 'Lodz')
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text.translate(_BEFORE)).translate(_FOLD)


def algorithm_of(character: str) -> str:
    """Name the stemming algorithm for the script of ``character``; empty when there is none.

    Example:
        >>> algorithm_of("a"), algorithm_of("я"), algorithm_of("字")
        ('english', 'russian', '')
    """
    return _BLOCKS[bisect_right(_STARTS, ord(character)) - 1][1]


_stemmers = threading.local()


def _stemmer(algorithm: str) -> Any:
    """Return this thread's stemmer; the C objects may not be shared between threads."""
    try:
        return _stemmers.__dict__[algorithm]
    except KeyError:
        made: Any
        try:
            import Stemmer

            made = Stemmer.Stemmer(algorithm, 0)  # no cache of its own: the analyser keeps one
        except ImportError:
            import snowballstemmer

            made = snowballstemmer.stemmer(algorithm)
        _stemmers.__dict__[algorithm] = made
        return made


def stem(word: str) -> str:
    """Return the stem of one folded, lower-case word.

    Args:
        word: A word without digits or punctuation, as ``fold`` and ``str.lower`` leave it.

    Returns:
        The stem; the word itself when its script has no algorithm here.

    Example:
        >>> stem("running"), stem("серверы"), stem("רץ")
        ('run', 'сервер', 'רץ')
    """
    algorithm = algorithm_of(word[0])
    if len(word) < 3 or not algorithm or algorithm == "hebrew":
        return word
    if algorithm == "arabic":
        word = _as_noun(word)
    stemmed: str = _stemmer(algorithm).stemWord(word)
    return stemmed or word


def _as_noun(word: str) -> str:
    """Return an Arabic word as the stemmer reads it alike with and without its article.

    It takes the feminine plural off a noun only after an article, and the "and" only where none follows.
    """
    word = word[1:] if _ARABIC_AND.match(word) else word
    if word.endswith("ات") and not word.startswith(_ARABIC_ARTICLES):
        return "ال" + word
    return word


def bare(word: str) -> str:
    """Return a Hebrew word without its joined one-letter prefix, or an empty string when there is none.

    Example:
        >>> bare("הבית"), bare("house")
        ('בית', '')
    """
    if len(word) >= 4 and word[0] in _HEBREW_PREFIXES:
        return word[1:]
    return ""
