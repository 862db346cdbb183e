"""correct_text: better wording for the same statement (semantics §6). The value never changes."""

from __future__ import annotations

from typing import Any

from muniment import jsontext
from muniment.beliefs.state import Disposition, Ruling
from muniment.beliefs.table import Cell, bare
from muniment.claims.text import check_text
from muniment.claims.values import text_value_equality
from muniment.errors import PermissionDenied, ValidationError
from muniment.ledger.entries import EntryType
from muniment.store.records import Amendment
from muniment.verbs import journal
from muniment.verbs.context import Context
from muniment.verbs.correcting.deciding import Desk, asked, at_desk, unchanged
from muniment.verbs.records import amendment_fields
from muniment.verbs.results import Outcome
from muniment.verbs.saying.meta import meta_text, metadata
from muniment.verbs.saying.prepare import terms_as
from muniment.verbs.views import verified, wording


def correct_text(context: Context, id: Any, text: Any, meta: Any = None, **given: Any) -> Outcome:
    """Fix the wording of a claim, and merge its meta.

    Args:
        context: Who corrects.
        id: The claim.
        text: The new wording.
        meta: Names to set; a None removes a name. What is not named stays.

    Raises:
        ValidationError: If the text is the value and would become another one.
        PermissionDenied: If somebody of higher standing wrote the claim.
    """
    wanted = check_text(text, "text")
    patch = metadata(meta)
    ask = asked(context, "correct_text", id, {"text": text, "meta": meta, **given})

    def work(desk: Desk) -> Outcome:
        row = desk.claim
        if row is None:
            raise ValidationError("correct_text takes the id of a claim.", advice="history(key) lists them.")
        if bare(desk.decider.rank, desk.decider.source, row.head) is not Cell.SUPERSEDE:
            raise PermissionDenied("Somebody of higher standing wrote it.", advice="Ask them, or a person.")
        if row.text_is_value and text_value_equality(wanted) != text_value_equality(row.text):
            raise ValidationError(
                "The text is the value here, and it would become another one.",
                advice="Use remember() with the same key to change the value.",
            )
        verified(desk.writer, row, desk.line.label)
        old_text, old_meta = wording(desk.writer, row, desk.at)
        before = {} if old_meta is None else jsontext.loads(old_meta)
        after = {name: value for name, value in {**before, **patch}.items() if value is not None}
        if wanted == old_text and after == before:
            return unchanged(desk, "It reads so already.")
        return _amend(desk, wanted if wanted != old_text else None, after if after != before else None, old_text)

    return at_desk(context, ask, work)


def _amend(desk: Desk, text: str | None, meta: dict[str, Any] | None, old_text: str) -> Outcome:
    row = desk.claim
    assert row is not None
    amendment = Amendment(
        entry=desk.decider.entry,
        claim=row.head.id,
        at=desk.at,
        text=text,
        meta=None if meta is None else (meta_text(meta) or "{}"),
        reason=desk.asked.reason,
        salt=desk.context.entropy.token(32),
    )
    ruling = Ruling(Disposition.AMENDED, why="The wording is better; the value is the same.")
    draft = journal.Draft(
        amendment.entry, EntryType.AMEND, desk.at, desk.line, desk.asked.channel.value, desk.decider.rank,
        ruling, amendment_fields(amendment), amendment.salt, refs=(("target", row.head.id),),
    )  # fmt: skip
    entry = journal.append(desk.writer, draft, {})
    desk.writer.amend(amendment, terms_as(row, desk.line, text or old_text))
    desk.line.version = entry.id
    desk.writer.save_line(desk.line)
    holds = any(h.head.id == row.head.id for h in desk.holders(desk.at, desk.at + 1))
    return Outcome(ruling.disposition, row.head.id, holds, line_version=entry.id, why=ruling.why, entry_id=entry.id)
