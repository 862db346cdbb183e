"""Whether a statement says what a claim says, by its words alone: no model, no guess.

It is held to what can be shown. A statement that says more or less than a sentence of the claim, names its things in
another order, or turns it round, is not taken for the same: what is left out may be what mattered ("on Mondays").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from muniment.claims.text import equal_text, stand_in_text
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

_WORD: Final = re.compile(r"\w+(?:['’]\w+)*")
_DENIES: Final = re.compile(r"n['’]t$")
_DIGIT: Final = re.compile(r"\d")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[。！？])")
_OUTER: Final = "\"'.,;:!?()"
_UNSPACED: Final = "\u2e80"
"""From here on lie the scripts that put no spaces between words: no word ends where a value does."""


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
        return any(self._negative(word) for word in _WORD.findall(self.same))

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Its terms in order, without negations."""
        return tuple(term for word in self.same.split() if not self._negative(word) for term in analyse(word))

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """Its terms that hold digits."""
        return tuple(term for term in self.terms if _DIGIT.search(term))

    @staticmethod
    def _negative(word: str) -> bool:
        bare = word.strip(_OUTER)
        return bare in NEGATIONS or bool(_DENIES.search(bare))

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Its terms without those of words that carry grammar alone."""
        words = [
            word for word in self.same.split() if not self._negative(word) and not is_stop_word(word.strip(_OUTER))
        ]
        return tuple(term for word in words for term in analyse(word))

    def restated_by(self, other: Wording) -> bool:
        """Say whether another text says this, or one whole sentence of it. Half a sentence may say more than the whole."""
        if self.same == other.same:
            return True
        return any(
            one.terms == other.terms != () and one.denies == other.denies
            for one in (self, *map(Wording, _SENTENCE_END.split(self.text)))
        )

    def denied_by(self, other: Wording) -> bool:
        """Say whether another text says the same with a negation more or less, or with other figures."""
        if self.denies != other.denies:
            return self.content == other.content != ()
        if not (self.figures and other.figures) or sorted(self.figures) == sorted(other.figures):
            return False
        return _without(self.terms, self.figures) == _without(other.terms, other.figures) != ()


def names(statement: Wording, value: str) -> bool:
    """Say whether a text names a value as a word of its own, or is that value.

    Args:
        statement: The text.
        value: The value as text.

    Example:
        >>> names(Wording("The port is 5433."), "5433"), names(Wording("The port is 54330"), "5433")
        (True, False)
    """
    wanted = stand_in_text(value)
    if not wanted:
        return False
    if stand_in_text(statement.text) == wanted:
        return True
    left = r"(?<!\w)(?<!\w[.,:/\-−])(?<![\-−+])" if wanted[0] < _UNSPACED else ""
    right = r"(?!\w)(?![.,:/\-−]\w)" if wanted[-1] < _UNSPACED else ""
    return re.search(left + re.escape(wanted) + right, statement.same) is not None


def instead(statement: Wording, claim: Wording, value: str) -> tuple[str, ...] | None:
    """Return what stands in the place of a claim's value, in a text that says what the claim says but for it.

    Args:
        statement: The text.
        claim: The claim's wording.
        value: The claim's value as text.

    Returns:
        Terms, at least one; None where the text says something else.

    Example:
        >>> instead(Wording("Ana lives in Oslo"), Wording("Ana lives in Porto"), "Porto")
        ('oslo',)
        >>> instead(Wording("Ana lives with Bob"), Wording("Ana lives in Porto"), "Porto") is None
        True
    """
    spoken = value_terms(value)
    at = _place(spoken, claim.terms)
    if at is None or len(spoken) == len(claim.terms):
        return None
    before, after = claim.terms[:at], claim.terms[at + len(spoken) :]
    room = len(statement.terms) - len(before) - len(after)
    if room < 1 or statement.terms[: len(before)] != before or statement.terms[len(before) + room :] != after:
        return None
    return statement.terms[len(before) : len(before) + room]


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
        and _place(value_terms(value), found) is None
        and not any(is_stop_word(term) for term in found)
    )


def value_terms(value: str) -> tuple[str, ...]:
    """Return the terms of a value."""
    return tuple(analyse(stand_in_text(value)))


def _place(part: tuple[str, ...], whole: tuple[str, ...]) -> int | None:
    """Return where a run of terms stands in a text."""
    if not part:
        return None
    return next((at for at in range(len(whole) - len(part) + 1) if whole[at : at + len(part)] == part), None)


def _without(terms: tuple[str, ...], gone: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(term for term in terms if term not in gone)
