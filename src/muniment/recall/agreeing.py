"""Whether a statement says what a claim says, by its words alone: no model, no guess.

It is held to what can be shown. A statement that says more or less than a sentence of the claim, names its things in
another order, turns it round, or has other signs, is not taken for the same: what is left out may be what mattered ("on
Mondays", "<", "?").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, NamedTuple

from muniment.claims.text import stand_in_text
from muniment.recall.wordings import FIGURE, GRAMMAR, MARK, NEGATION, WORD, Token, Wording

_UNSPACED: Final = "\u2e80"
"""From here on lie the scripts that put no spaces between words: no word ends where a value does."""

_UNITS: Final = "%‰°′″'\""
_TURNED_BEFORE: Final = re.compile(r"(?:(?<![-=])>|[<≤≥≠≈~±¬]|[<>!~]=)\s*$")
_FOLLOWED: Final = re.compile(r"\s*[%‰°²³+]")
_PARTS: Final = re.compile(r"(\d[\d.,]*)(\D*)")
_DIGITS: Final = re.compile(r"\d+")
_UNIT: Final = re.compile(r"([^\W\d]+)\W*$")

_Same = tuple[str, str]


def restates(claim: Wording, statement: Wording) -> bool:
    """Say whether a text says what a claim says, or one whole sentence of it. Half a sentence may say more than the whole.

    A question says nothing.

    Example:
        >>> claim = Wording("The mill is closed. The balance is -5.")
        >>> [restates(claim, Wording(text)) for text in ("The balance is -5", "The balance is 5", "The mill is closed?")]
        [True, False, False]
    """
    if statement.asks:
        return False
    return any(
        not one.asks and (one.same == statement.same or one.said == statement.said != ()) for one in claim.sentences
    )


def denies(claim: Wording, statement: Wording) -> bool:
    """Say whether a text says what a claim says, with a negation more or less, or with other figures.

    Example:
        >>> claim = Wording("The limit is 100 €")
        >>> [denies(claim, Wording(f"The limit is {figure}")) for figure in ("250 €", "-100 €", "$100", "100.00 €", "<100 €")]
        [True, True, True, False, False]
    """
    if claim.asks or statement.asks:
        return False
    if claim.denies != statement.denies:
        return claim.content == statement.content and any(kind != MARK for kind, _ in claim.content)
    return _other_figures(_Figures.of(claim), _Figures.of(statement))


class _Figure(NamedTuple):
    """A figure with its sign, the marks of its unit, and the unit that is written together with it."""

    sign: str
    core: str
    units: str
    unit: str


class _Figures(NamedTuple):
    """A text as its figures, and what is around them: None in the place of each."""

    figures: list[_Figure]
    around: list[_Same | None]
    raw: list[str]
    """The words around as they were written: the case of a unit matters."""

    @classmethod
    def of(cls, text: Wording) -> _Figures:
        """Take a text apart."""
        figures, around, raw = list[_Figure](), list[_Same | None](), list[str]()
        tokens, n = text.tokens, 0
        while n < len(tokens):
            end, figure = _figure(text, n)
            figures += [figure] if figure else []
            around.append(None if figure else tokens[n].same)
            raw.append("" if figure else text.chunks[tokens[n].at].strip(".,;:!"))
            n = end
        return cls(figures, around, raw)


def _figure(text: Wording, n: int) -> tuple[int, _Figure | None]:
    """Return where the figure that begins at a place ends, and the figure; none begins there if it is None."""
    tokens, at, sign, units = text.tokens, n, "", ""
    while at < len(tokens) and tokens[at].kind == MARK and (tokens[at].text in "+-" or _currency(tokens[at].text)):
        sign, units = (sign + tokens[at].text, units) if tokens[at].text in "+-" else (sign, units + tokens[at].text)
        at += 1
    if at == len(tokens) or tokens[at].kind != FIGURE:
        return n + 1, None
    core, chunk, at = tokens[at].text, text.chunks[tokens[at].at], at + 1
    while at < len(tokens) and tokens[at].kind == MARK and (tokens[at].text in _UNITS or _currency(tokens[at].text)):
        if at + 1 < len(tokens) and tokens[at + 1].kind == FIGURE and tokens[at + 1].at == tokens[at].at:
            break  # the sign of the figure that follows
        units, at = units + tokens[at].text, at + 1
    unit = _UNIT.search(chunk)
    return at, _Figure(sign, core, units, unit[1] if unit else "")


def _currency(mark: str) -> bool:
    return len(mark) == 1 and unicodedata.category(mark) == "Sc"


def _other_figures(one: _Figures, other: _Figures) -> bool:
    """Say whether two texts differ in their figures alone, and certainly."""
    if len(one.around) != len(other.around) or not one.figures:
        return False
    if not any(each and each[0] != MARK for each in one.around):
        return False
    if one.around != other.around:
        return _other_units(one, other)
    return sorted(f[:3] for f in one.figures) != sorted(f[:3] for f in other.figures) and any(
        map(_different, one.figures, other.figures)
    )


def _other_units(one: _Figures, other: _Figures) -> bool:
    """Say whether two texts differ in the unit beside a figure alone, and are certainly other amounts so."""
    differing = [n for n, (mine, its) in enumerate(zip(one.around, other.around, strict=True)) if mine != its]
    n = differing[0]
    if len(differing) > 1 or any((text.around[n] or (FIGURE,))[0] != WORD for text in (one, other)):
        return False
    beside = n - 1
    if n == 0 or one.around[n - 1] is not None:
        beside = n + 1  # only a currency stands before what it measures
        if one.around[beside : n + 2] != [None] or not all(_is_code(text.raw[n]) for text in (one, other)):
            return False
    from muniment.recall.readings import different_amounts

    place = one.around[:beside].count(None)
    figures = [text.figures[place] for text in (one, other)]
    if one.figures[:place] + one.figures[place + 1 :] != other.figures[:place] + other.figures[place + 1 :]:
        return False
    amounts = [f"{figure.sign}{figure.core} {text.raw[n]}" for figure, text in zip(figures, (one, other), strict=True)]
    return not any(figure.units for figure in figures) and different_amounts(*amounts)


def _is_code(word: str) -> bool:
    return len(word) == 3 and word.isupper()


def _different(one: _Figure, other: _Figure) -> bool:
    """Say whether two figures are certainly different."""
    from muniment.recall.readings import different_amounts, numbers

    mine, its = _PARTS.fullmatch(one.core), _PARTS.fullmatch(other.core)
    if mine and its and mine[2] != its[2]:
        return bool(mine[2] and its[2]) and different_amounts(f"{mine[1]} {one.unit}", f"{its[1]} {other.unit}")
    if one.units and other.units and one.units != other.units:
        return True
    amounts = [
        numbers(f"{figure.sign[-1:]}{parts[1]}")[0] if parts else frozenset()
        for figure, parts in ((one, mine), (other, its))
    ]
    if not all(
        amounts
    ):  # a version, an address, a time of day: its parts stand between the same signs, or nothing is said
        return one.core != other.core and _DIGITS.sub("0", one.core) == _DIGITS.sub("0", other.core)
    shares = [
        {n / 100 for n in found} if figure.units == "%" else found
        for figure, found in zip((one, other), amounts, strict=True)
    ]
    return not amounts[0] & amounts[1] and not shares[0] & shares[1]


def names(statement: Wording, value: str) -> bool:
    """Say whether a text names a value as a word of its own, or is that value. With another sign it does not.

    Args:
        statement: The text.
        value: The value as text.

    Example:
        >>> [names(Wording(f"The port is {port}"), "5433") for port in ("5433.", "54330", "-5433", "> 5433")]
        [True, False, False, False]
    """
    wanted = stand_in_text(value)
    if not wanted:
        return False
    if stand_in_text(statement.text) == wanted:
        return True
    left = r"(?<!\w)(?<!\w[.,:/\-−])(?<![\-−+])" if wanted[0] < _UNSPACED else ""
    right = r"(?!\w)(?![.,:/\-−]\w)" if wanted[-1] < _UNSPACED else ""
    text = statement.same
    return any(
        not _turned(text[: found.start()], wanted, text[found.end() :])
        for found in re.finditer(left + re.escape(wanted) + right, text)
    )


def _turned(before: str, value: str, after: str) -> bool:
    """Say whether the signs around a value make it another one."""
    last, following = before.rstrip()[-1:], after.lstrip()[:1]
    if _TURNED_BEFORE.search(before) or (value[0].isdigit() and last and (last in "-−" or _currency(last))):
        return True
    return value[-1].isdigit() and (bool(_FOLLOWED.match(after)) or _currency(following))


def instead(statement: Wording, claim: Wording, value: str) -> tuple[Token, ...] | None:
    """Return what stands in the place of a claim's value, in a text that says what the claim says but for it.

    Args:
        statement: The text.
        claim: The claim's wording.
        value: The claim's value as text.

    Returns:
        Tokens, at least one; None where the text says something else.

    Example:
        >>> said = Wording("Ana lives in Oslo")
        >>> words_of(said, instead(said, Wording("Ana lives in Porto"), "Porto"))
        'Oslo'
        >>> instead(Wording("Ana lives with Bob"), Wording("Ana lives in Porto"), "Porto") is None
        True
    """
    spoken, whole, said = meant(value), _without_negations(claim.tokens), _without_negations(statement.tokens)
    at = _place(spoken, _same(whole))
    if at is None or len(spoken) == len(whole):
        return None
    before, after = _same(whole[:at]), _same(whole[at + len(spoken) :])
    room = len(said) - len(before) - len(after)
    if room < 1 or _same(said[: len(before)]) != before or _same(said[len(before) + room :]) != after:
        return None
    return tuple(said[len(before) : len(before) + room])


def words_of(statement: Wording, place: Sequence[Token] | None) -> str:
    """Return some neighbouring tokens of a text as they were written."""
    chunks = dict.fromkeys(token.at for token in place or ())
    return " ".join(statement.chunks[at] for at in chunks)


def same_words(place: Sequence[Token], value: str) -> bool:
    """Say whether some tokens are a value, word for word but for their forms."""
    return _same(place) == meant(value)


def differs_in_value(statement: Wording, claim: Wording, value: str) -> bool:
    """Say whether a text says what a claim says, but for another value in the place of its own.

    What only adds to the value, or reads on into a sentence of its own, is not taken for another one.

    Example:
        >>> claim = Wording("Ana lives in Porto")
        >>> [differs_in_value(Wording(f"Ana lives in {x}"), claim, "Porto") for x in ("Oslo", "Porto Alegre", "a tent")]
        [True, False, False]
    """
    found = instead(statement, claim, value)
    return (
        found is not None
        and _place(meant(value), _same(found)) is None
        and not any(token.kind == GRAMMAR for token in found)
        and any(token.kind != MARK for token in found)
    )


def meant(value: str) -> tuple[_Same, ...]:
    """Return what a value says, as the tokens of a text."""
    return _same(_without_negations(Wording(stand_in_text(value)).tokens))


def _same(tokens: Sequence[Token]) -> tuple[_Same, ...]:
    return tuple(token.same for token in tokens)


def _without_negations(tokens: Sequence[Token]) -> list[Token]:
    return [token for token in tokens if token.kind != NEGATION]


def _place(part: tuple[_Same, ...], whole: tuple[_Same, ...]) -> int | None:
    """Return where a run of tokens stands in a text."""
    if not part:
        return None
    return next((at for at in range(len(whole) - len(part) + 1) if whole[at : at + len(part)] == part), None)
