"""The main job on real input: dialogues ingested as claims, every question answered by recall.

Each turn becomes an episodic note with its speaker as a tag, its session and its date (text, speaker, date and image caption
only: none of the data set's observations, events or summaries). A question counts as answered at k when any (or all) of
its evidence turns are among the first k hits, and of sessions when one of the first k different sessions holds a piece of
evidence: those of the best hits (session, as others count it), and those that ``sessions.find`` serves. Turns are
counted for the questions of categories 1 to 4 (``all``), sessions for every question with evidence (``every``; decision
44), and the table shows either for each. The data set is named by MUNIMENT_DATA.

Beside it, in the same run, plain FTS5: porter stemmer, the question's words without stop words, joined by OR.
``--embedder minilm`` adds meaning; ``--ablation`` leaves out one ingredient at a time; ``--choose`` chooses each constant
on all dialogues but one and reports on that one, so that no figure comes from what it was tuned on.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import Any

from common import Bar, arguments, report, summary, workplace
from locomo_data import EVERY, KS, NAMES, Dialogue, Tally, dialogues, plain, plain_search
from muniment import Memory
from muniment.lexical import compounds
from muniment.lexical.bm25 import Scorer
from muniment.recall import fusion
from muniment.sessions import finding
from muniment.store.sqlite import looking
from muniment.verbs.finding import gathering, scoring

SEEN = 50
"""Hits of a recall: five different sessions are mostly among them."""

SESSIONS = 5
"""Sessions that are asked for as such."""

GRID = {"NEXT": (0.3, 0.5, 0.7), "NAMED": (0.5, 1.0, 2.0)}
OF_ANSWERS = {"ANSWER": (1.0, 1.2, 1.3, 1.4, 1.6)}
MEANINGS = (0.2, 0.3, 0.4)
OF_TIMES = {"DATED": (0.0, 0.2, 0.3, 0.4, 0.5, 0.7)}
OF_SESSIONS = {"FURTHER": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)}

LEFT_OUT: dict[str, dict[str, float]] = {
    "nothing": {},
    "neighbours": {"NEXT": 0.0},
    "neighbours at two steps": {"REACH": 1},
    "answers after questions": {"ANSWER": 1.0},
    "the best hits' neighbours": {"HOSTS": 0},
    "names": {"NAMED": 0.0},
    "standing back of questions": {"ASKING": 1.0},
    "proximity": {"proximity": 0.0},
    "fading": {"RECENCY": 0.0},
    "the time asked for": {"DATED": 0.0},
    "other spellings": {"JOINED": 0, "DIVIDED": 0},
}
"""Ingredients, and which constants leave them out."""


@contextmanager
def constants(values: Mapping[str, float]) -> Iterator[None]:
    """Set constants of the ranking for a while."""
    with ExitStack() as after:
        for name, value in values.items():
            if name == "proximity":
                defaults: Any = Scorer.__init__.__kwdefaults__
                after.callback(defaults.__setitem__, name, defaults[name])
                defaults[name] = value
                continue
            for module in (fusion, scoring, gathering, compounds, looking, finding):
                if hasattr(module, name):
                    after.callback(setattr, module, name, getattr(module, name))
                    setattr(module, name, value)
        yield


class Bench:
    """Memories of the dialogues, filled, and their questions."""

    def __init__(self, folder: Path, place: Path, embedder: str | None) -> None:
        self.dialogues, self.times, self.rates = dialogues(folder), [], []
        given = {} if embedder is None else {"embedder": embedder}
        self.memories = [Memory(place / "locomo.muniment", namespace=d.name, **given) for d in self.dialogues]
        for memory, dialogue in zip(self.memories, self.dialogues, strict=True):
            self.rates.append(ingest(memory, dialogue))
            if embedder is not None:
                memory.models.embed()

    def asked(self, values: Mapping[str, float] | None = None) -> list[Tally]:
        """Answer all questions, with some constants; return what was found in each dialogue."""
        with constants(values or {}):
            return [self._asked(*pair) for pair in zip(self.memories, self.dialogues, strict=True)]

    def _asked(self, memory: Memory, dialogue: Dialogue) -> Tally:
        tally = Tally()
        for question in dialogue.questions:
            start = time.perf_counter()
            hits = memory.recall(question.text, k=SEEN)
            self.times.append(time.perf_counter() - start)
            served = [_number(found.session) for found in memory.sessions.find(question.text, k=SESSIONS, each=1)]
            tally.add(dialogue, question, [hit.meta["turn"] for hit in hits], served)
        return tally

    def baseline(self) -> list[Tally]:
        """Answer all questions by plain FTS5."""
        tallies = []
        for dialogue in self.dialogues:
            tally, index = Tally(), plain(dialogue)
            for question in dialogue.questions:
                tally.add(dialogue, question, plain_search(index, question.text, SEEN))
            tallies.append(tally)
        return tallies

    def close(self) -> None:
        """Close the memories."""
        for memory in self.memories:
            memory.close()


def ingest(memory: Memory, dialogue: Dialogue) -> float:
    """Store every turn of a dialogue; return claims per second."""
    rows = [
        {
            "text": turn["text"],
            "kind": "episodic",
            "tags": [turn["speaker"]],
            "session": _named(turn["session"]),
            "valid_from": turn["at"],
            "meta": {"turn": turn["id"]},
            "source": f"locomo:{dialogue.name}/{turn['id']}",
        }
        for turn in dialogue.turns
    ]
    start = time.perf_counter()
    memory.remember_many(rows)
    return len(rows) / (time.perf_counter() - start)


def _named(session: int) -> str:
    return f"session {session}"


def _number(name: str) -> int:
    return int(name.rpartition(" ")[2])


def total(tallies: list[Tally]) -> Tally:
    """Return the sum of the dialogues' tallies."""
    summed = Tally()
    for tally in tallies:
        summed = summed.merged(tally)
    return summed


def merit(tally: Tally) -> float:
    """Return what constants are chosen by: the mean of any@5, any@25 and all@25."""
    return tally.share("any", 5) + tally.share("any", 25) + tally.share("all", 25)


def merit_of_sessions(tally: Tally) -> float:
    """Return what the constants of ``sessions.find`` are chosen by: the mean of its first and of its first five."""
    return tally.share("served", 1) + tally.share("served", 5)


def chosen(
    bench: Bench, axes: Mapping[str, Sequence[float]], merit: Callable[[Tally], float] = merit
) -> dict[str, str]:
    """Choose constants on all dialogues but one, for each; report what they find in that one, all together."""
    settings = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    found = [bench.asked(values) for values in settings]
    summed, lines = Tally(), {}
    for n, dialogue in enumerate(bench.dialogues):
        rest = [total(tallies[:n] + tallies[n + 1 :]) for tallies in found]
        best = max(range(len(settings)), key=lambda i: (merit(rest[i]), -i))
        lines[f"without {dialogue.name}"] = str(settings[best])
        summed = summed.merged(found[best][n])
    return {**lines, "what they find in it": summed.line()}


def bars(tally: Tally, base: Tally, embedder: str | None) -> list[Bar]:
    """Return what the figures are to reach: of turns, and with words alone of sessions too."""
    wanted = {("any", 25): 0.82, ("all", 25): 0.69, ("any", 5): 0.66}
    if embedder:
        wanted = {("any", 25): 0.88, ("all", 25): 0.76, ("any", 10): 0.80, ("any", 5): 0.70}
    found = [Bar(f"{kind}@{k}", round(tally.share(kind, k), 3), least) for (kind, k), least in wanted.items()]
    if embedder:
        found.append(Bar("multi-hop all@25", round(tally.share("all", 25, "multi-hop"), 3), 0.40))
        for k in (1, 5):
            found.append(Bar(f"any@{k} beside words alone", round(tally.share("any", k), 3), base.share("any", k)))
    ways = [("words alone", base), *([("with meaning", tally)] if embedder else [])]
    return found + [
        Bar(f"{NAMES.get(kind, kind)}@5 of every question, {way}", round(one.share(kind, 5, EVERY), 3), 0.95)
        for way, one in ways
        for kind in ("session", "served")
    ]


def main() -> None:
    """Run the bench."""
    options = arguments(__doc__ or "", embedder={}, ablation={"action": "store_true"}, choose={"action": "store_true"})
    data = os.environ.get("MUNIMENT_DATA")
    if not data:
        raise SystemExit("MUNIMENT_DATA is not set: it names the folder that holds the dialogues.")
    with workplace(options.folder) as place:
        bench = Bench(Path(data), place, options.embedder)
        tally = total(bench.asked())
        results: dict[str, Any] = {
            "recall": tally.table(),
            "intervals": tally.intervals(),
            "plain FTS5": total(bench.baseline()).table(),
            "columns": {"any, all": "at " + ", ".join(map(str, KS))},
            "recall time": summary(bench.times),
            "ingest claims/s": round(sum(bench.rates) / len(bench.rates)),
            "log verified": all(memory.log.verify().ok for memory in bench.memories),
        }
        words = tally
        if options.embedder:
            words = total(bench.asked({"MEANING": 0.0, "LEAST_ALIKE": 2.0}))
            results["words alone"] = words.table()
        if options.ablation:
            results["left out"] = {name: total(bench.asked(values)).line() for name, values in LEFT_OUT.items()}
        if options.choose:
            axes = {**GRID, "MEANING": MEANINGS} if options.embedder else GRID
            results["constants chosen without a dialogue"] = chosen(bench, axes)
            results["of answers, chosen so"] = chosen(bench, OF_ANSWERS)
            results["of times, chosen so"] = chosen(bench, OF_TIMES)
            results["of sessions, chosen so"] = chosen(bench, OF_SESSIONS, merit_of_sessions)
        bench.close()
        report(results, options, bars(tally, words, options.embedder))


if __name__ == "__main__":
    main()
