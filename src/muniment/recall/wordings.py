"""A text as a statement: its words in order, its figures, and the signs that say something.

The index forgets signs, because nobody searches for them. A statement does not: ``-5`` is not ``5``, nor are ``<5``,
``5%``, ``€5`` and ``5²``. So all that is no letter and no digit counts, but for the marks of prose: commas, full stops,
quotes, and dashes between words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from muniment.claims.text import QUESTION_MARKS, equal_text
from muniment.lexical.analyser import analyse
from muniment.lexical.stopwords import is_stop_word

_NEGATIVE: Final = (
    "not no never none nobody nothing nowhere neither nor without cannot "
    "false untrue wrong hardly "  # English
    "nicht kein keine keinen keinem keiner nie niemals niemand nichts ohne falsch "  # German
    "pas jamais aucun aucune rien sans faux "  # French
    "nunca ningún ninguna nadie non mai nessuno senza não sem falso falsa "  # Spanish, Italian, Portuguese
    "не нет никогда без niet geen nooit zonder inte aldrig utan ikke aldri uten bez"
)

NEGATIONS: Final = frozenset(_NEGATIVE.split())
"""Words that turn a statement round, in languages that the analyser stems. In others a denial is not seen."""

WORD, GRAMMAR, FIGURE, NEGATION, MARK = "word", "grammar", "figure", "negation", "mark"
"""What a token is: a term, one of a word that carries grammar alone, a figure, a negation, a sign."""

_WORDS: Final = re.compile(r"\w+(?:['’]\w+)*")
_DENIES: Final = re.compile(r"n['’]t$")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[。！？])")
_BULLET: Final = re.compile(r"\s*(?:[-*•–—]|#{1,6})\s+(?=[^\W\d])")
_OUTER: Final = "\"'.,;:!?()"
_QUOTES: Final = "\"'`“”„‘’‚«»‹›「」『』"
_LEADING: Final = "¡¿…_" + _QUOTES
_SILENT: Final = ".,;:、。，；：・،؛" + _LEADING
"""Marks of prose, which say nothing; within a figure they do, and before a word only the second few are such."""

_FINAL: Final = "!！"
"""Marks that say nothing at the end of a sentence; elsewhere they deny, or stand for a factorial."""

_LONG_DASHES: Final = "–—"
_MINUS: Final = str.maketrans("−‐‑‒﹣－", "------")
_UNSPACED: Final = "\u2e80-\U0003ffff"
_SCRIPTS: Final = re.compile(f"(?<=[{_UNSPACED}])(?=[^{_UNSPACED}])|(?<=[^{_UNSPACED}])(?=[{_UNSPACED}])")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?\D*")


class Token(NamedTuple):
    """A piece of a statement.

    Args:
        kind: One of the five above.
        text: As it is compared.
        at: Which of ``Wording.chunks`` it is from.
    """

    kind: str
    text: str
    at: int

    @property
    def same(self) -> tuple[str, str]:
        """What is compared: where it stands is no matter. Whether a word carries grammar alone is none of the words' matter."""
        return (WORD if self.kind == GRAMMAR else self.kind, self.text)


@dataclass(frozen=True)
class Wording:
    """A text, looked at as a statement.

    Args:
        text: As it was said.
    """

    text: str

    @cached_property
    def same(self) -> str:
        """The form by which texts are equal."""
        return equal_text(self.text)

    @cached_property
    def denies(self) -> bool:
        """Whether it is turned round. Two negations are still one: most languages double them."""
        return any(_negative(word) for word in _WORDS.findall(self.same))

    @cached_property
    def asks(self) -> bool:
        """Whether it is a question: it asserts nothing."""
        return self.text.rstrip(_QUOTES + " \t\n)]*_").endswith(QUESTION_MARKS)

    @cached_property
    def sentences(self) -> tuple[Wording, ...]:
        """Itself, and where it has several sentences, each of them."""
        parts = [part for part in _SENTENCE_END.split(self.text) if part and not part.isspace()]
        return (self, *map(Wording, parts)) if len(parts) > 1 else (self,)

    @cached_property
    def chunks(self) -> tuple[str, ...]:
        """What stands between white space, and between scripts that have none and others."""
        text = _BULLET.sub("", unicodedata.normalize("NFC", self.text), count=1) if self.text else ""
        return tuple(part for chunk in text.split() for part in _SCRIPTS.split(chunk) if part)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Its words, figures, negations and signs, in order."""
        found: list[Token] = []
        for at, chunk in enumerate(self.chunks):
            found += _tokens(self, at, chunk)
        return tuple(found)

    @cached_property
    def said(self) -> tuple[tuple[str, str], ...]:
        """What it says, word for word but for their forms."""
        return tuple(token.same for token in self.tokens)

    @cached_property
    def content(self) -> tuple[tuple[str, str], ...]:
        """What it says without its negations, and without words that carry grammar alone."""
        return tuple(token.same for token in self.tokens if token.kind not in (NEGATION, GRAMMAR))

    @cached_property
    def length(self) -> int:
        """Its tokens that are no signs and no negations."""
        return sum(token.kind not in (NEGATION, MARK) for token in self.tokens)

    def odd(self, quote: str) -> bool:
        """Say whether a quote has no partner: after a figure it stands for feet, inches or minutes."""
        return self.text.count(quote) % 2 == 1


def _negative(word: str) -> bool:
    bare = word.strip(_OUTER)
    return bare in NEGATIONS or bool(_DENIES.search(bare))


def _tokens(whole: Wording, at: int, chunk: str) -> Iterator[Token]:
    """Yield the tokens of what stands between white space."""
    text = equal_text(chunk).translate(_MINUS)
    if _negative(text):
        yield Token(NEGATION, text.strip(_OUTER).replace("’", "'"), at)
        return
    places = [n for n, char in enumerate(text) if unicodedata.category(char)[0] in "LMN"]
    if not places:
        yield from _bare(whole, at, text)
        return
    start, end = places[0], places[-1] + 1
    first, last, inner = text[start], text[end - 1], text[start:end]
    if text[:start].endswith(".") and first.isdigit():
        inner = "0." + inner  # .5
        start -= 1
    for mark in text[:start]:
        if not _silent(mark, _LEADING) and not (mark in _LONG_DASHES and not first.isdigit()):
            yield Token(MARK, "-" if mark in _LONG_DASHES else mark, at)
    yield from _words(at, inner)
    final = at == len(whole.chunks) - 1
    for mark in text[end:]:
        if mark in _FINAL and (final or not last.isdigit()):
            continue
        if mark in _LONG_DASHES and not last.isdigit():
            continue
        if not _silent(mark) or (last.isdigit() and mark in "\"'" and whole.odd(mark)):
            yield Token(MARK, mark, at)


def _words(at: int, inner: str) -> Iterator[Token]:
    """Yield what stands between the outer marks: a figure as a whole, or words."""
    if any(map(str.isdigit, inner)):
        figure = "".join(_digit(char) for char in inner)
        yield Token(FIGURE, figure.replace(",", "") if _THOUSANDS.fullmatch(figure) else figure, at)
        return
    kind = GRAMMAR if is_stop_word(inner) else WORD
    for term in analyse(inner) or [inner]:
        yield Token(kind, term, at)
    marks = "".join(
        char for n, char in enumerate(inner)
        if not _silent(char) and not (char in _LONG_DASHES and inner[n - 1].isalpha())
    )  # fmt: skip
    if marks:
        yield Token(MARK, marks, at)


def _bare(whole: Wording, at: int, text: str) -> Iterator[Token]:
    """Yield the signs that stand alone; a dash is one before a figure, and where it is short."""
    following = whole.chunks[at + 1] if at + 1 < len(whole.chunks) else ""
    figure = any(map(str.isdigit, following[:3]))
    for mark in text:
        if mark in _FINAL and at == len(whole.chunks) - 1:
            continue
        if mark in _LONG_DASHES:
            mark = "-" if figure else ""
        if mark and not _silent(mark):
            yield Token(MARK, mark, at)


def _silent(mark: str, prose: str = _SILENT) -> bool:
    """Say whether a character is no sign: a mark of prose, a letter, or what joins and shapes letters."""
    return mark in prose or unicodedata.category(mark)[0] in "LMNZ" or unicodedata.category(mark) == "Cf"


def _digit(char: str) -> str:
    """Return a digit of any script as one of ours. A raised one is none: it is an exponent."""
    value = unicodedata.decimal(char, None)
    return char if value is None else str(value)
