"""The one analyser: text to terms, the same for every back end, for claims and for queries.

A term never holds white space or a control character, is at most 64 characters long, and is lower-case. Cutting
at white space first makes the common case cheap: what one stretch means does not depend on its neighbours, so
it is remembered, and a sentence of familiar words costs one look-up for each.
"""

from __future__ import annotations

import threading
from typing import Final

from muniment.lexical.segments import LONGEST, split
from muniment.lexical.stems import fold
from muniment.lexical.stopwords import OF_LATE, is_stop_word
from muniment.quick import dataclass

_REMEMBERED: Final = 16_384
"""Stretches in one generation of the memo; two generations are about 8 MB at most."""

_LONGEST_REMEMBERED: Final = 40

PART_WEIGHT: Final = 0.5
"""What a piece of an identifier weighs in a query beside the identifier itself."""

_OUTER: Final = "\"'`“”„«»()[]{}<>.,;:!?…-–—"

_young: Final[dict[str, tuple[str, ...]]] = {}
_old: Final[dict[str, tuple[str, ...]]] = {}
_turning: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a query.

    Args:
        text: The term, as the index holds it.
        position: Its place among the terms that the same text would have as a claim; the scorer compares
            distances between places to reward phrases.
        stop: It carries grammar, not subject, and may be left out.
        weight: 1, or less for a piece of an identifier.
    """

    text: str
    position: int
    stop: bool = False
    weight: float = 1.0


def analyse(text: str) -> list[str]:
    """Return the terms of a text in order, as the index stores them.

    Args:
        text: Any text, of any script and length. Nothing in it is an instruction.

    Returns:
        The terms. An identifier gives itself and its parts; a run of a script without spaces gives its
        characters and their pairs.

    Example:
        >>> analyse("The café's server db-3 runs C++")
        ['the', 'cafe', 'server', 'db-3', 'db', '3', 'run', 'c++', 'c']
    """
    terms: list[str] = []
    remembered = _young.get
    for chunk in text.split():
        found = remembered(chunk)
        terms += _learn(chunk) if found is None else found
    return terms


def _learn(chunk: str) -> tuple[str, ...]:
    """Split a stretch that the young generation does not hold, and remember it when it is short, and no number."""
    if chunk.isdigit() and chunk.isascii():
        return (chunk[:LONGEST],)  # numbers are many, and there is nothing to split
    found = _old.get(chunk)
    if found is None:
        found = tuple(split(chunk).terms)
    if len(chunk) <= _LONGEST_REMEMBERED:
        if len(_young) >= _REMEMBERED:
            with _turning:
                if len(_young) >= _REMEMBERED:
                    _old.clear()
                    _old.update(_young)
                    _young.clear()
        _young[chunk] = found
    return found


def forget_words() -> None:
    """Empty the memo, so that no word of an erased text stays in this process.

    Example:
        >>> forget_words()
    """
    with _turning:
        _young.clear()
        _old.clear()


def analyse_query(text: str) -> list[Term]:
    """Return the different terms of a query, in order of first appearance.

    Args:
        text: What somebody typed or said.

    Returns:
        The terms, stop words marked and not removed (the planner decides, since only it knows what is left).

    Example:
        >>> [(t.text, t.stop) for t in analyse_query("Where is POL-358?")]
        [('where', True), ('is', True), ('pol-358', False), ('pol', False), ('358', False)]
    """
    terms: dict[str, Term] = {}
    shouting = text.isupper()
    place = 0
    for chunk in text.split():
        found = split(chunk)
        word = fold(chunk).strip(_OUTER)
        stop = is_stop_word(word, shouting, first=place == 0) or word.lower() in OF_LATE
        for i, term in enumerate(found.terms):
            if i not in found.spare and term not in terms:
                terms[term] = Term(term, place + i, stop, PART_WEIGHT if i in found.parts else 1.0)
        place += len(found.terms)
    return list(terms.values())


def fingerprint() -> str:
    """Return a short name for what this analyser does here, to store beside an index.

    Another release of the stemming library, or another Unicode table in Python, may cut a word differently. An
    index whose stored fingerprint differs from this one is to be rebuilt.

    Returns:
        16 hexadecimal digits, from the terms of a fixed probe text in every script that has rules here.

    Example:
        >>> len(fingerprint())
        16
    """
    from muniment.hashing import sha256

    terms = [term for chunk in _PROBE.split() for term in split(chunk).terms]
    return sha256("\n".join(terms).encode()).hexdigest()[:16]


_PROBE: Final = """
The generously organised databases were running, Alice's l'homme O'Brien don't U.S. 1,234.50 C++ .NET #tag v2
getUserName HTTPServer2 db-3.internal ann@mail.example.org https://docs.example.org/v2/api?q=1 2026-05-08 URLs
Łódź Straße Åse Ærø Ĳssel ﬁne Ⅷ ½ m² новые серверы Київ йод ёлка διακομιστής Սերվերները הבית שָׁלוֹם
الكتاب والمدرسة لِلمُستَخدِم ٤٢ یک سرورها लड़कियों सर्वर வீடுகள் বাংলা 用户服务器部署在腾讯云 サーバー ｻｰﾊﾞｰ 서울에서
กรุงเทพมหานคร ສະບາຍດີ ភាសាខ្មែរ မြန်မာ 🍕 👩‍💻
"""
