"""Writes docs/results.md from what the benches recorded: every figure on that page was printed by a bench.

python bench/contradiction.py --record   # measures, and keeps what it saw in bench/recorded/
python bench/results.py                  # writes the page; --check only says whether it is up to date
"""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from common import RECORDED

PAGE = Path(__file__).parents[1] / "docs" / "results.md"

HEAD = """\
<!-- Written by bench/results.py. Do not edit: run the bench with --record and make the page again. -->

# Results

What the [benches](benchmarks.md) printed when they were last run for this page, each with its day and its machine.
The time of an fsync stands beside every figure that contains one. A bar that was missed says so.
"""


def rendered(folder: Path = RECORDED) -> str:
    """Return the page.

    Args:
        folder: Where the recorded documents lie.
    """
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    return "\n".join([HEAD, *(section(document) for document in documents)])


def section(document: Mapping[str, Any]) -> str:
    """Return the part of the page about one bench."""
    bench, found = document["bench"], document["machine"]
    about = ast.get_docstring(ast.parse((Path(__file__).parent / f"{bench}.py").read_text(encoding="utf-8"))) or ""
    facts = ", ".join(
        f"{name.replace('_ms', '')} {value}{' ms' * name.endswith('_ms')}" for name, value in found.items()
    )
    parts = [f"## {bench}\n", about.split("\n\n")[0] + "\n", f"{document['date']} · {facts} · `{command(document)}`\n"]
    if document["bars"]:
        rows = ([b["name"], b["wanted"], b["found"], "met" if b["met"] else "**missed**"] for b in document["bars"])
        parts.append(table(["bar", "wanted", "found", ""], rows))
    parts += tables(document["results"])
    return "\n".join(parts)


def command(document: Mapping[str, Any]) -> str:
    """Return the command that measured what a document holds."""
    words = ["python", f"bench/{document['bench']}.py", "--record"]
    for name, value in document["options"].items():
        given = value if isinstance(value, list) else [value]
        if value is not False:
            words += [f"--{name.replace('_', '-')}", *(str(each) for each in given if value is not True)]
    return " ".join(words)


def tables(results: Mapping[str, Any]) -> list[str]:
    """Return figures as tables: single ones together, tables of the same columns together."""
    single = {name: value for name, value in results.items() if not isinstance(value, dict)}
    parts = [table(["figure", ""], single.items())] if single else []
    shapes: dict[tuple[str, ...], dict[str, Mapping[str, Any]]] = {}
    for name, value in results.items():
        if isinstance(value, dict):
            shapes.setdefault(tuple(value), {})[name] = value
    for columns, rows in shapes.items():
        if len(rows) == 1:
            [(name, row)] = rows.items()
            parts.append(table([name, ""], row.items()))
        else:
            parts.append(table(["", *columns], ([name, *row.values()] for name, row in rows.items())))
    return parts


def table(head: list[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table in Markdown."""
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in ([*head], ["---"] * len(head), *rows)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 if the page is not up to date")
    if not parser.parse_args().check:
        PAGE.write_text(rendered(), encoding="utf-8")
    elif rendered() != PAGE.read_text(encoding="utf-8"):
        raise SystemExit("docs/results.md is not what the benches recorded: run python bench/results.py.")
