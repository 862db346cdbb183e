"""Random families of claims, withdrawn and given back in any order, against a few lines that know no log and no effect.

One claim on each line. The model keeps, for each claim, the decision by which it stands withdrawn, and which decisions
about its ancestors were undone on its own line. It is believed if neither it nor an ancestor stands withdrawn by a
decision that binds it.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory


class Step:
    def __init__(self, kind: str, made: object, of: Step | None = None) -> None:
        self.kind, self.made, self.of, self.stands = kind, made, of, True


class Family:
    """What is to be believed."""

    def __init__(self, parents: list[list[int]]) -> None:
        self.size = len(parents)
        self.above: list[set[int]] = []
        for mine in parents:
            self.above.append(set(mine).union(*(self.above[p] for p in mine)))
        self.withdrawn: list[object] = [None] * self.size
        self.waived: list[set[object]] = [set() for _ in parents]
        self.steps: list[list[Step]] = [[] for _ in parents]
        self.undone: list[list[Step]] = [[] for _ in parents]

    def believed(self, n: int) -> bool:
        above = (self.withdrawn[a] for a in self.above[n])
        return self.withdrawn[n] is None and not any(w and w not in self.waived[n] for w in above)

    def withdraw(self, n: int, kind: str) -> None:
        """Retract or release, unless it was done before."""
        if self.withdrawn[n] is None:
            self.steps[n].append(Step(kind, self._stand(n)))

    def _stand(self, n: int, kind: str = "foreign") -> object:
        """Let a withdrawal stand from now on; whoever is believed no longer for it remembers a step."""
        before = [self.believed(d) for d in range(self.size)]
        self.withdrawn[n] = made = object()
        for d in range(self.size):
            if n in self.above[d] and before[d]:
                self.steps[d].append(Step(kind, made))
        return made

    def _lapse(self, n: int) -> None:
        made, self.withdrawn[n] = self.withdrawn[n], None
        for d in range(self.size):
            for step in self.steps[d]:
                if step.made is made and d != n and self.believed(d):
                    step.stands = False

    def _last(self, n: int) -> Step | None:
        return next((s for s in reversed(self.steps[n]) if s.stands), None)

    def revert(self, n: int) -> None:
        step = self._last(n)
        if step is not None:
            step.stands = False
            self._take_back(n, step)
            self.undone[n].append(step)
            step.at = len(self.steps[n])  # type: ignore[attr-defined]

    def _take_back(self, n: int, step: Step) -> None:
        if step.kind == "foreign":
            self.waived[n].add(step.made)
        elif self.withdrawn[n] is step.made:
            self._lapse(n)

    def redo(self, n: int) -> None:
        """Only the last revert, and only if no step that stands followed it."""
        if not self.undone[n]:
            return
        step = self.undone[n][-1]
        if any(s.stands for s in self.steps[n][step.at :]):  # type: ignore[attr-defined]
            return
        self.undone[n].pop()
        step.stands = True
        if step.kind == "foreign":
            self.waived[n].discard(step.made)
        elif self.withdrawn[n] is None:
            step.made = self._stand(n)


def family(draw: random.Random) -> tuple[list[list[int]], list[str | None]]:
    """Return the parents and the scope of each claim: it derives from what is seen in its scope."""
    scopes: list[str | None] = []
    parents: list[list[int]] = []
    for n in range(draw.randint(3, 6)):
        scopes.append(draw.choice([None, None, "ana", "bob"]))
        seen = [p for p in range(n) if scopes[p] in (None, scopes[n])]
        parents.append(sorted(draw.sample(seen, min(len(seen), draw.choice([0, 1, 1, 2])))))
    return parents, scopes


@pytest.mark.parametrize("seed", range(60))
def test_a_claim_is_believed_while_no_decision_that_binds_it_stands(seed: int) -> None:
    draw = random.Random(seed)
    parents, scopes = family(draw)
    model = Family(parents)
    with Memory(":memory:", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy()) as memory:
        doors: list[Memory] = [memory if s is None else memory.scoped(user=s) for s in scopes]
        ids: list[str] = []
        for n, door in enumerate(doors):
            more: dict[str, Any] = {"derived_from": [ids[p] for p in parents[n]]} if parents[n] else {}
            ids.append(door.remember(f"v{n}", key=f"k{n}::v", channel="user", **more).claim_id or "")
        told = []
        for _ in range(draw.randint(4, 14)):
            n, verb = draw.randrange(len(ids)), draw.choice(["retract", "release", "revert", "revert", "redo"])
            told.append((verb, n))
            if verb in ("retract", "release"):
                getattr(doors[n], verb)(ids[n], "so it is")
                model.withdraw(n, verb)
            else:
                getattr(doors[n], verb)(f"k{n}::v")
                getattr(model, verb)(n)
            assert memory.log.verify().differences == (), told
            found = [doors[i].believe(f"k{i}::v").value is not None for i in range(len(ids))]
            assert found == [model.believed(i) for i in range(len(ids))], (parents, scopes, told)
        assert memory.reindex()["corrected"] == 0
