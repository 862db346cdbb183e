"""Write docs/coverage.md from docs/coverage.toml: what of three other projects there is here, and what is not.

Run it after the table or the operations changed: ``PYTHONPATH=src python tools/make_coverage.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from coverage_rows import Row, read, title, wrong
from make_reference import table

TARGET = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"

HEAD = """# What of other projects there is here

Three public projects described pieces of what Muniment is. This page goes through everything that each of them offers and says
what does it here, what is planned and as part of what, or why there is none. It is written from `coverage.toml`; a test fails
for a name here that does not exist, and for a plan that has come true without being claimed.
"""


def page() -> str:
    """Return the page."""
    found = read()
    everything = [row for _, rows in found.values() for row in rows]
    counts = [(seed, *_counts(rows)) for seed, (_, rows) in found.items()]
    out = [HEAD, table(("project", "here", "planned", "none, with a reason"), [*counts, ("all", *_counts(everything))])]
    for seed, (what, rows) in found.items():
        out.append(f"## {seed}\n\n{seed} is {what}.\n")
        out.append(table(("there", "offered as", "here"), [_cells(row) for row in rows]))
    return "\n".join(out)


def _counts(rows: list[Row]) -> tuple[str, str, str]:
    here, planned, none = (sum(bool(getattr(row, way)) for row in rows) for way in ("ours", "planned", "waiver"))
    return str(here), str(planned), str(none)


def _cells(row: Row) -> tuple[str, str, str]:
    here = ", ".join(map(title, row.ours))
    if row.planned:
        here = f"planned: {row.planned}"
    elif row.waiver:
        here = f"none: {row.waiver}"
    name = row.name.replace("_", " ") if row.on == ("feature",) else f"`{row.name}`"
    return name, ", ".join(row.on), f"{here}; {row.note}" if row.note else here


def main(arguments: list[str]) -> int:
    """Write the page, or with ``--check`` say whether it is stale; 1 if it is, or the table is wrong."""
    problems = wrong(read())
    if problems:
        print("\n".join(problems))
        return 1
    wanted = page()
    stale = not TARGET.exists() or TARGET.read_text("utf-8") != wanted
    if "--check" in arguments:
        print("coverage.md" if stale else "")
        return int(stale)
    if stale:
        TARGET.write_text(wanted, "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
