"""The main job on real input: dialogues ingested as claims, every question answered by recall.

Each turn becomes an episodic note with its speaker, session and date (text, speaker, date and image caption only:
none of the data set's observations, events or summaries). A question of categories 1 to 4 counts as answered at k
when any (or all) of its evidence turns are among the first k hits. The data set is named by MUNIMENT_DATA.

Beside it, in the same run, plain FTS5: porter stemmer, the question's words without stop words, joined by OR.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import apsw

from common import arguments, report, summary, workplace
from muniment import Memory
from muniment.lexical.stopwords import is_stop_word

KS = (1, 5, 10, 25)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}


def dialogues(folder: Path) -> list[dict[str, Any]]:
    """Read the dialogues of the data set."""
    found: list[dict[str, Any]] = json.loads((folder / "locomo_dev.json").read_text(encoding="utf-8"))
    return found


def turns(dialogue: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the turns of a dialogue with their session and date."""
    conversation, out = dialogue["conversation"], []
    for number in range(1, 100):
        for turn in conversation.get(f"session_{number}", ()):
            caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
            date = conversation.get(f"session_{number}_date_time", "")
            out.append(
                {
                    "id": turn["dia_id"],
                    "session": number,
                    "speaker": turn["speaker"],
                    "date": date,
                    "text": f"{turn['speaker']}: [{date}] {turn['text']}{caption}",
                }
            )
    return out


def questions(dialogue: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the questions of categories 1 to 4 that name their evidence."""
    return [q for q in dialogue["qa"] if q.get("category") in CATEGORIES and q.get("evidence")]


def evidence(question: dict[str, Any]) -> list[str]:
    """Return the evidence turns of a question."""
    return [part for text in question["evidence"] for part in re.findall(r"D\d+:\d+", text)]


def ingest(memory: Memory, dialogue: dict[str, Any]) -> float:
    """Store every turn of a dialogue; return claims per second."""
    rows = [
        {
            "text": turn["text"],
            "kind": "episodic",
            "tags": [turn["speaker"], f"session {turn['session']}"],
            "meta": {"turn": turn["id"], "speaker": turn["speaker"], "session": turn["session"]},
            "source": f"locomo:{dialogue['sample_id']}/{turn['id']}",
        }
        for turn in turns(dialogue)
    ]
    start = time.perf_counter()
    memory.remember_many(rows)
    return len(rows) / (time.perf_counter() - start)


def plain(dialogue: dict[str, Any]) -> apsw.Connection:
    """Make the baseline's index of a dialogue."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE turns USING fts5(id UNINDEXED, text, tokenize='porter unicode61')")
    connection.executemany("INSERT INTO turns VALUES(?,?)", [(t["id"], t["text"]) for t in turns(dialogue)])
    return connection


def plain_search(connection: apsw.Connection, question: str, k: int) -> list[str]:
    """Answer a question by the baseline."""
    words = [w for w in re.findall(r"\w+", question.lower()) if not is_stop_word(w)]
    if not words:
        return []
    match = " OR ".join(f'"{word}"' for word in words)
    rows = connection.execute("SELECT id FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT ?", (match, k))
    return [id_ for (id_,) in rows]


class Tally:
    """Counts answered questions per category, for any and all evidence at each k."""

    def __init__(self) -> None:
        self.hits: dict[tuple[str, str, int], int] = defaultdict(int)
        self.asked: dict[str, int] = defaultdict(int)

    def add(self, category: int, wanted: list[str], found: list[str]) -> None:
        for name in (CATEGORIES[category], "all"):
            self.asked[name] += 1
            for k in KS:
                among = [w in found[:k] for w in wanted]
                self.hits[name, "any", k] += bool(among) and any(among)
                self.hits[name, "all", k] += bool(among) and all(among)

    def table(self) -> dict[str, Any]:
        return {
            f"{name} (n={self.asked[name]})": "  ".join(
                f"{kind}@{k} {self.hits[name, kind, k] / self.asked[name]:.3f}" for kind in ("any", "all") for k in KS
            )
            for name in [*CATEGORIES.values(), "all"]
            if self.asked[name]
        }


def run(folder: Path, place: Path) -> dict[str, Any]:
    """Ingest, ask, count and verify."""
    ours, base, times, rates, verified = Tally(), Tally(), [], [], []
    for dialogue in dialogues(folder):
        name = dialogue["sample_id"]
        baseline = plain(dialogue)
        with Memory(place / "locomo.muniment", namespace=name) as memory:
            rates.append(ingest(memory, dialogue))
            for question in questions(dialogue):
                start = time.perf_counter()
                hits = memory.recall(question["question"], k=max(KS))
                times.append(time.perf_counter() - start)
                found = [hit.meta["turn"] for hit in hits]
                ours.add(question["category"], evidence(question), found)
                base.add(
                    question["category"], evidence(question), plain_search(baseline, question["question"], max(KS))
                )
            verified.append(memory.log.verify().ok)
    return {
        "recall": ours.table(),
        "plain FTS5": base.table(),
        "recall time": summary(times),
        "ingest claims/s": round(sum(rates) / len(rates)),
        "log verified": all(verified),
    }


if __name__ == "__main__":
    options = arguments(__doc__ or "")
    data = os.environ.get("MUNIMENT_DATA")
    if not data:
        raise SystemExit("MUNIMENT_DATA is not set: it names the folder that holds locomo_dev.json.")
    with workplace(options.folder) as workspace:
        report(run(Path(data), workspace), options)
