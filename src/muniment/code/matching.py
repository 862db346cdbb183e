"""Where a text uses names that were replaced."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

from muniment.code.imports import UNKNOWN, Brought, Parts, brought_in
from muniment.code.languages import Language
from muniment.code.lexing import Lexed
from muniment.code.names import Name
from muniment.code.symbols import Symbols

_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """A use of a name.

    Args:
        start, end: Where the word stands in the text.
        name: Which name it is.
        sure: False where the text alone does not tell whose the name is.
        part: ``code``, ``comment`` or ``string``.
    """

    start: int
    end: int
    name: str
    sure: bool
    part: str


def mentions(text: str, symbols: Symbols) -> bool:
    """Say whether a text holds the last word of any name, in whatever part of it: a quick look before a close one."""
    words = set(_WORD.findall(text))
    if not symbols.words.isdisjoint(words):
        return True
    return not text.isascii() and any(normalize("NFKC", word) in symbols.words for word in words if not word.isascii())


def uses(
    lexed: Lexed, language: Language, symbols: Symbols, file: str = "", *, comments: bool = False, strings: bool = False
) -> list[Found]:
    """Return the uses of names that were replaced, in order.

    Args:
        lexed: The text.
        language: Its language.
        symbols: The names.
        file: Where the text lies, for imports that are relative to it.
        comments, strings: Look there too.
    """
    brought = brought_in(lexed, language, file)
    search = _Search(lexed.code, symbols, brought)
    found = list(search.at_imports())
    found += search.among(_chains(lexed.code, language, brought.spans), "code")
    wanted = {what for what, asked in (("comment", comments), ("string", strings)) if asked}
    if wanted:
        found += search.among(_chains_apart(lexed, language, wanted), "")
    return sorted({(use.start, use.name): use for use in sorted(found, key=lambda use: use.sure)}.values())


Word = tuple[str, int]
Chain = tuple[list[Word], str]


def _chains(code: str, language: Language, spans: Iterable[tuple[int, int]]) -> Iterator[Chain]:
    """Yield the names that stand in code, taken apart, but for those in imports."""
    outside = sorted(spans)
    starts = [start for start, _ in outside]
    for one in language.chain.finditer(code):
        before = bisect_right(starts, one.start()) - 1
        if before < 0 or outside[before][1] <= one.start():
            yield _words(one, language), "code"


def _chains_apart(lexed: Lexed, language: Language, wanted: set[str]) -> Iterator[Chain]:
    """Yield the names that stand in comments or strings."""
    for start, end, what in lexed.apart:
        if what in wanted:
            for one in language.chain.finditer(lexed.text, start, end):
                yield _words(one, language), what


def _words(one: re.Match[str], language: Language) -> list[Word]:
    whole = one.group()
    if whole.isidentifier():  # most are one word
        return [(_normal(whole), one.start())]
    return [(_normal(word.group()), one.start() + word.start()) for word in language.words.finditer(whole)]


def _normal(word: str) -> str:
    return word if word.isascii() else normalize("NFKC", word)


class _Search:
    """Looks for names among words that stand together."""

    def __init__(self, code: str, symbols: Symbols, brought: Brought) -> None:
        self._code, self._symbols, self._brought = code, symbols, brought
        self._named: dict[str, bool] = {}

    def at_imports(self) -> Iterator[Found]:
        """Yield what the imports themselves name."""
        for parts, at in self._brought.sites:
            for name, place in self._matches(parts, 0):
                length = len(parts[-1]) if place == len(parts) - 1 else 1
                yield Found(at, at + length, name.text, True, "code")

    def among(self, chains: Iterable[Chain], part: str) -> Iterator[Found]:
        """Yield the uses among names that stand in a text."""
        for words, what in chains:
            yield from self._of(words, what or part)

    def _of(self, words: list[Word], part: str) -> Iterator[Found]:
        known = self._brought.names.get(words[0][0]) if part == "code" else None
        if known is None and not any(self._symbols.ending(word) for word, _ in words):
            return
        outer = (known or (words[0][0],), [word for word, _ in words[1:]])
        parts = (*outer[0], *outer[1])
        own = len(outer[0]) - 1  # from here on each part stands in the text
        for name, place in self._matches(parts, own):
            yield _use(words[place - own], name, True, part)
        if part != "code" or known is None:
            yield from self._unsure(words, part)

    def _unsure(self, words: list[Word], part: str) -> Iterator[Found]:
        first = words[0][0]
        for module in self._brought.everything:
            for name, place in self._matches((*module, first), len(module)):
                if place == len(module) and len(name.parts) > 1:
                    yield _use(words[0], name, False, part)
        for place in range(1, len(words)):
            before, word = words[place - 1][0], words[place][0]
            for name in self._symbols.ending(word):
                if self._may_be_of(name, before):
                    yield _use(words[place], name, False, part)

    def _may_be_of(self, name: Name, owner: str) -> bool:
        """Say whether something may be of the type that a name belongs to: of a type that the text names at all."""
        if len(name.parts) < 2 or not name.parts[-2][:1].isupper():
            return False
        if owner[:1].isupper() or owner in self._brought.modules:
            return False
        return self._is_named(name.parts[-2])

    def _is_named(self, type_: str) -> bool:
        known = self._named.get(type_)
        if known is None:
            known = self._named[type_] = re.search(rf"(?<![\w$]){re.escape(type_)}(?![\w$])", self._code) is not None
        return known

    def _matches(self, parts: Parts, own: int) -> Iterator[tuple[Name, int]]:
        """Yield the names that end at one of some parts, from ``own`` on, and at which."""
        for place in range(own, len(parts)):
            for name in self._symbols.ending(parts[place]):
                if _ends_with(parts[: place + 1], name.parts):
                    yield name, place


def _ends_with(parts: Parts, wanted: Parts) -> bool:
    """Say whether some parts end with others; where the outer ones are unknown, what is known has to agree."""
    if parts[-len(wanted) :] == wanted:
        return True
    if parts[0] != UNKNOWN:
        return False
    known = parts[1:]
    return 1 < len(known) < len(wanted) and wanted[-len(known) :] == known


def _use(word: Word, name: Name, sure: bool, part: str) -> Found:
    return Found(word[1], word[1] + len(word[0]), name.text, sure, part)
