"""Cases that are no list of steps: threads, processes, a kill, and random histories beside a model of one instant."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from inspect import signature
from pathlib import Path
from typing import Any

import muniment
from fakes import DAY, FakeClock
from muniment import ConflictError, Memory
from muniment.operation import Access, operations
from replay import processes
from replay.agreeing import line_agrees

CUSTOM: dict[str, Callable[[dict[str, Any], Path], None]] = {}


def custom(id: str) -> Callable[[Callable[[dict[str, Any], Path], None]], Callable[[dict[str, Any], Path], None]]:
    """Register how one case is run."""

    def register(run: Callable[[dict[str, Any], Path], None]) -> Callable[[dict[str, Any], Path], None]:
        CUSTOM[id] = run
        return run

    return register


def contesting(path: Any = ":memory:", **given: Any) -> Memory:
    """Open a store in which every contradiction is contested."""
    memory = Memory(path, "a", **given)
    memory.policy("*", on_conflict="contest")
    return memory


def child(what: str, *args: str) -> subprocess.Popen[str]:
    """Start a child process that works on a store."""
    source = str(Path(muniment.__file__).parents[1])
    script = [sys.executable, processes.__file__, what, *args]
    environment = {**os.environ, "PYTHONPATH": source}
    return subprocess.Popen(script, stdout=subprocess.PIPE, text=True, env=environment)


@custom("C13")
def an_answer_as_of_then_stays_what_it_was(case: dict[str, Any], folder: Path) -> None:
    clock = FakeClock("2026-11-29T12:00:00+00:00")
    memory = contesting(folder / "grid.muniment", clock=clock)
    key = "u::city"

    def mark() -> datetime:
        clock.advance(1_000_000)
        return datetime.fromtimestamp(clock.now() / 1e6, UTC)

    def answers(known: datetime) -> list[Any]:
        rows = [memory.believe(key, valid_at=f"{year}-06-01", as_of=known) for year in range(2016, 2030)]
        return [(row.status, row.value, sorted(repr(c) for c in row.candidates), row.reason) for row in rows]

    seen: dict[datetime, list[Any]] = {}
    first = memory.remember(None, key=key, value="A", valid_from="2017", valid_to="2019").claim_id
    seen[mark()] = []
    memory.remember(None, key=key, value="B", valid_from="2019")
    seen[mark()] = []
    for known in seen:
        seen[known] = answers(known)
    memory.remember(None, key=key, value="C", valid_from="2018", valid_to="2025")
    memory.end(key, "2028-01-01")
    memory.remember(None, key=key, value="A", valid_from="2028")
    memory.retract(str(first), "never so")
    clock.advance(400 * DAY)
    assert answers(mark()) not in seen.values(), "what came later must make a difference now"
    assert {known: answers(known) for known in seen} == seen
    memory.close()
    with Memory(folder / "grid.muniment", "a", clock=clock) as memory:
        assert {known: answers(known) for known in seen} == seen


@custom("J02")
def reads_do_not_fail_while_another_thread_writes(case: dict[str, Any], folder: Path) -> None:
    args = case["steps"][0]["args"]
    with contesting() as memory:
        done, errors, reads = threading.Event(), [], [0] * args["readers"]

        def read(number: int) -> None:
            while not done.is_set():
                try:
                    memory.believe("k0::v")
                    memory.history("k1::v")
                    reads[number] += 1
                except Exception as error:
                    errors.append(error)

        readers = [threading.Thread(target=read, args=(number,)) for number in range(args["readers"])]
        for reader in readers:
            reader.start()
        for number in range(args["writes"]):
            memory.remember(None, key=f"k{number % 40}::v", value=f"value {number}")
        done.set()
        for reader in readers:
            reader.join()
        assert not errors and all(reads), (errors[:1], reads)
        assert sum(len(memory.history(f"k{number}::v")) for number in range(40)) == args["writes"]


@custom("J03")
def two_handles_of_one_file_see_and_respect_each_other(case: dict[str, Any], folder: Path) -> None:
    path = folder / "shared.muniment"
    with contesting(path) as one, Memory(path, "a", busy_seconds=60) as two:
        assert one.remember(None, key="u::city", value="Berlin").disposition == "accepted"
        assert two.remember(None, key="u::city", value="Munich").disposition == "contested"
        for memory in (one, two):
            assert {c.value for c in memory.believe("u::city").candidates} == {"Berlin", "Munich"}
        errors: list[Exception] = []

        def write(memory: Memory, name: str) -> None:
            try:
                for number in range(100):
                    memory.remember(None, key=f"{name} {number}::v", value=name)
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=write, args=pair) for pair in ((one, "one"), (two, "two"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        for memory in (one, two):
            assert all(memory.believe(f"{n} {i}::v").value == n for n in ("one", "two") for i in range(100))
            assert memory.stats()["log_size"] == one.stats()["log_size"]


@custom("J04")
def two_processes_never_both_believe_that_nobody_contradicts(case: dict[str, Any], folder: Path) -> None:
    keys, path, gate = case["steps"][0]["args"]["keys"], folder / "shared.muniment", folder / "go"
    contesting(path).close()
    children = [child("claim", str(path), value, str(keys), str(gate)) for value in ("Berlin", "Munich")]
    for process in children:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    gate.touch()
    told = [json.loads(process.communicate(timeout=120)[0]) for process in children]
    assert len(told[0]) == len(told[1]) == keys
    for key in told[0]:
        assert sorted(said[key] for said in told) == ["accepted", "contested"], key
    with Memory(path, "a") as memory:
        for key in told[0]:
            assert memory.believe(key).status == "contested" and len(memory.history(key)) == 2


@custom("J05")
def what_was_acknowledged_survives_a_kill(case: dict[str, Any], folder: Path) -> None:
    path = folder / "killed.muniment"
    contesting(path).close()
    process = child("pour", str(path))
    assert process.stdout is not None
    acknowledged = [process.stdout.readline().strip() for _ in range(200)]
    process.kill()
    acknowledged += process.stdout.read().split()[:-1]  # the last line may have been cut off
    process.wait()
    with Memory(path, "a") as memory:
        for number, claim in enumerate(acknowledged):
            found = memory.get(claim)
            assert (found.value, found.standing) == (f"value {number}", "current")
        assert memory.believe("k0::v").value == "value 0"
        assert memory.remember(None, key="k0::v", value="after").disposition == "contested"


Window = tuple[str, int, int | None]
"""A value, the year it holds from, and the year it ends before."""


def year(number: int | None) -> str | None:
    """Return the first instant of a year."""
    return None if number is None else f"{number}-01-01T00:00:00Z"


def covering(windows: list[Window], at: int) -> set[str]:
    """Return the values that hold a year, looked at on its own: the whole model."""
    return {value for value, start, end in windows if start <= at and (end is None or at < end)}


def differing(memory: Memory, key: str, windows: list[Window], years: list[int]) -> list[int]:
    """Return the years of which the memory answers otherwise than the model."""
    wrong: list[int] = []
    for at in years:
        wanted, belief = covering(windows, at), memory.believe(key, valid_at=f"{at}-06-01")
        status = ("none", "resolved", "contested")[min(len(wanted), 2)]
        if belief.status != status or {c.value for c in belief.candidates} != wanted:
            wrong.append(at)
    return wrong


def told(memory: Memory, key: str, windows: list[Window]) -> None:
    """Say every window of a line, in the order given."""
    for value, start, end in windows:
        memory.remember(None, key=key, value=value, valid_from=year(start), valid_to=year(end))


def overlapping_windows(chance: random.Random, open_ended: float, distinct: bool) -> list[Window]:
    """Return one to five windows that may overlap, each of a value of its own or of one of three."""
    out: list[Window] = []
    for number in range(chance.randint(1, 5)):
        start = chance.randint(2000, 2019)
        end = None if chance.random() < open_ended else start + chance.randint(1, 6)
        out.append((f"v{number if distinct else chance.randrange(3)}", start, end))
    return out


@custom("L01")
def random_windows_are_disputed_exactly_where_they_overlap(case: dict[str, Any], folder: Path) -> None:
    args, asked = case["steps"][0]["args"], case["observed"]["point_queries"]
    chance = random.Random(args["seed"])
    with contesting() as memory:
        agreed = 0
        for line in range(args["lines"]):
            windows = overlapping_windows(chance, args["p_open"], args["distinct_values"])
            told(memory, f"line {line}::v", windows)
            years = [chance.randint(1999, 2026) for _ in range(asked // args["lines"])]
            assert not differing(memory, f"line {line}::v", windows, years), windows
            agreed += len(years)
            if line % 20 == 0:
                line_agrees(memory, f"line {line}::v")
        assert agreed == asked


@custom("L03")
def random_disjoint_periods_are_answered_alike_then_and_now(case: dict[str, Any], folder: Path) -> None:
    args, asked = case["steps"][0]["args"], case["observed"]["point_queries"]
    chance = random.Random(args["seed"])
    with contesting(clock=FakeClock("2026-11-29T12:00:00+00:00")) as memory:
        for line in range(args["lines"]):
            bounds = sorted(chance.sample(range(2000, 2026), 2 * chance.randint(1, 4)))
            windows: list[Window] = [
                (f"v{n}", start, end) for n, (start, end) in enumerate(zip(bounds[::2], bounds[1::2], strict=True))
            ]
            if chance.random() < 0.5:
                windows[-1] = (windows[-1][0], windows[-1][1], None)
            order = chance.sample(windows, len(windows))
            told(memory, f"line {line}::v", order)
            years = [chance.randint(1999, 2026) for _ in range(asked // args["lines"])]
            assert not differing(memory, f"line {line}::v", windows, years), windows
            now = memory.believe(f"line {line}::v")
            assert {now.value} - {None} == covering(windows, 2026), "now is an instant like any other"


@custom("J06")
def an_adjudicator_that_writes_is_told_so_and_nothing_hangs(case: dict[str, Any], folder: Path) -> None:
    errors: list[BaseException] = []

    def writes(request: Any) -> str:
        try:
            memory.remember(None, key="log::asked", value=request.key)
        except ConflictError as error:
            errors.append(error)
        return "affirm"

    with contesting(adjudicator=writes) as memory:
        for value in ("Berlin", "Munich"):
            memory.remember(None, key="u::city", value=value)
        assert len(errors) == 1 and "adjudicator" in str(errors[0])
        assert memory.believe("u::city").value == "Munich"
        assert memory.believe("log::asked").status == "none"
        assert memory.remember(None, key="log::asked", value="u::city").disposition == "accepted"


@custom("K01")
def every_read_is_an_operation_that_doors_are_derived_from(case: dict[str, Any], folder: Path) -> None:
    theirs = {
        "ingest_claim": "remember",
        "query_memory": "believe",
        "reconcile": "review",
        "audit": "list",
        "end_fact": "end",
    }
    known = operations()
    assert set(case["observed"]["tools"]) == set(theirs)
    for name in (*theirs.values(), "history", "queue", "answer", "reopen", "get", "recall", "explain"):
        operation = known[name]
        assert operation.title and operation.call.__doc__, name
        if operation.access is Access.READS:
            assert operation.idempotent
    parameters = set(signature(known["believe"].call).parameters)
    assert {"key", "valid_at", "as_of"} <= parameters and "as_of" in signature(known["history"].call).parameters
