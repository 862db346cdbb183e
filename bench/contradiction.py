"""Both sides of a contradiction among the first hits, in generated dialogues (see dialogues.py).

A question counts when both messages that answer it, with two values, are among the first k. Everybody gets the same
messages and the question's text only. The dialogues were made hard for plain FTS5 (baseline.py), which is asked in
the same run, and never easier for ours.

Ours is asked three times: with every message a note; with the messages that tell a fact under its key, from two tools
(which makes them contested, and one side brings the other); and both with an embedder where one is given.

Bars: both sides in the first 25 for at least 80 % of the questions, where plain FTS5 has 50 to 70 %.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from baseline import plain
from common import Bar, arguments, report, workplace
from dialogues import GUISES, Dialogues, Message
from muniment import Memory

KS = (5, 10, 25)
Search = Callable[[str], Sequence[int]]
"""Takes a question, returns the places of the messages found, best first."""


def said(memory: Memory, messages: Sequence[Message], keyed: bool) -> None:
    """Tell a memory the messages."""
    rows: list[dict[str, Any]] = []
    for n, message in enumerate(messages):
        row: dict[str, Any] = {"text": message.text, "session": f"s{message.session}", "meta": {"n": n}}
        if keyed and message.key is not None:
            row |= {"key": message.key, "value": message.value, "channel": "tool", "source": f"tool {message.session}"}
        rows.append(row)
    memory.remember_many(rows)


def tally(search: Search, dialogues: Dialogues) -> dict[str, str]:
    """Return the share of questions of which both sides are found, in all and by guise."""
    places: dict[str, list[int]] = defaultdict(list)
    for n, message in enumerate(dialogues.messages):
        if message.key is not None:
            places[message.key].append(n)
    found: dict[str, list[tuple[bool, ...]]] = defaultdict(list)
    for asked in dialogues.contradictions:
        hits, sides = search(asked.question), places[asked.key]
        both = tuple(all(side in hits[:k] for side in sides) for k in KS)
        found["all"].append((*both, any(side in hits[: KS[-1]] for side in sides)))
        found[asked.guise].append(both)
    total = len(found["all"])
    out = {f"both@{k}": f"{sum(row[i] for row in found['all']) / total:.3f}" for i, k in enumerate(KS)}
    out["any@25"] = f"{sum(row[-1] for row in found['all']) / total:.3f}"
    out["± (95 %)"] = f"{margin(float(out['both@25']), total):.3f}"
    return out | {guise: f"{sum(row[-1] for row in found[guise]) / len(found[guise]):.2f}" for guise in GUISES}


def margin(share: float, n: int) -> float:
    """Return half of the 95 % interval of a share (Wald)."""
    return 1.96 * math.sqrt(share * (1 - share) / n)


def run(options: Any, place: Path) -> tuple[dict[str, Any], list[Bar]]:
    """Make the dialogues, ask everybody, and count."""
    dialogues = Dialogues(options.seed, options.things)
    results: dict[str, Any] = {"messages": len(dialogues.messages), "questions": len(dialogues.contradictions)}
    results["plain FTS5"] = tally(plain(message.text for message in dialogues.messages), dialogues)
    for embedder in [None, options.embedder] if options.embedder else [None]:
        for keyed in (False, True):
            name = ("keyed" if keyed else "notes") + (f" + {embedder}" if embedder else ", words alone")
            with Memory(place / f"{name}.muniment", embedder=embedder) as memory:
                said(memory, dialogues.messages, keyed)
                if embedder:
                    memory.models.embed()
                results[name] = tally(
                    lambda question, asked=memory: [hit.meta["n"] for hit in asked.recall(question, k=max(KS))],
                    dialogues,
                )
    bars = [
        Bar(f"both@25, {name}", float(row["both@25"]), *((0.5, 0.7) if name == "plain FTS5" else (0.8,)))
        for name, row in results.items()
        if isinstance(row, dict)
    ]
    return results, bars


if __name__ == "__main__":
    options = arguments(
        __doc__ or "",
        sized=False,
        seed={"type": int, "default": 20261130},
        things={"type": int, "default": 150, "help": "things that are talked about; two questions for each"},
        embedder={"help": "minilm, or another word of docs/embedding.md (default: words alone)"},
    )
    with workplace(options.folder) as workspace:
        measured, bars = run(options, workspace)
        report(measured, options, bars)
