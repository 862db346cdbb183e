"""A namespace as records: what was said, what was decided, and every opening of a commitment to it.

What can be derived is left out, and so is every keyed hash that could be tried out once its text is gone. Records come
in the order of the log and are merged from ordered streams, so memory does not grow with the log.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from muniment import jsontext
from muniment.beliefs.state import Identity
from muniment.claims.intervals import NEVER
from muniment.errors import TamperedError
from muniment.evidence.beside import note_fields
from muniment.evidence.deriving import UNKNOWN
from muniment.evidence.identities import source_of
from muniment.evidence.streams import Ahead
from muniment.ledger.base64url import hash_to_text
from muniment.ledger.commitments import commit_record
from muniment.ledger.tree import Frontier, leaf_hash
from muniment.store.audit import AmendmentFacts, LineFacts, LogRow, NoteRow, PolicyFacts, uuid_text
from muniment.store.moving import Sender
from muniment.store.records import ClaimRow, ItemRow
from muniment.transfer.format import FORMAT, VERSION, Record, instant
from muniment.verbs.identities import identity, portable
from muniment.verbs.opening import SCHEMA, born_as
from muniment.verbs.records import OPTIONAL, facts_of, fields_of

OWN_LOOK: Final = "decision"
"""What a review item looks like that a decision opened."""


class Sending:
    """Writes a namespace out.

    Args:
        reader: The snapshot.
        private: The records go from store to store and nowhere else: they keep the secret of the namespace, and the
            hashes that outlive their texts.
    """

    def __init__(self, reader: Sender, private: bool = False) -> None:
        self._reader, self._private, self._pepper = reader, private, reader.ns.pepper
        self._lines: Ahead[LineFacts] = Ahead(reader.audit_lines())
        self._claims: Ahead[ClaimRow] = Ahead(reader.claims())
        self._supports = Ahead(reader.audit_supporters())
        self._notes: Ahead[NoteRow] = Ahead(reader.audit_notes())
        self._policies: Ahead[PolicyFacts] = Ahead(reader.audit_policies())
        self._amendments: Ahead[AmendmentFacts] = Ahead(reader.audit_amendments())
        self._spread = Ahead(reader.audit_spread())
        self._touched: dict[int, bytes] = {}
        self._label = (0, "")
        self.claims = self.requests = self.done = 0

    def records(self) -> Iterator[Record]:
        """Yield every record, in order.

        Raises:
            TamperedError: If the log, or a claim, is not what the head of the log vouches for.
        """
        yield self._header()
        frontier = Frontier()
        for row in self._reader.audit_log(True):
            frontier.append(leaf_hash(row.leaf))
            yield self._entry(row)
            self.done += 1
        ns = self._reader.ns
        if (self.done, frontier.to_bytes()) != (ns.size, ns.frontier) or self._claims.head is not None:
            raise _tampered()
        for item in self._reader.audit_items():
            yield {"item": self._item(item)}
        yield from self._touches()
        for mac, body, outcome, line in self._reader.send_requests():
            if outcome or self._private:
                self.requests += 1
                yield {"request": {"mac": mac.hex(), "body": body.hex(), "outcome": outcome,
                                   "line": None if line is None else uuid_text(line)}}  # fmt: skip
        yield {"end": {"entries": self.done, "claims": self.claims, "requests": self.requests}}

    def _header(self) -> Record:
        ns = self._reader.ns
        first = self._reader.entry_at(0)
        if first is None:
            raise _tampered()
        header: Record = {
            "format": FORMAT,
            "version": VERSION,
            "schema": SCHEMA,
            "namespace": born_as(ns),
            "origin": jsontext.loads(first.leaf).get("x", {}).get("origin"),
            "size": ns.size,
            "root": Frontier.from_bytes(ns.frontier).root().hex(),
            "key": portable(ns.pepper).hex(),
        }
        if self._private:
            header["pepper"] = ns.pepper.hex()
        return header

    # --- one entry -----------------------------------------------------------------------------------------------

    def _entry(self, row: LogRow) -> Record:
        """Return an entry with everything that lies beside it."""
        idx = row.idx
        leaf = row.members or jsontext.loads(row.leaf)
        record: Record = {"leaf": leaf}
        if self._lines.head is not None and row.line is not None and self._lines.head.id <= row.line:
            record["line"] = self._line()
        if row.claim:
            record["claim"] = self._claim(row, leaf)
        if "fx" in leaf or "parts" in leaf.get("x", ()):
            effects = self._reader.send_effects(row.line, idx)
            if effects:
                record["fx"] = [
                    [n, claim, gain, instant(start), instant(end), cause, possible]
                    for _, _, n, claim, gain, start, end, cause, possible in effects
                ]
        if row.line_erased_at is not None and row.step_until != NEVER:
            record["until"] = instant(row.step_until)
        self._spreads(idx, record)
        self._texts(idx, record)
        return record

    def _line(self) -> Record:
        line = self._lines.take()
        assert line is not None
        if line.erased_at is not None:
            self._touched[line.id] = line.uuid
        if line.label is None:
            record: Record = {"note": line.note}
            if line.scope is not None:  # other lines of it are left
                record["scope"] = line.scope
        else:
            record = {"label": line.label}
            if line.display is not None:
                record["display"] = line.display
        if self._private:
            record["mac"] = line.mac.hex()
        return record

    def _claim(self, row: LogRow, leaf: Record) -> Record:
        claim = self._claims.take()
        if claim is None or claim.idx != row.idx or claim.line != row.line:
            raise _tampered()
        fields = fields_of(claim, self._label_of(claim.line))
        if claim.head.id != leaf["id"] or hash_to_text(commit_record(claim.salt, fields)[0]) != leaf.get("rec"):
            raise _tampered()
        texts = {"author": claim.author, "facts": facts_of(claim), "session": claim.session, "text": claim.text,
                 "value": claim.value}  # fmt: skip
        for name in OPTIONAL:
            text = getattr(claim, name)
            if text is not None:
                texts[name] = text
        record: Record = {"salt": claim.salt.hex(), "fields": texts}
        while self._supports.head is not None and self._supports.head.claim < claim.idx:
            self._supports.take()
        supports = []
        while self._supports.head is not None and self._supports.head.claim == claim.idx:
            supports.append([self._supports.head.identity.hex(), self._supports.head.first_at])
            self._supports.take()
        if supports:
            record["supports"] = sorted(supports, key=lambda pair: (pair[1], pair[0]))
        self.claims += 1
        return record

    def _label_of(self, line: int) -> str:
        if self._label[0] != line:
            self._label = (line, self._reader.line_by_id(line).label)
        return self._label[1]

    def _spreads(self, idx: int, record: Record) -> None:
        """Note on which other lines the entry acted, where an erasure left no effect of it to tell."""
        while self._spread.head is not None and self._spread.head[0] <= idx:
            pair = self._spread.take()
            assert pair is not None
            if pair[0] == idx and pair[1] in self._touched:
                record.setdefault("spread", []).append(uuid_text(self._touched[pair[1]]))

    def _texts(self, idx: int, record: Record) -> None:
        """Add the free texts that are filed under the entry."""
        note = _at(self._notes, idx)
        if note is not None:
            record["note"] = {"salt": note.salt.hex(), "text": note.text}
        policy = _at(self._policies, idx)
        if policy is not None:
            record["policy"] = {"salt": policy.salt.hex(), "pattern": policy.pattern, "body": policy.body,
                                "reason": policy.reason}  # fmt: skip
        amendment = _at(self._amendments, idx)
        if amendment is not None:
            record["amend"] = {"salt": amendment.salt.hex(), "text": amendment.text, "meta": amendment.meta,
                               "reason": amendment.reason}  # fmt: skip

    def _item(self, item: ItemRow) -> Record:
        """Return a review item. It comes after the log, because a later claim may have inherited it."""
        record: Record = {"id": item.id, "claim": item.claim, "count": item.count}
        if item.closed_at is not None:
            record["closed"] = [item.closed_at, item.closed_by, item.closed_as]
        if item.shut:
            record["shut"] = [list(times) for times in item.shut]
        claim = self._reader.claim(item.claim)
        if item.value == UNKNOWN or claim is None:
            return record  # of what was erased; nothing tells what it was
        look, author = claim.lookalike, identity(self._pepper, b"author", claim.author)
        if item.lookalike == identity(self._pepper, b"look", OWN_LOOK):
            record["look"] = OWN_LOOK
        elif item.lookalike != look:
            record["look"] = self._opaque(item.lookalike)
        if item.author != author:
            record["author"] = self._author(item)
        return record

    def _author(self, item: ItemRow) -> str | None:
        """Tell whose statement or decision opened an item, where it was not the author of its claim."""
        kept = self._reader.reason(item.id)
        if kept is not None:
            said = note_fields(kept[0]).get("author")
            if said is not None and identity(self._pepper, b"author", said.decode()) == item.author:
                return "note"
        first = self._reader.claim(item.id)
        if first is not None and identity(self._pepper, b"author", first.author) == item.author:
            return "claim"
        return self._opaque(item.author)

    def _opaque(self, hashed: Identity) -> str | None:
        """A hash of what is not known any more goes from store to store, and into no file."""
        return hashed.hex() if self._private else None

    # --- lines that an erasure touched ---------------------------------------------------------------------------

    def _touches(self) -> Iterator[Record]:
        """Yield what cannot be derived of the lines that an erasure touched: it took what it would be derived from."""
        guards = Ahead(self._reader.audit_guards(*self._reader.audit_range()))
        for line in self._reader.audit_lines():
            if line.erased_at is None:
                continue
            while guards.head is not None and guards.head[0] < line.id:
                guards.take()
            own = []
            while guards.head is not None and guards.head[0] == line.id:
                own.append(guards.head)
                guards.take()
            record: Record = {"line": uuid_text(line.uuid), "critical": line.critical == 1}
            if line.version is not None:
                record["version"] = uuid_text(line.version)
            spelled = self._guards(line.id, own) if own else []
            if spelled:
                record["guards"] = sorted(spelled, key=jsontext.dumps)
            yield {"erased": record}

    def _guards(self, line: int, guards: list[Any]) -> list[list[Any]]:
        claims = self._reader.claims_of(line)
        values = {claim.head.value: claim.idx for claim in reversed(claims)}
        out = []
        for _, value, start, end, entry, cause, rank, taker_start, source in guards:
            if value in values:
                out.append(
                    [
                        values[value], instant(start), instant(end), entry, cause, rank, instant(taker_start),
                        self._taker(entry, source),
                    ]
                )  # fmt: skip
        return out

    def _taker(self, entry: int, source: Identity) -> bool | str | None:
        """Tell whose source a guard bears: that of the entry that took, or of what is not known any more."""
        if source == UNKNOWN:
            return None
        return True if source == taker_source(self._reader, self._pepper, entry) else self._opaque(source)


def taker_source(reader: Sender, pepper: bytes, entry: int) -> Identity:
    """Return the identity of the source of an entry, as far as it can be told."""
    claim = reader.claim_at(entry)
    if claim is not None:
        return claim.head.source
    row = reader.entry_at(entry)
    kept = None if row is None else reader.reason(row.id)
    if kept is None:
        return UNKNOWN
    texts = {name: text.decode() for name, text in note_fields(kept[0]).items()}
    return source_of(pepper, texts.get("source"), texts["author"]) if "author" in texts else UNKNOWN


def _at(stream: Ahead[Any], idx: int) -> Any:
    """Return the row of a stream that belongs to an entry, if there is one."""
    while stream.head is not None and stream.head.entry < idx:
        stream.take()
    return stream.take() if stream.head is not None and stream.head.entry == idx else None


def _tampered() -> TamperedError:
    return TamperedError(
        "The namespace is not what its log vouches for, so it was not written out.",
        advice="Run verify to see what was changed.",
    )
