"""What speaks for a claim, made one figure: its words, its meaning, the claims beside it, and whose or what it is.

Pure arithmetic on figures between 0 and about 1, so that every back end ranks the same claims the same way. A channel
counts by how strong its evidence is, not by the place it gives a claim: a weak embedder that is unsure changes
little, where equal reciprocal ranks would halve the head of a good lexical list.

Sources: S. Bruch, S. Gai, A. Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", ACM TOIS 2023 (a convex
combination of normalised scores beats reciprocal rank fusion); J. Callan, "Passage-Level Evidence in Document
Retrieval", SIGIR 1994 (what stands beside a passage tells of it too).
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping
from typing import Final, NamedTuple

MEANING: Final = 0.3
"""What meaning counts beside words, of 1. (This constant, ``NEXT``, ``REACH`` and ``NAMED`` were each chosen on four of
five LoCoMo dialogues for the fifth, five times over: ``bench/locomo.py --choose`` prints what is chosen.)"""

SAME: Final = 0.6
"""Likeness from which a claim says what is asked in other words, and not only something of the kind. (MiniLM: facts of a
hundred thousand that answer a question reach 0.6 to 0.9, claims of another thing that share its words 0.35 to 0.6; no
turn of the five dialogues reaches 0.6 for any of their questions. From 0.55 on, fewer first hits answer there than by
words alone.)"""

SURE: Final = 6.0
"""How many times more likeness counts beyond ``SAME``: so often that to mean all the same is worth no less than to hold
every word. (The answer told in other words was among the first five of 100,000 claims 31 times of 100,
for 15 without it; told in the same words, always.)"""

NEXT: Final = 0.5
"""What the evidence of a claim counts for the one said directly before or after it in its session; half of that at two
steps, and so on."""

ANSWER: Final = 1.15
"""What the evidence of a question counts for the claim said directly after it, in multiples of ``NEXT``: that is its
answer, and need not repeat what was asked. (Chosen on four of five LoCoMo dialogues for the fifth: 1.2 to 1.6. From 1.2 on
an embedder finds fewer first hits than words alone.)"""

REACH: Final = 2
"""Steps that the evidence of a neighbour reaches. What was said around a claim is mostly about the same: an answer stands
beside its question, and repeats few of its words."""

NAMED: Final = 1.0
"""What it adds, in multiples of all other evidence, that the query names a claim by its tags: that it asks for what
somebody said, or for what somebody filed under that name. (A key counts by the weight of its words: half of one names
many other things.)"""

KIN: Final = 0.5
"""What the evidence of a claim counts for what holds on its line, and for what it was derived from or that from it: as
much as for the one said directly beside it."""

SAME_THING: Final = 0.25
"""What the evidence of a claim counts for one of the same subject or person. Each lends to one or two only: a thing has
many claims, and they shall not lift each other together."""

LEAST_ALIKE: Final = 0.2
"""Likeness from which a claim that shares no word with the query counts as found at all. Unrelated questions reach 0.16
in a store of twelve claims, restatements without a common content word 0.27 and more (MiniLM)."""

ANCHOR: Final = 32
"""Claims that the embedder's fixed text, which is about nothing, stands for when it is worked out how alike any two texts
are: in a store of a few claims these are too few to tell."""

Session = str | bytes
"""In which session a claim was said; to be compared with another one only."""

Evidence = tuple[float, int]
"""What speaks for a claim, as one figure, and its index in the log."""


class Proof(NamedTuple):
    """What the evidence for a claim is made of.

    Args:
        words: Its BM25 score, divided by that of a claim which holds every known term of the query once.
        meaning: Its likeness to the query.
        beside: What its neighbours lend it.
        named: The factor of being named by the query.
    """

    words: float
    meaning: float = 0.0
    beside: float = 0.0
    named: float = 1.0


def background(mean: float, count: int, anchor: float) -> float:
    """Return the cosine that a query has with a claim that has nothing to do with it.

    Args:
        mean: Mean cosine of the query with the claims there are.
        count: How many they are.
        anchor: Cosine of the query with the embedder's fixed text.

    Example:
        >>> background(0.4, 0, 0.1), round(background(0.4, 10_000, 0.1), 2), background(-0.2, 10, 0.0)
        (0.1, 0.4, 0.0)
    """
    return max(0.0, (mean * count + anchor * ANCHOR) / (count + ANCHOR))


def likeness(cosine: float, background: float) -> float:
    """Return how far a cosine lies on the way from an unrelated claim (0) to the same text (1).

    Embedders differ in how alike they call texts that are not (0.1 or 0.8); measured from there, they can be compared
    with each other and with a lexical score.

    Example:
        >>> likeness(0.55, 0.1), likeness(0.9, 0.8), likeness(0.05, 0.1)
        (0.5, 0.5, 0.0)
    """
    return max(0.0, round((cosine - background) / (1.0 - background), 6)) if background < 1.0 else 0.0


def fused(words: float, meaning: float, *, both: bool) -> float:
    """Return the evidence of a claim itself.

    Args:
        words: Its BM25 score, divided by that of a claim which holds every known term of the query once.
        meaning: Its likeness.
        both: Whether both were looked at.

    Example:
        >>> fused(0.8, 0.0, both=False), round(fused(0.8, 0.5, both=True), 3), round(fused(0.0, 1.0, both=True), 3)
        (0.8, 0.71, 1.02)
    """
    if not both:
        return words
    return (1.0 - MEANING) * words + MEANING * (meaning + SURE * max(0.0, meaning - SAME))


def relevance(words: float, meaning: float) -> float:
    """Return how relevant a claim is by all that it says itself, 0 to 1: what ``min_relevance`` is compared with.

    Words and meaning are two witnesses: it is irrelevant only as far as both say so. Without an embedder it is what
    the words say, and for a claim that shares none, what its meaning says.

    Example:
        >>> relevance(0.5, 0.0), relevance(0.0, 0.4), relevance(0.5, 0.5), relevance(1.7, 0.0)
        (0.5, 0.4, 0.75, 1.0)
    """
    return 1.0 - (1.0 - min(1.0, words)) * (1.0 - min(1.0, meaning))


def named(names: int, all_names: int) -> float:
    """Return the factor of being named by the query.

    Args:
        names: One bit for each term of the query that names the claim.
        all_names: The bits of all terms that name any candidate.

    Example:
        >>> named(0b01, 0b01), named(0b01, 0b11), named(0, 0b11), named(0, 0)
        (2.0, 1.5, 1.0, 1.0)
    """
    return 1.0 + NAMED * names.bit_count() / all_names.bit_count() if names else 1.0


def beside(idx: int) -> tuple[int, ...]:
    """Return the places in the log whose claims tell of one at ``idx``.

    Example:
        >>> beside(7)
        (6, 8, 5, 9)
    """
    return tuple(idx + side * step for step in range(1, REACH + 1) for side in (-1, 1))


def adjoining(idxs: Collection[int]) -> list[tuple[int, int, float]]:
    """Return which of some claims stand beside each other, with what the one counts for the other.

    Example:
        >>> adjoining({1, 2, 4, 9})
        [(1, 2, 0.5), (2, 4, 0.25)]
    """
    found: list[tuple[int, int, float]] = []
    share = 1.0
    for step in range(1, REACH + 1):
        share *= NEXT
        found += [(idx, idx + step, share) for idx in sorted([idx for idx in idxs if idx + step in idxs])]
    return found


def lent(
    own: Mapping[int, float],
    pairs: Iterable[tuple[int, int, float]],
    sessions: Mapping[int, Session],
    kin: Iterable[tuple[int, int, float]] = (),
    questions: Container[int] = (),
) -> dict[int, float]:
    """Return what the neighbours of claims say for them; those for which none speaks are left out.

    It fills up what a claim's own evidence leaves open: a weak one rises, one that says all that was asked stays where
    its own words put it. (On LoCoMo that answers 1 in 100 questions more at the first hit than adding all of it.)

    Args:
        own: The evidence of claims themselves, by index in the log.
        pairs: Which stand beside each other, see :func:`adjoining`.
        sessions: In which session each of those was said. One that is not there has no neighbours.
        kin: Which are of one line, lineage or subject, in whatever sessions, and what the one counts for the other.
        questions: Which of them are questions: what was said directly after one is its answer.

    Example:
        >>> lent({1: 0.75, 2: 0.25, 3: 0.5}, [(1, 2, 0.5), (2, 3, 0.5)], {1: "a", 2: "a", 3: "b"})
        {1: 0.03125, 2: 0.28125}
    """
    found: dict[int, float] = {}
    near = [pair for pair in pairs if (said := sessions.get(pair[0])) is not None and said == sessions.get(pair[1])]
    for one, other, share in (*near, *[pair for pair in kin if pair[0] in own and pair[1] in own]):
        onward = share * ANSWER if one in questions and other == one + 1 else share
        for taker, giver, counts in ((one, other, share), (other, one, onward)):
            if own[giver]:
                found[taker] = found.get(taker, 0.0) + counts * own[giver]
    return {idx: (1.0 - own[idx]) * evidence for idx, evidence in found.items() if own[idx] < 1.0}
