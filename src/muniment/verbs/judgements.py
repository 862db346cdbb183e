"""What a decision leaves on claims, a verdict on its item, and how it is taken back.

It is all stated in the entry, as references with a role each, so that whoever reads the log can derive it again
(``evidence.marks``). A reversal of a verdict states the opposite roles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from muniment import jsontext
from muniment.beliefs.state import Cause, Effect
from muniment.ledger.entries import EntryType, RefRole
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

MOOT: Final = "moot"
"""How an item is closed that has nothing to decide any more."""

LAPSES: Final = "lapses"
"""The retraction or release stands no longer: what it withdrew is withdrawn no longer."""

RESTANDS: Final = "restands"
"""The retraction or release stands again."""

WITHHOLDS: Final = "withholds"
"""An ancestor of the claim stands withdrawn, so the claim is withdrawn too. A loss of the cause ``withdraw`` says it as well."""

READMITS: Final = "readmits"
"""No ancestor of the claim forbids it any more. A gain of the cause ``return`` says it as well."""

AS: Final[dict[str, str]] = {EntryType.RETRACT: "retracted", EntryType.RELEASE: "released"}
"""How what a decision withdraws stands from then on."""

OWN: Final = frozenset({*AS.values(), "rejected"})
"""How a claim stands that was withdrawn itself."""

PARENT: Final = "parent"
"""How a claim stands that is withheld because an ancestor was withdrawn."""

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
    """Return what an entry has to state of claims that undoes this one: the opposite marks.

    Of a claim that was erased since, nothing is stated. What becomes of items, ``verbs.correcting.asking`` says.
    """
    refs = members_of(reader, entry).get("refs", ())
    return opposite([(role, id_) for role, id_ in refs if role in _OPPOSITE and reader.claim(id_) is not None])


def verdict_on(entry: EntryRow, item: str) -> str | None:
    """Return the word of a verdict on an item; None if an entry is none."""
    facts = facts_of(entry)[1] if entry.type == EntryType.VERDICT else {}
    return str(facts[VERDICT]) if facts.get(ITEM) == item else None


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
    if role == READMITS:
        return row.withdrawn == PARENT
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
        elif role in (LAPSES, RESTANDS):
            _restate(writer, id_, role == RESTANDS, at)
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


def withdrawn_by(reader: Reader, entry: EntryRow) -> list[str]:
    """Return the claims that a retraction or release withdraws."""
    refs = members_of(reader, entry).get("refs", ())
    return [id_ for role, id_ in refs if role == RefRole.TARGET] if entry.type in AS else []


def turned(refs: Refs) -> list[str]:
    """Return the claims that stand rejected from now on, or stand withdrawn no longer, as an entry says."""
    return [id_ for role, id_ in refs if role in (REJECTS, REINSTATES)]


def _restate(writer: Writer, id: str, again: bool, at: int) -> None:
    """Mark what a withdrawal had marked once more, or no longer."""
    entry = writer.entry(id)
    for target in () if entry is None else withdrawn_by(writer, entry):
        row = writer.claim(target)
        if row is None or entry is None:
            continue
        if again and row.withdrawn not in OWN:
            withdraw(writer, row, AS[entry.type], at)
        elif not again and row.withdrawn == AS[entry.type]:
            let_go(writer, row)


def withdraw(writer: Writer, row: ClaimRow, as_: str, at: int) -> None:
    """Mark a claim as withdrawn; if it waited beside the answer, it waits no longer."""
    waits = row.standing != "on" and row.beside_until > at
    writer.mark(row.head.id, withdrawn=as_, withdrawn_at=at, **({"beside_until": at} if waits else {}))


def let_go(writer: Writer, row: ClaimRow) -> None:
    """Mark a claim as withdrawn no longer; if it waited beside the answer until then, it waits again."""
    waited = row.standing != "on" and row.beside_until == row.withdrawn_at
    writer.mark(row.head.id, withdrawn=None, withdrawn_at=None, **({"beside_until": _WAITS} if waited else {}))


def descend(writer: Writer, effects: Iterable[Effect], refs: Iterable[tuple[str, str]], at: int) -> None:
    """Mark the descendants that an entry withholds or readmits: as its effects say, and as its references do.

    Args:
        writer: The open transaction.
        effects: Of the entry, on every line.
        refs: Its references.
        at: Its recorded_at.
    """
    said = [(e.claim, e.gain) for e in effects if e.cause is (Cause.RETURN if e.gain else Cause.WITHDRAW)]
    said += [(id_, role == READMITS) for role, id_ in refs if role in (WITHHOLDS, READMITS)]
    for claim, back in dict.fromkeys(said):
        row = writer.claim(claim)
        if row is None:
            continue  # it was erased since
        if back and row.withdrawn == PARENT:
            let_go(writer, row)
        elif not back and row.withdrawn is None:
            withdraw(writer, row, PARENT, at)


_WAITS: Final = 2**63 - 1

CLOSES: Final = RefRole.CLOSES
