"""What claims mean: made after the commit, kept beside the claims, never in the way of either a write or a recall."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from embedders import Speller
from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from muniment.models.asking import PROBE
from muniment.recall.vectors import BEHIND, CHANGED
from muniment.verbs.finding import meaning

WAIT = 60.0
"""Seconds after which a test gives up waiting. Nothing is measured by it."""


def until(true: Callable[[], bool]) -> None:
    """Wait until something is true."""
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.005)


class Held(threading.Event):
    """Keeps an embedder waiting until it is set; knows whether anybody is inside, or came back."""

    inside = back = False

    def __call__(self, _texts: list[str]) -> None:
        self.inside = True
        self.wait(WAIT)
        self.back = True


def filled(memory: Memory) -> bool:
    return memory.models.status()["missing"] == 0


def asked(memory: Memory, words: str, limit: int = 10) -> list[str]:
    """Return the texts that lie nearest to a query, nearest first."""
    context = memory._context
    question = meaning.ask(context, words)

    def work(reader: Any) -> list[str]:
        found = question.nearest(reader, _scopes(context), limit)
        return [reader.claim_at(idx).text for _, idx in found]

    found: list[str] = context.store.read(context.namespace, work)
    return found


def degraded(memory: Memory, words: str = "kettle") -> tuple[str, ...]:
    """Return what recall would say is missing."""
    context = memory._context
    question = meaning.ask(context, words)
    said: tuple[str, ...] = context.store.read(context.namespace, question.degraded)
    return said


def _scopes(context: Any) -> list[bytes]:
    from muniment.claims.scopes import visible_scopes
    from muniment.verbs.identities import familiar

    return [familiar(context.pepper, b"scope", scope.text) for scope in visible_scopes(context.scope)]


@pytest.fixture(params=["ram", "file"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return ":memory:" if request.param == "ram" else str(tmp_path / "m.muniment")


def test_what_is_said_is_found_by_meaning_soon_after(path: str) -> None:
    with Memory(path, embedder=Speller()) as memory:
        memory.remember("The kettle is broken")
        memory.remember("Ana lives in Berlin", key="ana::city", value="Berlin")
        until(lambda: filled(memory))
        assert asked(memory, "is the kettle broken?")[0] == "The kettle is broken"
        assert degraded(memory) == ()


def test_a_model_is_told_the_key_and_the_value_too() -> None:
    speller = Speller()
    with Memory(":memory:", embedder=speller) as memory:
        memory.remember("She moved there in spring", key="ana::home_city", value="Berlin")
        memory.models.embed()
        assert "ana home city: She moved there in spring (Berlin)" in speller.asked


def test_without_an_embedder_nothing_changes(path: str) -> None:
    with Memory(path) as memory:
        memory.remember("The kettle is broken")
        assert memory.models.embed() == {"embedded": 0, "unembedded": 1} and "embedded" not in memory.reindex()
        assert memory.models.status()["embedder"] is None
        assert (asked(memory, "kettle"), degraded(memory)) == ([], ())


def test_the_log_is_the_same_to_the_byte_with_and_without_an_embedder() -> None:
    def root(embedder: Any) -> str:
        with Memory(":memory:", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy(), embedder=embedder) as m:
            said = m.remember("The kettle is broken", key="kettle::state")
            m.correct_text(said.claim_id, "The kettle is broken.", reason="a full stop")
            if embedder is not None:
                m.models.embed()
            m.remember("It was mended", key="kettle::state")
            return str(m.stats()["log_root"])

    assert root(None) == root(Speller())


def test_a_write_does_not_wait_for_the_embedder(path: str) -> None:
    hold = Held()
    with Memory(path, embedder=Speller(spoil=hold)) as memory:
        for n in range(20):
            memory.remember(f"Note number {n}")
        assert not hold.back, "it is at the first still"
        hold.set()
        until(lambda: filled(memory))


def test_an_erased_claim_is_found_no_more_and_its_vector_is_gone(path: str) -> None:
    with Memory(path, embedder=Speller()) as memory:
        said = memory.remember("The kettle is broken")
        memory.remember("The window is open")
        memory.models.embed()
        assert len(asked(memory, "kettle")) == 2
        memory.forget(ids=[said.claim_id])
        assert asked(memory, "kettle") == ["The window is open"]
        assert memory.models.status()["vectors"] == 1
        assert memory.log.verify().ok


def test_the_vector_of_a_claim_that_is_gone_is_found_by_verify_and_dropped_by_reindex(tmp_path: Path) -> None:
    path = tmp_path / "m.muniment"
    with Memory(path, embedder=Speller()) as memory:
        said = memory.remember("The kettle is broken")
        memory.models.embed()
        connection = memory._host.store._writer.connection  # type: ignore[attr-defined]
        kept = connection.execute("SELECT * FROM vectors").fetchall()
        memory.forget(ids=[said.claim_id])
        assert memory.log.verify().ok
        connection.executemany("INSERT INTO vectors VALUES(?, ?, ?, ?, ?, ?)", kept)
        report = memory.log.verify()
        assert [(d.kind, d.detail) for d in report.differences] == [
            ("resurrected", "The vector of a claim that is gone is there.")
        ]
    with Memory(path) as memory:  # without an embedder too
        memory.reindex()
        assert memory.log.verify().ok


def test_a_corrected_wording_is_found_by_its_new_meaning(path: str) -> None:
    with Memory(path, embedder=Speller()) as memory:
        said = memory.remember("The ketle is broken", key="kettle::state", value="broken")
        memory.remember("The window is open")
        memory.models.embed()
        memory.correct_text(said.claim_id, "The samovar is broken")
        memory.models.embed()
        similar = similarity(memory, "kettle state: The samovar is broken", said.claim_id)
        assert similar > 0.99 > similarity(memory, "kettle state: The ketle is broken", said.claim_id)


def similarity(memory: Memory, words: str, id: str) -> float:
    """Return how similar a claim is to a query."""
    context = memory._context
    question = meaning.ask(context, words)

    def work(reader: Any) -> float:
        idx = reader.claim(id).idx
        return float(question.similar(reader, [idx]).get(idx, -9.0))

    found: float = context.store.read(context.namespace, work)
    return found


def test_superseded_claims_keep_their_vectors_for_whoever_asks_about_the_past(path: str) -> None:
    with Memory(path, embedder=Speller()) as memory:
        memory.remember("Ana lives in Berlin", key="ana::city", value="Berlin")
        memory.remember("Ana lives in Munich", key="ana::city", value="Munich")
        memory.models.embed()
        assert sorted(asked(memory, "Ana lives")) == ["Ana lives in Berlin", "Ana lives in Munich"]


def test_a_process_that_has_yet_to_catch_up_says_so(tmp_path: Path) -> None:
    path = tmp_path / "m.muniment"
    with Memory(path) as memory:
        memory.remember("The kettle is broken")
    hold = threading.Event()
    with Memory(
        path, embedder=Speller(spoil=lambda texts: hold.wait(WAIT) and None if PROBE not in texts else None)
    ) as memory:
        behind = memory._host.meaning
        behind._recent["kettle"] = [1.0] * 32, behind.asker.probed
        assert degraded(memory) == (BEHIND,)
        hold.set()
        until(lambda: filled(memory))
        assert degraded(memory) == ()


def test_a_command_makes_the_few_vectors_that_are_missing_before_it_searches(tmp_path: Path) -> None:
    path = tmp_path / "m.muniment"
    for few, said in ((meaning.CATCH_UP, ()), (meaning.CATCH_UP + 1, (BEHIND,))):
        with Memory(path, f"kettles-{few}") as memory:
            memory.remember_many([{"text": f"The kettle {n} is broken"} for n in range(few)])
        with Memory(path, f"kettles-{few}", embedder=Speller(), _door="cli") as memory:
            memory._host.meaning.wake = lambda namespace: None  # no thread: what is made, the recall makes
            hits = memory.recall("kettle", k=1)
            assert hits.degraded == said
            assert memory.models.status()["missing"] == (0 if not said else few)


def test_who_makes_what_is_missing_is_told_to_whoever_may_not() -> None:
    assert "muniment models embed" in BEHIND and "role admin" in BEHIND
    assert "muniment models embed" in CHANGED


def test_a_scope_is_asked_alone(path: str) -> None:
    with Memory(path, embedder=Speller()) as memory:
        memory.scoped(user="ann").remember("The kettle of Ann")
        memory.scoped(user="bob").remember("The kettle of Bob")
        memory.remember("The kettle of all")
        memory.models.embed()
        assert sorted(asked(memory.scoped(user="ann"), "kettle")) == ["The kettle of Ann", "The kettle of all"]
        assert asked(memory, "kettle") == ["The kettle of all"]


# --- when the embedder fails -------------------------------------------------------------------------------------


def down(_: list[str]) -> None:
    raise ConnectionError("secret words that stand in the text")


def test_with_an_embedder_that_is_down_nothing_is_lost_and_recall_says_so(path: str) -> None:
    speller = Speller(spoil=down)
    with Memory(path, embedder=speller) as memory:
        outcome = memory.remember("The kettle is broken")
        assert memory.get(outcome.claim_id).text == "The kettle is broken"
        assert [hit.text for hit in memory.recall("kettle")] == ["The kettle is broken"]
        said = degraded(memory)
        assert len(said) == 1 and "ConnectionError" in said[0] and "secret" not in said[0]
        assert memory.models.embed() == {"embedded": 0, "unembedded": 1}
        assert "ConnectionError" in memory.models.status()["trouble"]
        speller.spoil = None
        assert memory.models.embed() == {"embedded": 1, "unembedded": 0}
        assert degraded(memory) == () and asked(memory, "kettle") == ["The kettle is broken"]
        assert memory.models.status()["trouble"] is None


def test_a_text_that_it_fails_at_costs_no_other_its_vector_and_is_said_and_mended(path: str) -> None:
    """P44: the embedder fails at one of three."""

    def picky(texts: list[str]) -> None:
        if any("kettle" in text for text in texts):
            raise ValueError("kettle")

    speller = Speller(spoil=picky)
    with Memory(path, embedder=speller) as memory:
        for text in ("The window is open", "The kettle is broken", "The door is shut"):
            memory.remember(text)
        assert memory.models.embed() == {"embedded": 2, "unembedded": 1}
        assert degraded(memory, "window") == (BEHIND,)
        assert [hit.text for hit in memory.recall("kettle")] == ["The kettle is broken"]
        speller.spoil = None
        assert memory.models.embed() == {"embedded": 3, "unembedded": 0}
        assert degraded(memory, "window") == ()


@pytest.mark.parametrize(
    "answer",
    [
        lambda texts: [[float("nan")] * 32 for _ in texts],
        lambda texts: [[float("inf")] * 32 for _ in texts],
        lambda texts: [[0.0] * 32 for _ in texts],
        lambda texts: [[1.0] * 31 for _ in texts],
        lambda texts: [[1.0] * 32 for _ in texts][1:],
        lambda texts: [[1.0] * 32 for _ in [*texts, "one more"]],
        lambda texts: [["one"] * 32 for _ in texts],
        lambda texts: 7,
        lambda texts: [None for _ in texts],
        lambda texts: [[[1.0]] for _ in texts],
        lambda texts: [[] for _ in texts],
    ],
    ids=["nan", "infinite", "zero", "short", "too few", "too many", "words", "a number", "none", "nested", "empty"],
)
def test_whatever_it_answers_for_some_texts_the_others_have_their_vectors(answer: Any) -> None:
    def spoil(texts: list[str]) -> Any:
        return answer(texts) if any("kettle" in text for text in texts) else None

    with Memory(":memory:", embedder=Speller(spoil=spoil)) as memory:
        memory.remember("The kettle is broken")
        memory.remember("The window is open")
        assert memory.models.embed() == {"embedded": 1, "unembedded": 1}
        assert asked(memory, "window") == ["The window is open"]
        said = degraded(memory, "kettle")
        assert said and said[0].startswith("No semantic search: ")
        assert [hit.text for hit in memory.recall("kettle")] == ["The kettle is broken"]


def test_one_that_answers_nonsense_for_everything_stores_nothing() -> None:
    with Memory(":memory:", embedder=Speller(spoil=lambda texts: [[float("nan")] * 32 for _ in texts])) as memory:
        memory.remember("The kettle is broken")
        assert memory.models.embed() == {"embedded": 0, "unembedded": 1}
        assert memory.models.status()["stored"] is None


def test_a_slow_embedder_is_not_waited_for() -> None:
    hold = Held()

    class Slow(Speller):
        prompt = False

    slow = Slow(spoil=hold)
    try:
        with Memory(":memory:", embedder=slow) as memory:
            memory._host.meaning.asker._seconds = 0.05
            memory.remember("The kettle is broken")
            said = degraded(memory)
            again = degraded(memory)
            assert not hold.back
            assert said == again == ("No semantic search: The embedder took longer than 0.05 s.",)
            assert sum(t.name == "muniment-query" for t in threading.enumerate()) == 1  # none is sent after it
            assert [hit.text for hit in memory.recall("kettle")] == ["The kettle is broken"]
            hold.set()
            until(lambda: filled(memory))
            until(lambda: degraded(memory) == ())
    finally:
        hold.set()


def test_another_model_is_noticed_and_nothing_is_dropped(tmp_path: Path) -> None:
    """P45: the embedder is changed."""
    path = tmp_path / "m.muniment"
    with Memory(path, embedder=Speller(8)) as memory:
        for n in range(10):
            memory.remember(f"Note number {n}")
        memory.models.embed()
    with Memory(path, embedder=Speller(16, "other")) as memory:
        assert degraded(memory) == (CHANGED,)
        assert len(memory.recall("note", k=20)) == 10
        memory.remember("One more note")
        until(lambda: memory.models.status()["trouble"] == CHANGED)
        assert memory.models.status()["vectors"] == 10  # the background starts nothing anew
        seen: list[tuple[int, int]] = []
        assert memory.models.embed(progress=lambda *at: seen.append(at)) == {"embedded": 11, "unembedded": 0}
        assert seen[-1] == (11, 11) and degraded(memory) == ()
        assert memory.models.status()["dimension"] == 16


def test_another_model_under_the_same_name_is_noticed_too(tmp_path: Path) -> None:
    path = tmp_path / "m.muniment"
    with Memory(path, embedder=Speller()) as memory:
        memory.remember("The kettle is broken")
        memory.models.embed()
    backwards = Speller(spoil=lambda texts: [[1.0, *[float(len(text) % 7)] * 31] for text in texts])
    with Memory(path, embedder=backwards) as memory:
        assert degraded(memory) == (CHANGED,) and asked(memory, "kettle") == []
        memory.reindex()
        assert degraded(memory) == ()


def test_a_reindex_that_is_cut_off_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "m.muniment"
    with Memory(path) as memory:
        memory.remember_many([{"text": f"Note number {n}"} for n in range(200)])

    class Cut(Exception):
        pass

    def cut(done: int, total: int) -> None:
        if done >= 64:
            raise Cut

    first = Speller()
    with Memory(path, embedder=first) as memory:
        memory._context.listeners.clear()  # so that the thread is not woken
        with pytest.raises(Cut):
            memory.models.embed(progress=cut)
        kept = memory.models.status()["vectors"]
        assert 64 <= kept < 200
    second = Speller()
    with Memory(path, embedder=second) as memory:
        assert memory.models.embed() == {"embedded": 200, "unembedded": 0}
        assert len([text for text in second.asked if text != PROBE]) == 200 - kept


def test_a_huge_text_is_cut_for_the_model_and_kept_whole() -> None:
    speller = Speller()
    with Memory(":memory:", embedder=speller) as memory:
        text = "kettle " * 9_000
        said = memory.remember(text)
        assert memory.models.embed() == {"embedded": 1, "unembedded": 0}
        assert max(map(len, speller.asked)) < 10_000
        assert memory.get(said.claim_id).text == text.strip() or memory.get(said.claim_id).text == text
        assert degraded(memory, "kettle " * 9_000) == ()


def test_a_claim_that_is_erased_while_the_model_thinks_gets_no_vector() -> None:
    thinking, erased = threading.Event(), threading.Event()

    def slow(texts: list[str]) -> None:
        if any("kettle" in text for text in texts):
            thinking.set()
            erased.wait(WAIT)

    with Memory(":memory:", embedder=Speller(spoil=slow)) as memory:
        said = memory.remember("The kettle is broken")
        thinking.wait(WAIT)
        memory.forget(ids=[said.claim_id])
        erased.set()
        until(lambda: not memory.models.status()["working"])
        assert memory.models.status()["vectors"] == 0


def test_a_claim_that_is_reworded_while_the_model_thinks_gets_the_vector_of_its_new_wording() -> None:
    thinking, reworded = threading.Event(), threading.Event()

    def slow(texts: list[str]) -> None:
        if any("kettle" in text for text in texts):
            thinking.set()
            reworded.wait(WAIT)

    with Memory(":memory:", embedder=Speller(spoil=slow)) as memory:
        said = memory.remember("The kettle is broken", key="k::v", value="broken")
        thinking.wait(WAIT)
        memory.correct_text(said.claim_id, "The samovar is broken")
        reworded.set()
        until(lambda: filled(memory))
        assert similarity(memory, "k v: The samovar is broken", said.claim_id) > 0.99


# --- processes, closing, copies ----------------------------------------------------------------------------------


def test_what_another_handle_of_the_file_stores_and_erases_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "m.muniment"
    with Memory(path, embedder=Speller()) as one, Memory(path, embedder=Speller()) as other:
        said = one.remember("The kettle is broken")
        one.models.embed()
        assert asked(other, "kettle") == ["The kettle is broken"]
        one.remember("The window is open")
        one.models.embed()
        assert len(asked(other, "kettle")) == 2
        one.forget(ids=[said.claim_id])
        assert asked(other, "kettle") == ["The window is open"]


def test_closing_ends_the_thread_and_a_fork_is_left_alone(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "m.muniment", embedder=Speller())
    memory.remember("The kettle is broken")
    if hasattr(os, "fork"):
        child = os.fork()
        if child == 0:
            memory._host.meaning.wake("default")
            os._exit(0 if not meaning.ask(memory._context, "kettle") else 1)
        assert os.waitpid(child, 0)[1] == 0
    memory.close()
    assert not any(thread.name == "muniment-meaning" for thread in threading.enumerate())


def test_closing_does_not_wait_for_an_embedder_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "LAST_WORDS", 0.05)
    hold = Held()
    memory = Memory(tmp_path / "m.muniment", embedder=Speller(spoil=hold))
    memory.remember("The kettle is broken")
    until(lambda: hold.inside)
    memory.close()
    assert not hold.back
    hold.set()
    until(lambda: not any(thread.name == "muniment-meaning" for thread in threading.enumerate()))


def test_a_backup_takes_vectors_along_and_an_export_does_not(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.muniment", embedder=Speller()) as memory:
        memory.remember("The kettle is broken")
        memory.models.embed()
        memory.transfer.backup(tmp_path / "copy.muniment")
        memory.transfer.export(tmp_path / "out.jsonl")
    assert "vector" not in (tmp_path / "out.jsonl").read_text()
    with Memory(tmp_path / "copy.muniment", embedder=Speller()) as copy:
        assert asked(copy, "kettle") == ["The kettle is broken"]
    with Memory(tmp_path / "new.muniment", embedder=Speller()) as new:
        new.transfer.import_(tmp_path / "out.jsonl")
        new.models.embed()
        assert asked(new, "kettle") == ["The kettle is broken"]


def test_a_read_only_store_is_searched_and_not_filled(tmp_path: Path) -> None:
    path = tmp_path / "m.muniment"
    with Memory(path, embedder=Speller()) as memory:
        memory.remember("The kettle is broken")
        memory.models.embed()
        memory.remember("The window is open")
        memory._host.meaning.close()
    from muniment.models.asking import Asker
    from muniment.store.sqlite.store import SqliteStore
    from muniment.verbs.finding.meaning import Meaning

    with SqliteStore(path, read_only=True) as store:
        still = Meaning(store, Asker(Speller()), writes=False)
        question = still.ask("default", "kettle")
        assert question and not any(thread.name == "muniment-meaning" for thread in threading.enumerate())
        assert store.read("default", question.degraded) in ((), (BEHIND,))
        still.close()


def test_importing_muniment_loads_no_part_of_this() -> None:
    import subprocess
    import sys

    code = (
        "import sys, muniment; m = muniment.Memory(':memory:'); m.remember('x'); m.recall('x');"
        " print([n for n in ('numpy', 'onnxruntime', 'tokenizers', 'httpx') if n in sys.modules])"
    )
    env = {**os.environ, "PYTHONPATH": "src"}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert out.stdout.strip() == "[]"
