"""Review items against the entries that opened, joined and closed them."""

from __future__ import annotations

from typing import Final

from muniment.evidence.leaves import Members, fact
from muniment.evidence.report import Findings
from muniment.evidence.streams import Ahead
from muniment.ledger.differences import DifferenceKind
from muniment.ledger.entries import EntryType, RefRole
from muniment.store.audit import AuditReader, LogRow
from muniment.store.records import ItemRow
from muniment.verbs import judgements
from muniment.verbs.structure import OPENS

ERASED: Final = "erased"
"""How an item was closed whose claim was erased; its hashes are blank."""

_CLOSING: Final[dict[str, str]] = {EntryType.RETRACT: "retracted", EntryType.RELEASE: "released"}
"""How a decision about a claim that waits closes its item. Everything else closes one as moot; a verdict says how."""

_ELSEWHERE: Final = "It is about a claim that is not on its line."


class _Followed:
    """An item that is open as far as the log was read."""

    __slots__ = ("count", "row", "shut")

    def __init__(self, row: ItemRow) -> None:
        self.row = row
        self.count = 1
        self.shut: list[tuple[int, int]] = []


class ItemCheck:
    """Follows items through the log. Memory is linear in those that are open at one time.

    Args:
        reader: The snapshot.
        findings: Where differences go.
    """

    def __init__(self, reader: AuditReader, findings: Findings) -> None:
        self._reader, self._findings = reader, findings
        self._rows: Ahead[ItemRow] = Ahead(reader.audit_items())
        self._open: dict[str, _Followed] = {}
        self._otherwise: dict[str, tuple[_Followed, LogRow, Members]] = {}
        """Items that an entry closed, and that are stored as closed otherwise: a later verdict should say how."""
        self._unexplained: set[str] = set()
        """Items that stand open without their claim, and that no entry opened again so far."""
        self._total = 0
        self._standing = 0

    def check(self, row: LogRow, leaf: Members) -> None:
        """Follow one entry."""
        head = self._rows.head
        if head is not None and head.opened_at <= row.at:
            self._opened(row, leaf)
        elif "x" in leaf and fact(leaf, OPENS) is not None:
            self._add(DifferenceKind.MISSING, row.idx, "The review item that it opened is not there.")
        for role, id_ in leaf.get("refs", ()):
            if role == "joins" and id_ in self._open:
                self._open[id_].count += 1
            elif role == RefRole.CLOSES:
                self._closed(row, leaf, self._open.pop(id_, None))
            elif role == judgements.REOPENS:
                self._reopened(row, id_)

    def finish(self) -> None:
        """Compare what is still open with what is stored as open."""
        for id_ in sorted(self._unexplained):
            self._findings.add(DifferenceKind.RELABELLED, f"item {id_}", _ELSEWHERE)
        for row in self._rows:
            self._total += 1
            self._findings.add(DifferenceKind.ADDED, f"item {row.id}", "No entry opened this review item.")
        for followed, closing, members in self._otherwise.values():
            self._close(closing, members, followed)
        for followed in self._open.values():
            row = followed.row
            if row.closed_as == ERASED:
                continue
            if row.closed_at is not None:
                self._findings.add(
                    DifferenceKind.CONCEALED, f"item {row.id}", "It is stored as closed; nothing closed it."
                )
            self._count(followed)
        ns = self._reader.ns
        if (ns.items, ns.open_items) != (self._total, self._standing):
            self._findings.add(DifferenceKind.EDITED, "head of the log", "The number of review items is another.")

    def _opened(self, row: LogRow, leaf: Members) -> None:
        while self._rows.head is not None and self._rows.head.opened_at < row.at:
            self._taken(DifferenceKind.ADDED, "No entry opened this review item.")
        head = self._rows.head
        kind = fact(leaf, OPENS)
        if head is None or head.opened_at != row.at:
            if kind is not None:
                self._add(DifferenceKind.MISSING, row.idx, "The review item that it opened is not there.")
            return
        if kind is None:
            self._taken(DifferenceKind.ADDED, "The entry of that time opened no review item.")
            return
        item = self._taken(None, "")
        where = f"item {item.id}"
        if item.id != leaf["id"] or item.line != row.line:
            self._findings.add(DifferenceKind.RELABELLED, where, "It is filed under another entry or line.")
        if item.kind != kind:
            self._findings.add(DifferenceKind.EDITED, where, "Its kind is another than its entry says.")
        self._about(item)
        self._open[leaf["id"]] = _Followed(item)

    def _about(self, item: ItemRow) -> None:
        """Check which claim it is about, and that its value is that claim's."""
        if item.closed_as == ERASED:
            return
        claim = self._reader.claim(item.claim)
        where = f"item {item.id}"
        if item.closed_at is None and (item.closed_as is not None or item.closed_by is not None):
            self._findings.add(DifferenceKind.EDITED, where, "It is open, and says how it was closed.")
        if claim is not None and item.id == claim.head.id and item.lookalike != claim.lookalike:
            self._findings.add(DifferenceKind.EDITED, where, "What it looks like is not what its claim looks like.")
        if claim is None and item.closed_at is None:
            self._unexplained.add(item.id)
        elif claim is None or claim.line != item.line:
            self._findings.add(DifferenceKind.RELABELLED, where, _ELSEWHERE)
        elif claim.head.value != item.value:
            self._findings.add(DifferenceKind.EDITED, where, "It is about another value than its claim's.")

    def _closed(self, row: LogRow, leaf: Members, followed: _Followed | None) -> None:
        if followed is None:
            return
        if followed.row.closed_as == ERASED:
            return
        if followed.row.closed_by == leaf["id"]:
            self._close(row, leaf, followed)
        else:
            self._otherwise[followed.row.id] = (followed, row, leaf)

    def _reopened(self, row: LogRow, id_: str) -> None:
        self._unexplained.discard(id_)  # a log may say so of one whose claim was erased before
        waiting = self._otherwise.pop(id_, None)
        if waiting is not None:
            followed, closing, _ = waiting
            followed.shut.append((closing.at, row.at))
            self._open[id_] = followed
        elif id_ not in self._open:
            item = self._reader.item(id_)
            if item is None or item.closed_as != ERASED:
                self._add(DifferenceKind.EDITED, row.idx, "It opens an item again that is stored as closed before.")

    def _close(self, row: LogRow, leaf: Members, followed: _Followed) -> None:
        """Compare how an item was closed for good with how it is stored."""
        item = followed.row
        where = f"item {item.id}"
        if item.closed_at is None:
            self._findings.add(DifferenceKind.RESURRECTED, where, "It was closed, and is stored as open.")
        elif item.closed_at != row.at or item.closed_by != leaf["id"]:
            self._findings.add(DifferenceKind.EDITED, where, "It is stored as closed by another entry.")
        elif item.closed_as not in self._words(row, leaf, item.id):
            self._findings.add(DifferenceKind.EDITED, where, "It is stored as closed in another way.")
        self._count(followed)

    def _words(self, row: LogRow, leaf: Members, item: str) -> set[str]:
        """Return the words by which an entry may close an item; a reversal may do so in those of what stands again."""
        if leaf["t"] == EntryType.VERDICT and fact(leaf, judgements.ITEM) == item:
            return {str(fact(leaf, judgements.VERDICT))}
        words = {judgements.MOOT, _CLOSING.get(leaf["t"], judgements.MOOT)}
        if not row.undoes:
            return words
        words.update(_CLOSING.values())
        waiting, seen = [leaf["id"]], {leaf["id"]}
        while waiting:
            entry = self._reader.entry(waiting.pop())
            if entry is not None:
                verdict = judgements.verdict_on(entry, item)
                words.update(() if verdict is None else (verdict,))
                waiting += [id_ for id_ in entry.undoes if id_ not in seen]
                seen.update(entry.undoes)
        return words

    def _count(self, followed: _Followed) -> None:
        if followed.row.count != followed.count:
            where = f"item {followed.row.id}"
            self._findings.add(DifferenceKind.EDITED, where, "It stands for another number of statements.")
        if followed.row.shut != tuple(followed.shut):
            where = f"item {followed.row.id}"
            self._findings.add(DifferenceKind.EDITED, where, "When it was closed before is not what the log says.")

    def _taken(self, kind: DifferenceKind | None, detail: str) -> ItemRow:
        item = self._rows.take()
        assert item is not None
        self._total += 1
        self._standing += item.closed_at is None
        self._findings.checked["items"] += 1
        if kind is not None:
            self._findings.add(kind, f"item {item.id}", detail)
        return item

    def _add(self, kind: DifferenceKind, idx: int, detail: str) -> None:
        self._findings.add(kind, f"entry {idx}", detail)
