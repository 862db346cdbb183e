"""Vectors: kept beside the claims, counted, gone with them, and never of two models at once."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from muniment.store.conformance.bench import Bench
from muniment.store.conformance.erasure import erase
from muniment.store.conformance.scribe import NOWHERE, found, mark
from muniment.store.records import Amendment, ClaimRow, SearchTerms
from muniment.store.vectors import NewVector, Space, StoredVector

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Writer


def part_of(r: Reader, scope: str = NOWHERE) -> int:
    """Return the partition of a scope."""
    part = r.part(mark("scope", scope))
    assert part is not None
    return part


def begin(bench: Bench, model: str = "m", dimension: int = 4) -> Space:
    """Begin a space."""
    return bench.write(lambda tx: tx.begin_space(model, dimension, bytes(dimension)))


def put(bench: Bench, *rows: ClaimRow, upto: int | None = None, scope: str = NOWHERE) -> int:
    """Store a vector for each claim: four times the low byte of its index."""

    def work(tx: Writer) -> int:
        space = tx.space()
        assert space is not None
        part = part_of(tx, scope)
        new = [NewVector(row.idx, part, 0.5, bytes([row.idx % 100] * space.dimension)) for row in rows]
        return tx.put_vectors(space, new, max((row.idx + 1 for row in rows), default=0) if upto is None else upto)

    return bench.write(work)


def held(bench: Bench, scope: str = NOWHERE, after: int = 0) -> list[StoredVector]:
    """Return the vectors of a scope."""

    def work(r: Reader) -> list[StoredVector]:
        space = r.space()
        return [] if space is None else r.vectors(space, part_of(r, scope), after, 100)

    return bench.read(work)


def space_of(bench: Bench) -> Space:
    """Return the space as it is."""
    space = bench.read(lambda r: r.space())
    assert space is not None
    return space


def reword(bench: Bench, row: ClaimRow) -> None:
    """Correct the wording of a claim."""

    def work(tx: Writer) -> None:
        entry = bench.scribe.entry(tx, type="amend", decision=True)
        tx.amend(Amendment(entry.id, row.head.id, entry.at, "x", None, None, b"s" * 32), SearchTerms("", "x", ""))

    bench.write(work)


class TestVectors:
    """What claims mean."""

    def test_a_namespace_that_no_model_was_asked_about_has_no_space(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        assert bench.read(lambda r: r.space()) is None
        reword(bench, row)
        erase(bench, row)
        bench.write(lambda tx: tx.retry_vectors())
        assert bench.read(lambda r: (r.space(), r.vector_gaps(9))) == (None, [])

    def test_vectors_come_back_as_stored_in_the_order_in_which_they_were(self, bench: Bench) -> None:
        one, two, three = (bench.say(f"k{n}::v", "x") for n in range(3))
        begin(bench)
        assert put(bench, two, three) == 2
        assert put(bench, one) == 1
        assert [(v.number, v.idx) for v in held(bench)] == [(1, two.idx), (2, three.idx), (3, one.idx)]
        assert held(bench, after=2) == [StoredVector(3, one.idx, 0.5, bytes([one.idx] * 4))]
        space = space_of(bench)
        some = bench.read(lambda r: r.vectors_of(space, [one.idx, 9999]))
        assert some == {one.idx: (0.5, bytes([one.idx] * 4))}
        assert (space.held, space.last, space.removals, space.upto) == (3, 3, 0, three.idx + 1)

    def test_a_claim_keeps_the_vector_it_has(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        begin(bench)
        assert (put(bench, row), put(bench, row)) == (1, 0)
        assert (space_of(bench).held, space_of(bench).last) == (1, 1)

    def test_partitions_and_namespaces_do_not_see_each_other(self, bench: Bench) -> None:
        mine = bench.say("a::b", "x", scope='["ann"]')
        theirs = bench.say("a::b", "x", scope='["bob"]')
        begin(bench)
        put(bench, mine, scope='["ann"]')
        put(bench, theirs, scope='["bob"]')
        assert [v.idx for v in held(bench, '["ann"]')] == [mine.idx]
        assert [v.idx for v in held(bench, '["bob"]')] == [theirs.idx]
        found(bench.store, "b")
        assert bench.read(lambda r: r.space(), "b") is None

    def test_a_new_model_begins_anew_and_the_old_vectors_count_no_more(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        old = begin(bench)
        put(bench, row)
        new = begin(bench, "other", 8)
        assert (new.generation, new.model, new.dimension, new.upto, new.held) == (old.generation + 1, "other", 8, 0, 0)
        assert held(bench) == []
        late = NewVector(row.idx, 1, 0.5, bytes(4))  # a model that was asked before is slow to answer
        assert bench.write(lambda tx: tx.put_vectors(old, [late], 99)) == 0
        assert space_of(bench).upto == 0
        assert put(bench, row) == 1
        assert [len(v.vector) for v in held(bench)] == [8]
        assert space_of(bench).last == 2  # no number comes twice

    def test_an_erased_claim_leaves_no_vector_and_is_counted(self, bench: Bench) -> None:
        gone, stays = bench.say("ann::city", "Berlin"), bench.say("ann::pet", "Rex")
        begin(bench)
        put(bench, gone, stays)
        erase(bench, gone)
        assert [v.idx for v in held(bench)] == [stays.idx]
        assert bench.read(lambda r: r.vector_numbers(part_of(r))) == [2]
        assert (space_of(bench).held, space_of(bench).removals) == (1, 1)
        assert bench.read(lambda r: r.vector_gaps(9)) == []

    def test_a_reworded_claim_waits_for_a_new_vector(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        begin(bench)
        put(bench, row)
        reword(bench, row)
        assert held(bench) == []
        assert bench.read(lambda r: r.vector_gaps(9)) == [row.idx]
        put(bench, row)
        assert bench.read(lambda r: r.vector_gaps(9)) == []
        assert (space_of(bench).held, space_of(bench).removals) == (1, 1)

    def test_what_a_model_made_nothing_of_is_asked_about_again_only_when_told_to(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        begin(bench)
        space = space_of(bench)
        bench.write(lambda tx: tx.put_vectors(space, [NewVector(row.idx, part_of(tx), 0.0, None)], row.idx + 1))
        assert bench.read(lambda r: (r.vector_gaps(9), r.vector_gaps(9, tried=True))) == ([], [row.idx])
        bench.write(lambda tx: tx.retry_vectors())
        assert bench.read(lambda r: (r.vector_gaps(9), r.vector_gaps(9, tried=True))) == ([row.idx], [])
        put(bench, row)
        assert space_of(bench).held == 1

    def test_a_retry_drops_what_counts_no_more_and_counts_anew(self, bench: Bench) -> None:
        rows = [bench.say(f"k{n}::v", "x") for n in range(3)]
        begin(bench)
        put(bench, *rows)
        begin(bench, "other", 8)
        put(bench, rows[0])
        bench.write(lambda tx: tx.retry_vectors())
        assert bench.read(lambda r: len(r.vector_numbers(part_of(r)))) == 1
        assert space_of(bench).held == 1

    def test_an_undone_write_leaves_no_vector(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        space = begin(bench)

        def work(tx: Writer) -> None:
            tx.put_vectors(space, [NewVector(row.idx, part_of(tx), 0.5, bytes(4))], row.idx + 1)
            raise KeyError

        with suppress(KeyError):
            bench.write(work)
        assert (held(bench), space_of(bench).last) == ([], 0)

    def test_vectors_survive_a_reopening(self, bench: Bench) -> None:
        if not bench.durable:
            return
        row = bench.say("ann::city", "Berlin")
        begin(bench)
        put(bench, row)
        before = (held(bench), space_of(bench))
        bench.reopen()
        assert (held(bench), space_of(bench)) == before
