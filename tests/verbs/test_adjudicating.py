"""Adjudicators: contests decided by a function, or by whoever polls the queue."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fakes import DAY, HOUR, FakeClock, SeededEntropy, seeded_ids
from muniment import Adjudication, AsyncMemory, ConflictError, Memory, NotFoundError, PermissionDenied, ValidationError
from muniment.beliefs.state import Disposition, Opened, Ruling
from muniment.claims.channels import Channel
from muniment.verbs.queued import lasting

CITY = "ana::city"

Open = Callable[..., Memory]


@pytest.fixture(params=["ram", "sqlite"])
def opened(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[Open]:
    """Opens memories with an adjudicator: on a file, the same one again."""
    made: list[Memory] = []

    def open_(adjudicator: Any = "queue", **given: Any) -> Memory:
        path = ":memory:" if request.param == "ram" else tmp_path / "memory.muniment"
        number = str(len(made))
        made.append(
            Memory(
                path,
                clock=clock,
                ids=seeded_ids(number),
                entropy=SeededEntropy(number),
                adjudicator=adjudicator,
                **given,
            )
        )
        return made[-1]

    yield open_
    for memory in made:
        memory.close()


def contest(memory: Memory, key: str = CITY, *values: str) -> Any:
    """Let two tools disagree; return what became of the second."""
    for value in values or ("Porto", "Faro"):
        done = memory.remember(value, key=key, value=value, channel="tool", source=f"{value}://x")
    return done


# What becomes of a contest


def test_a_contest_is_queued_and_reads_contested(opened: Open) -> None:
    memory = opened()
    done = contest(memory)
    belief = memory.believe(CITY)
    assert (done.disposition, belief.status, belief.value) == ("queued", "contested", None)
    assert "queued" in belief.markers and {c.value for c in belief.candidates} == {"Porto", "Faro"}
    (item,) = memory.review()
    assert (item.id, item.kind) == (done.item, "queued")
    assert len(memory.review(kind="queued")) == 1 and not memory.review(kind="contested")
    assert memory.log.verify().ok


def test_without_an_adjudicator_nothing_is_queued(memory: Memory) -> None:
    assert contest(memory).disposition == "contested"
    assert not memory.queue() and memory.review()[0].kind == "contested"
    assert "queued" not in memory.believe(CITY).markers
    for call in (memory.claim_request, lambda: memory.answer(memory.review()[0].id, "affirm")):
        with pytest.raises(PermissionDenied):
            call()


@pytest.mark.parametrize(
    ("word", "value", "status", "closed"),
    [
        ("affirm", "Faro", "resolved", "accept"),
        ("deny", "Porto", "resolved", "keep"),
        ("unknown", None, "contested", "unknown"),
    ],
)
def test_a_verdict_does_what_a_persons_would(opened: Open, word: str, value: str, status: str, closed: str) -> None:
    memory = opened(lambda request: word)
    done = contest(memory)
    assert done.disposition == "queued", "what was recorded once does not change"
    belief = memory.believe(CITY)
    assert (belief.status, belief.value) == (status, value) and "queued" not in belief.markers
    assert not memory.review() and memory.review(closed=True)[0].status == closed
    assert memory.log.verify().ok


def test_what_is_denied_is_guarded_and_not_asked_again(opened: Open) -> None:
    asked: list[Any] = []
    memory = opened(lambda request: asked.append(request) or "deny")
    contest(memory)
    again = memory.remember("Faro", key=CITY, value="Faro", channel="tool", source="other://x")
    assert again.disposition == "echo" and len(asked) == 1
    assert memory.believe(CITY).value == "Porto"


def test_what_it_affirms_ranks_as_the_adjudicator(opened: Open) -> None:
    memory = opened(lambda request: "affirm")
    contest(memory)
    assert memory.remember("Porto", key=CITY, channel="agent").disposition in ("pending_review", "echo")
    assert memory.remember("Lisbon", key=CITY, channel="tool", source="crm://x").disposition == "queued"


def test_a_person_may_say_otherwise_afterwards_and_a_machine_does_not_answer_twice(opened: Open) -> None:
    memory = opened()
    item = contest(memory).item
    memory.answer(item, "affirm")
    with pytest.raises(ConflictError):
        memory.answer(item, "deny")
    memory.resolve(item, "keep", "the other was right")
    assert memory.believe(CITY).value == "Porto"
    assert memory.log.verify().ok


# What it is asked, and what it never sees


def test_a_request_shows_both_sides_and_the_highest_criticality(opened: Open) -> None:
    seen: list[Any] = []
    memory = opened(lambda request: seen.append(request))
    memory.remember(
        "penicillin", key="ana::allergy", value="penicillin", criticality="critical", channel="tool", source="a://x"
    )
    memory.remember("none", key="ana::allergy", value="none", criticality="low", channel="tool", source="b://x")
    (request,) = seen
    assert (request.key, request.challenger.value, [c.value for c in request.incumbents]) == (
        "ana::allergy", "none", ["penicillin"]
    )  # fmt: skip
    assert request.criticality == "critical" and request.to_dict()["id"] == request.id
    assert memory.queue()[0].id == request.id, "it answers later"


def test_what_came_from_content_that_nobody_vouches_for_is_never_put_to_it(opened: Open) -> None:
    seen: list[Any] = []
    memory = opened(lambda request: seen.append(request) or "affirm")
    memory.remember("Porto", key=CITY)
    held = memory.remember("Evil", key=CITY, channel="document", source="https://evil.example")
    memory.policy("open::*", boundary=False)
    let_in = memory.remember("b", key="open::line", channel="document", source="https://evil.example")
    assert held.disposition == "held" and let_in.believed
    assert not seen and not memory.queue() and memory.claim_request() is None
    with pytest.raises(PermissionDenied):
        memory.answer(held.item, "affirm")
    assert memory.believe(CITY).value == "Porto"
    contested = Ruling(Disposition.CONTESTED, opens=Opened("contested", b"", ""))
    bench = memory._context.bench
    assert lasting(bench, contested, Channel.MODEL, 1) == 1 + bench.lifetime
    assert lasting(bench, contested, Channel.DOCUMENT, 1) is lasting(bench, contested, Channel.RECALL, 1) is None


def test_a_request_lies_where_its_line_lies(opened: Open) -> None:
    memory = opened()
    kim = memory.scoped(user="kim")
    item = contest(kim, "kim::city").item
    assert not memory.queue() and memory.claim_request() is None
    assert not memory.namespace("other").queue()
    with pytest.raises(NotFoundError):
        memory.answer(item, "affirm")
    kim.answer(item, "affirm")
    assert kim.believe("kim::city").value == "Faro"


# Ranks


def test_it_takes_nothing_from_above_its_rank_and_the_item_stays(opened: Open) -> None:
    memory = opened(Adjudication(lambda request: "affirm", rank="tool", name="register"))
    memory.remember("Porto", key=CITY)
    item = memory.remember("Faro", key=CITY, channel="tool", source="crm://ana").item
    assert memory.believe(CITY).status == "contested" and memory.review()[0].id == item
    for value, author in (("Porto", "one"), ("Faro", "two")):
        memory.remember(value, key="bob::city", value=value, channel="model", author=author)
    assert memory.believe("bob::city").value == "Faro" and memory.believe("bob::city").markers == ()


def test_the_operator_lowers_its_rank_like_every_ceiling(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_CHANNEL", "agent")
    memory = opened(lambda request: "affirm", channel="agent")
    assert memory._context.bench.channel == "agent"


# Evidence


@pytest.mark.parametrize(
    "evidence",
    [
        ["model"],
        ["document", "recall"],
        [{"channel": "model", "text": "I think"}],
        [{"channel": "document", "source": "a://x"}],
    ],
)
def test_evidence_that_nobody_vouches_for_decides_nothing(opened: Open, evidence: Any) -> None:
    memory = opened()
    item = contest(memory).item
    with pytest.raises(ValidationError):
        memory.answer(item, "affirm", evidence=evidence)
    assert memory.believe(CITY).status == "contested" and memory.review()[0].kind == "queued"
    for malformed in ([], "nobody", [7], [{"channel": "tool", "by": "me"}], {"channel": "tool", "source": 7}, 7):
        with pytest.raises(ValidationError):
            memory.answer(item, "affirm", evidence=malformed)


def test_evidence_is_committed_to_beside_the_verdict_and_goes_with_the_line(opened: Open) -> None:
    memory = opened()
    item = contest(memory).item
    evidence = [{"channel": "tool", "source": "register://quillback", "text": "Quillback Street 7"}, "model"]
    memory.answer(item, "affirm", evidence=evidence, reason="looked it up")
    store, name = memory._host.store, memory._context.namespace
    kept = store.read(name, lambda reader: reader.reason(memory.believe(CITY).line_version))
    assert "Quillback" in kept[0] and "looked it up" in kept[0] and "adjudicator" in kept[0]
    assert memory.log.verify().ok
    memory.forget(key=CITY)
    if memory.location != ":memory:":
        assert b"uillback" not in Path(memory.location).read_bytes()


# Lifetime


def test_an_expired_request_waits_for_a_person_without_a_sweep(opened: Open, clock: FakeClock) -> None:
    memory = opened(Adjudication(lifetime=3600))
    item = contest(memory).item
    size = memory.stats()["log_size"]
    known = memory.review()[0].opened_at
    clock.advance(2 * HOUR)
    assert memory.review()[0].kind == "contested" and not memory.queue() and memory.claim_request() is None
    assert memory.believe(CITY).status == "contested" and "queued" not in memory.believe(CITY).markers
    assert "queued" in memory.believe(CITY, valid_at=known, as_of=known).markers
    with pytest.raises(ConflictError):
        memory.answer(item, "affirm")
    assert memory.stats()["log_size"] == size, "expiry writes nothing"
    memory.resolve(item, "accept", "seen by a person")
    assert memory.believe(CITY).value == "Faro"
    assert memory.log.verify().ok


def test_a_contest_that_time_has_settled_asks_nobody(opened: Open, clock: FakeClock) -> None:
    memory = opened()
    memory.remember("Porto", key=CITY, channel="tool", source="a://x", valid_to="2026-03-05")
    memory.remember("Faro", key=CITY, channel="tool", source="b://x", expires_at="2026-03-03")
    assert len(memory.queue()) == 1
    clock.advance(3 * DAY)
    assert not memory.queue() and memory.claim_request() is None
    assert memory.believe(CITY).value == "Porto"


def test_the_queue_outlives_the_process(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "memory.muniment"
    with Memory(path, clock=clock, adjudicator="queue") as memory:
        item = contest(memory).item
    with Memory(path, clock=clock, adjudicator="queue") as memory:
        assert [request.id for request in memory.queue()] == [item]
        assert memory.answer(item, "affirm").disposition == "resolved"
    with Memory(path, clock=clock) as memory:
        assert memory.believe(CITY).value == "Faro" and not memory.queue()


# Claiming


def test_a_request_is_claimed_by_one_for_a_time(opened: Open, clock: FakeClock) -> None:
    memory = opened()
    items = [contest(memory, key).item for key in ("a::x", "b::x")]
    first, second = memory.claim_request(lease_seconds=60), memory.claim_request(lease_seconds=60)
    assert [r.id for r in (first, second) if r] == items and memory.claim_request() is None
    assert first and second and first.ticket != second.ticket and len(memory.queue()) == 2
    for ticket in (None, second.ticket, "made up"):
        with pytest.raises(ConflictError):
            memory.answer(first.id, "affirm", ticket=ticket)
    memory.answer(first.id, "affirm", ticket=first.ticket)
    clock.advance(DAY)
    again = memory.claim_request()
    assert again and again.id == second.id and again.ticket != second.ticket
    with pytest.raises(ConflictError):
        memory.answer(second.id, "affirm", ticket=second.ticket)
    memory.answer(again.id, "deny", ticket=again.ticket)
    assert (memory.believe("a::x").value, memory.believe("b::x").value) == ("Faro", "Porto")
    assert memory.log.verify().ok


def test_many_that_poll_are_given_a_request_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.muniment"
    with Memory(path, adjudicator="queue", busy_seconds=60) as memory:
        wanted = {contest(memory, f"k{number}::x").item for number in range(12)}
        got: list[str] = []

        def poll() -> None:
            with Memory(path, adjudicator="queue", busy_seconds=60) as worker:
                while (request := worker.claim_request()) is not None:
                    got.append(request.id)
                    worker.answer(request.id, "affirm", ticket=request.ticket)

        threads = [threading.Thread(target=poll) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(got) == sorted(wanted) and not memory.review() and memory.log.verify().ok


def test_what_changed_since_it_was_shown_is_a_conflict_and_shown_anew(opened: Open) -> None:
    memory = opened()
    memory.policy("*", on_conflict="contest")
    memory.remember("Berlin", key=CITY, value="Berlin")
    item = memory.remember("Munich", key=CITY, value="Munich").item
    (request,) = memory.queue()
    other = memory.remember("Paris", key=CITY, value="Paris").item
    with pytest.raises(ConflictError):
        memory.answer(item, "affirm")
    with pytest.raises(ConflictError):
        memory.answer(item, "affirm", expect=request.line_version)
    request = memory.queue()[0]
    assert (request.id, {c.value for c in request.incumbents}) == (item, {"Berlin", "Paris"})
    memory.answer(item, "affirm", expect=request.line_version)
    assert memory.believe(CITY).value == "Munich"
    with pytest.raises(ConflictError):
        memory.answer(other, "affirm")  # nothing of it is in dispute any more
    assert not memory.queue() and memory.log.verify().ok


def test_the_same_answer_under_the_same_key_is_given_once(opened: Open) -> None:
    memory = opened()
    item = contest(memory).item
    first = memory.answer(item, "affirm", idempotency_key="k")
    assert memory.answer(item, "affirm", idempotency_key="k") == first
    with pytest.raises(ConflictError):
        memory.answer(item, "deny", idempotency_key="k")


# A function that misbehaves


@pytest.mark.parametrize(
    "answer",
    [
        7,
        "maybe",
        {"verdict": "affirm", "evidence": ["model"]},
        {"word": "affirm"},
        {"verdict": None},
        b"affirm",
        ["affirm"],
    ],
)
def test_an_answer_that_is_none_leaves_the_item_open(opened: Open, answer: Any) -> None:
    memory = opened(lambda request: answer)
    assert contest(memory).disposition == "queued"
    assert memory.believe(CITY).status == "contested" and memory.review()[0].kind == "queued"


def test_an_adjudicator_that_fails_leaves_the_item_open_and_the_write_stands(
    opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(request: Any) -> Any:
        raise RuntimeError("oracle down, Ana")

    memory = opened(failing)
    done = contest(memory)
    assert done.disposition == "queued" and memory.get(done.claim_id).standing == "contested"
    assert memory.queue()[0].id == done.item
    assert "RuntimeError" in caplog.text and "Ana" not in caplog.text
    memory.answer(done.item, "affirm")
    assert memory.believe(CITY).value == "Faro" and memory.log.verify().ok


def test_it_is_asked_after_the_commit_and_outside_every_transaction(tmp_path: Path) -> None:
    path = tmp_path / "memory.muniment"
    seen: list[Any] = []

    def looking(request: Any) -> Any:
        with Memory(path, busy_seconds=5) as other:  # sees only what was committed; could not write in a transaction
            seen.append((other.believe(CITY).status, other.review()[0].id == request.id))
            threading_write = threading.Thread(
                target=lambda: seen.append(other.remember("noted elsewhere").disposition)
            )
            threading_write.start()
            threading_write.join(60)
        return "affirm"

    with Memory(path, adjudicator=looking) as memory:
        contest(memory)
        assert seen == [("contested", True), "accepted"]
        assert memory.believe(CITY).value == "Faro"


@pytest.mark.timeout(120)
def test_writing_from_inside_is_a_typed_error_and_no_deadlock(opened: Open) -> None:
    errors: list[BaseException] = []
    box: list[Memory] = []

    def writing(request: Any) -> Any:
        memory = box[0]
        for call in (
            lambda: memory.remember("noted"),
            lambda: memory.retract(CITY, "no"),
            lambda: memory.answer(request.id, "affirm"),
            lambda: memory.scoped(user="kim").remember("noted"),
            lambda: memory.forget(key=CITY),
        ):
            try:
                call()
            except ConflictError as error:
                errors.append(error)
        assert memory.believe(CITY).status == "contested", "it may read"
        return "affirm"

    box.append(opened(writing))
    contest(box[0])
    assert len(errors) == 5 and all("adjudicator" in str(error) for error in errors)
    assert box[0].believe(CITY).value == "Faro"
    box[0].remember("afterwards")
    assert box[0].log.verify().ok


def test_another_memory_may_be_written_to_from_inside(opened: Open) -> None:
    with Memory(":memory:") as notebook:
        memory = opened(lambda request: "affirm" if notebook.remember("asked").believed else None)
        contest(memory)
        assert memory.believe(CITY).value == "Faro"


def test_it_is_asked_of_every_way_to_write(opened: Open) -> None:
    asked: list[str] = []
    memory = opened(lambda request: asked.append(request.key))
    memory.policy("*", on_conflict="contest")
    memory.remember("Porto", key=CITY)
    memory.remember_many([{"text": "Faro", "key": CITY}, {"text": "tea", "key": "ana::drink"}])
    memory.route("set ana::drink to milk", execute=True)
    memory.namespace("other").policy("*", on_conflict="contest")
    for value in ("a", "b"):
        memory.namespace("other").remember(value, key="x::y")
    assert asked == [CITY, "ana::drink", "x::y"]


def test_those_who_follow_the_changes_are_told_of_its_verdict(opened: Open) -> None:
    told: list[str] = []
    memory = opened(lambda request: "affirm", on_change=lambda change: told.append(change.type))
    contest(memory)
    assert told.count("verdict") == 1


def test_an_awaited_memory_asks_as_well(tmp_path: Path) -> None:
    import asyncio

    async def main() -> Any:
        async with AsyncMemory(tmp_path / "memory.muniment", adjudicator=lambda request: "affirm") as memory:
            for value in ("Porto", "Faro"):
                await memory.remember(value, key=CITY, channel="tool", source=f"{value}://x")
            return (await memory.believe(CITY)).value

    assert asyncio.run(main()) == "Faro"


@pytest.mark.parametrize(
    "given",
    [7, "poll", object(), dict, Adjudication(rank="model"), Adjudication(rank="document"), Adjudication(lifetime=0),
     Adjudication(lifetime=float("nan")), Adjudication(name=""), Adjudication(call=7)],  # type: ignore[arg-type]
)  # fmt: skip
def test_what_is_no_adjudicator_is_refused_before_anything_is_written(tmp_path: Path, given: Any) -> None:
    with pytest.raises(ValidationError):
        Memory(tmp_path / "memory.muniment", adjudicator=given)


def test_a_queue_that_is_polled_keeps_no_list_of_whom_to_ask(opened: Open) -> None:
    memory = opened()
    for n in range(5):
        contest(memory, f"ana {n}::city")
    assert len(memory.queue().rows) == 5
    assert not memory._host.bench.waiting
