"""What the child processes of the replay do; run as ``python processes.py <what> <store> …``.

``claim <store> <value> <keys> <gate>`` waits until the file ``gate`` exists, then says ``value`` on each key and prints
what became of it. ``pour <store>`` says one thing after the other and prints each claim once it is acknowledged.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from muniment import Memory


def claim(store: str, value: str, keys: str, gate: str) -> None:
    """Say a value on many keys, as fast as the other process that says another one."""
    with Memory(store, "a", busy_seconds=60) as memory:
        print("ready", flush=True)
        while not Path(gate).exists():
            time.sleep(0.005)
        said = {f"k{n}::v": memory.remember(None, key=f"k{n}::v", value=value) for n in range(int(keys))}
        print(json.dumps({key: outcome.disposition.value for key, outcome in said.items()}))


def pour(store: str) -> None:
    """Say one thing after the other until killed."""
    with Memory(store, "a") as memory:
        for number in range(1_000_000):
            outcome = memory.remember(None, key=f"k{number}::v", value=f"value {number}")
            print(outcome.claim_id, flush=True)


if __name__ == "__main__":
    {"claim": claim, "pour": pour}[sys.argv[1]](*sys.argv[2:])
