"""The story as it goes when nothing happens: what a store must hold after each step, whoever was killed on the way."""

from __future__ import annotations

import json
import shutil
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crash import victim
from determinism.records import check_log, leaves, spawn
from determinism.story import OTHER, SECRET, STORY, Stage, answers, state
from muniment.store.sqlite import failpoints
from muniment.verbs.plain import plain

STORE = "memory.db"
BEFORE, AFTER = 4, 6
"""Steps that a victim acknowledges before it dies, and that are told afterwards to see that the store goes on."""

VICTIM = Path(victim.__file__)
KILLED = (-signal.SIGKILL,) if hasattr(signal, "SIGKILL") else (signal.SIGTERM,)

WRITTEN = frozenset({"after_commit", "purge_before_vacuum", "purge_before_checkpoint", "purge_after_checkpoint"})
"""Points at which the step is durable already; at all others nothing of it may be found."""

Logs = tuple[list[bytes], list[bytes]]


def logs_of(stage: Stage) -> Logs:
    """Return the logs of both namespaces; that of one that does not exist yet is empty."""
    there = OTHER in stage.memory._host.store.namespaces()
    return leaves(stage.memory), leaves(stage.other) if there else []


@dataclass
class Reference:
    """The undisturbed run.

    Args:
        outcomes: Of each step.
        said: The same as the story keeps them, by name.
        logs, states: After so many steps; the first is that of the new store.
        copies: Folders with the store's files, after so many steps.
        hits: For each point, the step of each hit.
        final: What everything answers at the end.
    """

    outcomes: list[Any] = field(default_factory=list)
    said: dict[str, Any] = field(default_factory=dict)
    logs: list[Logs] = field(default_factory=list)
    states: list[Any] = field(default_factory=list)
    copies: list[Path] = field(default_factory=list)
    hits: dict[str, list[int]] = field(default_factory=lambda: {point: [] for point in failpoints.POINTS})
    final: Any = None

    @classmethod
    def run(cls, folder: Path) -> Reference:
        """Tell the story and note everything."""
        told = cls()
        stage = Stage(folder / STORE)
        try:
            for position in range(len(STORY)):
                told._note(stage, folder)
                for point in failpoints.POINTS:
                    failpoints.arm(point, lambda p=point, at=position: told.hits[p].append(at))
                told.outcomes.append(stage.play(position))
                failpoints.disarm()
            told._note(stage, folder)
            told.said, told.final = stage.said, answers(stage)
        finally:
            failpoints.disarm()
            stage.close()
        return told

    def _note(self, stage: Stage, folder: Path) -> None:
        copy = folder / str(len(self.copies))
        copy.mkdir()
        for file in folder.glob(f"{STORE}*"):
            if not file.name.endswith("-shm"):
                shutil.copy(file, copy)
        self.copies.append(copy)
        self.logs.append(logs_of(stage))
        self.states.append(state(stage))

    def killed(self, folder: Path, point: str, nth: int, first: int | None = None) -> tuple[Path, int]:
        """Let a process take up the story shortly before a hit of a point, and die there.

        Args:
            folder: Where its store is made.
            point: The point.
            nth: Which hit, counted over the whole story.
            first: The step to begin with; a few before the hit if not given.

        Returns:
            The store, and the step that was under way. All before it were acknowledged as in the undisturbed run.
        """
        hits = self.hits[point]
        step = hits[nth - 1]
        first = max(0, step - BEFORE) if first is None else first
        nth -= sum(hit < first for hit in hits)
        shutil.copytree(self.copies[first], folder)
        said = {name: plain(outcome) for name, outcome in self.said.items()}
        acknowledged = killed(folder, point, nth, first=first, said=said)
        assert acknowledged == self.outcomes[first:step], f"it died in the step “{STORY[step].name}”"
        return folder / STORE, step

    def taken_up(self, path: Path, steps: int, *, to_the_end: bool) -> None:
        """Check a store that must hold exactly so many steps, and that it goes on as if nothing had happened."""
        until = len(STORY) if to_the_end else min(len(STORY), steps + AFTER)
        stage = Stage(path, self.said)
        check_log(stage.memory)
        assert logs_of(stage) == self.logs[steps]
        assert state(stage) == self.states[steps]
        for position in range(steps, until):
            assert stage.play(position) == self.outcomes[position]
        assert logs_of(stage) == self.logs[until]
        assert state(stage) == self.states[until]
        check_log(stage.memory)
        if to_the_end:
            assert answers(stage) == self.final
            check_log(stage.other)
        stage.close()
        assert not path.with_name(f"{path.name}-wal").exists()
        if to_the_end:
            assert SECRET.encode() not in path.read_bytes()


def killed(
    folder: Path, point: str, nth: int, *, opening: bool = False, first: int = 0, said: dict[str, Any] | None = None
) -> list[Any]:
    """Let a process tell the story until it dies at a point; return what was acknowledged."""
    folder.mkdir(exist_ok=True)
    acks = folder / "acks"
    given = {
        "path": str(folder / STORE), "acks": str(acks), "point": point, "nth": nth, "opening": opening,
        "first": first, "said": said or {},
    }  # fmt: skip
    process = spawn(VICTIM, json.dumps(given))
    _, err = process.communicate(timeout=120)
    assert process.returncode in KILLED, f"the point was not reached: {err}"
    return [json.loads(line) for line in acks.read_text().splitlines()]
