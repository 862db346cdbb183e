"""Rows: what is written is read back, whole, in order, and only where it belongs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from muniment.beliefs.state import Cardinality, Cause, Effect
from muniment.claims.intervals import FOREVER, NEVER
from muniment.errors import MunimentError, NotFoundError, StoreError, ValidationError
from muniment.ledger.tree import Frontier, inclusion_proof, leaf_hash, root_at
from muniment.quick import replace
from muniment.store.conformance.bench import Bench
from muniment.store.conformance.scribe import NOWHERE, mark, uuid
from muniment.store.records import Amendment, ClaimRow, EntryRow, LineRow, PolicyRow, SearchTerms

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Writer


class TestLines:
    """Lines and scopes."""

    def test_a_line_is_found_by_its_identity_and_by_its_integer(self, bench: Bench) -> None:
        made = bench.write(lambda tx: bench.scribe.line(tx, "ann::city"))
        assert bench.read(lambda r: r.line(mark("line", NOWHERE, "ann::city"))) == made
        assert bench.read(lambda r: r.line_by_id(made.id)) == made
        assert bench.read(lambda r: r.line_identity(made.id)) == mark("line", NOWHERE, "ann::city")
        assert (made.subject, made.predicate, made.display, made.note) == ("ann", "city", "ann::city", False)

    def test_a_line_that_was_never_made_is_none_and_its_integer_is_an_error(self, bench: Bench) -> None:
        assert bench.read(lambda r: r.line(mark("line", NOWHERE, "ann::city"))) is None
        with _raises(NotFoundError):
            bench.read(lambda r: r.line_by_id(7))
        with _raises(NotFoundError):
            bench.read(lambda r: r.line_identity(7))

    def test_adding_a_line_twice_gives_the_same_line(self, bench: Bench) -> None:
        first = bench.write(lambda tx: bench.scribe.line(tx, "ann::city"))
        assert bench.write(lambda tx: bench.scribe.line(tx, "ann::city")).id == first.id
        assert bench.read(lambda r: len(r.lines())) == 1

    def test_what_changes_of_a_line_is_saved(self, bench: Bench) -> None:
        def work(tx: Writer) -> LineRow:
            line = bench.scribe.line(tx, "ann::city")
            line.cardinality, line.settled, line.ever_vouched, line.critical = Cardinality.MANY, True, True, True
            line.version = bench.scribe.entry(tx, line).id
            tx.save_line(line)
            return line

        saved = bench.write(work)
        assert bench.read(lambda r: r.line_by_id(saved.id)) == saved

    def test_lines_are_paged_in_order(self, bench: Bench) -> None:
        made = bench.write(lambda tx: [bench.scribe.line(tx, f"k{i}::v").id for i in range(7)])
        first = bench.read(lambda r: [line.id for line in r.lines(limit=4)])
        rest = bench.read(lambda r: [line.id for line in r.lines(after=first[-1])])
        assert first + rest == sorted(made)

    def test_look_alikes_are_found_in_their_scope_only(self, bench: Bench) -> None:
        bench.write(lambda tx: bench.scribe.line(tx, "ann::city", look="ann::city"))
        bench.write(lambda tx: bench.scribe.line(tx, "\u0430nn::city", look="ann::city"))
        bench.write(lambda tx: bench.scribe.line(tx, "ann::city", scope="[1]", look="ann::city"))
        found = bench.read(lambda r: r.lookalike_lines(mark("look", NOWHERE, "ann::city")))
        assert [line.display for line in found] == ["ann::city", "\u0430nn::city"]

    def test_keys_are_listed_by_scope_the_latest_first(self, bench: Bench) -> None:
        for key, scope in (("a::b", "[1]"), ("a::b", "[2]"), ("c::d", "[2]")):
            bench.say(key, "said", scope=scope)
        of = mark("scope", "[2]")
        assert bench.read(lambda r: r.keys_of_scope(of, 9)) == [("c", "d"), ("a", "b")]
        assert bench.read(lambda r: r.keys_of_scope(of, 1)) == [("c", "d")]
        assert [text for _, text in bench.read(lambda r: r.scopes())] == ["[1]", "[2]"]

    def test_a_key_under_which_nothing_ever_held_is_not_listed(self, bench: Bench) -> None:
        bench.say("a::b", "said", scope="[1]")
        bench.write(lambda tx: bench.scribe.line(tx, "c::d", scope="[1]"))
        assert bench.read(lambda r: r.keys_of_scope(mark("scope", "[1]"), 9)) == [("a", "b")]


class TestClaims:
    """Claims, lineage, amendments and marks."""

    def test_every_column_of_a_claim_comes_back(self, bench: Bench) -> None:
        parent = bench.say("bob::city", "Oslo")

        def work(tx: Writer) -> ClaimRow:
            line = bench.scribe.line(tx, "ann::city")
            entry = bench.scribe.entry(tx, line)
            head = bench.scribe.head(
                entry, "Berlin", 5, 500, rank=3, explicit_start=True, explicit_end=True, start_until=9, end_from=400,
                expires_at=entry.at + 10**9, confidence=250_000, trusted_start=True,
            )  # fmt: skip
            return bench.scribe.claim(
                tx, line, entry, head, "Ann lives in Berlin \U0001f600\u0000.", channel="tool", effective="model",
                kind="episodic", criticality="critical", standing="held", beside_until=FOREVER, withdrawn="retracted",
                withdrawn_at=entry.at, ended_from=77, ended_at=entry.at, start_granularity="month",
                end_granularity="year", timing_uncertain=True, valid_confidence=700_001, priority=9,
                text_is_value=True, source='{"url":"x"}', about='["ann"]', tags='["t"]', meta='{"a":1}',
                reason="because", parents=(parent.head.id,), depth=1, exception_to=parent.head.id, amended=False,
                writer=mark("author", "ann"),
            )  # fmt: skip

        row = bench.write(work)
        bench.reopen() if bench.durable else None
        assert bench.read(lambda r: r.claim(row.head.id)) == row
        assert bench.read(lambda r: r.claim_at(row.idx)) == row
        assert bench.read(lambda r: r.salt(row.head.id)) == row.salt

    def test_a_claim_with_usual_values_comes_back_too(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        assert bench.read(lambda r: r.claim(row.head.id)) == row
        always = bench.say("ann::born", "1980", NEVER, start_until=NEVER)
        assert bench.read(lambda r: r.claim(always.head.id)) == always

    def test_what_is_no_claim_is_none(self, bench: Bench) -> None:
        entry = bench.write(lambda tx: bench.scribe.entry(tx, type="policy"))
        for id in (entry.id, uuid(999), "no id", ""):
            assert bench.read(lambda r: r.claim(id)) is None  # noqa: B023
        assert bench.read(lambda r: r.claim_at(10_000)) is None
        with _raises(NotFoundError):
            bench.read(lambda r: r.salt(entry.id))

    def test_claims_of_a_line_come_in_log_order_and_by_value(self, bench: Bench) -> None:
        rows = [bench.say("ann::city", v) for v in ("A", "B", "A")]
        line = rows[0].line
        assert bench.read(lambda r: r.claims_of(line)) == rows
        assert bench.read(lambda r: r.claims_of(line, mark("value", "A"))) == [rows[0], rows[2]]

    def test_claims_are_scanned_and_streamed_in_log_order(self, bench: Bench) -> None:
        rows = [bench.say(f"k{i}::v", "x") for i in range(5)]
        assert bench.read(lambda r: list(r.claims())) == rows
        assert bench.read(lambda r: list(r.claims(rows[3].idx))) == rows[3:]
        assert bench.read(lambda r: r.scan(-1, 2)) == rows[:2]
        assert bench.read(lambda r: r.scan(rows[1].idx, 100)) == rows[2:]

    def test_children_are_found_by_their_parent(self, bench: Bench) -> None:
        parent = bench.say("ann::city", "Berlin")
        child = bench.say("ann::country", "Germany", parents=(parent.head.id,), depth=1)
        assert bench.read(lambda r: r.children(parent.head.id)) == [child.head.id]
        assert bench.read(lambda r: r.children(child.head.id)) == []

    def test_a_mark_changes_what_may_change_and_nothing_else(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        bench.write(lambda tx: tx.mark(row.head.id, withdrawn="retracted", withdrawn_at=5, ranks=((7, 3),)))
        expected = replace(
            row, withdrawn="retracted", withdrawn_at=5, head=replace(row.head, rank=3), ranks=((7, 3),),
            rank_said=row.head.rank,
        )  # fmt: skip
        assert bench.read(lambda r: r.claim(row.head.id)) == expected
        with _raises(ValidationError):
            bench.write(lambda tx: tx.mark(row.head.id, text="other"))
        with _raises(NotFoundError):
            bench.write(lambda tx: tx.mark(uuid(999), ranks=((1, 1),)))

    def test_amendments_are_kept_beside_the_claim_and_dated(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")

        def amend(tx: Writer) -> Amendment:
            entry = bench.scribe.entry(tx, type="amend", decision=True)
            amendment = Amendment(entry.id, row.head.id, entry.at, "Ann lives in Berlin", None, "typo", b"s" * 32)
            tx.amend(amendment, SearchTerms("ann city", "berlin", ""))
            return amendment

        amendment = bench.write(amend)
        assert bench.read(lambda r: r.amendments(row.head.id, amendment.at)) == [amendment]
        assert bench.read(lambda r: r.amendments(row.head.id, amendment.at - 1)) == []
        assert bench.read(lambda r: r.claim(row.head.id)) == replace(row, amended=True)

    def test_what_waits_is_listed_beside_until_it_is_decided(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Rome", standing="held", beside_until=FOREVER)
        at = row.head.recorded_at
        bench.write(lambda tx: tx.mark(row.head.id, beside_until=at + 50))
        bench.say("ann::pet", "a cat")
        bench.scribe.at = at + 100
        bench.say("ann::pet", "a dog")
        value, source = row.head.value, row.head.source

        def beside(value: bytes, source: bytes, as_of: int) -> list[str]:
            return [c.head.id for c in bench.read(lambda r: r.beside(row.line, value, source, as_of))]

        def waiting(valid_at: int, as_of: int) -> tuple[list[str], int]:
            rows = bench.read(lambda r: r.waiting(row.line, valid_at, as_of, 9))
            return [c.head.id for c in rows], bench.read(lambda r: r.count_waiting(row.line, valid_at, as_of, 9))

        here = row.head.start
        assert (beside(value, source, at + 49), waiting(here, at + 49)) == ([row.head.id], ([row.head.id], 1))
        assert (beside(value, source, at + 50), waiting(here, at + 50)) == ([], ([], 0))
        assert (beside(value, source, at - 1), waiting(here, at - 1)) == ([], ([], 0))
        assert waiting(here - 1, at + 49) == ([], 0)
        assert beside(mark("value", "Oslo"), source, at) == beside(value, mark("another"), at) == []

    def test_of_what_waits_the_highest_and_latest_come_first(self, bench: Bench) -> None:
        said = [("Rome", 1, 0, 100), ("Oslo", 2, 0, 100), ("Bonn", 1, 0, 100), ("Kyiv", 4, 50, 100), ("Bern", 4, 0, 50)]
        rows = [
            bench.say("ann::city", value, start, end, rank=rank, standing="held", beside_until=FOREVER)
            for value, rank, start, end in said
        ]
        bench.say("ann::city", "Graz", 0, 100, rank=4, standing="echo", beside_until=FOREVER)
        line, now = rows[0].line, rows[-1].head.recorded_at + 9
        bench.write(lambda tx: tx.mark(rows[1].head.id, beside_until=now))
        bench.scribe.at = now + 1
        bench.say("ann::pet", "a cat")

        def values(valid_at: int, as_of: int, most: int = 9) -> list[bytes]:
            return [c.head.value for c in bench.read(lambda r: r.waiting(line, valid_at, as_of, most))]

        def marks(*names: str) -> list[bytes]:
            return [mark("value", name) for name in names]

        assert values(10, now + 5) == marks("Bern", "Bonn", "Rome")
        assert values(60, now + 5) == marks("Kyiv", "Bonn", "Rome")
        assert values(10, now - 1) == marks("Bern", "Oslo", "Bonn", "Rome")
        assert values(10, rows[1].head.recorded_at) == marks("Oslo", "Rome")
        assert values(10, now - 1, 2) == marks("Bern", "Oslo")
        assert bench.read(lambda r: [r.count_waiting(line, 10, now - 1, most) for most in (2, 9)]) == [2, 4]

    def test_what_expired_is_not_listed_beside(self, bench: Bench) -> None:
        far = bench.scribe.at + 10**9
        row = bench.say("a::b", "x", standing="held", beside_until=FOREVER, expires_at=far)
        value, source, here = row.head.value, row.head.source, row.head.start
        assert bench.read(lambda r: len(r.beside(row.line, value, source, far - 1))) == 1
        assert bench.read(lambda r: r.beside(row.line, value, source, far)) == []
        assert bench.read(lambda r: len(r.waiting(row.line, here, far - 1, 9))) == 1
        assert bench.read(lambda r: r.waiting(row.line, here, far, 9)) == []

    def test_echoes_are_found_by_source_and_counted_by_independent_support(self, bench: Bench) -> None:
        bench.say("a::b", "x", rank=3, standing="held", beside_until=FOREVER, source=mark("three"))
        waits: dict[str, Any] = {"standing": "echo", "beside_until": FOREVER}
        said = [bench.say("a::b", "x", rank=3, source=mark(n), **waits) for n in ("one", "two")]
        line, value, now = said[0].line, mark("value", "x"), said[1].head.recorded_at
        assert bench.read(lambda r: [r.echo(line, value, mark(n)) for n in ("one", "two", "three")]) == [
            said[0].head.id, said[1].head.id, None,
        ]  # fmt: skip
        assert bench.read(lambda r: r.echo_sources(line, 3, now, 9)) == 2
        assert bench.read(lambda r: r.echo_sources(line, 3, now, 1)) == 1
        assert bench.read(lambda r: r.echo_sources(line, 3, now - 1, 9)) == 1
        assert bench.read(lambda r: r.echo_sources(line, 4, now, 9)) == 0

    def test_a_burst_counts_look_alike_notes_of_one_author_since_an_instant(self, bench: Bench) -> None:
        ann, bob = mark("author", "ann"), mark("author", "bob")
        rows = [bench.say(f"note {i}", "spam", note=True, writer=ann) for i in range(3)]
        look = rows[0].lookalike
        assert bench.read(lambda r: r.burst(ann, look, NEVER)) == 3
        assert bench.read(lambda r: r.burst(ann, look, rows[1].head.recorded_at)) == 2
        assert bench.read(lambda r: r.burst(bob, look, NEVER)) == 0


class TestLog:
    """Entries and the tree over them."""

    def test_entries_come_back_in_order_and_by_id(self, bench: Bench) -> None:
        line = bench.write(lambda tx: bench.scribe.line(tx))
        made = [
            bench.write(
                partial(
                    bench.scribe.entry,
                    line=line,
                    type="end",
                    decision=True,
                    undoes=(uuid(i), uuid(i + 1)),
                    step_until=i,
                    rank=-1,
                )
            )
            for i in range(4)
        ]
        assert bench.read(lambda r: list(r.log(made[0].idx))) == made
        assert bench.read(lambda r: r.entry(made[2].id)) == made[2]
        assert bench.read(lambda r: r.entry_at(made[2].idx)) == made[2]
        assert bench.read(lambda r: r.decisions(line.id)) == made
        assert bench.read(lambda r: (r.entry_at(99), r.entry_at(-1), r.entry("none"))) == (None, None, None)

    def test_the_head_of_the_log_moves_with_it(self, bench: Bench) -> None:
        entry = bench.write(lambda tx: bench.scribe.entry(tx))
        ns = bench.read(lambda r: r.ns)
        assert (ns.size, ns.last_at) == (entry.idx + 1, entry.at)

    def test_an_entry_out_of_turn_is_refused_and_leaves_nothing(self, bench: Bench) -> None:
        def work(tx: Writer) -> None:
            entry = bench.scribe.entry(tx)
            tx.append(replace(entry, id=uuid(77), idx=entry.idx + 5), [], b"")

        with _raises(StoreError):
            bench.write(work)
        assert bench.read(lambda r: r.ns.size) == 1

    def test_an_id_is_used_once(self, bench: Bench) -> None:
        entry = bench.write(lambda tx: bench.scribe.entry(tx))
        with _raises(StoreError):
            bench.write(lambda tx: bench.scribe.entry(tx, id=entry.id))

    def test_every_proof_can_be_made_from_the_stored_nodes(self, bench: Bench) -> None:
        for _ in range(5):
            bench.write(lambda tx: [bench.scribe.entry(tx) for _ in range(5)])

        def check(r: Reader) -> None:
            frontier = Frontier()
            for entry in r.log():
                frontier.append(leaf_hash(entry.leaf))
                assert r.node(0, entry.idx) == leaf_hash(entry.leaf)
                assert r.leaf(entry.idx) == entry.leaf
                assert root_at(r, entry.idx + 1) == frontier.root()
            assert frontier.to_bytes() == r.ns.frontier
            assert len(inclusion_proof(r, 3, r.ns.size)) == 5
            for level, index in ((1, 13), (5, 0), (0, 26), (2, 6)):
                with _raises(LookupError):
                    r.node(level, index)

        bench.read(check)

    def test_effects_are_kept_in_their_order_and_seen_from_every_line_they_touch(self, bench: Bench) -> None:
        one = bench.say("a::b", "x")
        two = bench.say("c::d", "y")

        def withdraw(tx: Writer) -> tuple[EntryRow, Effect, Effect]:
            line = tx.line_by_id(one.line)
            entry = bench.scribe.entry(tx, line, type="retract", decision=True, step_until=FOREVER)
            mine = Effect(one.head.id, False, one.head.start, FOREVER, Cause.RETRACT)
            theirs = Effect(two.head.id, False, two.head.start, FOREVER, Cause.WITHDRAW)
            tx.apply(one.line, entry, [mine])
            tx.apply(two.line, entry, [theirs], 1)
            return entry, mine, theirs

        entry, mine, theirs = bench.write(withdraw)
        assert bench.read(lambda r: r.effects_of(entry)) == (mine, theirs)
        assert [e.id for e in bench.read(lambda r: r.line_log(one.line))] == [one.head.id, entry.id]
        log = bench.read(lambda r: r.line_log(two.line))
        assert [(e.id, e.effects) for e in log][1:] == [(entry.id, (theirs,))]
        assert log[1].step_until == FOREVER
        assert bench.read(lambda r: list(r.effects_by_line(two.line)))[1:] == [(entry.id, theirs)]

    def test_the_log_of_a_line_has_decisions_without_effects_and_no_repeats(self, bench: Bench) -> None:
        row = bench.say("a::b", "x")
        line = bench.read(lambda r: r.line_by_id(row.line))
        decided = bench.write(lambda tx: bench.scribe.decide(tx, line, (), "redo"))
        bench.write(lambda tx: bench.scribe.entry(tx, line, type="reinforce"))
        assert [e.id for e in bench.read(lambda r: r.line_log(row.line))] == [row.head.id, decided.id]

    def test_the_reason_of_a_decision_is_kept_beside_it(self, bench: Bench) -> None:
        row = bench.say("a::b", "x")
        line = bench.read(lambda r: r.line_by_id(row.line))

        def work(tx: Writer) -> EntryRow:
            entry = bench.scribe.decide(tx, line, ())
            tx.add_reason(entry, "because", b"s" * 32)
            return entry

        entry = bench.write(work)
        assert bench.read(lambda r: r.reason(entry.id)) == ("because", b"s" * 32)
        assert bench.read(lambda r: r.reason(row.head.id)) is None


class TestItems:
    """Review items, policies and requests."""

    def test_an_item_is_opened_joined_closed_and_opened_again(self, bench: Bench) -> None:
        row = bench.say("a::b", "x", standing="held", beside_until=FOREVER)
        item = bench.write(lambda tx: bench.scribe.item(tx, row))
        assert bench.read(lambda r: (r.item(item.id), r.open_items(row.line))) == (item, (item,))
        bench.write(lambda tx: tx.join_item(item.id))
        bench.write(lambda tx: tx.close_item(item.id, 9, "ann", "accept"))
        bench.write(lambda tx: tx.close_item(item.id, 10, "bob", "reject"))
        closed = replace(item, count=2, closed_at=9, closed_by="ann", closed_as="accept")
        assert bench.read(lambda r: (r.item(item.id), r.open_items(row.line))) == (closed, ())
        assert bench.read(lambda r: r.counts()["open_items"]) == 0
        bench.write(lambda tx: tx.reopen_item(item.id, 11))
        assert bench.read(lambda r: r.open_items(row.line)) == (replace(item, count=2, shut=((9, 11),)),)
        assert bench.read(lambda r: (r.counts()["open_items"], r.counts()["items"])) == (1, 1)

    def test_a_lease_is_kept_replaced_and_given_back(self, bench: Bench) -> None:
        row = bench.say("a::b", "x")
        item = bench.write(lambda tx: bench.scribe.item(tx, row))
        assert bench.read(lambda r: r.lease(item.id)) is None
        for ticket, until in (("one", 5), ("two", 9)):
            bench.write(lambda tx, ticket=ticket, until=until: tx.set_lease(item.id, ticket, until))  # type: ignore[misc]
            assert bench.read(lambda r: r.lease(item.id)) == (ticket, until)
        bench.write(lambda tx: tx.set_lease(item.id, None, 0))
        assert bench.read(lambda r: (r.lease(item.id), r.lease(uuid(999)))) == (None, None)
        bench.write(lambda tx: tx.set_lease(uuid(999), "three", 1))
        assert bench.read(lambda r: r.lease(uuid(999))) is None

    def test_values_under_review_are_told_for_each_time(self, bench: Bench) -> None:
        row = bench.say("a::b", "x")
        item = bench.write(lambda tx: bench.scribe.item(tx, row, "under_review"))
        value, opened = row.head.value, item.opened_at
        assert bench.read(lambda r: [r.under_review(row.line, value, opened + n) for n in (-1, 0, 9)]) == [
            False,
            True,
            True,
        ]
        assert not bench.read(lambda r: r.under_review(row.line, mark("value", "other"), opened))
        bench.write(lambda tx: tx.close_item(item.id, opened + 5, "ann", "keep"))
        assert bench.read(lambda r: [r.under_review(row.line, value, opened + n) for n in (4, 5)]) == [True, False]

    def test_what_is_no_item_is_an_error(self, bench: Bench) -> None:
        acts: tuple[Callable[[Writer], None], ...] = (
            lambda tx: tx.join_item(uuid(999)),
            lambda tx: tx.close_item(uuid(999), 1, "", ""),
            lambda tx: tx.reopen_item(uuid(999), 1),
        )
        for act in acts:
            with _raises(NotFoundError):
                bench.write(act)
        assert bench.read(lambda r: r.item(uuid(999))) is None

    def test_the_inbox_is_paged_and_filtered(self, bench: Bench) -> None:
        rows = [bench.say(f"k{i}::v", "x") for i in range(4)]
        kinds = ("held", "echo", "held", "held")
        items = [
            bench.write(partial(bench.scribe.item, claim=row, kind=kind)) for row, kind in zip(rows, kinds, strict=True)
        ]
        bench.write(lambda tx: tx.close_item(items[3].id, 9, "ann", "moot"))

        def ids(**given: Any) -> list[str]:
            everything: dict[str, Any] = {"kind": None, "line": None, "after": None, "limit": 10} | given
            return [i.id for i in bench.read(lambda r: r.items(**everything))]

        assert ids() == [items[0].id, items[1].id, items[2].id]
        assert ids(kind="held") == [items[0].id, items[2].id]
        assert ids(line=rows[1].line) == [items[1].id]
        assert ids(after=items[0].id, limit=1) == [items[1].id]
        assert ids(closed=True, kind="held") == [items[0].id, items[2].id, items[3].id]

    def test_open_items_are_counted_by_author(self, bench: Bench) -> None:
        row = bench.say("a::b", "x")
        bench.write(lambda tx: [bench.scribe.item(tx, row, kind, "bob") for kind in ("held", "echo")])
        assert bench.read(lambda r: r.open_items_of(mark("author", "bob"))) == 2
        assert bench.read(lambda r: r.open_items_of(mark("author", "ann"))) == 0

    def test_a_held_note_of_the_scope_that_looks_alike_is_found(self, bench: Bench) -> None:
        waits: dict[str, Any] = {"standing": "held", "beside_until": FOREVER}
        note = bench.say("buy zebras now", "spam", note=True, **waits)
        keyed = bench.say("a::b", "ham", **waits)
        items = [bench.write(partial(bench.scribe.item, claim=claim)) for claim in (note, keyed)]

        def look(claim: ClaimRow, scope: str = NOWHERE) -> str | None:
            found = bench.read(lambda r: r.lookalike_note(mark("scope", scope), claim.lookalike))
            return None if found is None else found.id

        assert (look(note), look(note, '["bob"]'), look(keyed)) == (items[0].id, None, None)
        bench.write(lambda tx: tx.close_item(items[0].id, 9, "ann", "reject"))
        assert look(note) is None

    def test_policies_come_back_in_order_and_raise_the_version(self, bench: Bench) -> None:
        def work(tx: Writer) -> PolicyRow:
            entry = bench.scribe.entry(tx, type="policy")
            policy = PolicyRow(entry.id, "ann::*", '{"critical":true}', entry.at, "so", b"s" * 32)
            tx.add_policy(policy)
            return policy

        made = [bench.write(work), bench.write(work)]
        assert bench.read(lambda r: (r.policies(), r.ns.policy_version)) == (made, 2)

    def test_a_request_is_remembered_once_under_its_key(self, bench: Bench) -> None:
        entry = bench.write(lambda tx: bench.scribe.entry(tx))
        key, body = mark("key"), mark("body")
        bench.write(lambda tx: tx.remember_request(key, body, '{"a":1}', entry.idx))
        assert bench.read(lambda r: r.recalled(key)) == (body, '{"a":1}')
        assert bench.read(lambda r: r.recalled(mark("other"))) is None
        with _raises(StoreError):
            bench.write(lambda tx: tx.remember_request(key, mark("else"), "{}", entry.idx))
        bench.write(lambda tx: tx.remember_request(mark("k2"), body, "{}", -1))
        assert bench.read(lambda r: r.recalled(mark("k2"))) == (body, "{}")

    def test_the_counters_count(self, bench: Bench) -> None:
        bench.say("a::b", "x")
        bench.say("a::b", "y")
        bench.say("a note of some length", "z", note=True)
        counts = bench.read(lambda r: dict(r.counts()))
        assert counts == {
            "entries": 4, "claims": 3, "lines": 1, "notes": 1, "items": 0, "open_items": 0, "erased": 0
        }  # fmt: skip


class _raises(contextlib.AbstractContextManager[None]):
    """What ``pytest.raises`` does, so that the suite itself needs no pytest to be imported."""

    def __init__(self, kind: type[BaseException]) -> None:
        self._kind = kind

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        assert kind is not None, f"{self._kind.__name__} was expected, and nothing was raised"
        if isinstance(error, MunimentError):
            assert error.message
        return issubclass(kind, self._kind)


raises = _raises
