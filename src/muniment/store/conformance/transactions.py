"""Transactions: all or nothing, one after the other, and nobody's failure is another's."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from muniment.errors import ClosedError, ConflictError, NotFoundError
from muniment.store.conformance.bench import Bench
from muniment.store.conformance.rows import raises
from muniment.store.conformance.scribe import Scribe, found, mark
from muniment.store.records import EntryRow

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Writer


class Boom(Exception):
    """What the tests raise inside a write."""


class TestTransactions:
    """One write at a time."""

    def test_a_write_that_raises_leaves_nothing(self, bench: Bench) -> None:
        before = bench.read(lambda r: (r.ns, dict(r.counts())))

        def work(tx: Writer) -> None:
            row = bench.scribe.say(tx, "ann::city", "Berlin")
            bench.scribe.item(tx, row)
            tx.remember_request(mark("key"), mark("body"), "{}", row.idx)
            raise Boom

        with raises(Boom):
            bench.write(work)
        assert bench.read(lambda r: (r.ns, dict(r.counts()))) == before
        assert bench.read(lambda r: (r.lines(), list(r.claims()), r.recalled(mark("key")))) == ([], [], None)
        bench.say("ann::city", "Berlin")

    def test_a_write_sees_what_it_wrote_and_returns_what_it_returns(self, bench: Bench) -> None:
        def work(tx: Writer) -> int:
            row = bench.scribe.say(tx, "ann::city", "Berlin")
            assert tx.claim(row.head.id) == row
            assert [a.claim for a in tx.at(row.line, row.head.start, row.head.recorded_at)] == [row]
            return tx.ns.size

        assert bench.write(work) == 2

    def test_a_read_sees_one_state_while_others_write(self, bench: Bench) -> None:
        bench.say("ann::city", "Berlin")
        sizes: list[int] = []
        wrote = threading.Event()

        def writer() -> None:
            bench.say("ann::city", "Paris")
            wrote.set()

        thread = threading.Thread(target=writer)

        def work(r: Reader) -> None:
            sizes.append(len(list(r.claims())))
            thread.start()
            wrote.wait(0.3)  # in RAM a writer waits for the reader; either way the reader sees what it saw
            sizes.append(len(list(r.claims())))

        bench.read(work)
        thread.join()
        assert sizes == [1, 1]
        assert bench.read(lambda r: len(list(r.claims()))) == 2

    def test_many_threads_lose_no_write_and_the_log_has_no_gap(self, bench: Bench) -> None:
        scribes = [Scribe(seed=n + 1) for n in range(8)]

        def work(scribe: Scribe) -> None:
            for i in range(25):
                bench.write(lambda tx: scribe.say(tx, f"k{scribe.seed}::v", f"value {i}"))  # noqa: B023

        _in_threads([partial(work, scribe) for scribe in scribes])
        entries = bench.read(lambda r: list(r.log()))
        assert [e.idx for e in entries] == list(range(201))
        assert all(a.at < b.at for a, b in itertools.pairwise(entries))
        assert bench.read(lambda r: r.counts()["claims"]) == 200
        for scribe in scribes:
            line = bench.read(lambda r: r.line(mark("line", "[null,null,null,null]", f"k{scribe.seed}::v")))  # noqa: B023
            assert line is not None and line.values == 25

    def test_one_that_fails_in_a_crowd_fails_alone(self, bench: Bench) -> None:
        results: dict[int, object] = {}

        def work(n: int) -> None:
            scribe = Scribe(seed=n + 1)

            def say(tx: Writer) -> int:
                row = scribe.say(tx, f"k{n % 5}::v", f"value {n}")
                time.sleep(0.001)  # let a crowd gather
                if n % 3 == 0:
                    raise Boom(n)
                return row.idx

            try:
                results[n] = bench.write(say)
            except Boom as error:
                results[n] = error.args[0]

        _in_threads([partial(work, n) for n in range(24)])
        assert [results[n] for n in range(0, 24, 3)] == list(range(0, 24, 3))
        stored = {c.text: c.idx for c in bench.read(lambda r: list(r.claims()))}
        assert stored == {f"value {n}": results[n] for n in range(24) if n % 3}
        assert bench.read(lambda r: r.counts()["lines"]) == len(
            {c.line for c in bench.read(lambda r: list(r.claims()))}
        )

    def test_a_write_inside_a_write_or_a_read_is_an_error_and_no_deadlock(self, bench: Bench) -> None:
        with raises(ConflictError):
            bench.write(lambda tx: bench.say("a::b", "x"))
        with raises(ConflictError):
            bench.read(lambda r: bench.say("a::b", "x"))
        bench.say("a::b", "x")

    def test_reading_beside_a_write_and_within_a_read_works(self, bench: Bench) -> None:
        assert bench.write(lambda tx: bench.read(lambda r: r.ns.name)) == "a"
        assert bench.read(lambda r: bench.read(lambda inner: inner.ns.name)) == "a"

    def test_what_escapes_from_a_transaction_is_dead(self, bench: Bench) -> None:
        bench.say("a::b", "x")
        escaped = bench.read(lambda r: r)
        stream = bench.read(lambda r: r.claims())
        half = bench.read(lambda r: _begun(r.log()))
        for act in (lambda: escaped.claim_at(1), lambda: list(stream), lambda: list(half)):
            with raises(Exception):
                act()
        bench.say("a::b", "y")

    def test_a_closed_store_says_so(self, bench: Bench) -> None:
        bench.store.close()
        bench.store.close()
        acts: tuple[Callable[[], object], ...] = (
            lambda: bench.read(lambda r: r.ns),
            lambda: bench.say("a::b", "x"),
            lambda: bench.store.namespaces(),
            lambda: bench.store.purge(),
            lambda: bench.store.changes(),
        )
        for act in acts:
            with raises(ClosedError):
                act()

    def test_closing_while_others_call_ends_in_results_or_in_closed_errors(self, bench: Bench) -> None:
        outcomes: list[str] = []

        def work(n: int) -> None:
            scribe = Scribe(seed=n + 1)
            try:
                while True:
                    bench.write(lambda tx: scribe.say(tx, f"k{n}::v", "x"))
                    bench.read(lambda r: list(r.claims()))
            except ClosedError:
                outcomes.append("closed")

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(0.1)
        bench.store.close()
        for thread in threads:
            thread.join(10)
        assert outcomes == ["closed"] * 4

    def test_what_was_written_is_there_when_the_store_is_opened_again(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin")
        before = bench.read(lambda r: (r.ns, r.line_by_id(row.line), list(r.log()), list(r.claims())))
        if bench.durable:
            bench.reopen()
        assert bench.read(lambda r: (r.ns, r.line_by_id(row.line), list(r.log()), list(r.claims()))) == before

    def test_a_commit_shows_in_the_count_of_changes_and_a_read_does_not(self, bench: Bench) -> None:
        before = bench.store.changes()
        bench.read(lambda r: list(r.log()))
        assert bench.store.changes() == before
        bench.say("a::b", "x")
        assert bench.store.changes() != before

    def test_a_sound_store_has_nothing_to_report(self, bench: Bench) -> None:
        bench.say("a::b", "x")
        assert bench.store.integrity() == []
        assert bench.store.stats()["bytes"] > 0


class TestNamespaces:
    """Nothing crosses from one namespace to another."""

    def test_a_namespace_is_made_once_and_keeps_its_pepper(self, bench: Bench) -> None:
        assert bench.store.pepper("a") == b"p" * 32
        assert bench.store.pepper("b") is None
        assert bench.store.create("a", b"q" * 32, _never) == b"p" * 32
        found(bench.store, "b", b"q" * 32)
        assert bench.store.namespaces() == ["a", "b"]
        assert bench.store.pepper("b") == b"q" * 32

    def test_a_genesis_that_fails_leaves_no_namespace(self, bench: Bench) -> None:
        with raises(Boom):
            bench.store.create("b", b"q" * 32, _boom)
        assert bench.store.namespaces() == ["a"]

    def test_threads_that_make_the_same_namespace_get_the_same_pepper(self, bench: Bench) -> None:
        peppers: list[bytes] = []

        def make(n: int) -> None:
            scribe = Scribe(seed=n + 1)
            peppers.append(bench.store.create("b", bytes([n]) * 32, lambda tx: _genesis(scribe, tx)))

        _in_threads([partial(make, n) for n in range(6)])
        assert len(set(peppers)) == 1
        assert bench.read(lambda r: r.ns.size, "b") == 1

    def test_what_is_not_there_cannot_be_read_or_written(self, bench: Bench) -> None:
        with raises(NotFoundError):
            bench.read(lambda r: r.ns, "b")
        with raises(NotFoundError):
            bench.write(lambda tx: tx.ns, "b")

    def test_nothing_of_one_is_seen_from_another(self, bench: Bench) -> None:
        row = bench.say("ann::city", "Berlin", parents=(), writer=mark("author"), standing="held", beside_until=9**18)
        item = bench.write(lambda tx: bench.scribe.item(tx, row))
        bench.write(lambda tx: tx.remember_request(mark("key"), mark("body"), "{}", row.idx))
        found(bench.store, "b")

        def see(r: Reader) -> None:
            assert r.line(mark("line", "[null,null,null,null]", "ann::city")) is None
            assert r.lookalike_lines(mark("look", "[null,null,null,null]", "ann::city")) == []
            assert (r.lines(), r.scopes(), r.claim(row.head.id), r.entry(row.head.id)) == ([], [], None, None)
            assert (r.claim_at(row.idx), r.entry_at(row.idx), r.scan(-1, 9)) == (None, None, [])
            assert (r.item(item.id), r.recalled(mark("key")), r.burst(mark("author"), row.lookalike, 0)) == (
                None,
                None,
                0,
            )
            assert r.items(kind=None, line=None, after=None, limit=9) == []
            assert r.open_items_of(item.author) == 0
            assert (list(r.claims()), len(list(r.log())), r.children(row.head.id)) == ([], 1, [])
            assert (r.held_by(row.head.id, 9**18), r.was_erased(row.head.id)) == ((), False)
            with raises(NotFoundError):
                r.line_by_id(row.line)
            with raises(LookupError):
                r.node(0, row.idx)

        bench.read(see, "b")
        for act in (
            lambda tx: tx.mark(row.head.id, ranks=((1, 0),)),
            lambda tx: tx.observe(row.head.id, 1, None, True),
            lambda tx: tx.close_item(item.id, 1, "", ""),
        ):
            with raises(NotFoundError):
                bench.write(act, "b")

    def test_each_has_a_log_of_its_own(self, bench: Bench) -> None:
        other = found(bench.store, "b")
        other.seed = 7
        for n in range(3):
            bench.say("a::b", f"value {n}")
            bench.write(lambda tx: other.say(tx, "a::b", f"other {n}"), "b")  # noqa: B023
        for name, word in (("a", "value"), ("b", "other")):
            entries = bench.read(lambda r: list(r.log()), name)
            assert [e.idx for e in entries] == [0, 1, 2, 3]
            assert [c.text for c in bench.read(lambda r: list(r.claims()), name)] == [f"{word} {n}" for n in range(3)]


def _genesis(scribe: Scribe, tx: Writer) -> None:
    scribe.entry(tx, type="genesis")


def _never(tx: Writer) -> None:
    raise AssertionError("the namespace exists, so nothing is to be written")


def _boom(tx: Writer) -> None:
    raise Boom


def _begun(stream: Iterator[EntryRow]) -> Iterator[EntryRow]:
    next(stream)
    return stream


def _in_threads(jobs: list[Callable[[], None]]) -> None:
    failed: list[BaseException] = []

    def run(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if failed:
        raise failed[0]
