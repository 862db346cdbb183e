"""reindex: everything a store derives, made anew from what it retains.

What was said, what was decided and what each entry did to each claim are retained; stretches, guards, counters, marks
and the search index follow from them. They are made anew in one transaction, so nobody sees a half-made one, and then
the file is rewritten, so that nothing of what was erased, or replaced, is left in it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, cast

from muniment.erasure.cleaning import clean
from muniment.errors import MunimentError
from muniment.evidence.claims import ClaimCheck, terms_text, until_of, value_of
from muniment.evidence.log import ERASED, KNOWN, MANY, SETTLED, VOUCHED, LogCheck
from muniment.evidence.postings import PostingCheck
from muniment.evidence.report import Findings
from muniment.evidence.rosters import Pairs
from muniment.evidence.walking import Lined, walk
from muniment.store.audit import ClaimFacts, ClaimState, LineFacts, LineState, Mender
from muniment.store.earlier import cardinalities_text, earlier_text
from muniment.store.ranks import ranks_text
from muniment.verbs import checks
from muniment.verbs.context import Context

if TYPE_CHECKING:
    from muniment.store.protocol import Writer

Progress = Callable[[int, int], object]

Guard = tuple[bytes, int, int, int, str, int, int, bytes]
"""A guard without its line, as a store keeps it."""

_TICK: Final = 4096


def reindex(context: Context, progress: Progress | None = None) -> dict[str, int]:
    """Make every derived row of a namespace, and the search index, anew; then clean the file.

    Args:
        context: Whose namespace; needs the role admin.
        progress: Called with (done, total) every few thousand entries; ``total`` counts entries and claims.

    Returns:
        What was made: ``tables`` that were missing (and indexes), ``lines``, ``claims``, ``stretches``, ``guards``,
        ``terms``, and how many rows differed from what they should have been (``corrected``). ``pending`` is 1 while the
        file could not be cleaned, because a reader or writer holds it or there is no room: call again later.

    Raises:
        CorruptError: If a table is missing that cannot be made anew.
        PermissionDenied: Without the role.
    """
    context.require("admin")
    checks.function(progress, "progress")
    made = context.store.write(context.namespace, lambda writer: _rebuild(writer, context.pepper, progress))
    return {**made, "pending": int(clean(context) != "clean")}


def _rebuild(writer: Writer, pepper: bytes, progress: Progress | None) -> dict[str, int]:
    mender = cast(Mender, writer)
    tables = mender.mend()
    _relate(mender)
    total = mender.ns.size + mender.ns.claims

    def tick(done: int) -> None:
        if progress is not None:
            progress(min(done, total), total)

    log = LogCheck(mender, Findings(), True, (), tick)
    log.run()
    rebuild = Rebuild(mender, pepper, log, lambda done: tick(log.tree.frontier.size + done), "guards" in tables)
    made = rebuild.run()
    tick(total)
    return {"tables": len(tables), **made}


def _relate(mender: Mender) -> None:
    """Make anew what derives from what, and which entry acted on which other line; reading the log needs both."""
    first, last = mender.audit_range()
    own = array("q")
    for row in mender.audit_log(False):
        own.extend([0] * (row.idx - len(own)))
        own.append(row.line or 0)
    spread = {
        (row[1], row[0]) for row in mender.audit_effects(first, last) if row[1] < len(own) and own[row[1]] != row[0]
    }
    touched = {line.id for line in mender.audit_lines() if line.erased_at is not None}
    # Of what an entry did to claims that are erased, its mark on their line is all that is left.
    spread.update([pair for pair in mender.audit_spread() if pair[1] in touched])
    mender.put_pairs("spread", sorted(spread))
    links = Pairs()
    for claim in mender.audit_claims(first, last):
        for parent in claim.parents:
            found = mender.audit_index(parent)
            if found is not None:
                links.add(found[0], claim.idx)
    mender.put_pairs("links", links.ordered())


class Rebuild:
    """One rebuild, inside one transaction.

    Args:
        mender: The transaction.
        pepper: The namespace's secret.
        log: The log, read.
        tick: Called with the number of claims done, now and then.
        unguarded: The guards were lost, all of them.
    """

    def __init__(
        self, mender: Mender, pepper: bytes, log: LogCheck, tick: Callable[[int], None], unguarded: bool = False
    ) -> None:
        self._mender, self._pepper, self._log, self._tick = mender, pepper, log, tick
        self._unguarded = unguarded
        unheard = Findings()
        self._claims = ClaimCheck(mender, unheard, log, PostingCheck(mender, unheard, 0), pepper)
        self._base = mender.audit_range()[0]
        self.made = dict.fromkeys(("lines", "claims", "stretches", "guards", "terms", "corrected"), 0)

    def run(self) -> dict[str, int]:
        """Go through the lines, then make the search index."""
        made = self.derive()
        self._mender.rebuild_search()
        return made

    def derive(self) -> dict[str, int]:
        """Go through the lines, and put what follows from what was retained; the search index is told nothing."""
        mender, strays = self._mender, array("q")
        notes = 0

        def stray(table: str, row: tuple[Any, ...]) -> None:
            strays.append(1)
            mender.drop_stray(table, row)

        for lined in walk(mender, self._pepper, stray):
            notes += lined.line.note == 1
            self._line(lined)
        made = self.made
        made["corrected"] += len(strays)
        mender.put_pairs("confirmations", sorted({row[:2] for row in self._log.repeats.by_claim()}))
        ns = mender.ns
        ns.claims, ns.lines, ns.notes = made["claims"], made["lines"], notes
        ns.erased = sum(1 for state in self._log.state if state & ERASED)
        items = [item.closed_at is None for item in mender.audit_items()]
        ns.items, ns.open_items, ns.policy_version = len(items), sum(items), self._log.policies
        return made

    def _line(self, lined: Lined) -> None:
        line, claims, derived, made = lined.line, lined.claims, lined.derived, self.made
        made["lines"] += 1
        before = made["claims"]
        for idx, row in claims.items():
            self._claim(idx, row, lined)
        if sorted(derived.rectangles) != sorted(row[1:] for row in lined.stretches):
            made["corrected"] += 1
            self._mender.put_stretches(line.id, derived.rectangles)
        made["stretches"] += len(derived.rectangles)
        guards = self._guards(lined)
        if guards != {row[1:] for row in lined.guards}:
            made["corrected"] += 1
            self._mender.put_guards(line.id, sorted(guards))
        made["guards"] += len(guards)
        state = self._state(lined)
        if state is not None and state != _state_of(line):
            made["corrected"] += 1
            self._mender.put_line(line.id, state)
        if before // _TICK != made["claims"] // _TICK:
            self._tick(made["claims"])

    def _claim(self, idx: int, row: ClaimFacts, lined: Lined) -> None:
        made = self.made
        made["claims"] += 1
        mark = self._log.marks.of(row.head.uuid)
        ranks = ranks_text(mark.ranks)
        earlier = earlier_text(mark.earlier)
        state = ClaimState(lined.derived.gained.get(idx), until_of(row.standing, mark), *mark[:4], ranks, earlier)
        marks = (row.withdrawn, row.withdrawn_at, row.ended_from, row.ended_at, row.head.ranks, row.earlier)
        if state != (row.gained, row.beside_until, *marks):
            made["corrected"] += 1
            self._mender.put_claim(idx, state)
        try:
            terms = terms_text(self._claims.terms_of(row, lined.line, value_of(row)))
        except (MunimentError, ValueError, TypeError, KeyError):
            return  # a text that was tampered with: reads refuse the claim, and nothing finds it
        made["terms"] += 1
        if row.terms != terms or row.part != lined.line.part:
            made["corrected"] += 1
            self._mender.put_terms(idx, lined.line.part, terms)

    def _guards(self, lined: Lined) -> set[Guard]:
        """Return the guards of a line.

        What erased claims took part in cannot be derived any more: they may have given back what a decision took. So
        where an erasure touched the line, the guards that are there stay, as far as they are of its values, and no
        others come, unless all were lost.
        """
        if lined.line.erased_at is None or self._unguarded:
            return set(lined.derived.guards)
        values = {row.head.value for row in lined.claims.values()}
        return {row[1:] for row in lined.guards if row[1] in values}

    def _state(self, lined: Lined) -> LineState | None:
        """Return what the row of a line should keep of its log; None for a line of which the log knows nothing."""
        line, derived, number = lined.line, lined.derived, lined.line.id - self._base
        last = self._log.line_last[number] if number < len(self._log.line_last) else -1
        if last < 0:
            return None
        flags = self._log.line_flags[number]
        erased = line.erased_at is not None
        return LineState(
            None if not flags & KNOWN else "many" if flags & MANY else "one",
            bool(flags & SETTLED),
            bool(flags & VOUCHED),
            derived.critical or (erased and line.critical == 1),
            self._version(lined, max(last, derived.last)),
            derived.values,
            line.repeated == 1 or derived.repeated,
            max(line.longest_known, derived.longest_known),
            max(line.longest_valid, derived.longest_valid),
            cardinalities_text(self._log.cardinalities.get(number, ())),
        )

    def _version(self, lined: Lined, last: int) -> bytes | None:
        """Return the id of the last entry of a line; on one that an erasure touched, a later one may be known."""
        line, stated = lined.line, lined.stated.get(last) or self._mender.audit_stated(last)
        if line.version is None or line.erased_at is None or stated is None or stated.id == line.version:
            return None if stated is None else stated.id
        h = line.version.hex()
        known = self._mender.audit_index(f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}")
        return line.version if known is not None and known[0] > last else stated.id


def _state_of(line: LineFacts) -> LineState:
    return LineState(
        line.cardinality,
        line.settled == 1,
        line.ever_vouched == 1,
        line.critical == 1,
        line.version,
        line.values,
        line.repeated == 1,
        line.longest_known,
        line.longest_valid,
        line.cardinalities,
    )
