"""LoCoMo as the bench uses it: turns, questions with their evidence, a plain baseline, and counting."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import sqrt
from pathlib import Path
from typing import Any

import apsw

from muniment.lexical.stopwords import is_stop_word

KS = (1, 5, 10, 25)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}
ADVERSARIAL = 5
"""The category of questions that take what one speaker said for the other's. Their evidence is where it was said."""

NAMED = {**CATEGORIES, ADVERSARIAL: "adversarial"}
ALL, EVERY = "all", "every"
"""Questions of categories 1 to 4, and those of all five."""

NAMES = {"served": "sessions.find"}
FILES = ("locomo10.json", "locomo_dev.json")


@dataclass(frozen=True)
class Question:
    """One question with what it needs."""

    text: str
    category: int
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Dialogue:
    """One dialogue: its turns (id, session, speaker, text) and its questions with evidence."""

    name: str
    turns: tuple[dict[str, Any], ...]
    questions: tuple[Question, ...]
    session_of: dict[str, int] = field(default_factory=dict)


def dialogues(folder: Path) -> list[Dialogue]:
    """Read the dialogues of the data set: all ten where they are there, else the five for development."""
    file = next(folder / name for name in FILES if (folder / name).exists())
    return [_dialogue(raw) for raw in json.loads(file.read_text(encoding="utf-8"))]


def _dialogue(raw: dict[str, Any]) -> Dialogue:
    turns = tuple(_turns(raw["conversation"]))
    asked = [q for q in raw["qa"] if q.get("category") in NAMED and q.get("evidence")]
    questions = tuple(Question(q["question"], q["category"], _evidence(q["evidence"])) for q in asked)
    return Dialogue(raw["sample_id"], turns, questions, {turn["id"]: turn["session"] for turn in turns})


def _turns(conversation: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """Yield turns as they are indexed: speaker, date, text and caption, and nothing else of the data set."""
    for number in range(1, 100):
        date = conversation.get(f"session_{number}_date_time", "")
        for turn in conversation.get(f"session_{number}", ()):
            caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
            text = f"{turn['speaker']}: [{date}] {turn['text']}{caption}"
            yield {
                "id": turn["dia_id"],
                "session": number,
                "speaker": turn["speaker"],
                "text": text,
                "at": _instant(date),
            }


def _instant(date: str) -> str:
    """Return a date as the data set writes it (1:56 pm on 8 May, 2023) in RFC 3339."""
    return datetime.strptime(date, "%I:%M %p on %d %B, %Y").strftime("%Y-%m-%dT%H:%M:00Z")


def _evidence(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(part for text in texts for part in re.findall(r"D\d+:\d+", text))


def plain(dialogue: Dialogue) -> apsw.Connection:
    """Make the baseline's index of a dialogue."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE turns USING fts5(id UNINDEXED, text, tokenize='porter unicode61')")
    connection.executemany("INSERT INTO turns VALUES(?,?)", [(turn["id"], turn["text"]) for turn in dialogue.turns])
    return connection


def plain_search(connection: apsw.Connection, question: str, k: int) -> list[str]:
    """Answer a question by the baseline: its words without stop words, joined by OR."""
    words = [w for w in re.findall(r"\w+", question.lower()) if not is_stop_word(w)]
    if not words:
        return []
    match = " OR ".join(f'"{word}"' for word in words)
    rows = connection.execute("SELECT id FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT ?", (match, k))
    return [id_ for (id_,) in rows]


class Tally:
    """Counts answered questions: of turns per category, for any and all evidence at each k, and of sessions."""

    def __init__(self) -> None:
        self.hits: dict[tuple[str, str, int], int] = defaultdict(int)
        self.asked: dict[str, int] = defaultdict(int)

    def add(
        self, dialogue: Dialogue, question: Question, found: Sequence[str], served: Sequence[int] | None = None
    ) -> None:
        """Count one question.

        Args:
            dialogue, question: What was asked.
            found: The turns that were found, best first.
            served: The sessions that were found, best first, where they were asked for as such.
        """
        sessions = list(dict.fromkeys(dialogue.session_of[turn] for turn in found))
        wanted = {dialogue.session_of[turn] for turn in question.evidence if turn in dialogue.session_of}
        for name in (NAMED[question.category], EVERY, *([ALL] if question.category in CATEGORIES else [])):
            self.asked[name] += 1
            for k in KS:
                among = [turn in found[:k] for turn in question.evidence]
                self.hits[name, "any", k] += bool(among) and any(among)
                self.hits[name, "all", k] += bool(among) and all(among)
                self.hits[name, "session", k] += not wanted.isdisjoint(sessions[:k])
                if served is not None:
                    self.hits[name, "served", k] += not wanted.isdisjoint(served[:k])

    def merged(self, other: Tally) -> Tally:
        """Return the sum of two tallies."""
        total = Tally()
        for one in (self, other):
            for key, count in one.hits.items():
                total.hits[key] += count
            for name, count in one.asked.items():
                total.asked[name] += count
        return total

    def share(self, kind: str, k: int, name: str = ALL) -> float:
        """Return the share of questions of a category that were answered."""
        return self.hits[name, kind, k] / self.asked[name] if self.asked[name] else 0.0

    def line(self, name: str = ALL) -> str:
        """Return the figures of a category in one line."""
        parts = [f"{kind} " + " ".join(f"{self.share(kind, k, name):.3f}" for k in KS) for kind in ("any", "all")]
        served = ""
        if (name, "served", 5) in self.hits:
            served = "  sessions.find@1/5 " + "/".join(f"{self.share('served', k, name):.3f}" for k in (1, 5))
        return "  ".join(parts) + f"  session@5 {self.share('session', 5, name):.3f}{served}"

    def table(self) -> dict[str, Any]:
        """Return a line for each category."""
        names = [name for name in (*NAMED.values(), ALL, EVERY) if self.asked[name]]
        return {f"{name} (n={self.asked[name]})": self.line(name) for name in names}

    def intervals(self) -> dict[str, str]:
        """Return the 95 % intervals (Wilson 1927) of what the bars are about."""
        wanted = [(kind, k, ALL) for kind, k in (("any", 5), ("any", 10), ("any", 25), ("all", 25), ("session", 5))]
        wanted += [("served", 5, ALL), ("served", 1, ALL), ("session", 5, EVERY), ("served", 5, EVERY)]
        return {
            f"{NAMES.get(kind, kind)}@{k}{', every question' * (name == EVERY)}": _wilson(
                self.hits[name, kind, k], self.asked[name]
            )
            for kind, k, name in wanted
            if (name, kind, k) in self.hits
        }


def _wilson(hits: int, n: int, z: float = 1.96) -> str:
    share = hits / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return f"{share:.3f} ({middle - reach:.3f} to {middle + reach:.3f})"
