"""Reading ahead: what is asked about many at once, or in one look, is what is asked about each in turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from muniment.beliefs.state import Cardinality, Cause, Effect
from muniment.claims.intervals import FOREVER, Spans
from muniment.claims.text import TAIL
from muniment.store.conformance.bench import Bench
from muniment.store.conformance.scribe import NOWHERE, found, mark
from muniment.store.conformance.stretches import Step, histories, play, quiet
from muniment.store.earlier import Mark
from muniment.store.records import (
    USUAL_PRIORITY,
    Amendment,
    AtRow,
    ClaimRow,
    ItemRow,
    Place,
    SearchTerms,
    Settled,
)

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Writer


class TestMany:
    """Questions about many lines and claims."""

    def test_lines_are_found_together_as_they_are_one_by_one(self, bench: Bench) -> None:
        lines = [bench.say(f"k{n}::v", "x", scope=f"[{n % 2}]").line for n in range(4)]
        expected = bench.read(lambda r: {line: r.line_by_id(line) for line in lines})
        assert bench.read(lambda r: r.lines_by_id([*lines, 10**15, 7])) == expected
        identities = [mark("line", f"[{n % 2}]", f"k{n}::v") for n in range(4)]
        by_identity = dict(zip(identities, expected.values(), strict=True))
        assert bench.read(lambda r: r.lines_of([*identities, mark("nobody")])) == by_identity
        assert bench.read(lambda r: (r.lines_by_id([]), r.lines_of([]))) == ({}, {})

    def test_a_line_of_one_claim_is_told_from_one_of_several(self, bench: Bench) -> None:
        one, two, observed = bench.say("k0::v", "a"), bench.say("k1::v", "a"), bench.say("k2::v", "a")
        bench.say("k1::v", "b")
        bench.write(lambda tx: bench.scribe.entry(tx, tx.line_by_id(observed.line), type="observation"))
        found = bench.read(lambda r: r.lines_by_id([one.line, two.line, observed.line]))
        assert [found[row.line].alone for row in (one, two, observed)] == [True, False, True]

    def test_nothing_of_another_namespace_is_among_them(self, bench: Bench) -> None:
        line = bench.say("ann::city", "Berlin").line
        found(bench.store, "b")
        assert bench.read(lambda r: r.lines_by_id([line]), "b") == {}
        assert bench.read(lambda r: r.lines_of([mark("line", NOWHERE, "ann::city")]), "b") == {}

    def test_places_and_records_are_found_together(self, bench: Bench) -> None:
        rows = [bench.say(f"k{n}::v", f"v{n}") for n in range(4)]
        policy = bench.write(lambda tx: bench.scribe.entry(tx, type="policy"))
        idxs = [row.idx for row in rows]
        places = {row.idx: _place(row) for row in rows}
        assert bench.read(lambda r: r.places([*idxs, policy.idx, 10_000])) == places
        asked = [*idxs, policy.idx, 10_000]
        alone = bench.read(lambda r: [r.record(idx) for idx in asked])

        def ahead(r: Reader) -> list[tuple[bytes, bytes]]:
            r.records(asked)
            return [r.record(idx) for idx in asked]

        assert bench.read(ahead) == alone
        assert alone[-1] == (b"", b"")

    def test_the_place_of_a_claim_says_whether_it_waits_beside_the_answer(self, bench: Bench) -> None:
        on, held = bench.say("k::v", "a"), bench.say("k::v", "b", standing="held", beside_until=FOREVER)
        at = bench.read(lambda r: r.ns.last_at)
        places = bench.read(lambda r: r.places([on.idx, held.idx], at))
        assert [places[row.idx].waits for row in (on, held)] == [False, True]
        bench.write(lambda tx: tx.mark(held.head.id, beside_until=at + 5))
        assert bench.read(lambda r: r.places([held.idx], at)[held.idx].waits)
        assert not bench.read(lambda r: r.places([held.idx], at + 5)[held.idx].waits)

    def test_whether_a_claim_waited_then_is_told_by_the_marks_that_it_had_then(self, bench: Bench) -> None:
        held = bench.say("k::v", "b", standing="held", beside_until=FOREVER)
        at = bench.read(lambda r: r.ns.last_at)
        earlier = ((at + 5, Mark(FOREVER)), (at + 9, Mark(at + 5, "retracted", at + 5)))
        bench.write(lambda tx: tx.mark(held.head.id, beside_until=FOREVER, earlier=earlier))
        waited = bench.read(lambda r: [r.places([held.idx], at + n)[held.idx].waits for n in (0, 4, 5, 8, 9, 20)])
        assert waited == [True, True, False, False, True, True]

    def test_the_place_of_a_claim_says_whether_it_refers_to_claims_or_people(self, bench: Bench) -> None:
        plain, about = bench.say("k0::v", "a"), bench.say("k1::v", "a", about='["ann"]')
        derived = bench.say("k2::v", "a", parents=(plain.head.id,))
        places = bench.read(lambda r: r.places([plain.idx, about.idx, derived.idx]))
        assert [bool(places[row.idx].refers) for row in (plain, about, derived)] == [False, True, True]

    def test_no_claim_exceeds_the_top_priority_and_it_is_never_below_the_usual_one(self, bench: Bench) -> None:
        bench.say("k0::v", "a", priority=2)
        assert bench.read(lambda r: r.top_priority()) == USUAL_PRIORITY
        urgent = [bench.say(f"k{n}::v", "a", priority=n) for n in (7, 9, 8)]
        assert bench.read(lambda r: r.top_priority()) == 9
        bench.write(lambda tx: tx.erase_claims([urgent[1].head.id], bench.scribe.at))
        assert bench.read(lambda r: r.top_priority()) == 8

    @quiet
    @given(st.lists(histories(), min_size=1, max_size=3), st.data())
    def test_what_holds_on_several_lines_is_what_holds_on_each(
        self, bench: Bench, all_: list[list[Step]], data: st.DataObject
    ) -> None:
        played = [play(bench, steps, f"random{bench.scribe.count}::line") for steps in all_]
        lines = [one.line for one in played]
        times = [entry.at for one in played for entry, _ in one.entries]
        as_of = data.draw(st.sampled_from([t + d for t in times for d in (-1, 0, 1)] + [FOREVER - 1, 0]))
        valid_at = data.draw(st.sampled_from([-1, 0, 9, 10, 25, 30, 39, 40, 59, 60, 10**18]))
        each = bench.read(lambda r: {line: r.at(line, valid_at, as_of) for line in lines})
        together = bench.read(lambda r: r.at_lines([*lines, 10**15], valid_at, as_of))
        assert together == {line: rows for line, rows in each.items() if rows}

        def one_by_one(r: Reader, line: int) -> dict[int, Spans]:
            held = {row.idx: r.held_by(row.head.id, as_of) for row in r.claims_of(line)}
            return {idx: spans for idx, spans in held.items() if spans}

        for line in lines:
            assert bench.read(lambda r: r.held_on(line, as_of) == one_by_one(r, line))  # noqa: B023
            assert bench.read(lambda r: r.turns(line, as_of) == _turns(r, line, as_of))  # noqa: B023


def _turns(r: Reader, line: int, as_of: int) -> list[tuple[int, bool, int, int, Cause, str]]:
    """Return what the claims of a line lost and were given, from its whole log."""
    idx = {row.head.id: row.idx for row in r.claims_of(line)}
    known = [entry for entry in r.line_log(line) if entry.at <= as_of]
    return [
        (idx[e.claim], e.gain, e.start, e.end, e.cause, entry.type)
        for entry in known
        for e in entry.effects
        if not e.gain or e.claim != entry.id
    ]


class TestSettled:
    """One look at a line says what several would, or nothing."""

    def test_a_line_that_says_one_thing_is_told_in_one_look(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        bench.say("ann::city", "Paris")
        last = bench.say("ann::city", "Oslo")
        bench.write(lambda tx: tx.observe(last.head.id, bench.scribe.at + 1, mark("support", "bob"), True))
        bench.write(
            lambda tx: tx.observe(last.head.id, bench.scribe.at + 2, mark("support", last.head.source.hex()), True)
        )
        now = bench.scribe.at + 10
        seen = _look(bench, now)
        assert seen is not None
        assert (seen.at.claim, seen.at.claim.line, seen.now) == (last, row.line, now)
        assert (seen.at.start, seen.at.end, seen.at.possible) == (last.head.start, FOREVER, False)
        assert (seen.support.count, seen.support.confirmed_at) == (2, bench.scribe.at + 2)
        earlier = _look(bench, 0)
        assert earlier is not None
        assert earlier.now == bench.scribe.at

    @quiet
    @given(histories())
    def test_what_it_tells_is_what_the_other_questions_tell(self, bench: Bench, steps: list[Step]) -> None:
        key = f"random{bench.scribe.count}::line"
        played = play(bench, steps, key)
        for now in (bench.scribe.at, bench.scribe.at + 5):
            seen = _look(bench, now, key)
            if seen is not None:
                assert bench.read(lambda r: _asked(r, played.line, now)) == seen  # noqa: B023

    def test_a_value_that_came_back_after_a_while_is_told_too(self, bench: Bench) -> None:
        for value in ("A", "B", "A"):
            last = bench.say("ann::city", value)
        seen = _look(bench, bench.scribe.at)
        assert seen is not None
        assert seen.at == AtRow(last, False, last.head.start, FOREVER)

    def test_where_there_is_more_to_consider_it_tells_nothing(self, bench: Bench) -> None:
        for n, make in enumerate(_MORE):
            key = f"k{n}::v"
            row = bench.say(key, "A", **({"expires_at": bench.scribe.at + 2_000_000} if make is _expire else {}))
            assert _look(bench, bench.scribe.at, key) is not None
            make(bench, key, row)
            assert _look(bench, bench.scribe.at + 2_000_000, key) is None, make

    def test_of_an_unknown_line_or_namespace_it_tells_nothing(self, bench: Bench) -> None:
        bench.say("ann::city", "Berlin")
        assert _look(bench, 0, "bob::city") is None
        assert bench.store.settled("nobody", mark("line", NOWHERE, "ann::city"), lambda: 0) is None


def _asked(r: Reader, line: int, now: int) -> Settled:
    """Return what the other questions say of a line that one claim answers."""
    [at] = r.at(line, now, now)
    value, idx = at.claim.head.value, at.claim.idx
    [(start, end)] = [s for s in r.spans_of_value(line, value, now) if s[0] <= now < s[1]]
    assert r.waiting(line, now, now, 9) == []
    whole = AtRow(at.claim, at.possible, start, end)
    found = r.line_by_id(line)
    of_line = (found.cardinality, found.label, found.values, found.version, found.scope)
    return Settled(now, r.ns.policy_version, *of_line, whole, r.record(idx), r.support([idx], now))


def _look(bench: Bench, clock: int, key: str = "ann::city") -> Settled | None:
    bench.read(lambda r: r.ns)
    return bench.store.settled("a", mark("line", NOWHERE, key), lambda: clock)


def _rival(bench: Bench, key: str, row: ClaimRow) -> None:
    bench.say(key, "B", take=False)


def _echo(bench: Bench, key: str, row: ClaimRow) -> None:
    bench.say(key, "B", standing="echo", beside_until=FOREVER)


def _same_value(bench: Bench, key: str, row: ClaimRow) -> None:
    bench.say(key, "A", 0, row.head.start)


def _member(bench: Bench, key: str, row: ClaimRow) -> None:
    def work(tx: Writer) -> None:
        line = tx.line_by_id(row.line)
        line.cardinality = Cardinality.MANY
        tx.save_line(line)

    bench.write(work)


def _two_pieces(bench: Bench, key: str, row: ClaimRow) -> None:
    line = bench.read(lambda r: r.line_by_id(row.line))
    before, start = row.head.start - 5, row.head.start
    bench.write(lambda tx: bench.scribe.decide(tx, line, [Effect(row.head.id, True, before, start, Cause.RETURN)]))


def _end(bench: Bench, key: str, row: ClaimRow) -> None:
    line = bench.read(lambda r: r.line_by_id(row.line))
    bench.write(
        lambda tx: bench.scribe.decide(tx, line, [Effect(row.head.id, False, row.head.start, FOREVER, Cause.END)])
    )


def _expire(bench: Bench, key: str, row: ClaimRow) -> None:
    """Nothing happens, but the time comes."""


def _amend(bench: Bench, key: str, row: ClaimRow) -> None:
    def work(tx: Writer) -> None:
        entry = bench.scribe.entry(tx, tx.line_by_id(row.line), type="amend")
        amendment = Amendment(entry.id, row.head.id, entry.at, "a", None, None, bytes(32))
        tx.amend(amendment, SearchTerms("", "a", ""))

    bench.write(work)


def _item(bench: Bench, key: str, row: ClaimRow) -> None:
    item = ItemRow(
        bench.scribe.next_id(), row.line, "under_review", row.head.value, row.lookalike, row.head.id, mark("x"), 1
    )
    bench.write(lambda tx: tx.open_item(item))


def _place(row: ClaimRow) -> Place:
    head = row.head
    return Place(
        row.line,
        head.recorded_at,
        row.priority,
        row.session,
        start=head.start,
        rank=head.rank,
        kind=row.kind,
        plain=True,
        tail=row.text.encode()[-TAIL:],
    )


_MORE: tuple[Callable[[Bench, str, ClaimRow], None], ...] = (
    _rival, _echo, _same_value, _member, _two_pieces, _end, _expire, _amend, _item,
)  # fmt: skip
