"""A corrected value that creeps back: an old value is told, corrected, and then told again in one of several ways.

For each topic three things are said: the old value, the correction, and an echo of the old value. Afterwards the new
value must be believed (where there is a key) and be the first hit for the topic's question. Arms:

- ``keyed``: all three bear their key and value; what an extractor or a careful caller hands over.
- ``keyed, echo as text``: the echo is a bare note, as from a chat log or a page that nobody has read yet.
- ``text alone``: three notes, as other memories are given; nobody says which line they lie on.
- ``text, retracted``: the same, but the correction retracts the note that was wrong.

Each is run with the echo rule and, as a control that the bench can fail, without it. Echoes come from the speaker
("just to confirm"), from an agent, a tool and a document; word for word, confirmed, reworded, in capitals; and in
disguise, with invisible characters or look-alike letters. The reader is a fixed rule: the first hit that names one of
the two values.

Bars: nothing creeps back with the rule in the keyed arms; without the rule, and without keys, something must.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import Bar, arguments, report, workplace
from dialogues import SYLLABLES
from facts import ATTRIBUTES
from muniment import Memory, MunimentError

CHANNELS = ("user", "agent", "tool", "document")
ARMS = ("keyed", "keyed, echo as text", "text alone", "text, retracted")


@dataclass(frozen=True)
class Topic:
    """One fact that is corrected.

    Args:
        key: Its key.
        question: How somebody asks for it.
        old, new: The two values.
        first, correction, echoes: What is said; of the echoes one, by the manner of telling it.
    """

    key: str
    question: str
    old: str
    new: str
    first: str
    correction: str
    echoes: dict[str, str]


def topics(seed: int, count: int) -> Iterator[Topic]:
    """Yield generated topics."""
    chance = random.Random(seed)

    def name() -> str:
        return "".join(chance.choices(SYLLABLES, k=3)).capitalize()

    for n in range(count):
        attribute, thing, old, new = ATTRIBUTES[n % len(ATTRIBUTES)], f"{name()} {name()}", name(), name()
        first = attribute.same[0].format(e=thing, v=old)
        other = attribute.other[n % len(attribute.other)].format(e=thing, v=old)
        yield Topic(
            f"{thing}::{attribute.name}", attribute.question.format(e=thing), old, new, first,
            "Correction: " + attribute.same[0].format(e=thing, v=new),
            {
                "word for word": first,
                "confirmed": f"Just to confirm: {first}",
                "other words": other,
                "capitals": first.upper(),
                "invisible": first.replace(old, old[:2] + "\u200b" + old[2:]),
                "look-alike": first.replace("o", "о").replace("a", "а"),
            },
        )  # fmt: skip


CONTROLS = (("keyed", False), ("text alone", True))
"""Arms in which the old value must come back, or the bench could not tell: without the rule, and without keys."""

TYPED = ("word for word", "confirmed", "other words", "capitals")
DISGUISED = ("invisible", "look-alike")


def told(memory: Memory, topic: Topic, arm: str, manner: str, channel: str) -> None:
    """Say the three things. What is refused is not said."""
    keyed = {"key": topic.key}
    first = memory.remember(topic.first, **({**keyed, "value": topic.old} if arm.startswith("keyed") else {}))
    if arm == "text, retracted":
        memory.retract(str(first.claim_id), "wrong")
    memory.remember(topic.correction, **({**keyed, "value": topic.new} if arm.startswith("keyed") else {}))
    value = {**keyed, "value": _spelled(topic.old, manner)} if arm == "keyed" else {}
    try:
        memory.remember(topic.echoes[manner], channel=channel, **value)
    except MunimentError:
        return


def _spelled(value: str, manner: str) -> str:
    """Return a value as somebody writes it who tells the fact in some manner."""
    made: dict[str, Callable[[str], str]] = {
        "capitals": str.upper,
        "invisible": lambda text: text[:2] + "\u200b" + text[2:],
        "look-alike": lambda text: text.replace("o", "о").replace("a", "а"),
    }
    return made.get(manner, str)(value)


def read(memory: Memory, topic: Topic, arm: str) -> str:
    """Return what a reader takes from the memory: ``new``, ``old`` or ``neither``."""
    if arm == "keyed" and memory.believe(topic.key).value != topic.new:
        return "old"
    for hit in memory.recall(topic.question, k=5):
        text = _plain(hit.text)
        if _plain(topic.new) in text:
            return "new"
        if _plain(topic.old) in text:
            return "old"
    return "neither"


def _plain(text: str) -> str:
    """Return a text as an eye reads it."""
    return text.replace("\u200b", "").replace("о", "o").replace("а", "a").lower()


def measure(place: Path, options: Any, arm: str, manners: Sequence[str], guarded: bool) -> dict[str, str]:
    """Return the share of topics whose old value is back, and of those whose new one is read; then the old one's by kind."""
    cells = [(manner, channel) for manner in manners for channel in CHANNELS]
    asked = list(topics(options.seed, options.topics * len(cells)))
    counts: Counter[tuple[str, str]] = Counter()
    with Memory(place / f"{arm} {manners[0]} {guarded}.muniment") as memory:
        if not guarded:
            memory.policy("*", echo=False, boundary=False)
        for n, topic in enumerate(asked):
            told(memory, topic, arm, *cells[n % len(cells)])
        for n, topic in enumerate(asked):
            found = read(memory, topic, arm)
            counts.update((kind, found) for kind in ("all", *cells[n % len(cells)]))

    def share(kind: str, found: str) -> str:
        return f"{counts[kind, found] / sum(counts[kind, each] for each in ('new', 'old', 'neither')):.3f}"

    kinds = {kind: share(kind, "old") for kind in (*CHANNELS, *manners)}
    return {"old is back": share("all", "old"), "new is read": share("all", "new"), **kinds}


def run(options: Any, place: Path) -> tuple[dict[str, Any], list[Bar]]:
    """Run every arm, with the rule and without it."""
    results: dict[str, Any] = {"topics in each cell": options.topics}
    bars = []
    for arm in ARMS:
        for guarded in (True, False):
            for manners in (TYPED, DISGUISED):
                name = f"{arm}{'' if guarded else ', guard off'}{'' if manners is TYPED else ', in disguise'}"
                row = results[name] = measure(place, options, arm, manners, guarded)
                back = float(row["old is back"])
                if arm.startswith("keyed") and guarded:
                    bars.append(Bar(f"old is back: {name}", back, most=0.0))
                elif (arm, guarded) in CONTROLS and manners is TYPED:
                    bars.append(Bar(f"old is back: {name} (control)", back, least=0.1))
    return results, bars


if __name__ == "__main__":
    options = arguments(
        __doc__ or "",
        sized=False,
        seed={"type": int, "default": 20261130},
        topics={"type": int, "default": 30, "help": "of each manner from each channel"},
    )
    with workplace(options.folder) as workspace:
        measured, bars = run(options, workspace)
        report(measured, options, bars)
