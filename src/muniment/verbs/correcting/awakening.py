"""reopen, for a claim that held nothing when it was released: it stands again where it stood, beside the answer."""

from __future__ import annotations

from muniment.beliefs import decisions as law
from muniment.beliefs.state import Disposition, Holder, Ruling
from muniment.beliefs.steps import History, Logged
from muniment.ledger.entries import EntryType, RefRole
from muniment.quick import replace
from muniment.store.records import ClaimRow, EntryRow
from muniment.verbs import judgements
from muniment.verbs.correcting import asking, descending
from muniment.verbs.correcting.deciding import Desk, write_down
from muniment.verbs.results import Outcome


def released(desk: Desk, closing: Logged) -> ClaimRow | None:
    """Return the claim that a release let go without taking any time from it; None if that is not what it was.

    Args:
        desk: The decision.
        closing: An end or a release of the line.
    """
    entry = desk.writer.entry(closing.id)
    if entry is None or entry.type != EntryType.RELEASE or closing.effects:
        return None
    if entry.disposition == Disposition.PENDING_REVIEW:
        return None  # it was asked for and not done
    row = next((desk.writer.claim(id_) for role, id_ in _refs(entry) if role == RefRole.TARGET), None)
    return row if row is not None and row.withdrawn == "released" and row.withdrawn_at == entry.at else None


def awaken(desk: Desk, history: History, release: Logged) -> Outcome:
    """Take back the release of a claim that held nothing.

    It waits again if it waited, and so do the review items that were closed with it. What derives from it comes back.

    Args:
        desk: The decision.
        history: The line.
        release: What is taken back; see :func:`released`.
    """
    row, entry = released(desk, release), desk.writer.entry(release.id)
    assert row is not None and entry is not None
    target = Holder(row.head, ())
    if release.rank > desk.decider.rank:
        return write_down(desk, EntryType.REOPEN, law.refer(desk.decider, (target,)), ())
    refs = [(judgements.REINSTATES, row.head.id)]
    if row.standing != "on" and not judgements.stilled(desk.writer, row, entry.idx):
        refs.append((judgements.WAKES, row.head.id))
    ruling = Ruling(Disposition.REINSTATED, why="The release is taken back: it stands where it stood.")
    judgements.apply(desk.writer, refs, desk.at, desk.decider.rank)
    undoes = (release.id,)
    log = (*history.log, asking.done(undoes, desk.decider.entry, desk.at))
    settled = descending.settle(desk, [row.head.id], ruling, history.holders, log)
    turns = asking.turned(desk, history.log, undoes, history.holders)
    asking.turn(desk.writer, turns, desk.at, desk.decider.entry)
    refs += [ref for turn in turns for ref in turn.refs]
    outcome = write_down(
        desk, EntryType.REOPEN, settled.ruling, history.holders,
        refs=[("target", row.head.id), *refs, *settled.refs], undoes=undoes, elsewhere=settled.elsewhere,
    )  # fmt: skip
    judgements.descend(desk.writer, settled.effects(settled.ruling), settled.refs, desk.at)
    return replace(
        outcome, claim_id=row.head.id, item=next((turn.item.id for turn in turns if turn.word is None), outcome.item)
    )


def _refs(entry: EntryRow) -> judgements.Refs:
    return judgements.facts_of(entry)[0]
