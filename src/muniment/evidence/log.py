"""The first pass: entries in log order, their tree, and everything that is filed under an entry.

Strict about bytes: an entry is what :func:`muniment.ledger.entries.encode` would have written, or it is no entry. The
columns beside a leaf repeat it, and must agree. Memory is a few bytes for each entry and each line.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import Final

from muniment.beliefs.state import Cardinality
from muniment.claims.channels import VOUCHED_FROM
from muniment.claims.intervals import NEVER
from muniment.evidence.beside import Beside
from muniment.evidence.items import ItemCheck
from muniment.evidence.leaves import Members, fact, read_leaf, refs_of
from muniment.evidence.marks import Marks
from muniment.evidence.report import Findings
from muniment.evidence.tree import TreeCheck
from muniment.ledger.continuity import Continuity
from muniment.ledger.differences import DifferenceKind
from muniment.ledger.entries import EntryType, RefRole
from muniment.ledger.parts import joined
from muniment.ledger.tree import leaf_hash
from muniment.ledger.verifier import Head
from muniment.store.audit import AuditReader, LogRow
from muniment.verbs import judgements
from muniment.verbs.structure import CARDINALITY
from muniment.verbs.structure import SETTLED as SETTLED_FACT

CLAIM: Final = 1
"""The entry records a claim."""
STORED: Final = 2
"""A claim is stored under it."""
ERASED: Final = 4
"""Its claim is on the list of erased claims."""
NAMED: Final = 8
"""An erase entry names it."""
AMENDED: Final = 16
"""Its wording was corrected."""
DECIDES: Final = 32
"""It decides about what was said before."""

VOUCHED: Final = 1
"""Of a line: somebody vouched for something that held on it."""
SETTLED, MANY, KNOWN = 2, 4, 8
"""Of a line: its cardinality is settled; it is many; it is known at all."""

_PLAIN: Final = frozenset(
    {EntryType.CLAIM, EntryType.REINFORCE, EntryType.REENTRY, EntryType.ECHO_COUNT, EntryType.CONTINUE}
)
_LARGE: Final = 20_000
"""Bytes that a leaf has at least which is full, and so may be continued."""
_BIRTH: Final = (EntryType.GENESIS, EntryType.KEY_POLICY)
_WIDEST: Final = 10_000_000
"""Entries that may be missing in a row before the rest is not worth looking at."""
TICK: Final = 4096
"""Entries between two reports of progress."""


class LogCheck:
    """Checks the log, entry by entry.

    Args:
        reader: The snapshot.
        findings: Where differences go.
        full: Also look at what lies beside the entries.
        heads: Sizes and roots from outside.
        tick: Called with the number of entries done, now and then.
    """

    def __init__(
        self,
        reader: AuditReader,
        findings: Findings,
        full: bool,
        heads: Iterable[Head],
        tick: Callable[[int], None],
    ) -> None:
        self._reader, self._findings, self._full, self._tick = reader, findings, full, tick
        self._line_base = reader.audit_range()[0]
        self.tree = TreeCheck(findings, heads)
        self.state = bytearray()
        """Flags of each entry: CLAIM, STORED, ERASED, NAMED, AMENDED, DECIDES."""
        self.left = array("I")
        """Effects of each entry, on claims that are still there, that the second pass has to find."""
        self.line_flags = bytearray()
        """Flags of each line by its number: VOUCHED, SETTLED, MANY, KNOWN."""
        self.cardinalities: dict[int, list[tuple[int, str]]] = {}
        """What the cardinality of a line was before its writers changed it, and until when, by the line's number."""
        self.line_last = array("q")
        """Index of each line's last entry of its own, by its number."""
        self.repeats = Repeats()
        self.marks = Marks(reader)
        self._beside = Beside(reader, findings) if full else None
        self._items = ItemCheck(reader, findings) if full else None
        self._ids = _Ids()
        self._continuity = Continuity(self._add)
        self._held: list[tuple[LogRow, Members]] = []
        """An entry that is divided, as far as it was read."""
        self._last_at = -1
        self.policies = 0

    def run(self) -> None:
        """Go through the log."""
        count = self._findings.checked
        for row in self._reader.audit_log(self._full):
            if self.tree.frontier.size < row.idx and not self._gap(row.idx):
                break
            self._entry(row)
            if not row.idx & (TICK - 1):
                self._tick(row.idx)
        self._break_off()
        size = self.tree.frontier.size
        count["entries"] = size - count.pop("missing entries", 0)
        self._finish(size)

    # --- one entry -----------------------------------------------------------------------------------------------

    def _gap(self, idx: int) -> bool:
        """Step over entries that are not there; say whether it is sensible to go on after them."""
        self._break_off()
        first = self.tree.frontier.size
        where = f"entry {first}" if first == idx - 1 else f"entries {first} to {idx - 1}"
        self._findings.add(DifferenceKind.MISSING, where, "What was recorded there is not there.")
        if idx - first > _WIDEST:
            return False
        self._findings.checked["missing entries"] += idx - first
        for _ in range(first, idx):
            self.tree.add_missing()
            self.state.append(0)
            self.left.append(0)
        return True

    def _entry(self, row: LogRow) -> None:
        idx = row.idx
        self.tree.add(leaf_hash(row.leaf), row.nodes)
        leaf = row.members or read_leaf(row.leaf)
        if leaf is None:
            self._break_off()
            self._add(DifferenceKind.EDITED, idx, "The bytes are not those of an entry.")
            self.state.append(0)
            self.left.append(0)
            return
        self._order(idx, leaf)
        if self._held or len(row.leaf) > _LARGE or leaf["t"] == EntryType.CONTINUE or "parts" in leaf.get("x", ()):
            self._gather(row, leaf)
        else:
            self._judge(row, leaf)

    def _judge(self, row: LogRow, leaf: Members) -> None:
        self._columns(row, leaf)
        if self._full:
            self._around(row, leaf)

    def _gather(self, row: LogRow, leaf: Members) -> None:
        """Keep what belongs together until all of it is there; then judge it as the one entry that it is."""
        if not self._continuity.follow(row.idx, leaf):
            self._release()
        self._held.append((row, leaf))
        if not self._continuity.open:
            self._release()

    def _release(self) -> None:
        """Judge what was kept."""
        held, self._held = self._held, []
        if held:
            self._judge(held[0][0], joined([members for _, members in held]))
            for row, members in held[1:]:
                self._judge(row, members)

    def _break_off(self) -> None:
        """Nothing that belongs to what was kept can follow."""
        self._continuity.interrupt()
        self._release()

    def _order(self, idx: int, leaf: Members) -> None:
        at, add = leaf["at"], self._add
        if at <= self._last_at:
            add(DifferenceKind.REORDERED, idx, "It is not later than the entry before it.")
        else:
            self._last_at = at
        if self._ids.repeats(leaf["id"], at, idx):
            add(DifferenceKind.ADDED, idx, "An entry with the same id stands before it.")
        if idx < 2:
            if leaf["t"] != _BIRTH[idx]:
                add(DifferenceKind.MISSING, idx, "A log begins with its genesis and its key policy.")
        elif leaf["t"] == EntryType.GENESIS:
            add(DifferenceKind.ADDED, idx, "A log has one genesis.")

    def _columns(self, row: LogRow, leaf: Members) -> None:
        """Compare the columns beside a leaf with it."""
        idx, add, type_ = row.idx, self._add, leaf["t"]
        if row.uuid != _bytes(leaf["id"]):
            add(DifferenceKind.RELABELLED, idx, "It is filed under another id than its leaf says.")
        if row.type != type_:
            add(DifferenceKind.RELABELLED, idx, "It is filed as another type than its leaf says.")
        line = leaf.get("line")
        if row.line_uuid != (None if line is None else _bytes(line)):
            if row.line_uuid is None and row.line is not None:
                add(DifferenceKind.MISSING, idx, "The line it is filed under is not there.")
            else:
                add(DifferenceKind.RELABELLED, idx, "It is filed under another line than its leaf says.")
        if row.at != leaf["at"] or row.rank != leaf.get("rank", 0):
            add(DifferenceKind.EDITED, idx, "Its time or rank is another than its leaf says.")
        if row.disposition != leaf.get("disp", "accepted"):
            add(DifferenceKind.EDITED, idx, "Its disposition is another than its leaf says.")
        part = type_ == EntryType.CONTINUE  # what it adds is kept with the entry that it continues
        undoes = b"".join(map(_bytes, refs_of(leaf, RefRole.UNDOES))) if "refs" in leaf and not part else b""
        if (row.undoes or b"") != undoes or row.decision != (type_ not in _PLAIN):
            add(DifferenceKind.EDITED, idx, "What it undoes, or that it decides, is another than its leaf says.")
        if (part or "fx" not in leaf) and row.step_until != NEVER:
            add(DifferenceKind.EDITED, idx, "It changes nothing, and counts as a step.")

    # --- what lies around it -------------------------------------------------------------------------------------

    def _around(self, row: LogRow, leaf: Members) -> None:
        assert self._beside is not None and self._items is not None
        idx, type_ = row.idx, leaf["t"]
        is_claim, decides = type_ == EntryType.CLAIM, type_ not in _PLAIN
        state = (
            (CLAIM if is_claim else 0)
            | (STORED if row.claim else 0)
            | (ERASED if row.erased_at is not None else 0)
            | (DECIDES if decides else 0)
        )
        self._filed(idx, is_claim, state)
        self.state.append(state)
        if type_ == EntryType.CONTINUE:
            self.left.append(0)
            return
        self.left.append(self._effects(idx, leaf) if "fx" in leaf else 0)
        if "refs" in leaf:
            self._references(idx, row, leaf)
        if row.line is not None:
            self._line(row, leaf, row.line - self._line_base)
        self._beside.check(row, leaf, self.state)
        self._items.check(row, leaf)
        if decides:
            self.policies += type_ == EntryType.POLICY
            self.marks.decide(row, leaf)
            if type_ == EntryType.VERDICT and fact(leaf, judgements.SUPPORT) is not None:
                self._repeat(idx, leaf, judgements.ADMITS)
        elif type_ == EntryType.REINFORCE:
            self._repeat(idx, leaf)

    def _filed(self, idx: int, is_claim: bool, state: int) -> None:
        """Compare what the log says is stored under the entry with what is."""
        there, erased = state & STORED, state & ERASED
        if is_claim and there and not erased:
            return
        if not is_claim:
            if there or erased:
                self._add(DifferenceKind.ADDED, idx, "Its entry records no claim, and one is filed under it.")
        elif there:
            self._add(DifferenceKind.RESURRECTED, idx, "Its claim was erased, and is stored.")
        elif not erased:
            self._add(DifferenceKind.MISSING, idx, "The claim that it records is not there, and nothing erased it.")

    def _effects(self, idx: int, leaf: Members) -> int:
        """Count the effects that must be stored: those on claims that are still there."""
        stored, own = 0, leaf["id"]
        for claim, sign, _ in leaf["fx"]:
            if claim == own:
                target = idx
            else:
                found = self._reader.audit_index(claim)
                if found is None or found[0] >= idx or not self.state[found[0]] & CLAIM:
                    self._add(DifferenceKind.MISSING, idx, "It acts on a claim that does not stand before it.")
                    continue
                target = found[0]
            state = self.state[target]
            if sign == "+" and state & NAMED:
                self._add(DifferenceKind.RESURRECTED, idx, "It gives to a claim that was erased.")
            if state & STORED:
                stored += 1
        return stored

    def _references(self, idx: int, row: LogRow, leaf: Members) -> None:
        for role, id_ in leaf["refs"]:
            if role == RefRole.CLOSES:
                continue
            found = self._reader.audit_index(id_)
            if found is None or found[0] >= idx:
                self._add(DifferenceKind.MISSING, idx, "It refers to an entry that does not stand before it.")
                continue
            target, erased_at = found
            if role == RefRole.ERASES:
                self.state[target] |= NAMED
                if self.state[target] & STORED:
                    self._add(DifferenceKind.RESURRECTED, target, "Its claim was erased, and is stored.")
                elif erased_at != row.at:
                    self._add(DifferenceKind.EDITED, target, "The list of erased claims has it at another time.")
            elif role == RefRole.TARGET and leaf["t"] == EntryType.AMEND:
                self.state[target] |= AMENDED
            elif role == RefRole.SILENCES and leaf["t"] == EntryType.ERASE and self._beside is not None:
                entry = self._reader.entry_at(target)
                type_ = "" if entry is None else entry.type
                self._beside.silenced(target, type_)
                self.policies += type_ == EntryType.POLICY

    def _line(self, row: LogRow, leaf: Members, number: int) -> None:
        """Fold what a line remembers of its writers."""
        if not 0 < number <= row.idx:  # an entry makes one line at most
            self._add(DifferenceKind.RELABELLED, row.idx, "The line it is filed under cannot be its own.")
            return
        if number >= len(self.line_last):
            more = number + 1 - len(self.line_last)
            self.line_flags.extend(bytes(more))
            self.line_last.extend([-1] * more)
        self.line_last[number] = row.idx
        type_ = leaf["t"]
        if type_ == EntryType.VERDICT and leaf.get("rank", 0) >= VOUCHED_FROM and refs_of(leaf, judgements.ADMITS):
            self.line_flags[number] |= VOUCHED
        if type_ not in _PLAIN:
            return
        flags, vouched = self.line_flags[number], leaf.get("rank", 0) >= VOUCHED_FROM
        if type_ == EntryType.CLAIM or not flags & KNOWN:
            before, flags = flags, (flags & VOUCHED) | cardinality_after(flags, vouched, leaf)
            if before & KNOWN and (before ^ flags) & MANY:
                was = Cardinality.MANY if before & MANY else Cardinality.ONE
                self.cardinalities.setdefault(number, []).append((leaf["at"], was.value))
        if vouched and not flags & VOUCHED:
            own = leaf["id"]
            if any(sign == "+" and claim == own for claim, sign, _ in leaf.get("fx", ())):
                flags |= VOUCHED
        self.line_flags[number] = flags

    def _repeat(self, idx: int, leaf: Members, role: str = RefRole.TARGET) -> None:
        if leaf.get("rank", 0) < VOUCHED_FROM:
            return
        for id_ in refs_of(leaf, role):
            found = self._reader.audit_index(id_)
            if found is not None and found[0] < idx and self.state[found[0]] & STORED:
                self.repeats.add(found[0], leaf["at"], idx)

    # --- the end -------------------------------------------------------------------------------------------------

    def _finish(self, size: int) -> None:
        ns = self._reader.ns
        if size < ns.size:
            self._findings.add(
                DifferenceKind.ROLLED_BACK, f"entries {size} to {ns.size - 1}", "The end of the log is cut."
            )
        elif size > ns.size:
            self._findings.add(
                DifferenceKind.ROLLED_BACK, "head of the log", f"The head counts {ns.size} entries; {size} are there."
            )
        elif size and ns.last_at != self._last_at:
            self._findings.add(DifferenceKind.EDITED, "head of the log", "The time of the last entry is another.")
        self.tree.finish(ns.frontier)
        for idx in self._ids.strangers(self._reader):
            self._add(DifferenceKind.ADDED, idx, "Another entry is filed under its id.")
        if not self._full:
            return
        assert self._beside is not None and self._items is not None
        self._beside.finish()
        self._items.finish()
        for idx, state in enumerate(self.state):
            if state & ERASED and not state & (NAMED | STORED):
                self._add(DifferenceKind.MISSING, idx, "Its claim is gone, and no entry erases it.")
        if ns.policy_version != self.policies:
            self._findings.add(DifferenceKind.EDITED, "head of the log", "The number of policies is another.")

    def _add(self, kind: DifferenceKind, idx: int, detail: str) -> None:
        self._findings.add(kind, f"entry {idx}", detail)


def cardinality_after(flags: int, vouched: bool, leaf: Members) -> int:
    """Return the cardinality flags of a line after a write, as the leaf states them or as they follow by rule.

    The rule is that of :func:`muniment.verbs.structure.cardinality_by_rule`, on flags.
    """
    stated = fact(leaf, CARDINALITY)
    if stated is not None:
        return KNOWN | (MANY if stated == Cardinality.MANY else 0) | (SETTLED if fact(leaf, SETTLED_FACT) else 0)
    if flags & SETTLED or (flags & KNOWN and not vouched):
        return flags & (KNOWN | MANY | SETTLED)
    return KNOWN | (SETTLED if vouched else 0)


class Repeats:
    """Vouched repetitions of claims, in a few bytes each."""

    def __init__(self) -> None:
        self.claims = array("q")
        self.times = array("q")
        self.entries = array("q")

    def add(self, claim: int, at: int, entry: int) -> None:
        """Note one."""
        self.claims.append(claim)
        self.times.append(at)
        self.entries.append(entry)

    def by_claim(self) -> list[tuple[int, int, int]]:
        """Return (claim, at, entry), by claim and time."""
        order = sorted(range(len(self.claims)), key=self.claims.__getitem__)
        return [(self.claims[i], self.times[i], self.entries[i]) for i in order]


class _Ids:
    """Looks for ids that occur twice without keeping a million of them.

    An id that bears its entry's time (UUIDv7) can only occur twice within its millisecond. The others are kept.
    """

    def __init__(self) -> None:
        self._millisecond = -1
        self._here: set[str] = set()
        self._strangers: dict[str, int] = {}

    def repeats(self, id: str, at: int, idx: int) -> bool:
        """Note the id of the next entry; say whether it is known to stand before."""
        millisecond = at // 1000
        if id[:8] + id[9:13] != f"{millisecond & 0xFFFFFFFFFFFF:012x}":
            return self._strangers.setdefault(id, idx) != idx
        if millisecond != self._millisecond:
            self._millisecond = millisecond
            self._here.clear()
        if id in self._here:
            return True
        self._here.add(id)
        return False

    def strangers(self, reader: AuditReader) -> list[int]:
        """Return the entries whose id does not lead to them."""
        out = []
        for id, idx in self._strangers.items():
            found = reader.audit_index(id)
            if found is None or found[0] != idx:
                out.append(idx)
        return out


def _bytes(id: str) -> bytes:
    return bytes.fromhex(id.replace("-", ""))
