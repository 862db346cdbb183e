"""recall(reinforce=True): what was of use ranks a little higher for a while, and nothing else changes."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from fakes import FakeClock
from muniment import AsyncMemory, Memory, PermissionDenied
from muniment.claims.moments import format_instant
from muniment.recall.reinforcing import MOST_WORTH
from muniment.store.sqlite.store import SqliteStore
from muniment.verbs.finding import recalling
from muniment.verbs.finding.scoring import RECENCY

DAY = 86_400_000_000

OLD, NEW = "The heron sleeps by day", "The heron sleeps by noon"


def two(memory: Memory) -> tuple[str, str]:
    """Say two things that match alike, the later of which comes first."""
    said = [memory.remember(text, session=text) for text in (OLD, NEW)]
    memory.remember("An otter", session="else")
    return str(said[0].claim_id), str(said[1].claim_id)


def texts(memory: Memory, **more: Any) -> list[str]:
    return [hit.text for hit in memory.recall("heron sleeps", **more)]


def why(memory: Memory, text: str = OLD, **more: Any) -> dict[str, float]:
    return next(dict(hit.why) for hit in memory.recall("heron sleeps", **more) if hit.text == text)


def use(memory: Memory, times: int = 1) -> None:
    """Say that the older one was of use."""
    for _ in range(times):
        memory.recall("heron sleeps day", k=1, reinforce=True)


def test_what_was_of_use_comes_first_where_it_came_second(memory: Memory) -> None:
    two(memory)
    assert texts(memory) == [NEW, OLD]
    assert texts(memory) == [NEW, OLD], "asking changes nothing"
    use(memory)
    assert texts(memory) == [OLD, NEW]
    assert why(memory)["reinforced"] == pytest.approx(1.025) and "reinforced" not in why(memory, NEW)


def test_only_what_was_served_is_strengthened_and_by_how_relevant_it_was(memory: Memory) -> None:
    two(memory)
    memory.recall("heron sleeps day", reinforce=True)
    first, second = why(memory)["reinforced"], why(memory, NEW)["reinforced"]
    assert first == pytest.approx(1.025) and 1.005 < second < 1.024
    assert all("reinforced" not in hit.why for hit in memory.recall("otter"))


def test_a_page_behind_the_first_counts_by_the_most_relevant_of_all(memory: Memory) -> None:
    two(memory)
    page = memory.recall("heron sleeps day", k=1)
    memory.recall("heron sleeps day", k=1, cursor=page.cursor, reinforce=True)
    assert 1.005 < why(memory, NEW)["reinforced"] < 1.024


def test_a_loop_lifts_no_further_than_four_uses(memory: Memory) -> None:
    two(memory)
    use(memory, 4)
    four = why(memory)["reinforced"]
    use(memory, 30)
    assert four == why(memory)["reinforced"] == pytest.approx(MOST_WORTH, abs=1e-4)


def test_it_fades_by_the_half_life_of_the_kind(memory: Memory, clock: FakeClock) -> None:
    memory.remember(OLD, kind="episodic", session="a")
    use(memory, 4)
    clock.advance(7 * DAY)
    assert why(memory)["reinforced"] == pytest.approx(1.05, abs=1e-4)
    clock.advance(700 * DAY)
    assert why(memory)["reinforced"] == 1.0


def test_the_age_begins_anew_at_the_last_use(memory: Memory, clock: FakeClock) -> None:
    memory.remember(OLD, kind="episodic", session="a")
    clock.advance(70 * DAY)
    assert why(memory)["recency"] == pytest.approx(1 - RECENCY, abs=1e-3)
    use(memory)
    assert why(memory)["recency"] == pytest.approx(1.0)


def test_what_was_known_earlier_is_ranked_as_it_was(memory: Memory, clock: FakeClock) -> None:
    two(memory)
    then = format_instant(clock.now())
    clock.advance(DAY)
    use(memory)
    assert texts(memory, as_of=then) == [NEW, OLD]
    assert "reinforced" not in why(memory, as_of=then)


def test_a_past_is_ranked_alike_whatever_was_of_use_since(memory: Memory, clock: FakeClock) -> None:
    two(memory)
    use(memory)
    clock.advance(DAY)
    then = format_instant(clock.now())
    clock.advance(DAY)
    before = why(memory, as_of=then)
    use(memory)
    assert why(memory, as_of=then) == before and "reinforced" not in before
    assert "reinforced" in why(memory, as_of="2099-01-01"), "the control: what is known now is known then"


def test_what_is_no_belief_is_not_strengthened(memory: Memory) -> None:
    memory.remember("The heron sleeps at nine", key="heron::hour", value="nine")
    memory.remember("The heron sleeps at ten", key="heron::hour", value="ten")
    hits = memory.recall("heron sleeps", include=["superseded"], reinforce=True)
    assert len(hits) == 2
    again = {hit.standing: hit.why for hit in memory.recall("heron sleeps", include=["superseded"])}
    assert "reinforced" in again["current"] and "reinforced" not in again["superseded"]


def test_neither_the_log_nor_a_belief_nor_trust_changes(memory: Memory) -> None:
    two(memory)
    memory.remember("The heron is Ana's", key="heron::owner", value="Ana", channel="model")

    def apart() -> tuple[Any, ...]:
        return memory.stats()["entries"], memory.log.verify().root, memory.believe("heron::owner").candidates

    before = apart()
    for _ in range(9):
        memory.recall("heron owner", reinforce=True)
    assert apart() == before
    assert memory.recall("heron owner")[0].why["trust"] == 0.95
    assert memory.log.verify().ok


def test_explain_tells_what_recall_ranked_by(memory: Memory) -> None:
    old, _ = two(memory)
    use(memory)
    told = memory.explain("heron sleeps", old)
    assert told.factors["reinforced"] == why(memory)["reinforced"] and told.half_life_days == 180


def test_it_goes_with_the_claim(memory: Memory) -> None:
    old, _ = two(memory)
    use(memory)
    memory.forget(ids=[old], basis="request")
    memory.recall("heron sleeps", reinforce=True)
    assert memory.log.verify().ok
    store = memory._context.store
    assert store.read("default", lambda r: r.ns.used) == 1


def test_whoever_may_only_read_strengthens_nothing(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.muniment") as memory:
        two(memory)
    with Memory(tmp_path / "m.muniment", roles=["reader"]) as memory:
        assert len(memory.recall("heron sleeps")) == 2
        with pytest.raises(PermissionDenied):
            memory.recall("heron sleeps", reinforce=True)


def test_a_store_that_cannot_be_written_answers_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "m.muniment"
    with Memory(path) as memory, SqliteStore(path, read_only=True) as store:
        two(memory)
        context = replace(memory._context, store=store)
        found = recalling.recall(context, "heron sleeps", reinforce=True)
        assert len(found) == 2 and [said[:15] for said in found.degraded] == ["Not reinforced:"]
        assert recalling.recall(context, "heron sleeps").degraded == ()


def test_a_recall_without_it_leaves_the_file_as_it_was_and_one_with_it_does_not(tmp_path: Path) -> None:
    path = tmp_path / "m.muniment"
    with Memory(path) as memory:
        two(memory)
        use(memory)

        def at_rest() -> str:
            connection = apsw.Connection(str(path))
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            connection.close()
            return hashlib.sha256(path.read_bytes()).hexdigest()

        before = at_rest()
        texts(memory)
        assert at_rest() == before
        use(memory)
        assert at_rest() != before


def test_an_export_takes_no_use_along(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.muniment") as memory:
        two(memory)
        use(memory)
        memory.transfer.export(tmp_path / "out.muniment.jsonl")
    with Memory(tmp_path / "other.muniment", namespace="default") as other:
        other.transfer.import_(tmp_path / "out.muniment.jsonl")
        assert texts(other) == [NEW, OLD]


def test_a_rebuild_keeps_uses_and_counts_them(memory: Memory) -> None:
    two(memory)
    use(memory)
    memory.reindex()
    assert texts(memory) == [OLD, NEW]


def test_from_an_event_loop(tmp_path: Path) -> None:
    path = tmp_path / "m.muniment"
    with Memory(path) as memory:
        two(memory)

    async def ask() -> None:
        async with AsyncMemory(path) as memory:
            await memory.recall("heron sleeps day", k=1, reinforce=True)

    asyncio.run(ask())
    with Memory(path) as memory:
        assert why(memory)["reinforced"] == pytest.approx(1.025)


def test_a_use_of_a_claim_that_is_gone_is_told(tmp_path: Path) -> None:
    path = tmp_path / "m.muniment"
    with Memory(path) as memory:
        old, _ = two(memory)
        use(memory)
        memory.forget(ids=[old], basis="request")
        assert memory.log.verify().ok
    raw = apsw.Connection(str(path))
    raw.execute("INSERT INTO uses SELECT entry, 1, 1 FROM erased")
    raw.close()
    with Memory(path) as memory:
        report = memory.log.verify()
        assert not report.ok and any("was used" in one.detail for one in report.differences)
        memory.reindex()
        assert memory.log.verify().ok
