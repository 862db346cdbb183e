"""What a run of the command line leaves behind, and how one is made at a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).resolve().parents[2] / "src"
PROGRAM = (sys.executable, "-m", "muniment.surfaces.cli")


@dataclass(frozen=True)
class Ran:
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error on standard error."""
        found: dict[str, Any] = json.loads(self.err)["error"]
        return found


Run = Callable[..., Ran]


def at_terminal(arguments: Sequence[str], typed: str, env: dict[str, str], columns: int, folder: Path) -> Ran:
    """Run the program at a pseudo-terminal, type something, and return what a person sees."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        [*PROGRAM, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=env, cwd=folder, start_new_session=True
    )
    os.close(theirs)
    if typed:
        os.write(ours, typed.encode())
    seen = bytearray()
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        seen += chunk
    os.close(ours)
    return Ran(process.wait(timeout=60), seen.decode(errors="replace").replace("\r\n", "\n"), "")
