"""What a search keeps of the index never shows: a handle that searched before finds what a fresh one finds."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from muniment import Memory
from muniment.lexical import candidates
from muniment.store.sqlite import kept, looking
from muniment.store.sqlite.kept import Kept
from muniment.store.sqlite.lexical import FLUSH

WORDS = [f"word{n}" for n in range(40)]
QUERIES = [
    "word1 word2",
    "word3",
    "word0 word5 word39",
    "what is word7 and word8 of word9",
    "word11::word12",
    "unheard word2",
]


def said(chance: random.Random, count: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for _ in range(count):
        words = [WORDS[min(int(chance.expovariate(0.15)), 39)] for _ in range(chance.randrange(3, 9))]
        row: dict[str, Any] = {"text": " ".join(words)}
        if chance.random() < 0.4:
            row |= {"key": f"{chance.choice(WORDS)}::{chance.choice(WORDS)}", "value": words[0]}
        rows.append(row)
    return rows


def found(memory: Memory, as_of: str | None = None) -> list[Any]:
    asked = [memory.recall(query, k=40, as_of=as_of) for query in QUERIES]
    return [([(hit.claim_id, hit.why["lexical"]) for hit in hits], hits.suppressed_retired) for hits in asked]


def fresh(path: Path, user: str | None, as_of: str | None = None) -> list[Any]:
    with Memory(path) as memory:
        return found(memory.scoped(user=user) if user else memory, as_of)


@pytest.mark.parametrize("seed", range(4))
def test_who_searched_before_finds_what_a_fresh_handle_finds(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (
        seed % 2
    ):  # as among a hundred times as many claims: lists are long, and read in part until they are asked for again
        monkeypatch.setattr(kept, "EACH", 20)
        monkeypatch.setattr(looking, "FEW", 10)
        monkeypatch.setattr(candidates, "CUT", 5)
        monkeypatch.setattr(looking, "CUT", 5)
    chance, path, then = random.Random(seed), tmp_path / "m.muniment", list[str]()
    with Memory(path) as reader, Memory(path) as writer:
        scoped = reader.scoped(user="ana")
        for _ in range(10):
            step = chance.choice(("say", "say", "say", "forget", "reword", "reindex"))
            told = writer.scoped(user="ana") if chance.random() < 0.4 else writer
            if step == "say":
                told.remember_many(said(chance, chance.choice((3, 40, FLUSH + 20))))
            hits = told.recall(chance.choice(WORDS), k=20)
            if step == "forget" and hits:
                told.forget(ids=[hit.claim_id for hit in hits[:6]])
            if step == "reword":
                for hit in [hit for hit in hits if hit.key][:6]:
                    told.correct_text(hit.claim_id, " ".join(chance.sample(WORDS, 4)), reason="misspelt")
            if step == "reindex":
                writer.reindex()
            then += [hit.recorded_at for hit in writer.recall("word1", k=1)]
            assert found(reader) == fresh(path, None)
            assert found(scoped) == fresh(path, "ana")
        for instant in then[::3]:
            assert found(reader, instant) == fresh(path, None, instant)
        assert reader.log.verify().ok


def test_who_searched_before_an_import_took_its_place_finds_what_is_there_now(tmp_path: Path) -> None:
    path, chance = tmp_path / "m.muniment", random.Random(5)
    with Memory(tmp_path / "from.muniment") as source, Memory(path) as writer:
        source.remember_many(said(chance, FLUSH - 10))
        source.transfer.export(tmp_path / "one")
        source.forget(ids=[hit.claim_id for hit in source.recall("word3", k=30)])
        source.remember_many(said(chance, FLUSH))
        source.transfer.export(tmp_path / "two")
        writer.transfer.import_(tmp_path / "one")
        with Memory(path) as reader:
            for _ in range(2):
                assert found(reader) == fresh(path, None)
                writer.transfer.import_(tmp_path / "two")


def swimmers(animal: str, where: str, every: int) -> list[dict[str, Any]]:
    return [{"text": f"{'otter' if n % every == 7 else animal} {n} rests at {where}{n}"} for n in range(FLUSH + 40)]


def test_a_scope_that_is_made_after_an_import_took_others_away_is_told_nothing_of_theirs(tmp_path: Path) -> None:
    path = tmp_path / "m.muniment"
    asked = ("otter", "otter lake7", "river0 otter")

    def read(memory: Memory) -> list[Any]:
        hits = [memory.scoped(user="zed").recall(query, k=40) for query in asked]
        return [[(hit.text, hit.why["lexical"]) for hit in each] for each in hits]

    with Memory(path) as writer, Memory(path) as reader:
        for user in ("ana", "bob"):
            writer.scoped(user=user).remember_many(swimmers("stone", "river", 10))
        assert len(reader.scoped(user="bob").recall("otter", k=40)) == 29
        writer.transfer.backup(tmp_path / "copy.muniment")
        with Memory(tmp_path / "copy.muniment") as copy:
            for user in ("ana", "bob"):
                ids = [hit.claim_id for hit in copy.scoped(user=user).recall("rests", k=400)]
                for first in range(0, len(ids), 200):
                    copy.scoped(user=user).forget(ids=ids[first : first + 200])
            copy.transfer.export(tmp_path / "archive")
        assert writer.transfer.import_(tmp_path / "archive").state == "extended"
        writer.scoped(user="zed").remember_many(swimmers("pebble", "lake", 60))
        with Memory(path) as other:
            assert read(reader) == read(other)


def test_what_a_search_reads_within_a_write_that_is_given_up_is_not_kept(tmp_path: Path) -> None:
    class GivenUpError(Exception):
        pass

    with Memory(":memory:") as memory:
        memory.remember_many(swimmers("stone", "river", 9))
        kept_before = dict(memory._context.store._directory.kept._lists)

        def watch(done: int, total: int) -> None:
            if done == total:
                memory.recall("otter", k=5)
                raise GivenUpError

        with pytest.raises(GivenUpError):
            memory.reindex(progress=watch)
        assert memory._context.store._directory.kept._lists == kept_before == {}
        memory.recall("otter", k=5)
        assert memory._context.store._directory.kept._lists, "the control: outside of a write, lists are kept"


def test_lists_that_are_read_in_part_and_lists_that_are_read_whole_find_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, chance = tmp_path / "m.muniment", random.Random(1)
    monkeypatch.setattr(looking, "WHOLE", 50)
    monkeypatch.setattr(looking, "FEW", 30)
    with Memory(path) as memory:
        memory.remember_many(said(chance, 900))
        in_part = found(memory)
        monkeypatch.setattr(looking, "WHOLE", 1_000_000)
        assert found(memory) == in_part


def test_a_search_that_comes_again_reads_no_list_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[str]()
    plain = looking.Look._read

    def watch(look: looking.Look, sql: str, *bindings: Any) -> Any:
        read.extend(map(str, bindings))
        return plain(look, sql, *bindings)

    monkeypatch.setattr(looking.Look, "_read", watch)
    with Memory(tmp_path / "m.muniment") as memory:
        memory.remember_many(said(random.Random(2), 2 * FLUSH))
        first = found(memory)
        assert any("word3" in binding for binding in read)
        read.clear()
        assert found(memory) == first
        assert not any("word3" in binding for binding in read)
        memory.remember("word3 once more")  # stays in the tail: the index is as it was
        assert len(memory.recall("word3", k=40)) == 40
        assert not any("word3" in binding for binding in read)


def test_a_long_list_is_read_whole_once_it_was_asked_for_often_enough() -> None:
    held, seen = Kept(), ((1, 0),)
    assert held.worth_reading(seen, "short", kept.EACH)
    assert [held.worth_reading(seen, "long", 3 * kept.EACH) for _ in range(4)] == [False, False, True, True]
    assert not held.worth_reading(((1, 1),), "long", 3 * kept.EACH)


def test_what_is_kept_stays_within_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    from muniment.lexical.ids import Ids

    monkeypatch.setattr(kept, "MOST", 2_000)
    held, seen = Kept(), ((1, 0),)
    for n in range(50):
        held.keep(seen, f"term{n}", 100, Ids(range(90)), Ids())
        held.tell(1, 0, f"term{n}", 100, 90)
    known = [n for n in range(50) if held.lists(seen, f"term{n}", 100)]
    assert 0 < len(known) <= 8 and known[-1] == 49
    monkeypatch.setattr(kept, "COUNTED", 10)
    for n in range(50):
        held.tell(1, 0, f"other{n}", 100, 90)
    assert sum(held.count(1, 0, f"other{n}", 100) is not None for n in range(50)) <= 11


def test_an_older_snapshot_and_other_partitions_are_told_nothing() -> None:
    from muniment.lexical.ids import Ids

    held = Kept()
    held.keep(((1, 0),), "term", 100, Ids([1, 99]), Ids())
    assert held.lists(((1, 0),), "term", 99) is None
    assert held.lists(((1, 1),), "term", 100) is None
    assert held.lists(((1, 0), (2, 0)), "term", 100) is None
    assert held.lists(((1, 0),), "term", 300) == (100, Ids([1, 99]), Ids())
    held.clear()
    assert held.lists(((1, 0),), "term", 100) is None
