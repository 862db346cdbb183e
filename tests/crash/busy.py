"""A process that does all kinds of things to a store in some threads, until it is killed: ``python busy.py '{…}'``.

Each thread has a journal of its own. Before it does something it writes down what it is about to do, and afterwards
what was answered; each line is synced, so whatever the last line is, the parent knows what may be under way.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import sys
import threading
from pathlib import Path
from typing import Any

from crash.victim import acknowledge
from muniment import Memory


class Hand:
    """One thread's work: says, corrects and forgets, on lines of its own and on lines shared with the others."""

    def __init__(self, memory: Memory, journal: Path, name: str) -> None:
        self._memory, self._name, self._dice = memory, name, random.Random(name)
        self._journal = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._own: list[str] = []

    def work(self) -> None:
        for n in itertools.count():
            self._one(n)

    def _one(self, n: int) -> None:
        draw = self._dice.random()
        if draw < 0.6 or not self._own:
            self._say(f"fact {self._name} {n}", f"place {self._name} {n % 7}::fact")
        elif draw < 0.8:
            self._say(f"shared {self._name} {n}", f"shared {n % 3}::fact", channel=self._dice.choice(("user", "agent")))
        elif draw < 0.9:
            self._do("revert", f"place {self._name} {n % 7}::fact")
        elif draw < 0.95:
            self._do("correct_text", self._own[-1], f"fact {self._name} worded anew")
        else:
            self._forget(self._own.pop(0))

    def _write(self, **line: Any) -> None:
        acknowledge(self._journal, line)

    def _say(self, text: str, key: str, **more: Any) -> None:
        self._write(about_to="say", text=text)
        said = self._memory.remember(text, key=key, value=text, **more)
        self._write(done="say", text=text, entry=said.entry_id, claim=said.claim_id)
        if key.startswith("place") and said.claim_id is not None:
            self._own.append(said.claim_id)

    def _do(self, verb: str, *arguments: Any) -> None:
        self._write(about_to=verb)
        try:
            self._write(done=verb, entry=getattr(self._memory, verb)(*arguments).entry_id)
        except (LookupError, ValueError) as error:  # the line is not there yet, or the text is the value
            self._write(done=verb, entry=None, refused=type(error).__name__)

    def _forget(self, claim: str) -> None:
        self._write(about_to="forget", claim=claim)
        self._write(done="forget", claim=claim, entry=self._memory.forget(ids=[claim]).entries[0])


def main() -> None:
    given = json.loads(sys.argv[1])
    print("ready", flush=True)
    memory = Memory(given["path"], busy_seconds=60)
    hands = [
        Hand(memory, Path(given["folder"]) / f"{given['name']}-{thread}.journal", f"{given['name']}.{thread}")
        for thread in range(given["threads"])
    ]
    print("open", flush=True)
    running = [threading.Thread(target=hand.work) for hand in hands]
    for one in running:
        one.start()
    for one in running:
        one.join()


if __name__ == "__main__":
    main()
