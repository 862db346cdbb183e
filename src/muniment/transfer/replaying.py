"""Erasures that a copy does not know of, made again in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from muniment.beliefs.state import Disposition, Ruling
from muniment.claims.channels import RANK, Channel
from muniment.ledger.entries import EntryType, RefRole
from muniment.protocols import Clock, Entropy, Ids
from muniment.store.records import LineRow
from muniment.transfer.known import Seen
from muniment.verbs import checks, journal
from muniment.verbs.correcting.descending import descendants

if TYPE_CHECKING:
    from muniment.store.protocol import Writer

MOST: Final = 256
"""Claims that one erase entry names."""

_BASIS: Final = {"basis": b"Erased before; the copy that was restored is older than that."}


def replay(store: Any, name: str, newer: Seen, clock: Clock, ids: Ids, entropy: Entropy) -> int:
    """Erase from a namespace what is known to have been erased; return how many claims went.

    Args:
        store: The copy.
        name: The namespace.
        newer: What was seen of its log elsewhere.
        clock, ids, entropy: Injected.
    """

    def work(writer: Writer) -> int:
        def log(line: LineRow | None, role: str, named: list[str]) -> int:
            at = max(clock.now(), writer.ns.last_at + 1)
            draft = journal.Draft(
                ids.new(at), EntryType.ERASE, at, line, Channel.USER.value, int(RANK[Channel.USER]),
                Ruling(Disposition.ERASED), _BASIS, entropy.token(32), tuple((role, id_) for id_ in named),
            )  # fmt: skip
            entry = journal.append(writer, draft, {})
            writer.add_reason(entry, journal.note_text(_BASIS), draft.salt)
            if line is not None:
                writer.erase_claims(named, at)
                kept = writer.line_by_id(line.id)
                kept.version, kept.erased_at = entry.id, at
                writer.save_line(kept)
            return at

        gone = 0
        known = sorted(id_ for id_ in newer.erased if checks.is_id(id_))
        # Whoever went on with the older copy may have derived more: it goes as well, as with a forget.
        for line, claims in _by_line(writer, (*known, *descendants(writer, known))).items():
            for batch in _batches(claims):
                log(writer.line_by_id(line), RefRole.ERASES, batch)
                gone += len(batch)
        texts = [id_ for id_ in sorted(newer.silenced) if _has_text(writer, id_)]
        for batch in _batches(texts):
            log(None, RefRole.SILENCES, batch)
            for id_ in batch:
                writer.erase_texts(id_)
        return gone

    return int(store.write(name, work))


def _by_line(writer: Writer, erased: Iterable[str]) -> dict[int, list[str]]:
    out: dict[int, list[str]] = {}
    for id_ in sorted(erased):
        row = writer.claim(id_)
        if row is not None:
            out.setdefault(row.line, []).append(id_)
    return dict(sorted(out.items()))


def _has_text(writer: Writer, id_: str) -> bool:
    entry = writer.entry(id_) if checks.is_id(id_) else None
    if entry is None:
        return False
    if writer.reason(id_) is not None:
        return True
    return entry.type == EntryType.POLICY and any(policy.entry == id_ for policy in writer.policies())


def _batches(named: list[str]) -> Iterable[list[str]]:
    for first in range(0, len(named), MOST):
        yield named[first : first + MOST]
