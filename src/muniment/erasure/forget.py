"""forget: what was said is gone, and the log shows that it went (evidence §3).

First form: by ids or by key. What derives from an erased claim is erased with it. One transaction removes rows,
salts, index terms, effects and queues; then the file itself is cleaned, or the result says ``pending``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from muniment.beliefs.state import Disposition, Ruling
from muniment.claims.channels import RANK
from muniment.claims.keys import parse_key
from muniment.claims.scopes import Scope
from muniment.claims.text import check_text
from muniment.errors import ClosedError, CorruptError, NotFoundError, StoreError, ValidationError
from muniment.ledger.entries import EntryType
from muniment.store.protocol import ClaimRow, LineRow, Writer
from muniment.verbs import checks, journal
from muniment.verbs.context import Context, tick
from muniment.verbs.prepare import line_identity
from muniment.verbs.requests import answered, keep, request_of
from muniment.verbs.results import Result
from muniment.verbs.serving import item_identity

MAX_PER_ENTRY = 500
"""Erased claims named by one log entry: an entry must stay small enough to be served in a tile."""


@dataclass(frozen=True, slots=True)
class Erasure(Result):
    """What an erasure did.

    Args:
        erased: Ids of the claims that were named or lay on the named key.
        derived: Ids of the claims that went with them because they derive from them.
        entries: The log entries that show it.
        state: ``clean`` when the file itself was cleaned; ``pending`` while a reader still holds old pages, or
            another writer or want of space kept it from being rewritten (call ``reindex`` or ``doctor`` later).
        why: One sentence.
    """

    erased: tuple[str, ...]
    derived: tuple[str, ...]
    entries: tuple[str, ...]
    state: str
    why: str

    def __str__(self) -> str:
        return f"{len(self.erased)} erased, {len(self.derived)} derived from them; the file is {self.state}."


def forget(
    context: Context,
    ids: Any = None,
    key: Any = None,
    basis: Any = None,
    request_id: Any = None,
    idempotency_key: Any = None,
) -> Erasure:
    """Erase claims by id, or every claim of a key in the handle's scope.

    Args:
        context: Who erases; needs the role eraser.
        ids: Ids of claims.
        key: A key.
        basis: Why (kept beside the log and committed to, never in it).
        request_id: A reference of the request, treated the same.
        idempotency_key: The same request under the same key is done once and answered the same.

    Raises:
        ConflictError: If the idempotency key stands for another request.
        ValidationError: If not exactly one selector is given, or it is blank.
        NotFoundError: If nothing matches.
    """
    context.require("eraser")
    if (ids is None) == (key is None):
        raise ValidationError("forget needs ids or a key, and not both.", advice="forget(ids=[…]) or forget(key=…).")
    named = checks.words((ids,) if isinstance(ids, str) else ids, "ids") if ids is not None else ()
    if ids is not None and not named:
        raise ValidationError("ids is empty, so nothing was named.", advice="Pass at least one id.")
    parsed = None if key is None else parse_key(key)
    notes = {
        name: check_text(value, name, limit_bytes=65_536).encode()
        for name, value in (("basis", basis), ("request_id", request_id))
        if value is not None
    }

    asked = ("forget", named, None if parsed is None else parsed.text, basis, request_id)
    request = request_of(context, context.author, idempotency_key, *asked)

    def work(writer: Writer) -> Erasure:
        first = None if request is None else answered(writer, request)
        if first is not None:
            return _repeated(first)
        if parsed is not None:
            line = writer.line(line_identity(context.pepper, context.scope.text, parsed.text))
            direct = [] if line is None else writer.claims_of(line.id)
        else:
            direct = _named(context, writer, named)
        if not direct:
            raise NotFoundError("Nothing is stored that matches, so nothing was erased.", advice="Check the key.")
        derived = _derived(writer, direct)
        if any(writer.line_by_id(row.line).scope != context.scope.text for row in (*direct, *derived)):
            context.require("admin")  # erasing reaches beyond the handle's own scope
        context.served.drop(_served_items(context, writer, [*direct, *derived]))
        entries = _erase(context, writer, [*direct, *derived], notes)
        erasure = Erasure(
            tuple(row.head.id for row in direct), tuple(row.head.id for row in derived), entries, "pending",
            "The log shows that something was erased, and when; nothing shows what.",
        )  # fmt: skip
        if request is not None:
            keep(writer, request, erasure)
        return erasure

    done = context.store.write(context.namespace, work)
    return replace(done, state=_clean(context))


def _repeated(stored: dict[str, Any]) -> Erasure:
    """Return the answer to a request that was made before. Whether the file is clean is asked anew."""
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in stored.items()}
    return Erasure(**values)


def _clean(context: Context) -> str:
    """Clean the file, now or later: the claims are gone and logged as gone, and the caller must be told so."""
    try:
        return context.store.purge()
    except CorruptError:
        raise
    except (StoreError, ClosedError):  # another writer held the file too long, no room for the rewrite, closed
        return "pending"


def _named(context: Context, writer: Writer, ids: Sequence[str]) -> list[ClaimRow]:
    rows: list[ClaimRow] = []
    for id_ in ids:
        row = writer.claim(id_) if checks.is_id(id_) else None
        scope = None if row is None else writer.line_by_id(row.line).scope
        if row is None or scope is None or not Scope.from_text(scope).visible_to(context.scope):
            raise NotFoundError("A named claim does not exist here, so nothing was erased.", advice="Check the ids.")
        rows.append(row)
    return rows


def _derived(writer: Writer, direct: list[ClaimRow]) -> list[ClaimRow]:
    """Return everything that derives from the claims, at any remove."""
    found = {row.head.id for row in direct}
    waiting, out = list(found), []
    while waiting:
        for child in sorted(writer.children(waiting.pop())):
            if child not in found:
                found.add(child)
                waiting.append(child)
                row = writer.claim(child)
                if row is not None:
                    out.append(row)
    return out


def _served_items(context: Context, writer: Writer, rows: list[ClaimRow]) -> frozenset[bytes]:
    items: set[bytes] = set()
    for row in rows:
        identity = writer.line_identity(row.line)
        items.add(item_identity(context, identity, row.head.value))
    return frozenset(items)


def _erase(context: Context, writer: Writer, rows: list[ClaimRow], notes: dict[str, bytes]) -> tuple[str, ...]:
    """Write the erase entries, one per line and batch, and remove the rows."""
    by_line: dict[int, list[ClaimRow]] = {}
    for row in rows:
        by_line.setdefault(row.line, []).append(row)
    entries: list[str] = []
    channel = context.ceiling
    for line_id, claims in by_line.items():
        for first in range(0, len(claims), MAX_PER_ENTRY):
            batch = claims[first : first + MAX_PER_ENTRY]
            line: LineRow = writer.line_by_id(line_id)
            at = tick(context, writer.ns)
            ruling = Ruling(Disposition.ERASED)
            refs = tuple(("erases", row.head.id) for row in batch)
            draft = journal.Draft(
                context.ids.new(at), EntryType.ERASE, at, line, channel.value, int(RANK[channel]), ruling,
                notes, context.entropy.token(32) if notes else b"", refs,
            )  # fmt: skip
            entry = journal.append(writer, draft, {})
            if notes:
                writer.add_reason(entry, journal.note_text(notes), draft.salt)
            writer.erase_claims([row.head.id for row in batch], at)
            line = writer.line_by_id(line_id)
            line.version, line.erased_at = entry.id, at
            writer.save_line(line)
            entries.append(entry.id)
    return tuple(entries)
