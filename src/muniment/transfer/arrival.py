"""Records taken in: rows are put where they belong, and what derives from them is made anew and verified.

Everything happens in one transaction, in two steps. First the lines are read one by one; each entry extends the tree,
and identities are made anew under the secret of the namespace here. Then the code that rebuilds a store derives what
was left out, and the code that verifies one holds everything against the log: every commitment is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from muniment import jsontext
from muniment.beliefs.state import Cause
from muniment.claims.channels import RANK
from muniment.claims.intervals import FOREVER, NEVER
from muniment.claims.scopes import Scope
from muniment.errors import MunimentError
from muniment.evidence.deriving import UNKNOWN
from muniment.evidence.identities import line_identities
from muniment.ledger.entries import EntryType, Leaf, RefRole, decode
from muniment.ledger.parts import PART
from muniment.ledger.tree import Frontier, leaf_hash
from muniment.store.audit import uuid_text
from muniment.store.moving import MovedLine, Receiver, RequestRow
from muniment.store.records import Amendment, EntryRow, ItemRow, PolicyRow
from muniment.transfer.claimrows import claim_of
from muniment.transfer.format import Lines, Record, failure_of, forged, instant_of, only
from muniment.transfer.header import Header
from muniment.transfer.sending import OWN_LOOK, taker_source
from muniment.transfer.settling import settle
from muniment.verbs.identities import identity
from muniment.verbs.structure import OPENS

_PLAIN: Final = frozenset(
    {EntryType.CLAIM, EntryType.REINFORCE, EntryType.REENTRY, EntryType.ECHO_COUNT, EntryType.CONTINUE}
)
_ENTRY_MEMBERS: Final = "leaf line claim fx until spread note policy amend"
_CAUSES: Final = frozenset(cause.value for cause in Cause)
_RANKS: Final = frozenset(RANK.values())
_FORGET_EVERY: Final = 512


class Arrival:
    """Takes one namespace in.

    Args:
        writer: The transaction; the namespace has no rows yet.
        lines: The file, its header read.
        header: What that said.
        pepper: The secret of the namespace here.
        tick: Called with (done, total), now and then.
    """

    def __init__(
        self, writer: Receiver, lines: Lines, header: Header, pepper: bytes, tick: Callable[[int, int], None]
    ) -> None:
        self._writer, self._lines, self._header, self._pepper, self._tick = writer, lines, header, pepper, tick
        self._frontier = Frontier()
        self._scope_mac = lru_cache(maxsize=512)(lambda scope: identity(pepper, b"scope", scope))
        self._place = lru_cache(maxsize=512)(self._find_line)
        self._nameless: set[int] = set()
        """Notes that are found by no text yet."""
        self._touched: set[int] = set()
        """Lines that an erasure touched, of which the rest has not come yet."""
        self._claims = self._requests = 0

    def run(self) -> None:
        """Read every line, derive and verify.

        Raises:
            CorruptError: For a line that cannot be read.
            TamperedError: For one that is not what the log vouches for.
        """
        ended = False
        for record in self._lines:
            if ended:
                raise self._lines.bad("comes after the end")
            try:
                ended = self._take(record)
            except (KeyError, ValueError, TypeError, IndexError, AttributeError, OverflowError, MunimentError) as error:
                raise failure_of(self._lines, error) from None
        if not ended:
            self._lines.number += 1
            raise self._lines.bad("is missing: the file ends too soon")
        try:
            if self._frontier.root() != self._header.root:
                raise forged(1, "says another root than the log has")
            settle(self._writer, self._pepper, self._claims, self._tick)
        except MunimentError as error:
            raise error if "line" in error.details else forged(1, "begins what cannot be verified") from None

    def _take(self, record: Record) -> bool:
        """Take one record; say whether it was the last."""
        if "leaf" in record:
            self._entry(record)
            return False
        kind, members = next(iter(record.items()))
        only(record, kind)
        if self._writer.ns.size != self._header.size:
            raise self._lines.bad("comes before the end of the log")
        if kind == "item":
            self._item(members)
        elif kind == "erased":
            self._erased(members)
        elif kind == "request":
            self._request(members)
        elif kind == "end" and members == self._counts() and not self._touched:
            return True
        else:
            raise self._lines.bad("is of no kind that this version knows, or comes too early")
        return False

    def _counts(self) -> Record:
        return {"entries": self._writer.ns.size, "claims": self._claims, "requests": self._requests}

    # --- one entry -----------------------------------------------------------------------------------------------

    def _entry(self, record: Record) -> None:
        writer, ns = self._writer, self._writer.ns
        only(record, _ENTRY_MEMBERS)
        if ns.size >= self._header.size:
            raise self._lines.bad("does not belong to this export")
        data = jsontext.dumps(record["leaf"])
        leaf = decode(data)
        line = self._line(leaf, record)
        nodes = self._frontier.append(leaf_hash(data))
        entry = EntryRow(
            leaf.id, ns.size, leaf.type.value, line, leaf.recorded_at, leaf.rank or 0, leaf.disposition or "accepted",
            data, instant_of(record["until"], FOREVER) if "until" in record else NEVER,
            () if leaf.type is EntryType.CONTINUE else _undoes(leaf), decision=leaf.type not in _PLAIN,
        )  # fmt: skip
        writer.append(entry, nodes, self._frontier.to_bytes())
        if "claim" in record:
            self._claim(entry, leaf, record["claim"])
        if "fx" in record:
            self._effects(entry, record["fx"])
        for uuid in record.get("spread", ()):
            writer.receive_spread(entry.idx, self._need_line(uuid))
        self._texts(entry, leaf, record)
        if leaf.type is EntryType.ERASE:
            self._erases(leaf, entry)
        elif leaf.type is EntryType.CONTINUE:
            self._continues(leaf, entry)
        ns.policy_version += leaf.type is EntryType.POLICY
        if not ns.size % _FORGET_EVERY:
            writer.receive_nothing()
            self._tick(ns.size, ns.size + 2 * self._header.size + 2 * self._claims)

    def _line(self, leaf: Leaf, record: Record) -> int | None:
        if leaf.line is None:
            return None
        if "line" not in record:
            return self._need_line(leaf.line)
        said = record["line"]
        only(said, "note scope label display mac" if self._header.pepper else "note scope label display")
        label = said.get("label")
        if label is None:
            scope = said.get("scope")
            mac = None if scope is None else self._scope_mac(_scope(scope))
            moved = MovedLine(leaf.line, self._mac(said, None, leaf.line), None, said["note"] == 1, scope, mac)
        else:
            scope, *key = jsontext.loads(label)
            named = (key[0], key[1]) if key else None
            mac, look = line_identities(self._pepper, _scope(scope), named, None)
            moved = MovedLine(
                leaf.line, self._mac(said, mac, leaf.line), look, not key, scope, self._scope_mac(scope),
                named and named[0], named and named[1], said.get("display"), label,
            )  # fmt: skip
        place = self._writer.receive_line(moved)
        if moved.note and label is not None and "mac" not in said:
            self._nameless.add(place)
        return place

    def _mac(self, said: Record, mac: bytes | None, uuid: str) -> bytes:
        """Return what a line is found by: its key, what a store said of it, or nothing that anybody can say."""
        if mac is not None:
            return mac
        return bytes.fromhex(said["mac"] if "mac" in said and self._header.pepper else uuid.replace("-", ""))

    def _claim(self, entry: EntryRow, leaf: Leaf, said: Record) -> None:
        if entry.line is None:
            raise self._lines.bad("has a claim that lies on no line")
        line = self._writer.line_by_id(entry.line)
        row = claim_of(self._pepper, entry, leaf, said, line.note)
        supports = [(_identity(mac), at) for mac, at in said.get("supports", ())]
        self._writer.receive_claim(row, supports)
        self._claims += 1
        if entry.line in self._nameless:
            mac = line_identities(self._pepper, line.scope, None, row.text)[0]
            if mac is not None:
                self._writer.receive_mac(entry.line, mac)
                self._nameless.discard(entry.line)

    def _effects(self, entry: EntryRow, said: list[list[Any]]) -> None:
        rows = []
        for n, claim, gain, start, end, cause, possible in said:
            if cause not in _CAUSES or gain not in (0, 1) or possible not in (0, 1):
                raise self._lines.bad("has an effect that is none")
            line = entry.line if claim == entry.idx else self._writer.receive_home(_index(claim, entry.idx))
            if line is None:
                raise self._lines.bad("acts on a claim that does not stand before it")
            rows.append(
                (line, entry.idx, n, claim, gain, instant_of(start, NEVER), instant_of(end, FOREVER), cause, possible)
            )
        self._writer.receive_effects(entry.line, rows)

    def _texts(self, entry: EntryRow, leaf: Leaf, record: Record) -> None:
        if "note" in record:
            only(record["note"], "text salt")
            self._writer.add_reason(entry, record["note"]["text"], bytes.fromhex(record["note"]["salt"]))
        if "policy" in record:
            said = record["policy"]
            only(said, "pattern body reason salt")
            policy = PolicyRow(
                entry.id, said["pattern"], said["body"], entry.at, said["reason"], bytes.fromhex(said["salt"])
            )
            self._writer.receive_policy(entry.idx, policy)
        if "amend" in record:
            said = record["amend"]
            only(said, "text meta reason salt")
            claim = next((id_ for role, id_ in leaf.refs if role == RefRole.TARGET), "")
            amendment = Amendment(
                entry.id, claim, entry.at, said["text"], said["meta"], said["reason"], bytes.fromhex(said["salt"])
            )
            self._writer.receive_amendment(amendment)

    def _continues(self, leaf: Leaf, entry: EntryRow) -> None:
        """Put what a continuation names with the entry that it continues; that it fits there is verified at the end."""
        part = leaf.extra.get(PART)
        first = self._writer.entry_at(entry.idx - part) if type(part) is int else None
        if first is None:
            raise self._lines.bad("continues what does not stand before it")
        undoes = _undoes(leaf)
        if undoes:
            self._writer.receive_undoes(first.idx, undoes)
        if first.type == EntryType.ERASE:
            self._erases(leaf, first)

    def _erases(self, leaf: Leaf, entry: EntryRow) -> None:
        for role, id_ in leaf.refs:
            if role == RefRole.ERASES:
                found = self._writer.audit_index(id_)
                if found is None:
                    raise self._lines.bad("erases what does not stand before it")
                self._writer.receive_erased(found[0], entry.at)
            elif role == RefRole.SILENCES:
                silenced = self._writer.entry(id_)
                self._writer.ns.policy_version += silenced is not None and silenced.type == EntryType.POLICY
        if entry.line is not None:
            self._writer.receive_erasure(entry.line, entry.at)
            self._touched.add(entry.line)

    # --- after the log -------------------------------------------------------------------------------------------

    def _item(self, said: Record) -> None:
        only(said, "id claim count closed shut look author")
        entry = self._writer.entry(said["id"])
        kind = None if entry is None else decode(entry.leaf).extra.get(OPENS)
        if entry is None or type(kind) is not str or entry.line is None:
            raise self._lines.bad("has a review item that its entry did not open")
        at, by, as_ = said.get("closed", (None, None, None))
        claim = self._writer.claim(said["claim"])
        pepper, value, look, author = self._pepper, UNKNOWN, UNKNOWN, UNKNOWN
        if claim is not None and as_ != "erased":
            value, look, author = claim.head.value, claim.lookalike, identity(pepper, b"author", claim.author)
            if "look" in said:
                look = self._stated(said["look"], OWN_LOOK, identity(pepper, b"look", OWN_LOOK))
            if "author" in said:
                author = self._opened_by(entry, said["author"])
        self._writer.open_item(
            ItemRow(
                entry.id,
                entry.line,
                kind,
                value,
                look,
                said["claim"],
                author,
                entry.at,
                said["count"],
                at,
                by,
                as_,
                tuple([(int(closed), int(opened)) for closed, opened in said.get("shut", ())]),
            )
        )

    def _stated(self, said: Any, word: str, known: bytes) -> bytes:
        if said == word:
            return known
        return UNKNOWN if said is None else _identity(said)

    def _opened_by(self, entry: EntryRow, said: Any) -> bytes:
        if said == "note":
            kept = self._writer.reason(entry.id)
            return identity(self._pepper, b"author", jsontext.loads(kept[0])["author"]) if kept is not None else UNKNOWN
        if said == "claim":
            first = self._writer.claim(entry.id)
            return UNKNOWN if first is None else identity(self._pepper, b"author", first.author)
        return UNKNOWN if said is None else _identity(said)

    def _erased(self, said: Record) -> None:
        """Take what cannot be derived of a line that an erasure touched."""
        only(said, "line critical version guards")
        line = self._need_line(said["line"])
        if line not in self._touched:
            raise self._lines.bad("is of a line that no erasure touched, or comes twice")
        self._touched.discard(line)
        version = said.get("version")
        self._writer.receive_critical(line, said["critical"], None if version is None else _uuid(version))
        for value, start, end, taker, cause, rank, taker_start, source in said.get("guards", ()):
            claim, entry = self._writer.claim_at(_index(value, self._header.size)), _index(taker, self._header.size)
            if claim is None or claim.line != line:
                raise self._lines.bad("guards a value that is not on its line")
            if cause not in _CAUSES or rank not in _RANKS:
                raise self._lines.bad("has a guard that is none")
            if source is True:
                source = taker_source(self._writer, self._pepper, entry)
            else:
                source = UNKNOWN if source is None else _identity(source)
            self._writer.receive_guard(
                (
                    line, claim.head.value, instant_of(start, NEVER), instant_of(end, FOREVER), entry, cause, rank,
                    instant_of(taker_start, NEVER), source,
                )
            )  # fmt: skip

    def _request(self, said: Record) -> None:
        only(said, "mac body outcome line")
        line = None if said["line"] is None else self._need_line(said["line"])
        row = RequestRow(_identity(said["mac"]), bytes.fromhex(said["body"]), said["outcome"], None)
        self._writer.receive_request(row, line)
        self._requests += 1

    def _find_line(self, uuid: str) -> int | None:
        found = self._writer.send_place(_uuid(uuid))
        return None if found is None else found[0]

    def _need_line(self, uuid: str) -> int:
        found = self._place(uuid)
        if found is None:
            self._place.cache_clear()
            raise self._lines.bad("names a line that does not stand before it")
        return found


def _index(index: Any, size: int) -> int:
    """Read the index of an entry of this log: what is no index of it could reach into another namespace."""
    if type(index) is not int or not 0 <= index < size:
        raise ValueError("not an entry of this log")
    return index


def _scope(text: Any) -> str:
    """Read the text of a scope: one that nobody can read back would stand in the way of every listing."""
    if type(text) is not str or Scope.from_text(text).text != text:
        raise ValueError("not a scope")
    return text


def _identity(text: Any) -> bytes:
    data = bytes.fromhex(text)
    if len(data) != 16:
        raise ValueError("not an identity")
    return data


def _uuid(text: str) -> bytes:
    data = bytes.fromhex(text.replace("-", ""))
    if len(data) != 16 or uuid_text(data) != text:
        raise ValueError("not an id")
    return data


def _undoes(leaf: Leaf) -> tuple[str, ...]:
    return tuple(id_ for role, id_ in leaf.refs if role == RefRole.UNDOES)
