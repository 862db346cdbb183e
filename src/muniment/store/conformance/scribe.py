"""Writes rows the way the verbs do, without their judgement: what the conformance suite has to say, said briefly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from muniment.beliefs.state import Cardinality, Cause, ClaimHead, Effect, Guard, Identity
from muniment.claims.intervals import FOREVER, NEVER
from muniment.hashing import sha256
from muniment.ledger.tree import Frontier, leaf_hash
from muniment.lexical.analyser import analyse
from muniment.quick import dataclass, field, replace
from muniment.store.records import ClaimRow, EntryRow, ItemRow, LineRow, NewLine, SearchTerms

if TYPE_CHECKING:
    from muniment.store.protocol import Store, Writer

SECOND = 1_000_000
EPOCH = 1_700_000_000 * SECOND
"""Transaction time of the first entry that a scribe writes: microseconds."""

NOWHERE = "[null,null,null,null]"
"""The scope without parts."""


def mark(*parts: object) -> Identity:
    """Return a 16-byte identity of some parts, as a keyed hash would give it.

    Example:
        >>> len(mark("value", 7))
        16
    """
    return sha256("\x1f".join(map(str, parts)).encode()).digest()[:16]


def uuid(n: int, kind: int = 0) -> str:
    """Return the n-th UUID of a kind, in the order in which time-ordered ones would come.

    Example:
        >>> uuid(1)
        '00000000-0001-7000-8000-000000000000'
    """
    h = f"{n:012x}7000{0x8000 + kind:04x}{0:012x}"
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


@dataclass(slots=True)
class Scribe:
    """Numbers entries and dates them.

    Args:
        seed: Tells its ids from those of other scribes of the same store.
        at: recorded_at of its last entry.
    """

    seed: int = 0
    at: int = EPOCH
    count: int = 0
    salts: dict[str, bytes] = field(default_factory=dict)

    def next_id(self) -> str:
        """Return a fresh id."""
        self.count += 1
        return uuid(self.count, self.seed)

    def line(
        self,
        tx: Writer,
        key: str = "ann::city",
        *,
        scope: str = NOWHERE,
        note: bool = False,
        look: str | None = None,
    ) -> LineRow:
        """Return the line of a key (of a note's text), made if need be."""
        found = tx.line(mark("line", scope, key))
        if found is not None and found.label:
            return found
        subject, _, predicate = key.partition("::")
        return tx.add_line(
            NewLine(
                uuid=uuid(self.count + 1, self.seed),
                identity=mark("line", scope, key),
                lookalike=None if note else mark("look", scope, look or key),
                note=note,
                scope=scope,
                scope_identity=mark("scope", scope),
                subject=None if note else subject,
                predicate=None if note else predicate,
                display=None if note else key,
                label=f'["{scope}","{key}"]' if not note else f'["{scope}"]',
            )
        )

    def entry(
        self,
        tx: Writer,
        line: LineRow | None = None,
        *,
        type: str = "claim",
        id: str | None = None,
        decision: bool = False,
        undoes: tuple[str, ...] = (),
        step_until: int = NEVER,
        rank: int = 4,
        facts: str = "",
    ) -> EntryRow:
        """Append an entry to the log and to the tree; ``facts`` are further members of its leaf."""
        ns = tx.ns
        self.at = max(self.at + SECOND, ns.last_at + 1)
        id = id or self.next_id()
        leaf = f'{{"at":{self.at},"id":"{id}","t":"{type}"{facts}}}'.encode()
        frontier = Frontier.from_bytes(ns.frontier)
        nodes = frontier.append(leaf_hash(leaf))
        entry = EntryRow(
            id, ns.size, type, line.id if line else None, self.at, rank, "accepted", leaf, step_until, undoes, decision
        )  # fmt: skip
        tx.append(entry, nodes, frontier.to_bytes())
        return entry

    def head(self, entry: EntryRow, value: str, start: int | None = None, end: int = FOREVER, **more: Any) -> ClaimHead:
        """Return the head of a claim that an entry records."""
        given: dict[str, Any] = {"rank": 4, "source": mark("source", "ann")} | more
        return ClaimHead(entry.id, mark("value", value), recorded_at=entry.at, start=entry.at if start is None else start,
                         end=end, **given)  # fmt: skip

    def claim(self, tx: Writer, line: LineRow, entry: EntryRow, head: ClaimHead, text: str, **more: Any) -> ClaimRow:
        """Store a claim with every column filled."""
        row = ClaimRow(
            head=head, idx=entry.idx, line=line.id, lookalike=mark("lookalike", head.value.hex()),
            support=mark("support", head.source.hex()), channel="user", effective="user", kind="semantic",
            criticality="medium", standing="on", beside_until=NEVER, withdrawn=None, withdrawn_at=None, ended_from=None,
            ended_at=None, start_granularity="instant", end_granularity="day", timing_uncertain=False,
            valid_confidence=1_000_000, priority=5, text_is_value=False, salt=sha256(text.encode()).digest(),
            text=text, value=f'"{text}"', author="ann", session="s1",
        )  # fmt: skip
        row = replace(row, **more)
        tx.add_claim(row, SearchTerms(_terms(line.display or ""), _terms(text), _terms(row.tags or "")))
        return row

    def say(
        self,
        tx: Writer,
        key: str,
        text: str,
        start: int | None = None,
        end: int = FOREVER,
        *,
        scope: str = NOWHERE,
        take: bool = True,
        note: bool = False,
        **more: Any,
    ) -> ClaimRow:
        """Say something: a claim that takes its period from every other value that holds there (unless told not to).

        ``more`` are members of the row and of its head; the row's own source is ``source_text``.
        """
        if "source_text" in more:
            more = {"row": {"source": more.pop("source_text")}} | more
        line = self.line(tx, key, scope=scope, note=note)
        at = max(self.at + SECOND, tx.ns.last_at + 1)
        begin = at if start is None else start
        rivals = tx.holders(line.id, begin, end, at) if take else ()
        entry = self.entry(tx, line, step_until=end)
        head = self.head(entry, text, start, end, **{k: more.pop(k) for k in tuple(more) if k in _HEAD})
        row = self.claim(tx, line, entry, head, text, **more.pop("row", {}), **more)
        effects: list[Effect] = []
        guards: list[Guard] = []
        for rival in rivals:
            if rival.head.value == head.value:
                continue
            for s, e in rival.spans:
                lost = (max(s, head.start), min(e, head.end))
                if lost[0] < lost[1]:
                    effects.append(Effect(rival.head.id, False, *lost, Cause.SUPERSEDE))
                    guards.append(Guard(rival.head.value, *lost, 4, Cause.SUPERSEDE, head.start, head.source, entry.id))
        if row.standing == "on":
            effects.append(Effect(entry.id, True, head.start, head.end, Cause.SAID))
        tx.apply(line.id, entry, effects)
        if guards:
            tx.add_guards(line.id, guards)
        self.settle(tx, line, entry)
        return row

    def settle(self, tx: Writer, line: LineRow, entry: EntryRow) -> None:
        """Save a line after an entry."""
        line.version = entry.id
        line.cardinality = line.cardinality or Cardinality.ONE
        line.settled = line.ever_vouched = True
        tx.save_line(line)

    def decide(self, tx: Writer, line: LineRow, effects: Iterable[Effect], type: str = "end") -> EntryRow:
        """Write a decision with its effects."""
        entry = self.entry(tx, line, type=type, decision=True)
        tx.apply(line.id, entry, list(effects))
        self.settle(tx, line, entry)
        return entry

    def item(self, tx: Writer, claim: ClaimRow, kind: str = "held", author: str = "ann") -> ItemRow:
        """Open a review item about a claim."""
        item = ItemRow(
            uuid(self.count, 500 + self.seed), claim.line, kind, claim.head.value, claim.lookalike, claim.head.id,
            mark("author", author), claim.head.recorded_at,
        )  # fmt: skip
        self.count += 1
        tx.open_item(item)
        return item


def _terms(text: str) -> str:
    return " ".join(analyse(text))


_HEAD = frozenset(
    {
        "rank",
        "source",
        "explicit_start",
        "explicit_end",
        "start_until",
        "end_from",
        "expires_at",
        "confidence",
        "trusted_start",
    }
)


def found(store: Store, namespace: str = "a", pepper: bytes = b"p" * 32) -> Scribe:
    """Make a namespace with a genesis entry and return a scribe for it."""
    scribe = Scribe()

    def genesis(tx: Writer) -> None:
        scribe.entry(tx, type="genesis")

    store.create(namespace, pepper, genesis)
    return scribe
