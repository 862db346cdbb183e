"""What a line's rows should be: its effects opened against the log, and replayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from muniment.claims.channels import Rank
from muniment.claims.intervals import NEVER
from muniment.errors import MunimentError
from muniment.evidence.beside import note_fields
from muniment.evidence.claims import members_of
from muniment.evidence.identities import source_of
from muniment.evidence.leaves import Members
from muniment.evidence.replay import Guarded, Rectangle, Replay, Step, Taker, Who
from muniment.store.audit import AuditReader, ClaimFacts, DecisionRow, EffectRow

UNKNOWN = bytes(16)
"""The source of a taker whose texts were erased."""


@dataclass(slots=True)
class Derived:
    """What follows from a line's effects.

    Args:
        rectangles, guards: As a store keeps them.
        gained: When each claim first gained anything, by index.
        steps: For each entry with effects here, the instant before which it changes the answer.
        values: How many values ever held something.
        critical: Somebody who may called it critical.
        last: Index of the last entry with effects here.
        foreign: Entries of other lines with effects here.
    """

    rectangles: list[Rectangle] = field(default_factory=list)
    guards: list[Guarded] = field(default_factory=list)
    gained: dict[int, int] = field(default_factory=dict)
    steps: dict[int, int] = field(default_factory=dict)
    values: int = 0
    critical: bool = False
    last: int = -1
    foreign: list[int] = field(default_factory=list)


class Deriver:
    """Derives lines.

    Args:
        reader: The snapshot.
        pepper: The namespace's secret.
    """

    def __init__(self, reader: AuditReader, pepper: bytes) -> None:
        self._reader, self._pepper = reader, pepper

    def derive(
        self,
        claims: Mapping[int, ClaimFacts],
        leaves: Mapping[int, Members],
        decisions: Mapping[int, DecisionRow],
        effects: Sequence[EffectRow],
        line: str,
    ) -> Derived:
        """Derive one line.

        Args:
            line: Its id.
            claims: Its claims by index.
            leaves: The leaf of every entry with effects on it, by index.
            decisions: Its own decisions, by index.
            effects: Its effects, in order.
        """
        out = Derived()
        replay = Replay(
            {
                idx: Who(facts.row.head.value, facts.row.head.source, facts.row.head.start, facts.row.head.expires_at)
                for idx, facts in claims.items()
            }
        )
        for entry, group in groupby(effects, key=lambda row: row.entry):
            steps = [Step(e.claim, e.gain, e.start, e.end, e.cause, e.possible) for e in group if e.claim in claims]
            leaf = leaves.get(entry)
            if not steps or not leaf:
                continue
            out.last = entry
            out.steps[entry] = replay.apply(self._taker(entry, leaf, claims, decisions), steps)
            own = claims.get(entry)
            if leaf.get("line") != line:
                out.foreign.append(entry)
            if own is not None and own.row.criticality == "critical" and leaf.get("rank", 0) >= Rank.TOOL:
                out.critical = out.critical or any(step.gain and step.claim == entry for step in steps)
        out.rectangles, out.guards, out.gained = replay.rectangles(), replay.guards(), replay.gained
        if len(claims) == 1:
            out.values = len(out.gained)
        else:
            out.values = len({claims[idx].row.head.value for idx in out.gained})
        return out

    def _taker(
        self, entry: int, leaf: Members, claims: Mapping[int, ClaimFacts], decisions: Mapping[int, DecisionRow]
    ) -> Taker:
        at, rank, own = leaf["at"], leaf.get("rank", 0), claims.get(entry)
        if own is not None:
            return Taker(entry, at, rank, own.row.head.source, own.row.head.start)
        if entry in decisions:
            return Taker(entry, at, rank, self._source(leaf), NEVER)
        return Taker(entry, at, rank, UNKNOWN, NEVER)

    def _source(self, leaf: Members) -> bytes:
        """Return the source of a decision, from the texts that it committed to."""
        kept = self._reader.reason(leaf["id"])
        if kept is None:
            return UNKNOWN
        try:
            said = {name: text.decode() for name, text in note_fields(kept[0]).items()}
            return source_of(self._pepper, said.get("source"), said["author"])
        except (MunimentError, ValueError, KeyError, AttributeError):
            return UNKNOWN  # named already: the text was edited


def leaves_of(
    reader: AuditReader,
    claims: Mapping[int, ClaimFacts],
    decisions: Mapping[int, DecisionRow],
    effects: Sequence[EffectRow],
) -> dict[int, Members]:
    """Return the leaf of every claim of a line and of every entry with effects on it, by index."""
    leaves = {idx: members_of(facts.leaf) for idx, facts in claims.items()}
    for row in effects:
        if row.entry not in leaves:
            if row.entry in decisions:
                leaves[row.entry] = members_of(decisions[row.entry].leaf)
            else:
                found = reader.audit_leaf(row.entry)
                leaves[row.entry] = members_of(None if found is None else found[0])
    return leaves
