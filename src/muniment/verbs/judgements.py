"""What a verdict leaves on claims and on its item, and how it is taken back.

It is all stated in the entry, as references with a role each, so that whoever reads the log can derive it again
(``evidence.marks``). A reversal of a verdict states the opposite roles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from muniment import jsontext
from muniment.ledger.entries import RefRole
from muniment.store.records import ClaimRow, EntryRow
from muniment.verbs.leaves import members_of

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Writer

ADMITS: Final = "admits"
"""The claim ranks as who decided, from now on (never lower than it was said with)."""

DISOWNS: Final = "disowns"
"""The claim ranks as it was said again."""

STILLS: Final = "stills"
"""The claim no longer waits beside the answer."""

WAKES: Final = "wakes"
"""The claim waits again."""

REJECTS: Final = "rejects"
"""The claim stands rejected."""

REINSTATES: Final = "reinstates"
"""The claim stands withdrawn no longer."""

RESUMES: Final = "resumes"
"""The claim stands ended no longer."""

REOPENS: Final = "reopens"
"""The review item is open again. Its id is that of the entry that opened it."""

VERDICT: Final = "verdict"
"""The fact which verdict an entry is: the word by which it closes its item."""

ITEM: Final = "item"
"""The fact which item a verdict is about."""

SUPPORT: Final = "support"
"""The fact that commits to who stands behind a claim by accepting it (``verbs.structure.support_commitment``)."""

PROOF: Final = "proof"
"""The fact how a person was proved, where one decided."""

_OPPOSITE: Final = {
    ADMITS: DISOWNS, DISOWNS: ADMITS, STILLS: WAKES, WAKES: STILLS, REJECTS: REINSTATES, REINSTATES: REJECTS,
}  # fmt: skip

Refs = Sequence[tuple[str, str]]


def facts_of(entry: EntryRow) -> tuple[Refs, dict[str, int | str]]:
    """Return the references and the structural facts that an entry's leaf states."""
    members = jsontext.loads(entry.leaf)
    return [(role, id_) for role, id_ in members.get("refs", ())], members.get("x", {})


def opposite(refs: Refs) -> list[tuple[str, str]]:
    """Return what takes back the marks that an entry stated."""
    return [(_OPPOSITE[role], id_) for role, id_ in refs if role in _OPPOSITE]


def taken_back(reader: Reader, entry: EntryRow) -> list[tuple[str, str]]:
    """Return what an entry has to state that undoes this one: the opposite marks, and the item open again.

    Of a claim that was erased since, nothing is stated, and an item that went with its claim stays closed.
    """
    members = members_of(reader, entry)
    refs = [(role, id_) for role, id_ in members.get("refs", ()) if role in _OPPOSITE and reader.claim(id_) is not None]
    item = reader.item(str(members.get("x", {}).get(ITEM, "")))
    there = item is not None and reader.claim(item.claim) is not None
    return [*opposite(refs), *([(REOPENS, item.id)] if item is not None and there else ())]


def changes(row: ClaimRow, role: str, at: int, rank: int) -> bool:
    """Say whether a mark would change anything about a claim.

    Args:
        row: The claim.
        role: The mark.
        at: recorded_at of the entry that would state it.
        rank: Its rank.
    """
    if role == ADMITS:
        return not row.admitted or row.head.rank != max(rank, row.first_rank)
    if role == DISOWNS:
        return row.head.rank != row.first_rank
    if role == STILLS:
        return row.beside_until > at
    if role == WAKES:
        return row.standing != "on" and row.beside_until != _WAITS
    if role == REJECTS:
        return row.withdrawn != "rejected"
    if role == REINSTATES:
        return row.withdrawn is not None
    return role == RESUMES and row.ended_at is not None


def apply(writer: Writer, refs: Iterable[tuple[str, str]], at: int, rank: int) -> None:
    """Mark claims and items as an entry says.

    Args:
        writer: The open transaction.
        refs: The references of the entry.
        at: Its recorded_at.
        rank: Its rank.
    """
    for role, id_ in refs:
        if role == REOPENS:
            writer.reopen_item(id_)
        elif role == RESUMES:
            writer.mark(id_, ended_from=None, ended_at=None)
        elif role in _OPPOSITE:
            row = writer.claim(id_)
            if row is None:
                continue  # it was erased since
            if role in (ADMITS, DISOWNS):
                now = max(rank, row.first_rank) if role == ADMITS else row.first_rank
                writer.mark(id_, ranks=(*row.ranks, (at, now)))
            elif role in (STILLS, WAKES):
                writer.mark(id_, beside_until=at if role == STILLS else _WAITS)
            else:
                rejected = role == REJECTS
                writer.mark(id_, withdrawn="rejected" if rejected else None, withdrawn_at=at if rejected else None)


_WAITS: Final = 2**63 - 1

CLOSES: Final = RefRole.CLOSES
