"""What a line's rows should be: its effects opened against the log, and replayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from muniment.claims.channels import Rank
from muniment.claims.intervals import FOREVER, NEVER
from muniment.errors import MunimentError
from muniment.evidence.beside import note_fields
from muniment.evidence.identities import source_of
from muniment.evidence.replay import Guarded, Rectangle, Replay, Taker, Who
from muniment.quick import dataclass, field
from muniment.store.audit import AuditReader, ClaimFacts, DecisionRow, EffectRow, Stated, uuid_text

NOTHING = Stated("", b"", 0, None, None, 0, b"", [])
"""What an entry states that is not there."""

_LARGE: Final = 16
"""Effects from which on what an entry states is kept."""
_KEPT: Final = 100_000
"""Effects that are kept at most, in memory of some 20 MB."""

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
        repeated: Whether some value was held by two claims.
        longest_known, longest_valid: The longest that a closed stretch was known, and that one with an end is.
        critical: Somebody who may called it critical.
        last: Index of the last entry with effects here.
        foreign: Entries of other lines with effects here.
    """

    rectangles: list[Rectangle] = field(default_factory=list)
    guards: list[Guarded] = field(default_factory=list)
    gained: dict[int, int] = field(default_factory=dict)
    steps: dict[int, int] = field(default_factory=dict)
    values: int = 0
    repeated: bool = False
    longest_known: int = 0
    longest_valid: int = 0
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
        stated: Mapping[int, Stated],
        decisions: Mapping[int, DecisionRow],
        effects: Sequence[EffectRow],
        line: bytes,
    ) -> Derived:
        """Derive one line.

        Args:
            claims: Its claims by index.
            stated: What every entry with effects on it states, by index.
            decisions: Its own decisions, by index.
            effects: Its effects, in order.
            line: Its id.
        """
        out = Derived()
        whose: dict[int, Who] = {}
        for idx, facts in claims.items():
            head = facts.head
            whose[idx] = Who(head.value, head.source, head.start, head.expires_at)
        replay = Replay(whose)
        first, number = 0, len(effects)
        while first < number:
            entry, last = effects[first][1], first + 1
            while last < number and effects[last][1] == entry:
                last += 1
            steps = [row[3:] for row in effects[first:last] if row[3] in whose]
            first = last
            said = stated[entry]
            if not steps or not said.id:
                continue
            out.last = entry
            out.steps[entry] = replay.apply(self._taker(entry, said, whose, decisions), steps)
            if said.line != line:
                out.foreign.append(entry)
            elif said.rank >= Rank.TOOL and entry in claims and claims[entry].criticality == "critical":
                out.critical = out.critical or any(step[1] and step[0] == entry for step in steps)
        out.rectangles, out.guards, out.gained = replay.rectangles(), replay.guards(), replay.gained
        for _, start, end, since, until, _ in out.rectangles:
            if until != FOREVER:
                out.longest_known = max(out.longest_known, until - since)
            elif end != FOREVER:
                out.longest_valid = max(out.longest_valid, min(end - start, FOREVER))
        out.values = len(out.gained) if len(whose) == 1 else len({whose[idx].value for idx in out.gained})
        out.repeated = len(out.gained) > out.values
        return out

    def _taker(self, entry: int, said: Stated, whose: Mapping[int, Who], decisions: Mapping[int, DecisionRow]) -> Taker:
        own = whose.get(entry)
        if own is not None:
            return Taker(entry, said.at, said.rank, own.source, own.start)
        source = self._source(said) if entry in decisions else UNKNOWN
        return Taker(entry, said.at, said.rank, source, NEVER)

    def _source(self, said: Stated) -> bytes:
        """Return the source of a decision, from the texts that it committed to."""
        kept = self._reader.reason(uuid_text(said.id))
        if kept is None:
            return UNKNOWN
        try:
            texts = {name: text.decode() for name, text in note_fields(kept[0]).items()}
            return source_of(self._pepper, texts.get("source"), texts["author"])
        except (MunimentError, ValueError, KeyError, AttributeError):
            return UNKNOWN  # named already: the text was edited


class Sayings:
    """What entries state, with the large ones kept for a while: a decision may act on thousands of lines.

    Args:
        reader: The snapshot.
    """

    def __init__(self, reader: AuditReader) -> None:
        self._reader = reader
        self._kept: dict[int, Stated] = {}
        """The most recently used last."""
        self._weight = 0

    def of(self, entry: int) -> Stated:
        """Return what an entry states; nothing if it is not there."""
        found = self._kept.pop(entry, None)
        if found is None:
            found = self._reader.audit_stated(entry) or NOTHING
            if len(found.effects) < _LARGE:
                return found
            self._weight += len(found.effects)
        self._kept[entry] = found
        while self._weight > _KEPT and len(self._kept) > 1:
            self._weight -= len(self._kept.pop(next(iter(self._kept))).effects)
        return found


def stated_of(
    sayings: Sayings,
    claims: Mapping[int, ClaimFacts],
    decisions: Mapping[int, DecisionRow],
    effects: Sequence[EffectRow],
) -> dict[int, Stated]:
    """Return what every entry with effects on a line states, by index."""
    found: dict[int, Stated] = {}
    for row in effects:
        entry = row[1]
        if entry in found:
            continue
        own = claims.get(entry)
        if own is not None:
            found[entry] = own.stated or NOTHING
        elif entry in decisions:
            found[entry] = decisions[entry].stated
        else:
            found[entry] = sayings.of(entry)
    return found
