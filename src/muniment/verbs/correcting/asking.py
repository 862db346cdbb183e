"""Which review items are open once earlier entries stand no longer, or stand again (semantics §6, §7).

An item is closed by the last entry that stands and closes it, in that entry's words, and open if there is none. So
whoever undoes a decision finds the inbox as it was before it: what the decision closed asks again, unless it asks nothing
any more by then, and what the decision opened asks no more. Every reversal and every later verdict comes here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from muniment.beliefs import descent
from muniment.beliefs.state import Holder
from muniment.beliefs.steps import Logged, undone
from muniment.claims.intervals import NEVER
from muniment.ledger.entries import EntryType
from muniment.quick import dataclass
from muniment.store.records import ItemRow
from muniment.verbs import judgements
from muniment.verbs.correcting.deciding import Desk
from muniment.verbs.items import asks_still, referred
from muniment.verbs.leaves import members_of
from muniment.verbs.policies import holds_many

if TYPE_CHECKING:
    from muniment.store.protocol import Writer


@dataclass(frozen=True, slots=True)
class Turn:
    """What becomes of a review item.

    Args:
        item: The item as it stands.
        word: The word by which it is closed from now on; None if it is open.
    """

    item: ItemRow
    word: str | None

    @property
    def refs(self) -> list[tuple[str, str]]:
        """What the entry states of it."""
        opens = [(judgements.REOPENS, self.item.id)] if self.item.closed_at is not None else []
        return opens if self.word is None else [*opens, (judgements.CLOSES, self.item.id)]


def done(undoes: tuple[str, ...], entry: str = "", at: int = 0) -> Logged:
    """Return how the log will have a decision, as far as it matters to what stands."""
    return Logged(entry, "", 0, at, NEVER, (), undoes)


def toggled(log: Sequence[Logged], undoes: tuple[str, ...]) -> tuple[list[Logged], list[Logged]]:
    """Return the entries of a line that stand no longer once some entries are undone, and those that stand again."""
    own = descent.own(log)
    before, after = undone(own), undone([*own, done(undoes)])
    return (
        [entry for entry in own if entry.id in after and entry.id not in before],
        [entry for entry in own if entry.id in before and entry.id not in after],
    )


def turned(
    desk: Desk, log: Sequence[Logged], undoes: tuple[str, ...], after: tuple[Holder, ...], but: str | None = None
) -> list[Turn]:
    """Return what becomes of the review items that undone entries closed or opened, or that entries close again.

    Args:
        desk: The decision. The marks that it leaves on claims stand already.
        log: The log of its line.
        undoes: The entries that it undoes.
        after: What holds on the line afterwards.
        but: An item that is decided otherwise.
    """
    lapsing, again = toggled(log, undoes)
    closers: dict[str, str | None] = {}
    for entry in lapsing:
        for id_, was_closed in _closed(desk.writer, entry.id).items():
            closers[id_] = _standing(desk.writer, log, undoes, id_) if was_closed else None
    for entry in again:
        closers.update(dict.fromkeys(_closed(desk.writer, entry.id), entry.id))
    out: list[Turn] = []
    for id_, closer in closers.items():
        item = desk.writer.item(id_)
        if id_ == but or item is None or item.line != desk.line.id or desk.writer.claim(item.claim) is None:
            continue
        word = None if closer is None else _word(desk.writer, closer, item)
        if word is None and not _asks(desk, item, after):
            word = judgements.MOOT
        if word != item.closed_as:
            out.append(Turn(item, word))
    return out + _withdrawn(desk, lapsing)


def turn(writer: Writer, turns: Sequence[Turn], at: int, entry: str) -> None:
    """Open and close items as was found.

    Args:
        writer: The open transaction.
        turns: What was found.
        at: recorded_at of the entry.
        entry: Its id.
    """
    for one in turns:
        if one.item.closed_at is not None:
            writer.reopen_item(one.item.id, at)
        if one.word is not None:
            writer.close_item(one.item.id, at, entry, one.word)


def stilled(desk: Desk, log: Sequence[Logged], undoes: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the marks of claims that waited for more than they were given, by steps that stand no longer."""
    return [(judgements.STILLS, turn.item.claim) for turn in _withdrawn(desk, toggled(log, undoes)[0])]


def _withdrawn(desk: Desk, lapsing: Sequence[Logged]) -> list[Turn]:
    """Return the items that undone statements opened: they ask for what nobody asks for any more."""
    out: list[Turn] = []
    for entry in lapsing:
        item = desk.writer.item(entry.id) if entry.type == EntryType.CLAIM else None
        if item is None or item.closed_at is not None or item.kind == "contested" or item.claim != entry.id:
            continue
        if item.count == 1:  # else others ask for the same
            out.append(Turn(item, judgements.MOOT))
    return out


def _closed(writer: Writer, entry: str) -> dict[str, bool]:
    """Return the items that an entry closes, and whether it had found each of them closed."""
    row = writer.entry(entry)
    refs = () if row is None else [(role, id_) for role, id_ in members_of(writer, row).get("refs", ())]
    return {id_: (judgements.REOPENS, id_) in refs for role, id_ in refs if role == judgements.CLOSES}


def _word(writer: Writer, entry: str, item: ItemRow) -> str:
    """Return the word by which an entry closes an item that it names."""
    row = writer.entry(entry)
    verdict = None if row is None else judgements.verdict_on(row, item.id)
    if verdict is not None or row is None:
        return verdict or judgements.MOOT
    ends = item.kind in ("contested", "under_review") or referred(writer, item) is not None  # else its claim waited
    return judgements.MOOT if ends else judgements.AS.get(row.type, judgements.MOOT)


def _standing(writer: Writer, log: Sequence[Logged], undoes: tuple[str, ...], item: str) -> str | None:
    """Return the entry by which an item is closed once some entries are undone; None if it is open then."""
    own = descent.own(log)
    gone = undone([*own, done(undoes)])
    for entry in reversed(own):
        if entry.id == item:
            break
        if entry.id not in gone and item in _closed(writer, entry.id):
            return entry.id
    return None


def contests(desk: Desk, after: tuple[Holder, ...]) -> set[str]:
    """Return the claims that open items of the line ask about as contested, and will go on to."""
    items = (item for item in desk.writer.open_items(desk.line.id) if item.kind == "contested")
    return {item.claim for item in items if _asks(desk, item, after)}


def _asks(desk: Desk, item: ItemRow, after: tuple[Holder, ...]) -> bool:
    claim = desk.writer.claim(item.claim)
    if claim is None or (claim.withdrawn in judgements.OWN and item.kind != "under_review"):
        return False
    many = holds_many(desk.context, desk.writer, desk.line)
    return asks_still(desk.writer, item, after, desk.at, many)
