"""Stretches and guards: what the effects of a line sum up to, at any instant, as known at any time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.beliefs.echo import without
from muniment.beliefs.state import LOOK, Cause, ClaimHead, Effect, Guard
from muniment.claims.intervals import FOREVER, NEVER, Spans, normalise, subtract, union
from muniment.store.conformance.bench import Bench
from muniment.store.conformance.scribe import mark
from muniment.store.records import EntryRow, Rectangle

if TYPE_CHECKING:
    from muniment.store.protocol import Writer


class Step(NamedTuple):
    """One entry of a random line: a claim or a decision, with what it does to which claims."""

    value: str | None
    does: tuple[tuple[int, bool, int, int, bool], ...]  # (claim, gain, start, end, possible)


_EDGES = st.sampled_from([NEVER, 0, 10, 20, 30, 40, 50, 60, FOREVER])


@st.composite
def histories(draw: st.DrawFn) -> list[Step]:
    """Random histories of one line."""
    steps: list[Step] = []
    claims = 0
    for _ in range(draw(st.integers(1, 7))):
        value = draw(st.sampled_from(["a", "b", "c"])) if claims == 0 else draw(st.sampled_from(["a", "b", "c", None]))
        claims += value is not None
        does = []
        for _ in range(draw(st.integers(0, 3))):
            start, end = sorted((draw(_EDGES), draw(_EDGES)))
            if start < end:
                does.append((draw(st.integers(0, claims - 1)), draw(st.booleans()), start, end, draw(st.booleans())))
        steps.append(Step(value, tuple(does)))
    return steps


class Played(NamedTuple):
    """A history as it was written, and what it means, worked out the slow way."""

    line: int
    claims: list[ClaimHead]
    entries: list[tuple[EntryRow, list[Effect]]]

    def spans(self, claim: str, as_of: int) -> tuple[Spans, Spans]:
        """Return what a claim held as known at ``as_of``, and the part of it that is only possible."""
        held: Spans = ()
        possible: Spans = ()
        for entry, effects in self.entries:
            if entry.at > as_of:
                break
            for effect in effects:
                if effect.claim == claim:
                    span = ((effect.start, effect.end),)
                    held = union(held, span) if effect.gain else subtract(held, span)
                    marked = effect.gain and effect.possible
                    possible = union(possible, span) if marked else subtract(possible, span)
        return held, possible

    def values(self, as_of: int) -> set[bytes]:
        """Return the values that had held anything by ``as_of``."""
        value = {head.id: head.value for head in self.claims}
        return {value[e.claim] for entry, effects in self.entries if entry.at <= as_of for e in effects if e.gain}


def play(bench: Bench, steps: list[Step], key: str) -> Played:
    """Write a history to a line."""
    played = Played(bench.write(lambda tx: bench.scribe.line(tx, key)).id, [], [])
    for step in steps:

        def work(tx: Writer, step: Step = step) -> None:
            line = tx.line_by_id(played.line)
            entry = bench.scribe.entry(tx, line, type="claim" if step.value else "revert", decision=not step.value)
            if step.value:
                head = bench.scribe.head(entry, step.value)
                bench.scribe.claim(tx, line, entry, head, step.value)
                played.claims.append(head)
            effects = [
                Effect(
                    played.claims[claim].id, gain, start, end, Cause.SAID if gain else Cause.REVERT, possible and gain
                )
                for claim, gain, start, end, possible in step.does
            ]
            tx.apply(line.id, entry, effects)
            bench.scribe.settle(tx, line, entry)
            played.entries.append((entry, effects))

        bench.write(work)
    return played


quiet = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
"""Fewer examples than usual: each makes a history in the store."""


class TestStretches:
    """Every read of a line agrees with the sum of its effects."""

    @quiet
    @given(histories(), st.data())
    def test_at_agrees_with_the_sum_of_the_effects(self, bench: Bench, steps: list[Step], data: st.DataObject) -> None:
        played = play(bench, steps, f"random{bench.scribe.count}::line")
        times = [entry.at for entry, _ in played.entries]
        as_of = data.draw(st.sampled_from([t + d for t in times for d in (-1, 0, 1)] + [FOREVER - 1, 0]))
        valid_at = data.draw(st.sampled_from([-1, 0, 9, 10, 25, 30, 39, 40, 59, 60, 10**18]))
        found = bench.read(lambda r: r.at(played.line, valid_at, as_of))
        expected = []
        for head in played.claims:
            held, possible = played.spans(head.id, as_of)
            if any(s <= valid_at < e for s, e in held):
                expected.append((head.id, any(s <= valid_at < e for s, e in possible)))
        assert [(row.claim.head.id, row.possible) for row in found] == expected
        assert all(row.start <= valid_at < row.end for row in found)

    @quiet
    @given(histories(), st.data())
    def test_what_a_claim_and_a_value_held_agrees_too(
        self, bench: Bench, steps: list[Step], data: st.DataObject
    ) -> None:
        played = play(bench, steps, f"random{bench.scribe.count}::line")
        as_of = data.draw(st.sampled_from([entry.at for entry, _ in played.entries] + [FOREVER - 1, 0]))
        for head in played.claims:
            assert bench.read(lambda r: r.held_by(head.id, as_of)) == played.spans(head.id, as_of)[0]  # noqa: B023
        for value in {head.value for head in played.claims}:
            spans = normalise(s for h in played.claims if h.value == value for s in played.spans(h.id, as_of)[0])
            assert bench.read(lambda r: r.spans_of_value(played.line, value, as_of)) == spans  # noqa: B023
        assert bench.read(lambda r: r.values_before(played.line, as_of)) == len(played.values(as_of))

    def test_the_stretch_around_an_instant_is_whole_on_a_line_that_came_and_went(self, bench: Bench) -> None:
        for n in range(40):
            row = bench.say("ann::mood", "AB"[n % 2])
            if n % 8 == 0:  # a second claim of the value begins where the first one ends
                bench.say("ann::mood", "AB"[n % 2], row.head.start - 500_000, row.head.start)
        claims = bench.read(lambda r: r.claims_of(row.line))
        assert len(claims) == 45
        now = bench.scribe.at
        for as_of in (now, claims[20].head.recorded_at, claims[30].head.recorded_at + 1):
            for valid_at in (claims[0].head.start, claims[18].head.start - 1, claims[20].head.start, now):
                for at in bench.read(lambda r: r.at(row.line, valid_at, as_of)):  # noqa: B023
                    value, part = at.claim.head.value, (at.start, at.end)
                    whole = [
                        s
                        for s in bench.read(lambda r: r.spans_of_value(row.line, value, as_of))  # noqa: B023
                        if s[0] <= valid_at < s[1]
                    ]
                    assert bench.read(lambda r: r.spans_of_value(row.line, value, as_of, part)) == tuple(whole)  # noqa: B023

    @quiet
    @given(histories(), st.data())
    def test_the_holders_agree_and_bring_all_that_they_hold(
        self, bench: Bench, steps: list[Step], data: st.DataObject
    ) -> None:
        played = play(bench, steps, f"random{bench.scribe.count}::line")
        start, end = data.draw(st.sampled_from([(NEVER, FOREVER), (10, 20), (15, 35), (60, FOREVER), (NEVER, 0)]))
        now = played.entries[-1][0].at
        held = {head.id: played.spans(head.id, now) for head in played.claims}
        within = [h for h in played.claims if any(s < end and e > start for s, e in held[h.id][0])]
        found = bench.read(lambda r: r.holders(played.line, start, end, now))
        assert [(h.head, h.spans, h.possible) for h in found] == [(h, *held[h.id]) for h in within]
        for value in {head.value for head in played.claims}:
            own = bench.read(lambda r: r.holders(played.line, start, end, now, value))  # noqa: B023
            assert own == tuple(h for h in found if h.head.value == value)
        spans = [s for head in played.claims for s in held[head.id][0]]
        earlier, later = bench.read(lambda r: r.neighbours(played.line, start, end))
        assert any(e <= start for _, e in spans) <= earlier <= any(s < start for s, _ in spans)
        assert any(s >= end for s, _ in spans) <= later <= any(e > end for _, e in spans)

    @quiet
    @given(histories())
    def test_the_rectangles_hold_the_history_and_nothing_else(self, bench: Bench, steps: list[Step]) -> None:
        played = play(bench, steps, f"random{bench.scribe.count}::line")
        found = bench.read(lambda r: list(r.rectangles(played.line)))
        assert all(r.start < r.end and r.tx_from < r.tx_to for r in found)
        for known_at in sorted({entry.at for entry, _ in played.entries}):
            for head in played.claims:
                then = [r for r in found if r.claim == head.id and r.tx_from <= known_at < r.tx_to]
                assert normalise((r.start, r.end) for r in then) == played.spans(head.id, known_at)[0]
                assert sum(r.end - r.start for r in then) == sum(e - s for s, e in played.spans(head.id, known_at)[0])
        line = bench.read(lambda r: r.line_by_id(played.line))
        assert line.values == len(played.values(FOREVER))
        effects = [(entry.id, effect) for entry, made in played.entries for effect in made]
        assert bench.read(lambda r: list(r.effects_by_line(played.line))) == effects

    def test_a_loss_cuts_and_keeps_what_was_known_before(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin", 10, 100)
        line = bench.read(lambda r: r.line_by_id(row.line))
        cut = bench.write(lambda tx: bench.scribe.decide(tx, line, [Effect(row.head.id, False, 40, 60, Cause.END)]))
        said = row.head.recorded_at
        assert bench.read(lambda r: list(r.rectangles(row.line))) == [
            Rectangle(row.head.id, 10, 100, said, cut.at, False),
            Rectangle(row.head.id, 10, 40, cut.at, FOREVER, False),
            Rectangle(row.head.id, 60, 100, cut.at, FOREVER, False),
        ]

    def test_what_one_entry_gains_and_loses_again_leaves_no_trace(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin", 10, 100)
        line = bench.read(lambda r: r.line_by_id(row.line))
        to_and_fro = [Effect(row.head.id, gain, 200, 300, Cause.MEET) for gain in (True, False, True, False)]
        bench.write(lambda tx: bench.scribe.decide(tx, line, to_and_fro))
        assert bench.read(lambda r: len(list(r.rectangles(row.line)))) == 1

    def test_what_expired_holds_nothing_any_more_but_is_still_there(self, bench: Bench) -> None:
        far = bench.scribe.at + 10**9
        row = bench.say("ann::city", "Berlin", expires_at=far)
        assert len(bench.read(lambda r: r.holders(row.line, NEVER, FOREVER, far - 1))) == 1
        assert bench.read(lambda r: r.holders(row.line, NEVER, FOREVER, far)) == ()
        assert len(bench.read(lambda r: r.at(row.line, far, far))) == 1

    def test_a_value_counts_once_however_often_it_comes_back(self, bench: Bench) -> None:
        rows = [bench.say("ann::city", value) for value in ("A", "B", "A", "C")]
        assert bench.read(lambda r: r.line_by_id(rows[0].line).values) == 3
        assert bench.read(lambda r: r.values_before(rows[0].line, rows[2].head.recorded_at)) == 2
        assert bench.read(lambda r: r.ever_held(rows[0].line, mark("value", "C")))
        assert not bench.read(lambda r: r.ever_held(rows[0].line, mark("value", "D")))

    def test_values_that_begin_later_are_told_from_those_that_held(self, bench: Bench) -> None:
        first = bench.say("ann::city", "A")
        start = first.head.start
        bench.say("ann::city", "B", start + 50, start + 60)
        last = bench.say("ann::city", "C", start + 60, start + 70)
        far = last.head.recorded_at
        for valid_at, as_of, count in (
            (start, far, 2), (start + 55, far, 2), (start + 65, far, 1), (start, first.head.recorded_at, 0),
            (start + 70, far, 0),
        ):  # fmt: skip
            assert bench.read(lambda r: r.values_later(first.line, valid_at, as_of)) == count  # noqa: B023

    def test_a_claim_that_waits_counts_once_it_gains(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Rome", standing="held", beside_until=FOREVER)
        line = bench.read(lambda r: r.line_by_id(row.line))
        assert (line.values, bench.read(lambda r: r.ever_held(line.id, row.head.value))) == (0, False)
        verdict = [Effect(row.head.id, True, 0, FOREVER, Cause.VERDICT)]
        bench.write(lambda tx: bench.scribe.decide(tx, line, verdict, "verdict"))
        assert bench.read(lambda r: (r.line_by_id(line.id).values, r.ever_held(line.id, row.head.value))) == (1, True)


class TestGuards:
    """Guards last until their value holds again."""

    def test_a_supersession_leaves_a_guard_and_a_return_lifts_it_where_it_returns(self, bench: Bench) -> None:
        old = bench.say("ann::city", "Berlin", 0, 100)
        new = bench.say("ann::city", "Paris", 20, 80)
        value = old.head.value
        guard = bench.read(lambda r: r.guards(old.line, value, NEVER, FOREVER))
        assert [(g.start, g.end, g.entry, g.cause, g.source) for g in guard] == [
            (20, 80, new.head.id, Cause.SUPERSEDE, new.head.source)
        ]
        assert bench.read(lambda r: r.guards(old.line, value, 80, FOREVER)) == ()
        assert bench.read(lambda r: r.guards(old.line, value, 79, FOREVER)) == guard
        assert bench.read(lambda r: r.guards(old.line, new.head.value, NEVER, FOREVER)) == ()
        line = bench.read(lambda r: r.line_by_id(old.line))
        back = [Effect(old.head.id, True, 30, 40, Cause.RETURN)]
        bench.write(lambda tx: bench.scribe.decide(tx, line, back, "revert"))
        left = bench.read(lambda r: r.guards(old.line, value, NEVER, FOREVER))
        assert list(left) == without(guard, ((30, 40),))
        assert bench.read(lambda r: list(r.all_guards(old.line))) == list(left)

    def test_a_guard_made_after_none_was_found_is_lifted_in_the_same_transaction(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin", 0, 100)
        line = bench.read(lambda r: r.line_by_id(row.line))

        def work(tx: Writer) -> None:
            assert tx.alike_guards(line.id, row.head.value, 0, 100) == ()
            entry = bench.scribe.decide(tx, line, [], "retract")
            tx.add_guards(line.id, [Guard(row.head.value, 0, 50, 4, Cause.RETRACT, 0, mark("s"), entry.id)])
            bench.scribe.decide(tx, line, [Effect(row.head.id, True, 0, 30, Cause.RETURN)], "revert")

        bench.write(work)
        left = bench.read(lambda r: r.guards(line.id, row.head.value, NEVER, FOREVER))
        assert [(g.start, g.end) for g in left] == [(30, 50)]

    def test_the_guards_of_what_looks_alike_are_found_by_how_the_identities_begin(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin", 0, 100)
        line, look = bench.read(lambda r: r.line_by_id(row.line)), mark("look")[:LOOK]
        least, value, most = look + bytes(8), look + mark("value")[:8], look + b"\xff" * 8
        after = (int.from_bytes(look, "big") + 1).to_bytes(8, "big") + bytes(8)

        def work(tx: Writer) -> None:
            entry = bench.scribe.decide(tx, line, [], "retract")
            made = [Guard(v, 0, 50, 4, Cause.RETRACT, 0, mark("s"), entry.id) for v in (least, value, most, after)]
            tx.add_guards(line.id, [*made, Guard(value, 60, 70, 4, Cause.RETRACT, 60, mark("s"), entry.id)])
            found = tx.alike_guards(line.id, value, 10, 20)
            assert {guard.value for guard in found} == {least, value, most}, "what waits to be stored is found"

        bench.write(work)

        def found(value: bytes, start: int, end: int, *, whole: bool = False) -> list[tuple[bytes, int]]:
            guards = bench.read(lambda r: r.alike_guards(line.id, value, start, end, whole=whole))
            return sorted((guard.value, guard.start) for guard in guards)

        assert found(value, 10, 65) == sorted([(least, 0), (value, 0), (value, 60), (most, 0)])
        assert found(look + mark("never guarded")[:8], 55, FOREVER) == [(value, 60)]
        assert found(after, 10, 20) == [(after, 0)]
        assert found(mark("other"), 10, 20) == []
        assert len(found(mark("other"), 10, 20, whole=True)) == 4

    @quiet
    @given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 9)), min_size=1, max_size=6), st.data())
    def test_regained_stretches_are_taken_from_the_guards(
        self, bench: Bench, stretches: list[tuple[int, int]], data: st.DataObject
    ) -> None:
        row = bench.say(f"random{bench.scribe.count}::line", "Berlin", 0, 100)
        line = bench.read(lambda r: r.line_by_id(row.line))
        guards: list[Guard] = []
        for start, length in stretches:

            def guard(tx: Writer, start: int = start, length: int = length) -> None:
                entry = bench.scribe.decide(tx, line, [], "retract")
                made = Guard(row.head.value, start, start + length, 4, Cause.RETRACT, 0, mark("s"), entry.id)
                tx.add_guards(line.id, [made])
                guards.append(made)

            bench.write(guard)
        start, end = sorted(data.draw(st.tuples(st.integers(0, 29), st.integers(0, 29))))
        if start == end:
            end += 1
        back = [Effect(row.head.id, True, start, end, Cause.RETURN)]
        bench.write(lambda tx: bench.scribe.decide(tx, line, back, "revert"))
        left = bench.read(lambda r: r.guards(line.id, row.head.value, NEVER, FOREVER))
        assert sorted(left, key=repr) == sorted(without(guards, ((start, end),)), key=repr)


class TestSupport:
    """Who supports a value, and when somebody last vouched."""

    def test_supports_are_distinct_and_dated(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        at = row.head.recorded_at
        bench.write(lambda tx: tx.observe(row.head.id, at + 10, mark("support", "bob"), True))
        bench.write(lambda tx: tx.observe(row.head.id, at + 20, mark("support", "bob"), True))
        bench.write(lambda tx: tx.observe(row.head.id, at + 30, None, False))
        bench.write(lambda tx: tx.observe(row.head.id, at + 40, mark("support", "eve"), False))

        def seen(as_of: int) -> tuple[int, int]:
            support = bench.read(lambda r: r.support([row.idx], as_of))
            return support.count, support.confirmed_at - at

        assert [seen(at + t) for t in (0, 9, 10, 20, 30, 40)] == [(1, 0), (1, 0), (2, 10), (2, 20), (2, 20), (3, 20)]

    def test_claims_of_one_supporter_are_one_support(self, bench: Bench) -> None:
        one = bench.say("ann::city", "Berlin")
        two = bench.say("ann::city", "Berlin")
        three = bench.say("ann::city", "Berlin", source=mark("source", "bob"))
        support = bench.read(lambda r: r.support([one.idx, two.idx, three.idx], FOREVER - 1))
        assert (support.count, support.confirmed_at) == (2, three.head.recorded_at)

    def test_where_nobody_vouched_the_first_statement_counts(self, bench: Bench) -> None:
        one = bench.say("ann::city", "Berlin", rank=1, support=None)
        two = bench.say("ann::city", "Berlin", rank=1, support=None)
        support = bench.read(lambda r: r.support([two.idx, one.idx], FOREVER - 1))
        assert (support.count, support.confirmed_at) == (0, one.head.recorded_at)
