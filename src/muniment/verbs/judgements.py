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
from muniment.store.earlier import Earlier, kept
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

RETRACTS: Final = "retracts"
"""The claim stands retracted again: so it stood before a verdict that is taken back."""

RELEASES: Final = "releases"
"""The claim stands released again."""

STOPS: Final = "stops"
"""The claim stands ended again."""

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

_OPPOSITE: Final = {ADMITS: DISOWNS, DISOWNS: ADMITS, STILLS: WAKES, WAKES: STILLS, STOPS: RESUMES}

AGAIN: Final = {"rejected": REJECTS, "retracted": RETRACTS, "released": RELEASES}
"""How an entry states that a claim stands withdrawn, by how it stands."""

WITHDRAWN: Final = {REINSTATES: None, **{role: word for word, role in AGAIN.items()}}
"""How a claim stands withdrawn, by the reference that says so."""

_KIND: Final = {
    **dict.fromkeys((ADMITS, DISOWNS), "rank"), **dict.fromkeys((STILLS, WAKES), "waits"),
    **dict.fromkeys((RESUMES, STOPS), "ended"), **dict.fromkeys(WITHDRAWN, "withdrawn"),
}  # fmt: skip
"""The mark that each reference is about."""

_WAITS: Final = 2**63 - 1

Refs = Sequence[tuple[str, str]]


def facts_of(entry: EntryRow) -> tuple[Refs, dict[str, int | str]]:
    """Return the references and the structural facts that an entry's leaf states."""
    members = jsontext.loads(entry.leaf)
    return [(role, id_) for role, id_ in members.get("refs", ())], members.get("x", {})


def subject(ref: tuple[str, str]) -> tuple[str, str]:
    """Return the mark and the claim that a reference is about: of two with the same, the later one is the last word."""
    return _KIND.get(ref[0], ref[0]), ref[1]


def taken_back(reader: Reader, entry: EntryRow) -> list[tuple[str, str]]:
    """Return what an entry has to state of claims that undoes this one: the marks as they were before.

    Of a claim that was erased since, nothing is stated. What becomes of items, ``verbs.correcting.asking`` says.
    """
    found = [(_before(reader, entry, role, id_), id_) for role, id_ in members_of(reader, entry).get("refs", ())]
    return [(role, id_) for role, id_ in found if role is not None]


def verdict_on(entry: EntryRow, item: str) -> str | None:
    """Return the word of a verdict on an item; None if an entry is none."""
    facts = facts_of(entry)[1] if entry.type == EntryType.VERDICT else {}
    return str(facts[VERDICT]) if facts.get(ITEM) == item else None


def _before(reader: Reader, entry: EntryRow, role: str, claim: str) -> str | None:
    """Return what gives a claim the mark back that an entry changed; None for nothing.

    What stood before by a decision that was undone since does not come back.
    """
    row = reader.claim(claim) if role in _KIND else None
    if row is None:
        return None
    if role in _OPPOSITE:
        return _OPPOSITE[role]
    standing = _standing(reader, row.line)
    if role == RESUMES:
        ends = (reader.effects_of(each) for each in standing if each.type == EntryType.END)
        return STOPS if any(claim in ended_since(effects) for effects in ends) else None
    marks = row.marks_at(entry.at - 1)
    word = marks.withdrawn if marks.withdrawn in OWN and (marks.withdrawn_at or 0) < entry.at else None
    if word in AS.values() and not any(
        AS.get(each.type) == word and claim in withdrawn_by(reader, each) for each in standing
    ):
        word = None
    return REINSTATES if word is None else AGAIN[word]


def _standing(reader: Reader, line: int) -> list[EntryRow]:
    """Return the decisions of a line that were carried out and not undone."""
    gone: set[str] = set()
    found: list[EntryRow] = []
    for entry in reversed(reader.decisions(line)):
        if entry.id not in gone:
            gone.update(entry.undoes)
            found.append(entry)
    return [entry for entry in found if entry.disposition != "pending_review"]


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
        return row.beside_until > at or waits_withheld(row)
    if role == WAKES:
        return row.standing != "on" and row.beside_until != _WAITS
    if role in WITHDRAWN:
        return row.withdrawn != WITHDRAWN[role]
    if role == STOPS:
        return row.ended_at is None
    if role == READMITS:
        return row.withdrawn == PARENT
    return role == RESUMES and row.ended_at is not None


def waits_withheld(row: ClaimRow) -> bool:
    """Say whether a claim would wait beside the answer again, were no ancestor of it withdrawn."""
    return row.withdrawn == PARENT and row.standing != "on" and not row.admitted


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
            writer.reopen_item(id_, at)
        elif role in (RESUMES, STOPS):
            row = writer.claim(id_)
            mark_ended(writer, id_, None if row is None or role == RESUMES else last_ended(row.earlier), at)
        elif role in (LAPSES, RESTANDS):
            _restate(writer, id_, role == RESTANDS, at)
        elif role in _KIND:
            row = writer.claim(id_)
            if row is None:
                continue  # it was erased since
            if role in (ADMITS, DISOWNS):
                now = max(rank, row.first_rank) if role == ADMITS else row.first_rank
                writer.mark(id_, ranks=(*row.ranks, (at, now)))
            elif role in (STILLS, WAKES):
                mark(writer, row, at, beside_until=at if role == STILLS else _WAITS)
            else:
                word = WITHDRAWN[role]
                mark(writer, row, at, withdrawn=word, withdrawn_at=None if word is None else at)


def mark(writer: Writer, row: ClaimRow, at: int, **changes: object) -> None:
    """Change how a claim stands marked; how it stood until then is kept where the new marks do not tell it.

    Args:
        writer: The open transaction.
        row: The claim.
        at: recorded_at of the entry that changes it.
        changes: The marks, by name (``store.earlier.Mark``).
    """
    earlier = kept(row.earlier, row.marks, row.marks._replace(**changes), at)  # type: ignore[arg-type]
    if earlier != row.earlier:
        changes["earlier"] = earlier
    writer.mark(row.head.id, **changes)


def last_ended(earlier: Earlier) -> int | None:
    """Return from when a claim stood ended before it was resumed."""
    return next((mark.ended_from for _, mark in reversed(earlier) if mark.ended_from is not None), None)


def mark_ended(writer: Writer, id: str, since: int | None, at: int) -> None:
    """Mark a claim as ended from an instant of valid time, or as ended no longer."""
    row = writer.claim(id)
    if row is not None:
        mark(writer, row, at, ended_from=since, ended_at=None if since is None else at)


def ended_since(effects: Iterable[Effect]) -> dict[str, int]:
    """Return from when each claim is ended by what an end took: by what it lost itself, so that this outlives the
    erasure of others."""
    since: dict[str, int] = {}
    for effect in effects:
        if not effect.gain and effect.cause is Cause.END:
            since[effect.claim] = min(since.get(effect.claim, effect.start), effect.start)
    return since


def withdrawn_by(reader: Reader, entry: EntryRow) -> list[str]:
    """Return the claims that a retraction or release withdraws."""
    refs = members_of(reader, entry).get("refs", ())
    return [id_ for role, id_ in refs if role == RefRole.TARGET] if entry.type in AS else []


def turned(refs: Refs) -> list[str]:
    """Return the claims that stand withdrawn from now on, or stand so no longer, as an entry says."""
    return [id_ for role, id_ in refs if role in WITHDRAWN]


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
            let_go(writer, row, at)


def withdraw(writer: Writer, row: ClaimRow, as_: str, at: int) -> None:
    """Mark a claim as withdrawn; if it waited beside the answer, it waits no longer."""
    waits = row.standing != "on" and row.beside_until > at
    mark(writer, row, at, withdrawn=as_, withdrawn_at=at, **({"beside_until": at} if waits else {}))


def let_go(writer: Writer, row: ClaimRow, at: int) -> None:
    """Mark a claim as withdrawn no longer; if nobody decided about it where it waited, it waits there again."""
    waits = row.standing != "on" and row.beside_until != at and not stilled(writer, row)
    mark(writer, row, at, withdrawn=None, withdrawn_at=None, **({"beside_until": _WAITS} if waits else {}))


def stilled(reader: Reader, row: ClaimRow, before: int = _WAITS) -> bool:
    """Say whether a verdict that stands said of a claim that it waits no longer.

    Args:
        reader: The snapshot.
        row: The claim.
        before: Index in the log: only what was decided before that entry counts.
    """
    for entry in reversed(reader.decisions(row.line)):
        roles = {role for role, id_ in facts_of(entry)[0] if id_ == row.head.id} if entry.idx < before else ()
        if STILLS in roles or WAKES in roles:
            return STILLS in roles
    return False


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
            let_go(writer, row, at)
        elif not back and row.withdrawn is None:
            withdraw(writer, row, PARENT, at)


CLOSES: Final = RefRole.CLOSES
