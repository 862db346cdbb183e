"""The same work given to other memories that are installed beside: keyed facts, three revisions each, one call a write.

Each is filled to a size with its own calls (or as far as the time allows, and the size it reached is printed), then
timed over further writes, and over reads of the present value by key. Fill times are not part of the figures. What is
not installed is left out; nothing here is needed by Muniment. Install what to compare with, for example
``pip install mempill inspeximus mem0ai qdrant-client``.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from common import arguments, fact, fsync_ms, report, summary, workplace
from floor import floor


class Memory(Protocol):
    """What is asked of each: say a fact, give its present value, and be closed."""

    def say(self, key: str, value: str, text: str) -> None: ...

    def value(self, key: str) -> object: ...

    def close(self) -> None: ...


class Ours:
    """Muniment: durable, in the log and the index."""

    def __init__(self, folder: Path) -> None:
        from muniment import Memory as Store

        self._memory = Store(folder / "ours.muniment")

    def say(self, key: str, value: str, text: str) -> None:
        self._memory.remember(text, key=key, value=value)

    def value(self, key: str) -> object:
        return self._memory.believe(key).value

    def close(self) -> None:
        self._memory.close()


class Mempill:
    """mempill: its ergonomic calls, on a file."""

    def __init__(self, folder: Path) -> None:
        import mempill  # type: ignore[import-not-found]

        (folder / "mempill").mkdir()
        self._mempill = mempill
        self._engine = mempill.open_for_agent(str(folder / "mempill"), "bench")

    def say(self, key: str, value: str, text: str) -> None:
        subject, _, predicate = key.partition("::")
        self._mempill.remember(self._engine, "bench", subject, predicate, value)

    def value(self, key: str) -> object:
        subject, _, predicate = key.partition("::")
        return self._mempill.recall(self._engine, "bench", subject, predicate)

    def close(self) -> None:
        pass


class Inspeximus:
    """inspeximus: rows in SQLite, without receipts."""

    def __init__(self, folder: Path) -> None:
        import inspeximus  # type: ignore[import-not-found]

        self._memory = inspeximus.Inspeximus(path=str(folder / "inspeximus.db"))

    def say(self, key: str, value: str, text: str) -> None:
        self._memory.remember(text, key=key, object=value)

    def value(self, key: str) -> object:
        return self._memory.current(key)

    def close(self) -> None:
        close = getattr(self._memory, "close", None)
        if close is not None:
            close()


class Mem0:
    """mem0: without a model (infer=False), a local qdrant, and an embedder that only hashes."""

    def __init__(self, folder: Path) -> None:
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ["MEM0_DIR"] = str(folder / "mem0")
        os.environ.setdefault("OPENAI_API_KEY", "not used")  # its model client wants one and is never called
        from mem0 import Memory as Store  # type: ignore[import-not-found]

        vectors = {"collection_name": "bench", "path": str(folder / "vectors"), "on_disk": True}
        self._memory = Store.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": {**vectors, "embedding_model_dims": 64}},
                "history_db_path": str(folder / "mem0-history.db"),
            }
        )
        self._memory.embedding_model = self
        self._ids: dict[str, str] = {}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Hash a text to 64 numbers: no model is to be timed."""
        digest = hashlib.sha512(text.encode()).digest()
        return [byte / 255 for byte in digest]

    def say(self, key: str, value: str, text: str) -> None:
        added = self._memory.add(text, user_id="bench", infer=False, metadata={"key": key, "value": value})
        self._ids[key] = added["results"][0]["id"]

    def value(self, key: str) -> object:
        return self._memory.get(self._ids[key])

    def close(self) -> None:
        pass


SYSTEMS: dict[str, tuple[str, Callable[[Path], Memory]]] = {
    "muniment": ("muniment", Ours),
    "mempill": ("mempill", Mempill),
    "inspeximus": ("inspeximus", Inspeximus),
    "mem0": ("mem0", Mem0),
}


def measure(make: Callable[[Path], Memory], folder: Path, size: int, writes: int, seconds: float) -> dict[str, Any]:
    """Fill one system, then time its writes and reads."""
    memory, people = make(folder), max(1, size // 3)
    deadline, held = time.monotonic() + seconds, 0
    while held < size and time.monotonic() < deadline:
        memory.say(*fact(held, people))
        held += 1
    said: list[float] = []
    for i in range(held, held + writes):
        row = fact(i, people)
        start = time.perf_counter()
        memory.say(*row)
        said.append(time.perf_counter() - start)
    read: list[float] = []
    for i in range(writes):
        key = fact(i * 7919 % held, people)[0]
        start = time.perf_counter()
        memory.value(key)
        read.append(time.perf_counter() - start)
    memory.close()
    found: dict[str, Any] = {"claims": held}
    found |= {f"write_{name}": figure for name, figure in summary(said).items()}
    found |= {f"value_{name}": figure for name, figure in summary(read).items()}
    return found


if __name__ == "__main__":
    options = arguments(
        __doc__ or "",
        writes={"type": int, "default": 300, "help": "writes to time at each size"},
        seconds={"type": float, "default": 60.0, "help": "how long each may be filled at each size"},
        only={"nargs": "+", "choices": list(SYSTEMS), "help": "which to run (default: all that are installed)"},
    )
    with workplace(options.folder) as place:
        results: dict[str, Any] = {"fsync_ms": fsync_ms(place)}
        for claims in options.sizes:
            results[f"floor at {claims:,}"] = floor(place, claims, options.writes)
            for name, (package, make) in SYSTEMS.items():
                if options.only and name not in options.only:
                    continue
                if importlib.util.find_spec(package) is None:
                    results[f"{name} at {claims:,}"] = "not installed"
                    continue
                home = place / f"{name}-{claims}"
                home.mkdir()
                results[f"{name} at {claims:,}"] = measure(make, home, claims, options.writes, options.seconds)
        report(results, options)
