"""Decisions about claims, as they are read back: what was decided, by whom and why. Each is checked against its entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from muniment import jsontext
from muniment.beliefs.state import Disposition, Effect
from muniment.beliefs.verdicts import Verdict
from muniment.claims.channels import Channel
from muniment.claims.moments import format_instant
from muniment.errors import TamperedError
from muniment.ledger.base64url import hash_to_text
from muniment.ledger.commitments import commit_record
from muniment.ledger.entries import EntryType, RefRole
from muniment.quick import dataclass, field, replace
from muniment.store.records import ClaimRow, EntryRow, ItemRow, LineRow
from muniment.verbs import judgements
from muniment.verbs.leaves import members_of
from muniment.verbs.persons import UNVOUCHED
from muniment.verbs.results import Decided

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

_TYPES: Final = frozenset(
    {EntryType.REVERT, EntryType.REDO, EntryType.END, EntryType.RETRACT, EntryType.RELEASE, EntryType.REOPEN,
     EntryType.VERDICT}
)  # fmt: skip
"""The entries that decide about what was said."""


@dataclass(frozen=True, slots=True)
class Told:
    """A decision with what it is about.

    Args:
        decided: As it is shown.
        claims: Ids of the claims that it names, or takes from or gives to.
        item: The review item that it is a verdict on, or waits in.
        at: recorded_at.
        effects: What it did to a claim, in words, where its own word does not say that.
    """

    decided: Decided
    claims: frozenset[str]
    item: str | None
    at: int
    effects: Mapping[str, str] = field(default_factory=dict)


def decisions_on(reader: Reader, line: LineRow, as_of: int) -> list[Told]:
    """Return the decisions on a line, the oldest first, as far as they were made by an instant.

    Raises:
        TamperedError: If the texts of one are not those that its entry vouches for.
    """
    return [_told(reader, entry) for entry in reader.decisions(line.id) if entry.type in _TYPES and entry.at <= as_of]


def by_claim(decisions: Iterable[Told]) -> dict[str, tuple[Decided, ...]]:
    """Return the decisions about each claim, by its id."""
    found: dict[str, list[Decided]] = {}
    for told in decisions:
        for claim in told.claims:
            effect = told.effects.get(claim)
            one = told.decided if effect is None else replace(told.decided, effect=effect)
            found.setdefault(claim, []).append(one)
    return {claim: tuple(several) for claim, several in found.items()}


def verdicts_on(decisions: Iterable[Told], item: ItemRow) -> tuple[Decided, ...]:
    """Return what waits in a review item, the verdicts on it, and the decision that closed it."""
    return tuple(
        [told.decided for told in decisions if item.id == told.item or told.decided.entry_id == item.closed_by]
    )


def accepted_by(reader: Reader, row: ClaimRow, as_of: int) -> str | None:
    """Return who accepted a claim that ranks higher by that than it was said with; None for any other claim.

    The words of ``by=`` prove nothing, so only a user's stand for a name; of whoever else decided it is the author.

    Raises:
        TamperedError: If the texts of the verdict are not those that its entry vouches for.
    """
    if row.rank_at(as_of) <= row.first_rank:
        return None
    for entry in reversed(reader.decisions(row.line)):
        if entry.type != EntryType.VERDICT or entry.at > as_of:
            continue
        leaf = members_of(reader, entry)
        if [judgements.ADMITS, row.head.id] in leaf.get("refs", ()):
            texts = _texts(reader, entry, leaf.get("rec")) or {}
            named = texts.get("by") if leaf.get("ch") == Channel.USER else None
            return named or texts.get("author") or "(erased)"
    return None


def _told(reader: Reader, entry: EntryRow) -> Told:
    leaf = members_of(reader, entry)
    facts, refs = leaf.get("x", {}), leaf.get("refs", ())
    texts = _texts(reader, entry, leaf.get("rec"))
    verdict, item = facts.get(judgements.VERDICT), facts.get(judgements.ITEM)
    decided = Decided(
        decision=str(verdict or entry.type), reason=None if texts is None else texts.get("reason"),
        author=None if texts is None else texts.get("author"), by=None if texts is None else texts.get("by"),
        channel=leaf.get("ch"), decided_at=format_instant(entry.at), entry_id=entry.id, erased=texts is None,
        done=entry.disposition != Disposition.PENDING_REVIEW,
    )  # fmt: skip
    effects = reader.effects_of(entry)
    claims = {id_ for role, id_ in refs if role == RefRole.TARGET} | {e.claim for e in effects}
    if not decided.done:  # it opened the item that it waits in, or joined one
        item = next((id_ for role, id_ in refs if role == "joins"), entry.id)
    told = _told_of(reader, decided.decision, refs, effects)
    return Told(decided, frozenset(claims), None if item is None else str(item), entry.at, told)


_BACK: Final = {EntryType.REVERT: "brought back", EntryType.REDO: "brought back again"}
_AWAY: Final = {EntryType.REVERT: "taken back", EntryType.REDO: "taken away again", EntryType.REOPEN: "gave way"}


def _told_of(reader: Reader, decision: str, refs: Sequence[Sequence[str]], effects: Sequence[Effect]) -> dict[str, str]:
    """Return what a decision did to each claim whose side of it the decision's own word does not tell."""
    gained = {effect.claim for effect in effects if effect.gain}
    lost = {effect.claim for effect in effects if not effect.gain} - gained
    if decision in _AWAY:
        back = _BACK.get(EntryType(decision))
        return dict.fromkeys(lost, _AWAY[EntryType(decision)]) | ({} if back is None else dict.fromkeys(gained, back))
    if decision not in _TAKING:
        return {}
    rejected = {id_ for role, id_ in refs if role == judgements.REJECTS}
    if rejected:  # the verdict carried out a retraction that was asked for
        return dict.fromkeys(rejected, "retracted as was asked")
    admitted = [id_ for role, id_ in refs if role in (judgements.ADMITS, RefRole.TARGET)]
    rows = [reader.claim(id_) for id_ in admitted]
    page = any(row is not None and row.effective in UNVOUCHED for row in rows)
    return dict.fromkeys(lost - set(admitted), f"replaced by the accepted {'page' if page else 'value'}")


_TAKING: Final = frozenset({Verdict.ACCEPT, Verdict.RESTORE})
"""Verdicts that give a value its time, and so take it from others."""


def took_place(entry: EntryRow) -> bool:
    """Say whether a verdict took from a claim in favour of another one, and did not turn the claim itself away."""
    refs, facts = judgements.facts_of(entry)
    return facts.get(judgements.VERDICT) in _TAKING and all(role != judgements.REJECTS for role, _ in refs)


def _texts(reader: Reader, entry: EntryRow, commitment: str | None) -> dict[str, str] | None:
    """Return the texts of a decision; None once they were erased."""
    found = reader.reason(entry.id)
    if found is None:
        return None
    text, salt = found
    try:
        texts: dict[str, str] = jsontext.loads(text)
        if hash_to_text(commit_record(salt, {name: said.encode() for name, said in texts.items()})[0]) == commitment:
            return texts
    except (ValueError, AttributeError):
        pass
    raise TamperedError(
        "The reason of a decision does not match its log entry, so it is not served.",
        advice="Run verify to see what was changed.",
        entry=entry.id,
    )
