"""changes: what was appended to the log since somebody last looked, for those who keep something in step with it.

An event holds what the entry's leaf says, and a leaf holds nothing personal. What was said is added only where it is
asked for, as the caller may read it: checked against the log, and only of lines that the handle sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from muniment.claims.moments import format_instant
from muniment.claims.text import check_text
from muniment.errors import NotFoundError, TamperedError
from muniment.ledger.entries import EntryType
from muniment.store.records import EntryRow, LineRow
from muniment.verbs import checks
from muniment.verbs.believing.feed import NOW, Change, Changes
from muniment.verbs.believing.lines import MAX_PAGE, Lines
from muniment.verbs.context import Context, present
from muniment.verbs.leaves import members_of
from muniment.verbs.results import Statement
from muniment.verbs.views import key_text

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

_NAMED: Final = frozenset({"target", "erases", "undoes"})
"""Roles of the references that name what an entry is about."""


def changes(context: Context, since: Any = None, limit: Any = 100, content: Any = False) -> Changes:
    """Return the entries after one, oldest first.

    Args:
        context: Who asks.
        since: Id of the last entry seen; None for the beginning, ``now`` for the end.
        limit: Events at most, 1 to 1000.
        content: Add the key, and what was said.

    Raises:
        NotFoundError: If ``since`` names no entry of this log.
        TamperedError: If an entry cannot be read, or with ``content`` a claim does not match its entry.
    """
    name = None if since is None else check_text(since, "since", limit_bytes=64)
    size = checks.whole(limit, "limit", 1, MAX_PAGE)
    full = checks.flag(content, "content")

    def work(reader: Reader) -> Changes:
        start, cursor = _start(reader, name)
        view = _View(context, reader, full)
        rows: list[Change] = []
        for entry in reader.log(start):
            if len(rows) == size:
                return Changes(tuple(rows), cursor, more=True)
            found = view.of(entry)
            if found is not None:
                rows.append(found)
            cursor = entry.id
        return Changes(tuple(rows), cursor)

    return context.store.read(context.namespace, work)


def _start(reader: Reader, since: str | None) -> tuple[int, str]:
    """Return the index of the first entry to give, and the cursor if there is none."""
    last = reader.entry_at(reader.ns.size - 1)
    end = "" if last is None else last.id
    if since == NOW:
        return reader.ns.size, end
    if since is None:
        return 0, end
    entry = reader.entry(since) if checks.is_id(since) else None
    if entry is None:
        raise NotFoundError(
            "since names no entry of this log.", advice="Pass the cursor of the call before, an entry_id, or 'now'."
        )
    return entry.idx + 1, since


class _View:
    """Entries as one caller sees them within one snapshot."""

    def __init__(self, context: Context, reader: Reader, content: bool) -> None:
        self._context, self._reader, self._content = context, reader, content
        self._lines = Lines(context, reader)
        self._now = present(context, reader.ns)

    def of(self, entry: EntryRow) -> Change | None:
        """Return the event of an entry, or None if its line is not visible."""
        line = None if entry.line is None else self._lines.visible(entry.line)
        if entry.line is not None and line is None:
            return None
        if entry.type == EntryType.CONTINUE:
            return None  # told with the entry that it continues
        leaf = _leaf(self._reader, entry)
        try:
            return Change(
                id=leaf["id"],
                position=entry.idx,
                type=leaf["t"],
                recorded_at=format_instant(leaf["at"]),
                disposition=leaf.get("disp"),
                channel=leaf.get("ch"),
                line=leaf.get("line"),
                claims=tuple(self._claims(leaf)),
                key=key_text(line) if self._content and line is not None else None,
                said=self._said(entry, line) if self._content and line is not None else None,
            )
        except (KeyError, TypeError, ValueError):
            raise _unreadable() from None

    def _claims(self, leaf: dict[str, Any]) -> Iterator[str]:
        named = [leaf["id"]] if leaf["t"] == "claim" else []
        named += [id for role, id in leaf.get("refs", ()) if role in _NAMED]
        named += [claim for claim, _, _ in leaf.get("fx", ())]
        for id in dict.fromkeys(named):
            row = self._reader.claim(id)
            if self._reader.was_erased(id) if row is None else self._lines.visible(row.line) is not None:
                yield id

    def _said(self, entry: EntryRow, line: LineRow) -> Statement | None:
        row = self._reader.claim_at(entry.idx) if entry.type == "claim" else None
        if row is None:
            return None
        from muniment.verbs.believing.standings import Standings

        return Standings(self._context, self._reader, line, self._now, self._now).of(row)


def _leaf(reader: Reader, entry: EntryRow) -> dict[str, Any]:
    try:
        leaf = members_of(reader, entry)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _unreadable() from None
    if leaf.get("id") != entry.id:
        raise _unreadable()
    return leaf


def _unreadable() -> TamperedError:
    return TamperedError("An entry of the log cannot be read.", advice="Run verify to see what was changed.")
