"""Words by which an utterance says that it is no plain statement: negated, supposed, reported, for another time.

Pure. What stands in quotes is not looked at: a value may be any text.
"""

from __future__ import annotations

import re
from typing import Final

from muniment.quick import dataclass


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


_NEGATED: Final = words(
    "not no never neither nor without cannot dont cant wont isnt wasnt arent doesnt didnt shouldnt"
    " wouldnt aint hardly stop avoid refuse"
)
_SUPPOSED: Final = words(
    "if unless suppose supposing supposedly imagine assume assuming whether would could might should"
    " shall hypothetically pretend maybe perhaps probably possibly wish hope hoping wonder wondering when"
    " whenever once until till while want wants wanted consider considering thinking"
    " almost nearly otherwise except provided lest"
)
_LOWER: Final = frozenset({"may", "will"})
"""A month and a name, unless they are written small."""
_REPORTED: Final = words(
    "said says say saying told tells claim claims claimed claiming thinks think thought believes believe"
    " believed heard hears hear reports reported reportedly allegedly apparently according wrote writes"
    " asked asks mentioned suggests suggested insists insisted rumor rumour rumors rumours quoted"
    " joked joking kidding dreamt dreamed"
)
_LATER: Final = words("today tomorrow tonight later soon yesterday ago eventually someday")

_WORD: Final = re.compile(r"[^\s,;:.!?()\"]+")
_KEYS: Final = re.compile(r"\S*::\S*")


@dataclass(frozen=True, slots=True)
class Quotes:
    """An utterance without what stands in quotes."""

    outside: str


_SPANS: Final = re.compile(
    r"\"[^\"]*\"|\u201c[^\u201d]*\u201d|\u00ab[^\u00bb]*\u00bb|`[^`]*`|(?<!\w)'[^']*'(?!\w)", re.UNICODE
)
_MARKS: Final = re.compile('["\u201c\u201d\u201e\u00ab\u00bb`]')


def split_quotes(text: str) -> Quotes | None:
    """Take out the one quotation that may be a value; None if the utterance quotes in any other way.

    A value in quotes ends the utterance or stands before another part of the instruction. An utterance that is itself
    a quotation, or that has several, is speech about speech.

    Example:
        >>> split_quotes('set ana::city to "Porto"').outside
        'set ana::city to '
        >>> split_quotes('"set ana::city to Porto" is what he wrote') is None
        True
    """
    spans = list(_SPANS.finditer(text))
    if len(spans) > 2 or any(span.start() == 0 for span in spans):
        return None
    outside = _SPANS.sub("", text)
    return None if _MARKS.search(outside) else Quotes(outside)


def caution(text: str) -> tuple[str, str] | None:
    """Return why an utterance is no plain statement, and advice; None if it is one.

    Example:
        >>> caution("don't delete ana::city")[0]
        'It is negated.'
        >>> caution("set ana::city to Porto") is None
        True
    """
    said = _WORD.findall(_KEYS.sub(" ", text))
    small = {word.lower() for word in said}
    if small & _NEGATED or any(word.endswith("n't") for word in small):
        return "It is negated.", "To say that something holds no longer, use end() or retract()."
    if small & _SUPPOSED or any(word in _LOWER for word in said) or "in case" in text.lower():
        return (
            "It supposes something, or is about another time.",
            "Say it when it is so; a value in quotes is any text.",
        )
    if small & _REPORTED:
        return (
            "It reports what somebody said.",
            "Use remember() with source=, or observe(). Quote a value that says so.",
        )
    if small & _LATER:
        return "It is about another time.", "Use remember() with valid_from=, or quote the value."
    return None
