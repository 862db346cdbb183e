"""Erasure: what was said is gone, what the log proved is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from muniment.beliefs.state import Cause, Effect
from muniment.claims.intervals import FOREVER, NEVER
from muniment.errors import NotFoundError
from muniment.ledger.tree import leaf_hash
from muniment.quick import replace
from muniment.store.conformance.bench import Bench
from muniment.store.conformance.rows import raises
from muniment.store.conformance.scribe import NOWHERE, mark
from muniment.store.conformance.searching import search, word
from muniment.store.records import Amendment, ClaimRow, EntryRow, SearchTerms

if TYPE_CHECKING:
    from muniment.store.protocol import Writer

T = TypeVar("T")


def erase(bench: Bench, *claims: ClaimRow) -> EntryRow:
    """Erase claims under an entry, as the verbs do."""

    def work(tx: Writer) -> EntryRow:
        entry = bench.scribe.entry(tx, type="erase", decision=True)
        tx.add_reason(entry, "on request", b"r" * 32)
        tx.erase_claims([claim.head.id for claim in claims], entry.at)
        return entry

    return bench.write(work)


class TestErasure:
    """Erasing claims."""

    def test_an_erased_claim_is_gone_at_every_time_and_its_entry_is_not(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        other = bench.say("ann::city", "Paris")
        before = bench.read(lambda r: (r.entry(row.head.id), r.ns.frontier))
        erase(bench, row)
        said = row.head.recorded_at
        assert bench.read(lambda r: (r.claim(row.head.id), r.claim_at(row.idx), r.was_erased(row.head.id))) == (
            None, None, True,
        )  # fmt: skip
        assert bench.read(lambda r: r.at(row.line, said, said)) == []
        assert bench.read(lambda r: (r.held_by(row.head.id, said), r.effects_of(_some(r.entry(row.head.id))))) == (
            (),
            (),
        )
        assert [x.claim for x in bench.read(lambda r: list(r.rectangles(row.line)))] == [other.head.id]
        assert bench.read(lambda r: (r.entry(row.head.id), r.node(0, row.idx))) == (before[0], _leaf(bench, row.idx))
        assert bench.read(lambda r: [c.head.id for c in r.claims_of(row.line)]) == [other.head.id]
        assert bench.read(lambda r: [e.head.id for e in r.holders(row.line, NEVER, FOREVER, said)]) == [other.head.id]
        assert bench.read(lambda r: dict(r.counts()))["erased"] == 1
        with raises(NotFoundError):
            bench.read(lambda r: r.salt(row.head.id))

    def test_what_an_erased_claim_took_from_others_stays_taken(self, bench: Bench) -> None:
        old = bench.say("ann::city", "Berlin", 0, 100)
        new = bench.say("ann::city", "Paris", 40, 100)
        erase(bench, new)
        assert bench.read(lambda r: r.held_by(old.head.id, FOREVER - 1)) == ((0, 40),)
        log = bench.read(lambda r: r.line_log(old.line))
        assert [(e.id, [x.claim for x in e.effects]) for e in log] == [
            (old.head.id, [old.head.id]),
            (new.head.id, [old.head.id]),
        ]
        guards = bench.read(lambda r: r.guards(old.line, old.head.value, NEVER, FOREVER))
        assert [(g.start, g.end, g.source) for g in guards] == [(40, 100, bytes(16))]  # the taker's source is forgotten

    def test_guards_of_a_value_go_with_its_last_claim(self, bench: Bench) -> None:
        one = bench.say("ann::city", "Berlin", 0, 100)
        two = bench.say("ann::city", "Berlin", 0, 100)
        bench.say("ann::city", "Paris", 40, 100)
        erase(bench, one)
        assert bench.read(lambda r: len(list(r.all_guards(one.line)))) > 0
        erase(bench, two)
        assert bench.read(lambda r: list(r.all_guards(one.line))) == []

    def test_a_line_keeps_its_key_until_its_last_claim_goes_and_can_be_said_again(self, bench: Bench) -> None:
        one = bench.say("ann::city", "Berlin")
        two = bench.say("ann::city", "Paris")
        erase(bench, one)
        line = bench.read(lambda r: r.line_by_id(one.line))
        assert (line.display, line.values, line.erased_at) == ("ann::city", 1, bench.scribe.at)
        erase(bench, two)
        line = bench.read(lambda r: _some(r.line(mark("line", NOWHERE, "ann::city"))))
        assert (line.id, line.subject, line.predicate, line.display, line.label, line.values) == (
            one.line, None, None, None, "", 0,
        )  # fmt: skip
        assert bench.read(lambda r: r.lookalike_lines(mark("look", NOWHERE, "ann::city"))) == []
        assert bench.read(lambda r: [text for _, text in r.scopes()]) == [NOWHERE], "it is nobody's"
        again = bench.say("ann::city", "Rome")
        line = bench.read(lambda r: r.line_by_id(again.line))
        assert (line.id, line.display, line.scope, line.values) == (one.line, "ann::city", NOWHERE, 1)
        assert bench.read(lambda r: [text for _, text in r.scopes()]) == [NOWHERE]

    def test_of_an_erased_note_nothing_can_be_found_by_its_text(self, bench: Bench) -> None:
        row = bench.say("a note about the weather", "note", note=True)
        erase(bench, row)
        assert bench.read(lambda r: r.line(mark("line", NOWHERE, "a note about the weather"))) is None
        again = bench.say("a note about the weather", "note", note=True)
        assert again.line != row.line

    def test_a_scope_goes_with_its_last_line(self, bench: Bench) -> None:
        one = bench.say("a::b", "x", scope='["ann"]')
        two = bench.say("c::d", "y", scope='["ann"]')
        three = bench.say("a::b", "z", scope='["bob"]')
        erase(bench, one)
        assert bench.read(lambda r: [text for _, text in r.scopes()]) == ['["ann"]', '["bob"]']
        erase(bench, two)
        assert bench.read(lambda r: [text for _, text in r.scopes()]) == ['["bob"]']
        assert bench.read(lambda r: r.part(mark("scope", '["ann"]'))) is None
        assert bench.read(lambda r: r.line_by_id(three.line).scope) == '["bob"]'

    def test_everything_beside_the_claim_goes_with_it(self, bench: Bench) -> None:
        parent = bench.say("p::q", "parent")
        row = bench.say("a::b", "x", parents=(parent.head.id,), depth=1)

        def more(tx: Writer) -> EntryRow:
            line = tx.line_by_id(row.line)
            entry = bench.scribe.entry(tx, line, type="amend", decision=True)
            tx.amend(
                Amendment(entry.id, row.head.id, entry.at, "X", None, None, b"s" * 32), SearchTerms("a b", "x", "")
            )
            tx.add_reason(entry, "a typo", b"s" * 32)
            tx.observe(row.head.id, entry.at, mark("support", "bob"), True)
            tx.remember_request(mark("key"), mark("body"), f'{{"claim_id":"{row.head.id}"}}', entry.idx)
            return entry

        entry = bench.write(more)
        erased = erase(bench, row)
        assert bench.read(lambda r: r.amendments(row.head.id, FOREVER)) == []
        assert bench.read(lambda r: r.support([row.idx], FOREVER).count) == 0
        assert bench.read(lambda r: r.children(parent.head.id)) == []
        assert bench.read(lambda r: r.recalled(mark("key"))) == (b"", "")
        assert bench.read(lambda r: (r.reason(entry.id), r.reason(erased.id))) == (None, ("on request", b"r" * 32))

    def test_children_of_an_erased_parent_are_still_found(self, bench: Bench) -> None:
        parent = bench.say("p::q", "parent")
        child = bench.say("a::b", "x", parents=(parent.head.id,), depth=1)
        erase(bench, parent)
        assert bench.read(lambda r: r.children(parent.head.id)) == [child.head.id]
        assert bench.read(lambda r: _some(r.claim(child.head.id)).parents) == (parent.head.id,)

    def test_requests_about_other_claims_of_the_line_are_kept(self, bench: Bench) -> None:
        one, two = bench.say("a::b", "x"), bench.say("a::b", "y")
        for row in (one, two):
            name = row.head.id
            bench.write(lambda tx: tx.remember_request(mark(name), mark("body"), f'["{name}"]', row.idx))  # noqa: B023
        erase(bench, one)
        assert bench.read(lambda r: (r.recalled(mark(one.head.id)), r.recalled(mark(two.head.id)))) == (
            (b"", ""),
            (mark("body"), f'["{two.head.id}"]'),
        )

    def test_an_item_passes_to_another_claim_of_its_value_or_is_closed(self, bench: Bench) -> None:
        waits: dict[str, Any] = {"standing": "held", "beside_until": FOREVER}
        one = bench.say("a::b", "x", take=False, **waits)
        two = bench.say("a::b", "x", take=False, **waits)
        item = bench.write(lambda tx: bench.scribe.item(tx, one))
        erase(bench, one)
        assert bench.read(lambda r: r.item(item.id)) == replace(item, claim=two.head.id)
        erase(bench, two)
        left = bench.read(lambda r: _some(r.item(item.id)))
        assert (left.value, left.lookalike, left.author, left.closed_as) == (bytes(16), bytes(16), bytes(16), "erased")
        assert bench.read(lambda r: (r.open_items(one.line), r.counts()["open_items"])) == ((), 0)

    def test_erasing_is_undone_with_its_transaction(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")

        def work(tx: Writer) -> None:
            tx.erase_claims([row.head.id], bench.scribe.at + 1)
            assert tx.claim(row.head.id) is None
            raise KeyError

        with raises(KeyError):
            bench.write(work)
        assert bench.read(lambda r: (r.claim(row.head.id), r.was_erased(row.head.id))) == (row, False)
        assert bench.read(lambda r: len(r.at(row.line, row.head.start, row.head.recorded_at))) == 1

    def test_erasing_twice_and_erasing_nothing_change_nothing(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        erase(bench, row)
        before = bench.read(lambda r: dict(r.counts()))
        bench.write(lambda tx: tx.erase_claims([row.head.id, "no id"], bench.scribe.at + 1))
        assert bench.read(lambda r: dict(r.counts())) == before
        assert bench.read(lambda r: [id for id, _ in r.erased()]) == [row.head.id]

    def test_an_erased_claim_is_not_found_by_search(self, bench: Bench) -> None:
        rows = [bench.say(f"k{n}::v", f"zebra {word(n)}") for n in range(3)]
        erase(bench, rows[1])
        assert _search(bench, "zebra") == [rows[2].idx, rows[0].idx]
        assert _search(bench, word(1)) == []

    def test_erasing_one_line_of_a_decision_leaves_the_others_effects(self, bench: Bench) -> None:
        one, two = bench.say("a::b", "x"), bench.say("c::d", "y")

        def withdraw(tx: Writer) -> EntryRow:
            entry = bench.scribe.entry(tx, tx.line_by_id(one.line), type="retract", decision=True)
            for n, row in enumerate((one, two)):
                tx.apply(row.line, entry, [Effect(row.head.id, False, NEVER, FOREVER, Cause.RETRACT)], n)
            return entry

        entry = bench.write(withdraw)
        erase(bench, one)
        assert [e.claim for e in bench.read(lambda r: r.effects_of(entry))] == [two.head.id]

    def test_purging_a_store_keeps_what_was_not_erased(self, bench: Bench) -> None:
        one, two = bench.say("a::b", "x"), bench.say("c::d", "y")
        erase(bench, one)
        assert bench.store.purge() == "clean"
        assert bench.read(lambda r: r.claim(two.head.id)) == two
        assert _search(bench, "y") == [two.idx]
        assert bench.store.integrity() == []
        bench.say("a::b", "z")


def _search(bench: Bench, query: str) -> list[int]:
    return bench.read(lambda r: search(r, query))


def _leaf(bench: Bench, idx: int) -> bytes:
    return bench.read(lambda r: leaf_hash(r.leaf(idx)))


def _some(found: T | None) -> T:
    assert found is not None
    return found
