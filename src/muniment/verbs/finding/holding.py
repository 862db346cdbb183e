"""Which claims may say what a statement says, or the contrary: found by the words they hold, whatever they rank.

A claim that says it holds all its words; one that denies it lacks a negation or has other figures; one that has another
value for it lacks what stands in the value's place. So it is asked who holds all words but those, and who has the fewest
words is looked at first: whoever says the statement and nothing else is always among them. What is believed and what was
believed once are counted apart, so that neither hides the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from muniment.claims.scopes import visible_scopes
from muniment.claims.values import text_value_lookalike
from muniment.lexical.analyser import analyse
from muniment.quick import dataclass
from muniment.recall.readings import is_amount
from muniment.recall.wordings import FIGURE, GRAMMAR, MARK, NEGATION, WORD, Wording
from muniment.verbs.finding.search import Search
from muniment.verbs.identities import line_identity

WORDS: Final = 32
"""Different words that are asked for. Others would only leave out more, and all are compared in the end."""

PLACE: Final = 4
"""Words of a statement that may stand in the place of another value."""

NEWEST: Final = 5_000
"""Claims that hold the words and are counted, the newest: some 20 ms."""

READ: Final = 500
"""Claims that are compared, of what is believed and of what is not, for each kind of answer: some 50 ms."""

FEW: Final = 50
"""Claims that are compared without asking first whether a word is a unit: what reads units takes long to load."""

_BATCH: Final = 250


@dataclass(slots=True)
class Held:
    """The claims that a statement is to be held against.

    Args:
        idxs: Their indexes in the log.
        whole: Whether that is all that come into question.
    """

    idxs: list[int]
    whole: bool = True


def holding(search: Search, statement: Wording) -> Held:
    """Return the claims that hold the words of a statement, those aside in which an answer to it may differ."""
    found = Held([])
    notes = [line_identity(search.context.pepper, scope.text, None, text_value_lookalike(statement.text))
             for scope in visible_scopes(search.context.scope)]  # fmt: skip
    lines = search.reader.lines_of(notes).values()
    _add(search, found, [row.idx for line in lines for row in search.reader.claims_of(line.id)])
    places = _places(statement)
    telling = [terms for kind, terms in places if kind != GRAMMAR] or [terms for _, terms in places]
    words = list(dict.fromkeys(word for terms in telling for word in sorted(terms)))[:WORDS]
    if not words:
        return found
    lacking, units = list(_lacking(places, words)), list(dict.fromkeys(_units(statement, places, words)))
    # Who says it, who has other figures, who has other units, who has another value: each by itself, so that none
    # hides another.
    wanted = [*lacking, *(gone for gone, _ in units)]
    answers = search.reader.holding(search.scopes(), words, wanted, NEWEST, search.then)
    first, figures, *values = answers[: len(lacking)]
    measured = [each for each, (_, word) in zip(answers[len(lacking) :], units, strict=True)
                if len(each) <= FEW or is_amount(f"1 {word}")]  # fmt: skip
    for group, keyed in (([first], False), ([figures], False), (measured, False), (values, True)):
        found.whole &= all(len(each) < NEWEST for each in group)
        shortest = sorted({pair for each in group for pair in each}, key=lambda pair: (pair[0], -pair[1]))
        _add(search, found, [idx for _, idx in shortest], keyed=keyed)
    return found


def _units(
    statement: Wording, places: Sequence[tuple[str, frozenset[str]]], words: Sequence[str]
) -> Iterator[tuple[frozenset[str], str]]:
    """Yield each figure with the word beside it that may be its unit, and that word as it is written."""
    chunks = [statement.chunks[at].strip(".,;:!") for at in _order(statement)]
    for n, (kind, terms) in enumerate(places):
        for beside in (n - 1, n + 1):
            if kind == FIGURE and 0 <= beside < len(places) and places[beside][0] == WORD:
                word = chunks[beside]
                gone = (terms | places[beside][1]).intersection(words)
                if gone and (beside > n or (len(word) == 3 and word.isupper())):
                    yield gone, word


def _order(statement: Wording) -> list[int]:
    """Return where the words of a statement stand among its chunks."""
    return list(dict.fromkeys(token.at for token in statement.tokens if token.kind not in (NEGATION, MARK)))


def _places(statement: Wording) -> list[tuple[str, frozenset[str]]]:
    """Return the words of a statement in turn: of what kind each is, and its terms as the index holds them."""
    found: dict[int, tuple[str, list[str]]] = {}
    for token in statement.tokens:
        if token.kind == FIGURE:
            found[token.at] = (FIGURE, analyse(statement.chunks[token.at].lower()))
        elif token.kind not in (NEGATION, MARK):
            found.setdefault(token.at, (token.kind, []))[1].append(token.text)
    return [(kind, frozenset(terms)) for kind, terms in found.values()]


def _lacking(places: Sequence[tuple[str, frozenset[str]]], words: Sequence[str]) -> Iterator[frozenset[str]]:
    """Yield which words an answer may lack: none, the figures, and what stands in each place of a value.

    What reads on over a word that carries grammar alone is taken for no value (``agreeing.differs_in_value``).
    """
    asked = frozenset(words)
    figures = asked.intersection(term for kind, terms in places if kind == FIGURE for term in terms)
    yield frozenset()
    yield figures
    seen = {frozenset[str](), figures}
    times = Counter(term for _, terms in places for term in terms)
    for first in range(len(places)):
        for last in range(first, min(first + PLACE, len(places))):
            if places[last][0] == GRAMMAR:
                break
            within = Counter(term for _, terms in places[first : last + 1] for term in terms)
            gone = frozenset(term for term, count in within.items() if term in asked and times[term] == count)
            if gone not in seen:
                seen.add(gone)
                yield gone


def _add(search: Search, found: Held, idxs: Sequence[int], *, keyed: bool = False) -> None:
    """Add what comes into question of some claims, in their order; with ``keyed``, only values that lines answer."""
    known, left = set(found.idxs), {True: READ, False: 0 if keyed else READ}
    for first in range(0, len(idxs), _BATCH):
        if not any(left.values()):
            found.whole = False
            return
        batch = [idx for idx in idxs[first : first + _BATCH] if idx not in known]
        search.locate(batch)
        batch = [idx for idx in batch if idx in search.places]
        search.ahead(batch)
        for idx in batch:
            place, believed = search.places[idx], idx in search.held
            line = search.lines[place.line]
            if line is None or (place.waits and not believed) or (keyed and (line.note or not believed)):
                continue  # what is not seen, and what is no evidence, takes nobody's place
            if left[believed]:
                left[believed] -= 1
                found.idxs.append(idx)
            else:
                found.whole = False
