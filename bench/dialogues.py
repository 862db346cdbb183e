"""Generated dialogues with contradictions in them: seeded, of names and values that nobody can guess.

Each session is about two things by turns. Some of what is said is asked for later; of that, two sessions tell two
values, one of them in one of several guises. The rest names the same things, or the same kinds of facts, and tells
nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from facts import ABOUT, ATTRIBUTES, BESIDE, LATER, PADDING, Attribute

SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]

GUISES = {"same words": 25, "long message": 25, "other words": 30, "half the name": 5, "pronoun": 15}
"""How the second side of a contradiction is worded, and how often. ``other words`` and ``half the name`` share with the
question only the name or half of it; ``pronoun`` has the question's words, and its name in the message before."""

ASKED = 2
"""Facts of each thing that are told twice."""

FAMILY = 5
"""Things that share the first half of their name."""


Said = tuple[str, str | None, str | None]
"""A text, and the key and value of the fact it tells."""

Strand = list[list[Said]]
"""What a session says of one thing: messages, some of which belong behind another one."""


@dataclass(frozen=True)
class Message:
    """One message.

    Args:
        text: What was said.
        session: In which session.
        key: Of the fact it tells, or None.
        value: Of the fact.
    """

    text: str
    session: int
    key: str | None = None
    value: str | None = None


@dataclass(frozen=True)
class Contradiction:
    """A question of which two sides were told.

    Args:
        question: How somebody asks.
        key: Of the fact.
        guise: How the second side is worded.
    """

    question: str
    key: str
    guise: str


class Dialogues:
    """Messages and the contradictions among them.

    Args:
        seed: The same seed, the same dialogues.
        things: How many things are talked about.
        chatter: Messages about each that tell nothing.

    Attributes:
        messages: In the order in which they are said.
        contradictions: In no particular order.
    """

    def __init__(self, seed: int, things: int = 150, chatter: int = 28) -> None:
        self._chance, self._names = random.Random(seed), set[str]()
        self.contradictions: list[Contradiction] = []
        strands: list[Strand] = []
        for n in range(things):
            if n % FAMILY == 0:
                family = self._name()
            strands += self._about(f"{family} {self._name()}", chatter // (2 * ASKED))
        self._chance.shuffle(strands)
        pairs = zip(strands[::2], strands[1::2], strict=True)
        self.messages = [Message(t, n, k, v) for n, pair in enumerate(pairs) for t, k, v in self._by_turns(*pair)]

    def _by_turns(self, one: Strand, other: Strand) -> Iterator[Said]:
        """Yield what is said of two things, in the order of each, with turns at random."""
        turns = [one] * len(one) + [other] * len(other)
        self._chance.shuffle(turns)
        left = {id(one): iter(one), id(other): iter(other)}
        for turn in turns:
            yield from next(left[id(turn)])

    def _about(self, thing: str, chatter: int) -> Iterator[Strand]:
        """Yield strands of sessions about one thing: two for each fact that is asked for."""
        for attribute in self._chance.sample(ATTRIBUTES, ASKED):
            key = f"{thing}::{attribute.name}"
            guise = self._chance.choices(list(GUISES), list(GUISES.values()))[0]
            self.contradictions.append(Contradiction(attribute.question.format(e=thing), key, guise))
            for worded in self._chance.sample(("same words", guise), 2):
                value = str(self._chance.randrange(1_000, 100_000)) if attribute.numeric else self._name()
                strand: Strand = [[(self._idle(thing), None, None)] for _ in range(chatter - 1)]
                before = (self._idle(thing, named=True), None, None)  # what a pronoun stands for
                told = (self._told(attribute, worded, thing, value), key, value)
                strand.insert(self._chance.randrange(chatter), [before, told])
                yield strand

    def _told(self, attribute: Attribute, guise: str, thing: str, value: str) -> str:
        """Return a message that tells a fact."""
        other = guise in ("other words", "half the name")
        named = {"half the name": thing.split()[1], "pronoun": self._chance.choice(LATER)}.get(guise, thing)
        sentence = self._chance.choice(attribute.other if other else attribute.same).format(e=named, v=value)
        sentence = sentence[0].upper() + sentence[1:]
        return self._padded(sentence, self._chance.randrange(4, 9) if guise == "long message" else self._some())

    def _idle(self, thing: str, named: bool = False) -> str:
        """Return a message that tells nothing: mostly it names the thing, else a kind of fact."""
        if named or self._chance.random() < 0.8:
            sentence = self._chance.choice(ABOUT).format(e=thing, v=self._name())
        else:
            sentence = self._chance.choice(BESIDE).format(a=self._chance.choice(ATTRIBUTES).name, v=self._name())
        return self._padded(sentence, self._some())

    def _some(self) -> int:
        return self._chance.choice((0, 0, 0, 1, 1, 2, 3))

    def _padded(self, sentence: str, count: int) -> str:
        """Put a sentence among others."""
        around = [each.format(v=self._name(), w=self._name()) for each in self._chance.sample(PADDING, count)]
        around.insert(self._chance.randrange(count + 1), sentence)
        return " ".join(around)

    def _name(self) -> str:
        """Return a name that was not given before."""
        while (name := "".join(self._chance.choices(SYLLABLES, k=3)).capitalize()) in self._names:
            pass
        self._names.add(name)
        return name
