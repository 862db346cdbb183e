"""Exact search over int8 rows: the order is that of the cosines, whatever is kept in memory and whoever wrote."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from muniment.models.units import packed, unit, unpacked
from muniment.recall import vectors as module
from muniment.recall.vectors import Matrices, Question, best_first
from muniment.store.conformance.bench import Bench
from muniment.store.conformance.erasure import erase
from muniment.store.conformance.scribe import NOWHERE, found, mark
from muniment.store.protocol import Writer
from muniment.store.records import ClaimRow
from muniment.store.sqlite.store import SqliteStore
from muniment.store.vectors import NewVector

DIMENSION = 24
HERE = (mark("scope", NOWHERE),)


class Shelf:
    """A store with claims and vectors of chance."""

    def __init__(self, path: Path) -> None:
        self.bench = Bench(lambda: SqliteStore(path), durable=True)
        self.rng = np.random.default_rng(7)
        self.vectors: dict[int, Any] = {}
        self.rows: list[ClaimRow] = []
        self.keys = count()
        self.probe = unit(self.rng.normal(size=DIMENSION))
        self.begin()

    def begin(self) -> None:
        self.bench.write(lambda tx: tx.begin_space("m", DIMENSION, packed(self.probe)[1]))

    def add(self, number: int, scope: str = NOWHERE) -> list[ClaimRow]:
        def work(tx: Writer) -> list[ClaimRow]:
            said = [self.bench.scribe.say(tx, f"k{next(self.keys)}::v", "x", scope=scope) for _ in range(number)]
            space, part = tx.space(), tx.part(mark("scope", scope))
            assert space is not None and part is not None
            new = []
            for row in said:
                scale, small = packed(unit(self.rng.normal(size=DIMENSION)))
                self.vectors[row.idx] = unpacked(scale, small)
                new.append(NewVector(row.idx, part, scale, small))
            tx.put_vectors(space, new, said[-1].idx + 1)
            return said

        said = self.bench.write(work)
        self.rows += said
        return said

    def erase(self, *rows: ClaimRow) -> None:
        erase(self.bench, *rows)
        for row in rows:
            del self.vectors[row.idx]
            self.rows.remove(row)

    def question(self, matrices: Matrices) -> Question:
        return Question(unit(self.rng.normal(size=DIMENSION)), matrices, "m", self.probe)

    def check(self, matrices: Matrices, store: SqliteStore | None = None) -> None:
        """Compare what is found with every cosine, computed anew."""
        question = self.question(matrices)
        read = (store or self.bench.store).read
        given = read("a", lambda r: [pair for batch in question.batches(r, HERE, 3) for pair in batch])
        expected = {idx: float(vector @ question.vector) for idx, vector in self.vectors.items()}
        assert [idx for _, idx in given] == sorted(expected, key=lambda i: (-round(expected[i], 6), -i)) or (
            np.abs(np.diff([expected[idx] for _, idx in given]).clip(min=0)).max() < 2e-6
        )
        assert {idx for _, idx in given} == set(expected)
        assert all(abs(cosine - expected[idx]) < 1e-5 for cosine, idx in given)


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    made = Shelf(tmp_path / "store.db")
    yield made
    made.bench.close()


def test_a_matrix_follows_what_is_stored_and_erased(shelf: Shelf) -> None:
    matrices = Matrices()
    for n in range(12):
        shelf.add(7 + n * 3)
        shelf.check(matrices)
        if n % 3 == 1:
            shelf.erase(*shelf.rows[:: 5 + n])
            shelf.check(matrices)
    shelf.begin()
    shelf.vectors.clear()
    shelf.add(9)
    shelf.check(matrices)


def test_it_is_read_in_pages_and_searched_in_blocks(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGE", 10)
    monkeypatch.setattr(module, "BLOCK", 7)
    for number in (10, 20, 1, 9, 33):
        shelf.add(number)
        shelf.check(Matrices())


@pytest.mark.parametrize("processors", [2, 3, 4, 64, None])
def test_processors_that_divide_a_search_find_what_one_finds(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, processors: int | None
) -> None:
    monkeypatch.setattr(module, "SHARE", 16)
    monkeypatch.setattr(module.os, "cpu_count", lambda: processors)
    threads = set[int]()
    products = module._products
    monkeypatch.setattr(module, "_products", lambda *given: (threads.add(threading.get_ident()), products(*given)))
    for number in (31, 1, 48):  # too few for two, as many as two have, a number that none divides
        shelf.add(number)
        shelf.check(Matrices())
    assert (threads == {threading.get_ident()}) == (processors is None), "the control: others took part"


def test_what_is_too_large_to_be_kept_is_searched_all_the_same(shelf: Shelf) -> None:
    shelf.add(50)
    matrices = Matrices(budget=10 * (DIMENSION + module.ROW))
    shelf.check(matrices)
    assert matrices.bytes == 0
    shelf.erase(*shelf.rows[::2])
    shelf.check(matrices)


def test_matrices_stay_within_their_budget_and_the_oldest_goes_first(shelf: Shelf) -> None:
    scopes = [f'["{n}"]' for n in range(6)]
    for scope in scopes:
        shelf.add(64, scope)
    matrices = Matrices(budget=3 * 80 * (DIMENSION + module.ROW))
    question = shelf.question(matrices)
    for scope in scopes * 2:
        found = shelf.bench.read(lambda r: question.nearest(r, [mark("scope", scope)], 99))  # noqa: B023
        assert len(found) == 64
        assert matrices.bytes <= 3 * 80 * (DIMENSION + module.ROW)
    assert len(matrices._known) in (2, 3)


def test_another_process_is_followed_too(shelf: Shelf) -> None:
    other = SqliteStore(shelf.bench.store.location)
    matrices = Matrices()
    for _ in range(4):
        shelf.add(11)
        shelf.erase(shelf.rows[3])
        shelf.check(matrices, other)
    other.close()


def test_equals_come_newest_first_over_all_batches() -> None:
    cosines = np.array([0.5, 0.9, 0.5, 0.9, 0.1, 0.5], np.float32)
    idxs = np.array([1, 2, 3, 4, 5, 6], np.int64)
    found = [idx for batch in best_first(cosines, idxs, 1) for _, idx in batch]
    assert found == [4, 2, 6, 3, 1, 5]


def test_batches_are_lazy_and_double() -> None:
    cosines = np.linspace(1, 0, 100, dtype=np.float32)
    sizes = [len(batch) for batch in best_first(cosines, np.arange(100), 10)]
    assert sizes == [10, 20, 40, 30]
    assert list(best_first(cosines[:0], np.arange(0), 10)) == []


def test_similarities_of_given_claims_are_those_of_the_search(shelf: Shelf) -> None:
    rows = shelf.add(20)
    question = shelf.question(Matrices())
    wanted = [row.idx for row in rows[::3]]
    near = {idx: cosine for cosine, idx in shelf.bench.read(lambda r: question.nearest(r, HERE, 99))}
    given = shelf.bench.read(lambda r: question.similar(r, [*wanted, 9999]))
    assert given.keys() == set(wanted)
    assert all(abs(near[idx] - given[idx]) < 1e-5 for idx in wanted)
    kept, cosines = shelf.bench.read(lambda r: question.alike(r, [*wanted, 9999, wanted[0]]))
    assert kept == wanted
    for i, a in enumerate(kept):
        for j, b in enumerate(kept):
            assert abs(cosines[i][j] - float(shelf.vectors[a] @ shelf.vectors[b])) < 1e-5


def test_a_question_without_a_vector_finds_nothing(shelf: Shelf) -> None:
    shelf.add(3)
    question = Question()
    assert not question
    assert shelf.bench.read(
        lambda r: (question.nearest(r, HERE, 9), question.similar(r, [3]), question.alike(r, [3]), question.degraded(r))
    ) == ([], {}, ([], []), ())


def test_a_row_that_was_damaged_is_passed_over(shelf: Shelf) -> None:
    rows = shelf.add(5)
    connection = shelf.bench.store._writer.connection  # type: ignore[attr-defined]
    connection.execute("UPDATE vectors SET vector = x'0102' WHERE id & 1099511627775 = ?", (rows[0].idx,))
    connection.execute("UPDATE vectors SET scale = -1 WHERE id & 1099511627775 = ?", (rows[1].idx,))
    del shelf.vectors[rows[0].idx], shelf.vectors[rows[1].idx]
    shelf.check(Matrices())


def test_threads_share_the_matrices_while_others_write(shelf: Shelf) -> None:
    shelf.add(200)
    matrices, errors, stop = Matrices(), [], threading.Event()

    def ask() -> None:
        question = shelf.question(matrices)
        while not stop.is_set():
            try:
                found = shelf.bench.read(lambda r: question.nearest(r, HERE, 5))
                assert [c for c, _ in found] == sorted((c for c, _ in found), reverse=True)
                assert len(found) == 5
            except BaseException as error:
                errors.append(error)
                return

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        shelf.add(20)
        shelf.erase(*shelf.rows[::37])
    stop.set()
    for thread in threads:
        thread.join()
    assert errors == []
    shelf.check(matrices)


def test_a_partition_that_passed_to_another_namespace_brings_nothing_along(shelf: Shelf) -> None:
    shelf.add(20)
    shelf.begin()  # so that its generation is ahead of the other's
    shelf.vectors.clear()
    shelf.add(5)
    matrices = Matrices()
    shelf.check(matrices)
    found(shelf.bench.store, "b")
    part = shelf.bench.read(lambda r: r.part(HERE[0]))
    assert part is not None

    def take(tx: Writer) -> None:
        space = tx.begin_space("m", DIMENSION, packed(shelf.probe)[1])
        tx.put_vectors(space, [NewVector(99, part, *packed(shelf.probe))], 100)

    connection = shelf.bench.store._writer.connection  # type: ignore[attr-defined]
    connection.execute("DELETE FROM vectors; UPDATE scopes SET ns = 2 WHERE id = ?", (part,))
    shelf.bench.write(take, "b")
    question = shelf.question(matrices)
    assert [idx for _, idx in shelf.bench.read(lambda r: question.nearest(r, HERE, 99), "b")] == [99]
