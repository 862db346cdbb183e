"""Write ``docs/reference``: operations, commands, settings, errors and words, from the code that has them.

Run it after any of these changed: ``PYTHONPATH=src python tools/make_reference.py``. A test fails where a page is not
what this writes, and where something has no description.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import reference_commands as commands  # noqa: E402
import reference_operations as pages  # noqa: E402
import reference_results as results  # noqa: E402
import words  # noqa: E402

import muniment.facade.memory  # noqa: E402, F401  declares the operations
from muniment import errors, settings  # noqa: E402
from muniment.operation import PROFILES, operations  # noqa: E402
from muniment.surfaces.cli.failures import Exit, exit_code  # noqa: E402

TARGET = HERE.parent / "docs" / "reference"
NOTE = "<!-- Written by tools/make_reference.py; do not edit. -->\n\n"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table; bars in a cell are escaped."""
    lines = [list(head), *[list(row) for row in rows]]
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines]
    cells.insert(1, ["---"] * len(cells[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in cells) + "\n"


def index() -> str:
    """Return the first page."""
    declared = operations().values()
    rows = []
    for profile, purpose in PROFILES.items():
        names = [f"[{op.name}]({profile}.md#{pages.anchor(op)})" for op in declared if op.profile == profile]
        if names:
            rows.append((f"[{profile}]({profile}.md)", purpose, " · ".join(names)))
    return (
        "# Reference\n\nEvery operation, by the profile it belongs to: a set that a door offers or leaves out together."
        "\nEach is a method of `Memory`, an awaited method of `AsyncMemory`, and a command, with the same arguments.\n\n"
        + table(("profile", "for", "operations"), rows)
        + "\nAlso: [handles](handles.md): opening, narrowing, following, closing · [results](results.md) ·"
        " [commands](commands.md) · [settings](settings.md) · [errors](errors.md) ·"
        " [words](words.md): dispositions, statuses, reasons, markers, standings, channels, roles ·"
        " [filters](../filters.md): what `where=` takes.\n"
    )


def settings_page() -> str:
    """Return the page of settings."""
    rows = [(f"`{settings.PREFIX}{name}`", meaning + ".") for name, meaning in settings.SETTINGS.items()]
    return (
        "# Settings\n\nThe environment is read in one place, and an empty variable counts as not set. An argument of a"
        "\ncall comes before a variable. `muniment where` shows what holds here and which rule gave it.\n\n"
        + table(("variable", "meaning"), rows)
    )


def error_classes() -> list[type[errors.MunimentError]]:
    """Return every deliberate error, parents first."""
    found = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.MunimentError)]
    return sorted(found, key=lambda kind: inspect.getsourcelines(kind)[1])


def errors_page() -> str:
    """Return the page of errors."""
    rows = []
    for kind in error_classes():
        bases = ", ".join(f"`{base.__name__}`" for base in kind.__bases__)
        code = exit_code(kind(""))
        told = (inspect.getdoc(kind) or "").partition("\n\n")[0]
        rows.append((f"`{kind.__name__}`", f"`{kind.code}`", bases, str(code.value), told))
    exits = [(str(code.value), f"`{code.name}`", commands.meaning_of(code)) for code in Exit]
    return (
        "# Errors\n\nOne tree. Each error has a `code` for programs, a sentence for people, `advice`, and `details`;"
        "\n`diagnostics()` gives all four as plain data. No message quotes what is stored.\n\n"
        + table(("error", "code", "is a", "exit code", "when"), rows)
        + "\n## Exit codes of the command line\n\n"
        + table(("code", "name", "when"), exits)
    )


VOCABULARIES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "Dispositions": ("`Outcome.disposition`: what the gate did with a write; it never changes.", words.DISPOSITIONS),
    "Statuses": ("`Belief.status`: how a line answers.", words.STATUSES),
    "Reasons": ("`Belief.reason`: why there is no answer.", words.REASONS),
    "Currencies": ("`Belief.currency`: how long ago somebody last vouched.", words.CURRENCIES),
    "Markers": ("`Belief.markers`, `Hit.markers`: what to know beside an answer.", words.MARKERS),
    "Standings": ("`Statement.standing`, `include=`: how a claim stands.", words.STANDINGS),
    "Items": ("`ReviewItem.kind`: what waits for a person.", words.ITEMS),
    "Verdicts": ("`resolve(…, verdict)`: what a person may say of an item.", words.VERDICTS),
    "Channels": ("`channel=`: how a statement reached the memory, strongest first.", words.CHANNELS),
    "Roles": ("`roles=`: what a handle may do.", words.ROLES),
}


def words_page() -> str:
    """Return the page of words."""
    out = ["# Words\n\nThe closed vocabularies of answers and arguments.\n"]
    for title, (purpose, meanings) in VOCABULARIES.items():
        rows = [(f"`{word}`", meaning) for word, meaning in meanings.items()]
        out.append(f"## {title}\n\n{purpose}\n\n{table(('word', 'meaning'), rows)}")
    return "\n".join(out)


def render() -> dict[str, str]:
    """Return every page by its file name."""
    out = {"index.md": index(), "settings.md": settings_page(), "errors.md": errors_page(), "words.md": words_page()}
    out["commands.md"] = commands.page(table)
    out["results.md"], out["handles.md"] = results.results_page(table), results.handles_page(table)
    for profile, purpose in PROFILES.items():
        declared = [op for op in operations().values() if op.profile == profile]
        if declared:
            out[f"{profile}.md"] = pages.page(profile, purpose, declared, table)
    return {name: NOTE + text.rstrip() + "\n" for name, text in out.items()}


def stale() -> list[str]:
    """Return the names of pages that are not what they should be, or should not be there."""
    wanted = render()
    there = {path.name: path.read_text("utf-8") for path in TARGET.glob("*.md")}
    return sorted(name for name in {**wanted, **there} if wanted.get(name) != there.get(name))


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` name those that are stale."""
    names = stale()
    if "--check" in arguments:
        print("\n".join(names))
        return 1 if names else 0
    TARGET.mkdir(exist_ok=True)
    wanted = render()
    for name in names:
        if name in wanted:
            (TARGET / name).write_text(wanted[name], "utf-8", newline="\n")
        else:
            (TARGET / name).unlink()
    return 0


Tabulate = Callable[[Iterable[str], Iterable[Iterable[str]]], str]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
