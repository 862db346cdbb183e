"""forget: what was said is gone, and the log shows that it went (evidence §3).

What derives from an erased claim is erased with it. One transaction removes rows, salts, index terms, effects and
queues; then the file itself is cleaned, or the result says ``pending``. The texts that an erasure itself leaves (why, on
whose request) lie beside its entry under a salt of their own, and can be erased in their turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from muniment.beliefs.state import Disposition, Ruling
from muniment.claims.channels import RANK
from muniment.claims.text import check_text
from muniment.erasure.cleaning import clean
from muniment.erasure.plan import selected
from muniment.erasure.results import Erasure
from muniment.erasure.selection import Selector
from muniment.ledger.entries import EntryType, RefRole
from muniment.quick import replace
from muniment.store.records import ClaimRow, EntryRow, LineRow
from muniment.verbs import checks, journal
from muniment.verbs.context import Context, tick
from muniment.verbs.requests import answered, keep, request_of
from muniment.verbs.serving import item_identity

if TYPE_CHECKING:
    from muniment.store.protocol import Writer

MAX_PER_ENTRY = 500
"""Erased claims named by one log entry: an entry must stay small enough to be served in a tile."""


def forget(
    context: Context,
    selector: Selector,
    basis: Any = None,
    request_id: Any = None,
    plan: Any = None,
    idempotency_key: Any = None,
) -> Erasure:
    """Erase what a selector comes to, with everything that derives from it.

    Args:
        context: Who erases; needs the role eraser.
        selector: What is to go.
        basis: Why (kept beside the log and committed to, never in it).
        request_id: A reference of the request, treated the same.
        plan: Hash of the plan that was shown; nothing else is erased. None plans and executes at once.
        idempotency_key: The same request under the same key is done once and answered the same.

    Raises:
        ConflictError: If something else than the plan shows would go, or the idempotency key stands for another
            request.
        ValidationError: If not exactly one selector is given, or it is blank.
        NotFoundError: If nothing matches.
        PermissionDenied: Without the role, or if it reaches beyond the caller's scope without the role admin.
    """
    context.require("eraser")
    shown = None if plan is None else checks.short(plan, "plan")
    notes = {
        name: check_text(value, name, limit_bytes=65_536).encode()
        for name, value in (("basis", basis), ("request_id", request_id))
        if value is not None
    }
    request = request_of(context, context.author, idempotency_key, "forget", *selector.asked, basis, request_id)

    def work(writer: Writer) -> tuple[Erasure, frozenset[bytes]]:
        first = None if request is None else answered(writer, request)
        if first is not None:
            return _repeated(first), frozenset()
        selection = selected(context, writer, selector, shown)
        served = _served_items(writer, selection.rows)
        entries = (*_erase(context, writer, selection.rows, notes), *_silence(context, writer, selection.texts, notes))
        erasure = Erasure(
            tuple(row.head.id for row in selection.direct), tuple(row.head.id for row in selection.derived),
            entries, "pending", _WHY, tuple(entry.id for entry in selection.texts),
        )  # fmt: skip
        if request is not None:
            keep(writer, request, erasure)
        return erasure, served

    done, served = context.store.write(context.namespace, work)
    context.served.drop(served)  # once it is certain that they are gone: a failed erasure must leave the guard
    return replace(done, state=clean(context))


_WHY: Final = "The log shows that something was erased, and when; nothing shows what."


def _repeated(stored: dict[str, Any]) -> Erasure:
    """Return the answer to a request that was made before. Whether the file is clean is asked anew."""
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in stored.items()}
    return Erasure(**values)


def _served_items(writer: Writer, rows: Sequence[ClaimRow]) -> frozenset[bytes]:
    return frozenset([item_identity(writer.line_identity(row.line), row.head.value) for row in rows])


def _erase(context: Context, writer: Writer, rows: Sequence[ClaimRow], notes: dict[str, bytes]) -> tuple[str, ...]:
    """Write the erase entries, one per line and batch, and remove the rows.

    The texts of the request lie beside the first entry alone: what has to go again is kept in one place.
    """
    by_line: dict[int, list[ClaimRow]] = {}
    for row in rows:
        by_line.setdefault(row.line, []).append(row)
    entries: list[str] = []
    for line_id, claims in by_line.items():
        for first in range(0, len(claims), MAX_PER_ENTRY):
            batch = [row.head.id for row in claims[first : first + MAX_PER_ENTRY]]
            line = writer.line_by_id(line_id)
            entry = _log(context, writer, line, RefRole.ERASES, batch, {} if entries else notes)
            writer.erase_claims(batch, entry.at)
            line = writer.line_by_id(line_id)
            line.version, line.erased_at = entry.id, entry.at
            writer.save_line(line)
            entries.append(entry.id)
    return tuple(entries)


def _silence(context: Context, writer: Writer, texts: Sequence[EntryRow], notes: dict[str, bytes]) -> tuple[str, ...]:
    """Write one erase entry for the texts of others, and remove the texts. The entry lies on no line."""
    entries: list[str] = []
    for first in range(0, len(texts), MAX_PER_ENTRY):
        batch = [entry.id for entry in texts[first : first + MAX_PER_ENTRY]]
        entries.append(_log(context, writer, None, RefRole.SILENCES, batch, {} if entries else notes).id)
        for id_ in batch:
            writer.erase_texts(id_)
    return tuple(entries)


def _log(
    context: Context, writer: Writer, line: LineRow | None, role: str, ids: Sequence[str], notes: dict[str, bytes]
) -> EntryRow:
    """Append an erase entry that names what goes, with the texts of the request beside it."""
    at, channel = tick(context, writer.ns), context.ceiling
    draft = journal.Draft(
        context.ids.new(at), EntryType.ERASE, at, line, channel.value, int(RANK[channel]), Ruling(Disposition.ERASED),
        notes, context.entropy.token(32) if notes else b"", tuple((role, id_) for id_ in ids),
    )  # fmt: skip
    entry = journal.append(writer, draft, {})
    if notes:
        writer.add_reason(entry, journal.note_text(notes), draft.salt)
    return entry
