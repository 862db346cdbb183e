"""Writing answers: one JSON document for programs, tables on a terminal, plain text anywhere else."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any, Final

from muniment.surfaces.cli import streams
from muniment.surfaces.cli.blocks import Block, Drawing, Fields, Line, Table

NARROW: Final = 100
"""Columns of a page below which the columns of a table are folded under each other."""

_LEAST: Final = 12
"""Columns that running text needs to be readable."""

_GAP: Final = 3
"""Columns between two of a table."""

_STYLES: Final = {"good": "green", "warn": "yellow", "bad": "bold red", "strong": "bold", "faint": "dim", "plain": ""}


def document(data: Any, stream: IO[str] | None = None) -> None:
    """Write one JSON document. Where the stream cannot carry every character, it is ASCII with escapes."""
    out = sys.stdout if stream is None else stream
    text = json.dumps(data, ensure_ascii=not streams.encodes_everything(out), allow_nan=False)
    out.write(streams.harmless_json(text) + "\n")


def result(obj: Any, *, as_json: bool, stream: IO[str] | None = None) -> None:
    """Write what an operation returned.

    Args:
        obj: The result.
        as_json: Exactly ``to_dict()`` of it, as JSON.
        stream: Where to; standard output if not given.
    """
    if as_json:
        from muniment.verbs.plain import plain

        document(plain(obj), stream)
    else:
        from muniment.surfaces.cli.render_recall import blocks

        show(blocks(obj), stream)


def fields(members: Mapping[str, Any], *, as_json: bool) -> None:
    """Write names and values."""
    if as_json:
        document(dict(members))
    else:
        show([Fields([(name, str(value)) for name, value in members.items()])])


def show(parts: Iterable[Block], stream: IO[str] | None = None) -> None:
    """Write blocks for a person: with colours and tables on a terminal, else as plain text, and remarks apart.

    Args:
        parts: The blocks.
        stream: Where to; standard output if not given.
    """
    out = sys.stdout if stream is None else stream
    if streams.is_terminal(out):
        _pretty(parts, out)
    else:
        for part in parts:
            where = sys.stderr if stream is None and isinstance(part, Line) and part.aside else out
            for line in plain_lines(part):
                where.write(line + "\n")


def plain_lines(part: Block) -> list[str]:
    """Return a block as lines of plain text: columns aligned, nothing cut.

    Example:
        >>> plain_lines(Fields([("status", "pass"), ("size", "12")]))
        ['status  pass', 'size    12']
    """
    match part:
        case Line(text):
            return streams.harmless(text).split("\n") if text else []
        case Fields(pairs):
            return _aligned([[name, value] for name, value in pairs])
        case Table(columns, rows):
            return _aligned([list(columns), *[list(row) for row in rows]])
        case Drawing(draw):
            return [streams.harmless(line) for line in draw(None).split("\n")]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    from muniment.verbs.tables import aligned

    return aligned([[streams.harmless(cell) for cell in row] for row in rows])


def _pretty(parts: Iterable[Block], out: IO[str]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=out, highlight=False, markup=False, emoji=False)
    for part in parts:
        match part:
            case Line(text, mood):
                if text:
                    console.print(Text(streams.harmless(text), style=_STYLES[mood]))
            case Fields(pairs):
                _pretty_fields(console, pairs)
            case Table(columns, rows):
                _pretty_table(console, columns, rows)
            case Drawing(draw):
                console.print(Text(streams.harmless(draw(console.width))))


def _pretty_fields(console: Any, pairs: Sequence[tuple[str, str]]) -> None:
    """Write names and values side by side. What must be copied whole stands on a line of its own where it has to."""
    from rich.text import Text

    harmless = [(streams.harmless(name), streams.harmless(value)) for name, value in pairs]
    room = console.width - max((len(name) for name, _ in harmless), default=0) - 2
    beside: list[tuple[str, str]] = []
    for name, value in harmless:
        if _longest_word(value) <= room:
            beside.append((name, value))
            continue
        _side_by_side(console, beside)
        beside = []
        console.print(Text(name, style="dim"))
        console.print(Text(value, overflow="fold"))
    _side_by_side(console, beside)


def _side_by_side(console: Any, pairs: Sequence[tuple[str, str]]) -> None:
    from rich.table import Table as Grid
    from rich.text import Text

    if not pairs:
        return
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in pairs:
        grid.add_row(Text(name), Text(value))
    console.print(grid)


def _pretty_table(console: Any, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    cells = [[row[n] for row in (columns, *rows)] for n in range(len(columns))]
    needed = [_needed(column) for column in cells]
    # Where every row fits on one line there is nothing to fold, however narrow the page.
    least = needed if console.width >= NARROW else [max(map(len, column)) for column in cells]
    if sum(least) + _GAP * len(columns) > console.width:
        for row in rows:
            _pretty_fields(console, [(name, cell) for name, cell in zip(columns, row, strict=True) if cell])
            console.print()
        return
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column, width in zip(columns, needed, strict=True):
        grid.add_column(column, overflow="fold", min_width=width)
    for row in rows:
        grid.add_row(*(Text(streams.harmless(cell)) for cell in row))
    console.print(grid)


def _needed(cells: Sequence[str]) -> int:
    """Return the columns that cells need so that no id and no instant in them is broken."""
    widest = max((len(cell) for cell in cells), default=0)
    running = any(" " in cell for cell in cells)
    return min(widest, max(_LEAST, *map(_longest_word, cells))) if running else widest


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)
