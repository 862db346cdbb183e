"""The code guard: processor milliseconds per 1,000 lines, and for one call of the command.

A hook calls it for every change. Most files hold none of the names, and are put aside after one look at their words; the
others are taken apart by a lexer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from muniment.code.checking import check_text
from muniment.code.symbols import Symbol, Symbols

SOURCES = Path(__file__).resolve().parents[1] / "src" / "muniment"
ROUNDS = 5


def cpu(work: Callable[[], object], lines: int) -> float:
    """Return the processor milliseconds for 1,000 lines, the best of a few rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.thread_time()
        work()
        best = min(best, time.thread_time() - start)
    return round(best / lines * 1e6, 2)


def started(folder: Path, *paths: str) -> float:
    """Return the processor seconds of one call of the command, the best of a few."""
    import resource

    best = float("inf")
    command = [sys.executable, "-m", "muniment", "code", "check", *paths]
    environment = os.environ | {"PYTHONPATH": str(SOURCES.parent)}
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True)
        assert b"looked at for 1 name" in done.stdout, done.stderr
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return round(best, 3)


def main() -> None:
    """Measure on the sources of this package."""
    texts = [path.read_text("utf-8") for path in sorted(SOURCES.rglob("*.py"))]
    lines = sum(text.count("\n") for text in texts)
    few = Symbols([Symbol("pkg.mod.not_here", "x")])
    many = Symbols(Symbol(f"pkg.mod.not_here_{n}", f"x{n}") for n in range(10_000))
    used = Symbols([Symbol("ValidationError", "x")])  # three files of four name it

    def all_of(symbols: Symbols) -> Callable[[], object]:
        return lambda: [check_text(text, symbols) for text in texts]

    found = {
        "lines": lines,
        "one_name_not_used": cpu(all_of(few), lines),
        "ten_thousand_names_not_used": cpu(all_of(many), lines),
        "a_name_in_most_files": cpu(all_of(used), lines),
    }
    if os.name == "posix":
        place = Path(os.environ.get("TMPDIR", "/tmp")) / f"codeguard-{os.getpid()}"
        (place / ".git").mkdir(parents=True)
        from muniment.code import symbolsfile

        symbolsfile.write(place / ".muniment" / "symbols.jsonl", [Symbol("not_here", "x")])
        (place / "a.py").write_text("x = 1\n" * 1_000)
        (place / "b.py").write_text("x = 1\n" * 1_000 + "not_here()\n")
        found |= {"seconds_of_one_call": started(place, "a.py"), "with_a_use": started(place, "b.py")}
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
