"""What the tests of this room share: memories with histories, and what can be asked of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from evidence.histories import KEYS, Story
from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from muniment.transfer.format import written
from muniment.transfer.sending import Sending

Record = dict[str, Any]


def open_memory(path: str | Path = ":memory:", namespace: str = "default", clock: FakeClock | None = None) -> Memory:
    return Memory(path, namespace, clock=clock or FakeClock())


def history(seed: int, length: int = 120, path: str | Path = ":memory:") -> tuple[Memory, FakeClock]:
    """A memory in which many things happened."""
    clock = FakeClock()
    memory = Memory(path, clock=clock, ids=seeded_ids(f"ids {seed}"), entropy=SeededEntropy(f"entropy {seed}"))
    Story(memory, clock, seed).tell(length)
    return memory, clock


def small(path: str | Path = ":memory:") -> tuple[Memory, FakeClock]:
    """A memory with one of everything, and little of it."""
    clock = FakeClock()
    memory = Memory(path, clock=clock, ids=seeded_ids(), entropy=SeededEntropy())
    say = memory.remember
    say("Berlin", key="Ana::city", source="crm://a", channel="tool", about=["ana"], tags=["x"], meta={"n": 1})
    say("Munich", key="ana::city", valid_from="2025-01-01", reason="she said so", idempotency_key="first")
    say("Berlin", key="ana::city", channel="agent", session="other")
    say("Bo has a cat", key="bo::pet", value="cat")
    say("Bo has a cat", key="bo::pet", value="cat", channel="tool", source="vet://1")
    note = say("It rains a lot in Berlin, says the weather report of today").claim_id
    say("The trams are full", derived_from=[note])
    memory.correct_text(note or "", "It rains a lot in Berlin, says the weather report of TODAY.", reason="louder")
    memory.scoped(user="bo").remember("tea", key="bo::drink")
    say("dog", key="bo::pet", value="dog", channel="document", source="https://example.org/")
    gone = say("Cy lives in Cairo", key="cy::city", value="Cairo", author="cy").claim_id
    say("Cy lives in Kairo", key="cy::city", value="Kairo")
    say("Cy lives in Giza", key="cy::city", value="Giza")
    memory.policy("ana::*", critical=True, reason="it matters")
    memory.end("bo::pet", "2027-01-01", reason="moved away")
    say("Dee likes plums", key="dee::fruit", value="plums", idempotency_key="second")
    memory.forget(ids=[gone or ""], basis="she asked")
    memory.forget(key="dee::fruit", request_id="ticket 7")
    return memory, clock


def export(memory: Memory, folder: Path, name: str = "out.jsonl") -> Path:
    file = folder / name
    memory.transfer.export(file)
    return file


def lines_of(file: Path) -> list[bytes]:
    return file.read_bytes().splitlines(keepends=True)


def records_of(file: Path) -> list[Record]:
    """The records of a file, without their sums."""
    out = []
    for line in lines_of(file):
        record = json.loads(line)
        del record["sum"]
        out.append(record)
    return out


def forge(records: list[Record], file: Path) -> Path:
    """Write records with sums that are right: what somebody does who knows the form."""
    file.write_bytes(b"".join(written(records)))
    return file


def private_form(memory: Memory, namespace: str = "default") -> bytes:
    """Everything that goes from store to store: two stores that give the same hold the same."""
    return memory._context.store.read(namespace, lambda reader: b"".join(written(Sending(reader, True).records())))


def root_of(memory: Memory) -> tuple[int, str]:
    report = memory.log.verify()
    assert report.ok, str(report)
    return report.size, report.root


def answers(memory: Memory) -> dict[str, Any]:
    """What a memory answers, on every path on which it answers."""
    asked: dict[str, Callable[[], Any]] = {}
    for key in KEYS:
        for valid_at in (None, "2021-01-01", "2026-06-01"):
            asked[f"{key} {valid_at}"] = lambda key=key, valid_at=valid_at: memory.believe(key, valid_at=valid_at)
        asked[f"{key} before"] = lambda key=key: memory.believe(key, as_of="2026-03-20")
        asked[f"{key} history"] = lambda key=key: memory.history(key)
    asked["recall"] = lambda: memory.recall("Berlin weather", k=20, include=["all"])
    asked["list"] = lambda: memory.list(limit=1000, include=["all"]).rows
    asked["review"] = lambda: memory.review(limit=1000, closed=True)
    return {name: _plain(ask()) for name, ask in asked.items()}


def _plain(answer: Any) -> Any:
    from muniment.verbs.plain import plain

    if hasattr(answer, "to_dict"):
        return answer.to_dict()
    if hasattr(answer, "__iter__"):
        return [plain(one) for one in answer]
    return plain(answer)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where in a record its scalars stand."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from places(inner, (*path, name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from places(inner, (*path, place))
    else:
        yield path


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def changed(record: Record, path: tuple[Any, ...]) -> Record:
    """A copy of a record with one scalar changed, to one of the same form where that can be."""
    copy: Record = json.loads(json.dumps(record))
    inside = at(copy, path[:-1])
    inside[path[-1]] = other(inside[path[-1]])
    return copy


def other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if value is None:
        return "1"
    text = str(value)
    if text and all(char in "0123456789abcdef" for char in text) and len(text) >= 16:
        return text[:-1] + ("0" if text[-1] != "0" else "1")
    if text.isdigit():
        return str(int(text) + 1)
    return text[:-1] + ("z" if text[-1:] != "z" else "y") if text else "z"


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()
