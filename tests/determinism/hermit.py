"""The whole story and all its reads in a process that may not use the network; ``python hermit.py <path>``.

Prints as JSON what the process was seen doing: network calls, files opened for writing, threads and descriptors left.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

NETWORK = ("socket.", "urllib.", "http.", "ssl.", "ftplib.", "smtplib.")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.symlink", "os.link")
PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.posix_spawn")
seen: dict[str, list[str]] = {"network": [], "written": [], "started": []}


class Offline(RuntimeError):
    """Somebody tried to reach the network."""


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Note what is done, and refuse the network."""
    if event.startswith(NETWORK):
        seen["network"].append(event)
        raise Offline(event)
    if event in PROGRAMS:
        seen["started"].append(event)
    writes = event == "open" and isinstance(arguments[0], str) and arguments[2] & WRITING
    if writes or event in CHANGES:
        seen["written"].append(os.path.abspath(arguments[0]))


def descriptors() -> list[str]:
    """Return what the process holds open beside the standard streams, where the system says so."""
    folder = "/proc/self/fd"
    if not os.path.isdir(folder):
        return []
    found = []
    for name in os.listdir(folder):
        try:
            found.append(os.readlink(f"{folder}/{name}"))
        except OSError:  # the descriptor of the listing itself
            continue
    return sorted(target for target in found if target.startswith("/") and not target.startswith("/dev/"))


def refused() -> bool:
    """The control: the network is refused to whoever tries."""
    import socket

    try:
        socket.socket()
    except Offline:
        return bool(seen["network"])
    return False


def main() -> None:
    sys.addaudithook(watch)
    control = refused()
    seen["network"].clear()
    from determinism.records import check_log
    from determinism.story import STORY, Stage, answers

    open_before, threads_before = descriptors(), threading.active_count()
    stage = Stage(sys.argv[1])
    outcomes = [stage.play(position) for position in range(len(STORY))]
    root = answers(stage)["root"]
    check_log(stage.memory)
    persistent = stage.memory._host.keys.persistent
    stage.close()
    left = [target for target in descriptors() if target not in open_before]
    threads = threading.active_count() - threads_before
    tasks = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1
    print(
        json.dumps(
            {**seen, "control": control, "steps": len(outcomes), "root": root, "persistent": persistent,
             "left": left, "threads": threads, "tasks": tasks}
        )
    )  # fmt: skip


if __name__ == "__main__":
    main()
