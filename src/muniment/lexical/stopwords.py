"""English words that carry a question's grammar and not its subject.

They are left out of queries only, and only when something else is left: ``who is it`` still searches. The index
keeps every word, so the list may change without a reindex. Other languages rely on the planner, which treats
any word that most claims hold in the same way.
"""

from __future__ import annotations

from typing import Final

_LIST: Final = """
a an the this that these those some any
i me my mine we us our you your he him his she her hers it its they them their
am is are was were be been being do does did doing have has had having
will would shall should can could may might must
what which who whom whose when where why how
and or but if then than so as of at by for from in into on onto to with about
there here not no just also very too
kind kinds type types many much
i'm i've i'd i'll you're you've he's she's it's we're we've they're they've that's there's
what's who's when's where's how's don't doesn't didn't isn't aren't wasn't weren't can't won't
"""
STOP_WORDS: Final = frozenset(_LIST.split())

OF_LATE: Final = frozenset(("recently", "lately", "currently"))
"""By these a question says how new its answer is, and what is new does not say so. A statement may hinge on one, so they are
stop words of queries alone."""

_OPERATORS: Final = frozenset({"AND", "OR", "NOT"})
"""Capitals that name nothing: other systems' queries are written so."""

_ALSO_NAMES: Final = frozenset({"May", "Will"})
"""A month and a person, where a capital letter is no sign of a sentence's beginning."""


def is_stop_word(word: str, shouting: bool = False, first: bool = True) -> bool:
    """Say whether a word of a query may be left out.

    Args:
        word: The word as typed, with plain apostrophes and without outer punctuation.
        shouting: The whole query is in capitals, so that capitals mean nothing.
        first: It opens the query, where a capital letter means nothing.

    Returns:
        True for a word of the list. Capitals name things: ``US``, ``IT`` and ``WHO`` are kept, and so is ``May``
        within a sentence.

    Example:
        >>> is_stop_word("The"), is_stop_word("US"), is_stop_word("US", shouting=True), is_stop_word("AND")
        (True, False, True, True)
        >>> is_stop_word("May"), is_stop_word("May", first=False)
        (True, False)
    """
    if not shouting and (
        (len(word) > 1 and word.isupper() and word not in _OPERATORS) or (not first and word in _ALSO_NAMES)
    ):
        return False
    return word.lower() in STOP_WORDS
