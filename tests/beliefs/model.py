"""A deliberately naive model of one line: every instant is its own little world.

Written from the contract's words, not from the gate. It keeps, for each instant of a short time line, which claims
hold it, and applies what is said and decided to each instant in turn. There is no interval arithmetic here, and
nothing is clever; where it and the gate differ, one of them misreads the contract.
"""

from __future__ import annotations

from beliefs.builders import Said
from beliefs.model_parts import (
    AGENT,
    DOCUMENT,
    MODEL,
    TABLE,
    TIME,
    TOOL,
    Claim,
    Entry,
    Guarded,
    Meeting,
    granule,
)


class Model:
    """One line, instant by instant.

    Args:
        many: Whether it holds many values at an instant.
        on_conflict: ``auto``, ``supersede`` or ``contest``.
        critical: Whether the line is critical.
    """

    def __init__(self, many: bool = False, on_conflict: str = "auto", critical: bool = False) -> None:
        self.many, self.on_conflict, self.critical = many, on_conflict, critical
        self.claims: dict[str, Claim] = {}
        self.held: dict[int, dict[str, bool]] = {t: {} for t in TIME}
        self.guards: dict[tuple[str, int], Guarded] = {}
        self.entries: list[Entry] = []
        self.waiting: set[str] = set()
        self.ever_vouched = False

    # Looking.

    def values(self, t: int) -> set[str]:
        return {self.claims[c].value for c in self.held[t]}

    def holds(self, claim: str) -> set[int]:
        return {t for t in TIME if claim in self.held[t]}

    def holds_value(self, value: str) -> set[int]:
        return {t for t in TIME if value in self.values(t)}

    # Saying (semantics §4). Returns the disposition.

    def write(self, id: str, said: Said, at: int) -> str:
        new = Claim(id, said, at)
        entry = Entry(id, "claim", said.rank, at)
        self.entries.append(entry)
        if said.confidence < 200_000:
            return self._stored(new, "low_confidence")
        period, meetings, opened = self._trimmed(new)
        left = {t for t in period if not self._is_echo(new, t)}
        if period and not left:
            return self._stored(new, "echo")
        period = left
        if self._looks_held(new, period):
            return self._stored(new, "held")  # it joins the item that is open
        if self._boundary(new, period):
            self.waiting.add(new.value)
            return self._stored(new, "held")
        if self._repeats(new, period):
            entry.kind = "reinforce"
            return "reinforced"
        self.claims[id] = new
        if self.many:
            return self._member(new, period, entry)
        return self._judged(new, period, meetings, opened, entry)

    def _stored(self, new: Claim, disposition: str) -> str:
        self.claims[new.id] = new
        return disposition

    def _trimmed(self, new: Claim) -> tuple[set[int], list[Meeting], bool]:
        """What Meeting, Open end and restated ends leave of the newcomer's own period."""
        said = new.said
        if said.correct:
            return self.present_period(new.at), [], False
        period = new.period
        if not new.dated and not said.reaffirm:
            ends = [
                c.said.end.as_end
                for c in self.claims.values()
                if c.said.end and c.value == new.value and c.rank >= new.rank and c.id in self.held[new.at]
            ]
            if ends:
                period = {t for t in period if t < max(ends)}
            if new.value in self.values(new.at):
                period = {t for t in period if t < self._decided_end(new)}
        if self.many:
            return period, [], False
        rivals = [c for c in self.claims.values() if c.value != new.value and self.holds(c.id) & period]
        meetings = [m for m in (self._meeting(new, c, period) for c in rivals) if m is not None]
        for m in meetings:
            period = period - m.new_loses
        opened = False
        if said.end is None and self.on_conflict != "contest":
            for c in rivals:
                if c.said.start is not None and c.start > new.start and c.rank >= new.rank:
                    kept = self.holds(c.id) - {t for m in meetings if m.old is c for t in m.old_loses}
                    opened = opened or bool(period & kept)
                    period = period - kept
        return period, meetings, opened

    def _decided_end(self, new: Claim) -> int:
        """The first instant, later than now, from which an equal or higher rank ended the value."""
        ends = [
            t
            for (value, t), guard in self.guards.items()
            if value == new.value and guard.ended and guard.rank >= new.rank and t > new.at
        ]
        return min(ends, default=max(TIME) + 1)

    def _meeting(self, new: Claim, old: Claim, period: set[int]) -> Meeting | None:
        """How the newcomer and an incumbent part, if one's last granule overlaps the other's first."""
        both = period & self.holds(old.id)
        if new.period == old.period:
            return None  # neither is the next one of the other
        pairs = sorted([(new, old), (old, new)], key=lambda pair: (pair[0].start, max(pair[0].period)))
        for first, second in pairs:
            shared = granule(first.said.end) & granule(second.said.start)
            if not shared or not (first.start < min(shared) <= max(second.period)):
                continue
            part = min(shared)
            if new.rank != old.rank:
                new_loses, old_loses = (both, set()) if new.rank < old.rank else (set(), both)
            else:
                first_loses = {t for t in both if t >= part}
                second_loses = {t for t in both if t < part}
                new_loses, old_loses = (first_loses, second_loses) if first is new else (second_loses, first_loses)
            if not period - new_loses or not self.holds(old.id) - old_loses:
                continue  # one of them would be gone: that is no meeting
            return Meeting(old, new_loses, old_loses, both & shared if len(shared) > 1 else set())
        return None

    def _is_echo(self, new: Claim, t: int) -> bool:
        """Whether its value, or one that looks like it, was taken at an instant by somebody whom it cannot overrule."""
        alike = [value for value in {v for v, at in self.guards if at == t} if value.lower() == new.value.lower()]
        if new.value in self.values(t):  # to repeat what holds is no echo
            alike = [value for value in alike if value == new.value]
        return any(self._echoes(new, t, self.guards[value, t]) for value in alike)

    def _echoes(self, new: Claim, t: int, guard: Guarded) -> bool:
        if new.rank > guard.rank:
            return False
        if new.rank < guard.rank:
            return True
        standing = bool(self.held[t]) if not self.many else new.value in self.values(t)
        if guard.ended or not standing:
            return False  # after an end, or where nothing holds any more: only if lower
        if new.said.reaffirm or new.said.correct or (new.rank == TOOL and new.said.source == guard.source):
            return False
        granule = new.said.start if new.said.start and new.said.sure_of_dates else None
        if granule is None and new.said.start is None:
            granule = new.said.observed
        return not (granule is not None and granule.until > guard.since)

    def vouched(self, value: str) -> set[int]:
        return {t for t in TIME for c in self.held[t] if self.claims[c].value == value and self.claims[c].rank >= AGENT}

    def _looks_held(self, new: Claim, period: set[int]) -> bool:
        """Whether an agent, model or document says what looks like a value that waits, and is not the answer."""
        alike = {value for value in self.waiting if value.lower() == new.value.lower()}
        return new.rank <= AGENT and bool(alike) and not (period and period <= self.vouched(new.value))

    def _settle(self, now: int) -> None:
        """A held value that became the vouched answer waits no longer."""
        self.waiting -= {v for v in self.values(now) if self.values(now) == {v} and now in self.vouched(v)}

    def _boundary(self, new: Claim, period: set[int]) -> bool:
        """Whether the injection boundary holds it."""
        if new.rank != DOCUMENT:
            return False
        opinion = new.said.opinion
        if opinion is None:
            return not (period and period <= self.vouched(new.value))
        if opinion.relation in ("collides", "exception_of", "supersedes") or opinion.unconfirmed:
            return True
        if opinion.cross_subject:
            return True
        return self.ever_vouched and not period <= self.holds_value(new.value)

    def _repeats(self, new: Claim, period: set[int]) -> bool:
        if new.said.correct or not period or not period <= self.holds_value(new.value):
            return False
        if not self.many and any(self.values(t) != {new.value} for t in period):
            return False
        if new.rank < AGENT:
            return True
        return any(
            c.value == new.value
            and (c.said.source, c.rank) == (new.said.source, new.rank)
            and self.holds(c.id) & period
            for c in self.claims.values()
        )

    def _member(self, new: Claim, period: set[int], entry: Entry) -> str:
        known = bool(period) and period <= self.holds_value(new.value)
        self._apply(entry, new, gains=period)
        if known:
            return "reinforced"
        return "inferred" if new.rank == MODEL else "accepted"

    def _judged(self, new: Claim, period: set[int], meetings: list[Meeting], opened: bool, entry: Entry) -> str:
        lost_by_meeting = {(m.old.id, t) for m in meetings for t in m.old_loses}
        rows: dict[int, dict[str, str]] = {}
        for t in period:
            rows[t] = {
                c: self.row(new, self.claims[c])
                for c in self.held[t]
                if self.claims[c].value != new.value and (c, t) not in lost_by_meeting
            }
        met = {row for at_t in rows.values() for row in at_t.values()}
        if "hold" in met:
            self.waiting.add(new.value)
            return "held"
        gains = {t for t in period if not {"infer", "review"} & set(rows[t].values())}
        takes = {(c, t) for t in gains for c, row in rows[t].items() if row == "supersede"}
        contests = any(row == "contest" for t in gains for row in rows[t].values())
        parts = {(c, t) for c, t in lost_by_meeting if t in gains}
        disposition = self._named(new, period, met, bool(takes), contests, opened)
        possible = {t for m in meetings for t in m.shared}
        marks = {(m.old.id, t) for m in meetings for t in m.shared if (m.old.id, t) not in parts} if gains else set()
        self._apply(entry, new, gains, takes, parts, possible, marks)
        return disposition

    def row(self, new: Claim, old: Claim) -> str:
        """The table's row and column, with policy and refinements."""
        found = TABLE[new.rank, old.rank]
        if found.startswith("same source"):
            same, other = "supersede", "contest" if "contests" in found else "hold"
            found = same if new.said.source == old.said.source else other
        if self.on_conflict == "supersede":
            return "supersede" if found == "contest" and old.rank <= new.rank else found
        if self.on_conflict == "contest":
            return "contest" if found == "supersede" else found
        if found == "supersede":
            stated = old.said.end is not None and new.dated and new.rank == old.rank
            unsure = self.critical and new.said.confidence < old.said.confidence
            if (stated and not new.said.correct) or unsure:
                return "contest"
        return found

    def _named(self, new: Claim, period: set[int], met: set[str], took: bool, contests: bool, opened: bool) -> str:
        if "review" in met:
            return "pending_review"
        if "infer" in met:
            return "inferred"
        if contests:
            return "contested"
        if took:
            return "superseded_prior"
        if period and period <= self.holds_value(new.value):
            return "reinforced"
        span = period or new.period
        if any(self.held[t] for t in TIME if t < min(span)):
            return "succession"
        if opened or any(self.held[t] for t in TIME if t > max(span)):
            return "backfilled"
        return "inferred" if new.rank == MODEL else "accepted"

    def _apply(
        self,
        entry: Entry,
        new: Claim,
        gains: set[int],
        takes: set[tuple[str, int]] = frozenset(),  # type: ignore[assignment]
        parts: set[tuple[str, int]] = frozenset(),  # type: ignore[assignment]
        possible: set[int] = frozenset(),  # type: ignore[assignment]
        marks: set[tuple[str, int]] = frozenset(),  # type: ignore[assignment]
    ) -> None:
        """Carry out what was decided, one instant after the other."""
        if gains and new.rank >= AGENT:
            self.ever_vouched = True
        since = min(self.present_period(new.at)) if new.said.correct else new.start
        for t in TIME:
            before = self.values(t)
            for c in [c for c in self.held[t] if (c, t) in takes | parts]:
                entry.lost.append((c, t, self.held[t].pop(c)))
            for c in self.held[t]:
                if (c, t) in marks and not self.held[t][c]:
                    entry.marked.append((c, t, False, True))
                    self.held[t][c] = True
            if t in gains:
                entry.gained.append((new.id, t))
                self.held[t][new.id] = t in possible
                self.guards.pop((new.value, t), None)
            for c, at in takes:
                value = self.claims[c].value
                if at == t and value not in self.values(t):
                    self.guards[value, t] = Guarded(new.rank, new.said.source, False, since)
            if self.values(t) != before:
                entry.changed.add(t)
        if entry.gained or entry.lost or entry.marked:
            self._settle(entry.at)

    # Deciding (semantics §6). Each returns the disposition.

    def present_period(self, now: int) -> set[int]:
        (value,) = self.values(now)
        return self.holds_value(value)

    def may(self, by: Said, claims: set[str]) -> bool:
        """Whether the bare table says supersede against every one of them."""
        decider = Claim("", by, 0)
        for c in claims:
            found = TABLE[by.rank, self.claims[c].rank]
            if found.startswith("same source"):
                found = "supersede" if decider.said.source == self.claims[c].said.source else "contest"
            if found != "supersede":
                return False
        return True

    def take(self, id: str, kind: str, claims: set[str], since: int, by: Said, at: int) -> str:
        """End (from ``since`` on), retract or release what is left of some claims of one value."""
        entry = Entry(id, "pending", by.rank, at)
        self.entries.append(entry)
        losing = {(c, t) for c in claims for t in self.holds(c) if t >= since}
        if not self.may(by, {c for c, _ in losing}):
            return "pending_review"
        entry.kind, entry.targets, entry.since = kind, sorted({c for c, _ in losing}), since
        self._remove(entry, losing, by, ended=kind == "end", guarding=kind != "release")
        return {"end": "ended", "retract": "invalidated", "release": "released"}[kind]

    def _remove(self, entry: Entry, losing: set[tuple[str, int]], by: Said, *, ended: bool, guarding: bool) -> None:
        first: dict[str, int] = {}
        for c, t in sorted(losing, key=lambda pair: pair[1]):
            first.setdefault(self.claims[c].value, t)
        for t in TIME:
            before = self.values(t)
            for c in [c for c in self.held[t] if (c, t) in losing]:
                entry.lost.append((c, t, self.held[t].pop(c)))
            for value in before - self.values(t):
                if guarding:
                    self.guards[value, t] = Guarded(by.rank, by.source, ended, first[value])
            if self.values(t) != before:
                entry.changed.add(t)
        if entry.lost:
            self._settle(entry.at)

    # Going back.

    def standing(self) -> list[Entry]:
        """The entries that no later standing entry undid."""

        def stands(at: int) -> bool:
            later = range(at + 1, len(self.entries))
            return not any(self.entries[at].id in self.entries[i].undoes and stands(i) for i in later)

        return [e for at, e in enumerate(self.entries) if stands(at)]

    def steps(self, now: int) -> list[Entry]:
        first = next((e for e in self.entries if e.gained), None)
        return [
            e
            for e in self.standing()
            if e is not first and e.kind not in ("revert", "redo") and any(t >= now for t in e.changed)
        ]

    def revert(self, id: str, by: Said, at: int, back: int = 1) -> str:
        steps = self.steps(at)
        return self._undo(id, "revert", steps[-back:], by, at) if len(steps) >= back else "unchanged"

    def redo(self, id: str, by: Said, at: int) -> str:
        for entry in reversed(self.standing()):
            if entry.kind == "revert":
                return self._undo(id, "redo", [entry], by, at)
            if entry in self.steps(at):
                return "unchanged"
        return "unchanged"

    def reopen(self, id: str, by: Said, at: int) -> str:
        closed = [e for e in self.standing() if e.kind in ("end", "release") and e.lost]
        return self._undo(id, "reopen", closed[-1:], by, at) if closed else "unchanged"

    def _undo(self, id: str, kind: str, steps: list[Entry], by: Said, at: int) -> str:
        """Undo some entries, the latest first, and see what is different afterwards."""
        after = {t: dict(self.held[t]) for t in TIME}
        undone = {s.id for s in steps}
        owed: set[int] = set()
        for step in reversed(steps):
            for t in TIME:
                if self._undo_at(after[t], step, t, undone):
                    owed.add(step.rank)
        gives_back = any(set(after[t]) - set(self.held[t]) for t in TIME)
        losing = {(c, t) for t in TIME for c in self.held[t] if c not in after[t]}
        entry = Entry(id, "pending", by.rank, at)
        self.entries.append(entry)
        if not self.may(by, {c for c, _ in losing}) or (gives_back and max(owed, default=0) > by.rank):
            return "pending_review"
        entry.kind, entry.undoes = kind, sorted(undone)
        self._become(entry, after, losing, by)
        return "reverted" if kind == "revert" else "reinstated"

    def _undo_at(self, held: dict[str, bool], step: Entry, t: int, undone: set[str]) -> bool:
        """Undo one step at one instant; say whether it gave something back."""
        gained = [c for c, at in step.gained if at == t]
        gave = False
        values = {self.claims[c].value for c, _ in step.gained}
        for c in gained:
            held.pop(c, None)
            for other in self.claims.values():
                if other.value == self.claims[c].value and other.at > step.at:
                    held.pop(other.id, None)
        for c, at, was, became in step.marked:
            if at == t and c in held and held[c] == became:
                held[c] = was
        for c, at, possible in step.lost:
            if at != t or self._withdrawn_since(c, t, step, undone):
                continue
            third = [
                o
                for o in held
                if self.claims[o].at > step.at and self.claims[o].value not in values | {self.claims[c].value}
            ]
            if not third:
                held[c] = possible
                gave = True
        return gave

    def _withdrawn_since(self, claim: str, t: int, step: Entry, undone: set[str]) -> bool:
        since = [e for e in self.standing() if e.at > step.at and e.id not in undone and claim in e.targets]
        return any(e.kind in ("retract", "release") or (e.kind == "end" and t >= e.since) for e in since)

    def _become(self, entry: Entry, after: dict[int, dict[str, bool]], losing: set[tuple[str, int]], by: Said) -> None:
        before = {t: dict(self.held[t]) for t in TIME}
        self._remove(entry, losing, by, ended=False, guarding=True)
        for t in TIME:
            for c, possible in after[t].items():
                if c not in before[t]:
                    entry.gained.append((c, t))
                elif before[t][c] != possible:
                    entry.marked.append((c, t, before[t][c], possible))
                self.guards.pop((self.claims[c].value, t), None)
            self.held[t] = dict(after[t])
            values = {self.claims[c].value for c in before[t]}
            entry.changed.discard(t)
            if values != self.values(t):
                entry.changed.add(t)
        if entry.gained or entry.lost or entry.marked:
            self._settle(entry.at)
