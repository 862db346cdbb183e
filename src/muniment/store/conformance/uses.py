"""Uses: kept beside the claims, counted, gone with them, and of no other namespace."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from muniment.store.conformance.bench import Bench
from muniment.store.conformance.erasure import erase
from muniment.store.conformance.scribe import found
from muniment.store.uses import Use

if TYPE_CHECKING:
    from muniment.store.protocol import Writer


def put(bench: Bench, idx: int, strength: int, at: int = 5) -> None:
    """Store a use."""
    bench.write(lambda tx: tx.put_use(idx, Use(strength, at)))


def held(bench: Bench, *idxs: int) -> tuple[dict[int, Use], int]:
    """Return the uses of claims, and how many the namespace counts."""
    return bench.read(lambda r: (r.uses(idxs), r.ns.used))


class TestUses:
    """What was of use."""

    def test_what_was_never_used_has_no_use(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        assert held(bench, row.idx, 9999) == ({}, 0)

    def test_the_last_use_stands_and_each_claim_counts_once(self, bench: Bench) -> None:
        one, two = bench.say("ann::city", "Berlin"), bench.say("ann::pet", "Rex")
        put(bench, one.idx, 250_000)
        put(bench, one.idx, 500_000, at=7)
        put(bench, two.idx, 1)
        assert held(bench, one.idx, two.idx) == ({one.idx: Use(500_000, 7), two.idx: Use(1, 5)}, 2)

    def test_a_use_does_not_move_the_log(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        before = bench.read(lambda r: (r.ns.size, r.ns.last_at, r.ns.frontier))
        put(bench, row.idx, 1)
        assert bench.read(lambda r: (r.ns.size, r.ns.last_at, r.ns.frontier)) == before

    def test_an_erased_claim_leaves_no_use_and_takes_none(self, bench: Bench) -> None:
        gone, stays = bench.say("ann::city", "Berlin"), bench.say("ann::pet", "Rex")
        put(bench, gone.idx, 1)
        put(bench, stays.idx, 2)
        erase(bench, gone)
        put(bench, gone.idx, 3)  # whoever found it before it went is slow to say so
        assert held(bench, gone.idx, stays.idx) == ({stays.idx: Use(2, 5)}, 1)
        assert bench.read(lambda r: r.stray_uses(9)) == []

    def test_namespaces_do_not_see_each_other(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        put(bench, row.idx, 1)
        found(bench.store, "b")
        assert bench.read(lambda r: (r.uses([row.idx]), r.ns.used), "b") == ({}, 0)

    def test_an_undone_write_leaves_no_use(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")

        def work(tx: Writer) -> None:
            tx.put_use(row.idx, Use(1, 5))
            raise KeyError

        with suppress(KeyError):
            bench.write(work)
        assert held(bench, row.idx) == ({}, 0)

    def test_uses_survive_a_reopening(self, bench: Bench) -> None:
        if not bench.durable:
            return
        row = bench.say("ann::city", "Berlin")
        put(bench, row.idx, 1)
        bench.reopen()
        assert held(bench, row.idx) == ({row.idx: Use(1, 5)}, 1)
