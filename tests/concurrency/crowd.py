"""One of several processes that write to a store at once: ``python crowd.py '{"path": …, "plan": …, "who": 0, …}'``.

It says ``ready``, waits for a line so that all begin together, opens the store, lets its threads run the plan, and
prints as JSON what each call answered and every error.
"""

from __future__ import annotations

import json
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from muniment import ConflictError, Memory
from muniment.verbs.plain import plain

CHANNELS = ("user", "tool", "agent", "model")
KEYS = 10
Plan = Callable[[Memory, int, int, int], list[Any]]
"""(memory, process, thread, how many) to what was answered."""


def distinct(memory: Memory, who: int, thread: int, each: int) -> list[Any]:
    """Every statement on a line of its own, or a note."""
    return [
        memory.remember(f"fact {who} {thread} {n}", key=f"place {who} {thread} {n}::fact" if n % 5 else None)
        for n in range(each)
    ]


def contested(memory: Memory, who: int, thread: int, each: int) -> list[Any]:
    """All processes and threads on the same few lines, each process in a channel of its own."""
    channel = CHANNELS[who % len(CHANNELS)]
    source = f"system://{who}" if channel == "tool" else None
    return [
        memory.remember(
            f"{who} {thread} {n}", key=f"shared {n % KEYS}::value", value=f"{who}-{thread}-{n}",
            channel=channel, source=source, session=f"{who} {thread}",
        )
        for n in range(each)
    ]  # fmt: skip


def counter(memory: Memory, who: int, thread: int, each: int) -> list[Any]:
    """Read, add one, write if nothing came between; again if something did."""
    done: list[Any] = []
    while len(done) < each:
        now = memory.believe("the::count")
        try:
            done.append(memory.remember(None, key="the::count", value=now.value + 1, expect=now.line_version))
        except ConflictError:
            continue
    return done


def requests(memory: Memory, who: int, thread: int, each: int) -> list[Any]:
    """Everybody makes the same requests under the same idempotency keys."""
    return [memory.remember(f"request {n}", key=f"asked {n}::value", idempotency_key=f"r{n}") for n in range(each)]


def scopes(memory: Memory, who: int, thread: int, each: int) -> list[Any]:
    """Each thread in the scope of its number, on the same keys as all the others."""
    scoped = memory.scoped(user=f"user {thread}")
    return [
        scoped.remember(f"of {thread}", key=f"own {n}::value", value=f"{thread}-{n}", channel=CHANNELS[who % 2])
        for n in range(each)
    ]


def bulk(memory: Memory, who: int, thread: int, each: int) -> list[Any]:
    """In batches."""
    return memory.remember_many(
        [{"text": f"bulk {who} {thread} {n}", "key": f"bulk {n % KEYS}::value"} for n in range(each)]
    )


def forgetful(memory: Memory, who: int, thread: int, each: int) -> list[Any]:
    """Say something and have it forgotten again, while others write."""
    done: list[Any] = []
    for n in range(each):
        said = memory.remember(f"secret {who} {thread} {n}", key=f"secret {who} {thread}::{n}")
        done.append(said)
        memory.forget(ids=[said.claim_id])
    return done


PLANS: dict[str, Plan] = {
    plan.__name__: plan for plan in (distinct, contested, counter, requests, scopes, bulk, forgetful)
}


def run(memory: Memory, plan: Plan, who: int, threads: int, each: int) -> dict[str, Any]:
    """Run a plan in some threads at once; return outcomes and errors."""
    start = threading.Barrier(threads)
    outcomes: list[list[Any]] = [[] for _ in range(threads)]
    errors: list[str] = []

    def work(thread: int) -> None:
        try:
            start.wait(30)
            outcomes[thread] = plan(memory, who, thread, each)
        except BaseException:
            errors.append(traceback.format_exc())

    running = [threading.Thread(target=work, args=(thread,)) for thread in range(threads)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    return {"outcomes": [plain(outcome) for thread in outcomes for outcome in thread], "errors": errors}


def main() -> None:
    given = json.loads(sys.argv[1])
    print("ready", flush=True)
    sys.stdin.readline()
    with Memory(given["path"], busy_seconds=given["busy_seconds"]) as memory:
        found = run(memory, PLANS[given["plan"]], given["who"], given["threads"], given["each"])
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
