"""Drawing rectangles of two kinds of time, as text and as SVG, without a library and the same every time.

The picture is a grid: a column for each period of valid time in which nothing changes, a row for each period of
transaction time. It is not to scale, since a correction may come a second after the statement and a century before
the end.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from muniment.claims.intervals import FOREVER, NEVER
from muniment.claims.moments import format_instant
from muniment.quick import dataclass

MAX_BANDS: Final = 24
"""Rows and columns that are drawn; of a longer story, the latest."""

MAX_LABEL: Final = 22
"""Characters of a value."""

_COLOURS: Final = ("#b3d4ef", "#fbd9a5", "#b7e3d0", "#f3c6d8", "#e9e2a0", "#d5cdf0", "#cfd8dc", "#f0c7b5")
"""Pale, so that black text is read on them; told apart by people who see few colours, by their lightness and label."""


@dataclass(frozen=True, slots=True)
class Box:
    """One rectangle: [start, end) of valid time, [tx_from, tx_to) of transaction time, microseconds."""

    start: int
    end: int
    tx_from: int
    tx_to: int
    label: str
    possible: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a picture.

    Args:
        columns: Where each column begins (``NEVER`` for the unbounded past), and where the last one ends.
        rows: Where each row begins.
        cells: By row and column, the labels that hold there.
        cut: Earlier rows were left out.
    """

    columns: tuple[int, ...]
    rows: tuple[int, ...]
    cells: tuple[tuple[tuple[str, ...], ...], ...]
    cut: bool = False


def grid_of(boxes: Sequence[Box]) -> Grid:
    """Lay rectangles out on a grid.

    Example:
        >>> grid_of([Box(0, 9, 1, 2, "a", False), Box(0, 5, 2, FOREVER, "a", False)]).cells
        ((('a',), ('a',)), (('a',), ()))
    """
    instants = {box.tx_from for box in boxes} | {box.tx_to for box in boxes if box.tx_to != FOREVER}
    rows = sorted(instants)
    cut = len(rows) > MAX_BANDS
    rows = rows[-MAX_BANDS:]
    drawn = [box for box in boxes if rows and box.tx_to > rows[0]]
    edges = sorted({edge for box in drawn for edge in (box.start, box.end)})[-MAX_BANDS - 1 :]
    first = {box.label: n for n, box in reversed(list(enumerate(boxes)))}  # whoever said it first comes first
    cells = tuple(tuple(_cell(drawn, known, start, first) for start in edges[:-1]) for known in rows)
    return Grid(tuple(edges), tuple(rows), cells, cut)


def _cell(boxes: Sequence[Box], known: int, start: int, first: Mapping[str, int]) -> tuple[str, ...]:
    labels: dict[str, bool] = {}
    for box in sorted(boxes, key=lambda box: first[box.label]):
        if box.start <= start < box.end and box.tx_from <= known < box.tx_to:
            labels[_plain(box.label)] = labels.get(_plain(box.label), True) and box.possible
    return tuple(f"{label} ?" if possible else label for label, possible in labels.items())


def _plain(label: str) -> str:
    """Return a value fit to be drawn: on one line, short, and without characters that steer what shows it."""
    shown = "".join(
        f"\\u{ord(char):04x}" if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") else char
        for char in label[: MAX_LABEL + 1]
    )
    return shown if len(shown) <= MAX_LABEL else shown[: MAX_LABEL - 1] + "…"


def _valid(us: int) -> str:
    if us == NEVER:
        return "ever before"
    return "ever after" if us == FOREVER else format_instant(us).removesuffix("T00:00:00Z")


def _known(rows: Sequence[int]) -> list[str]:
    """Return times no more exactly than it takes to tell them apart."""
    full = [format_instant(us) for us in rows]
    for size in (10, 16, 19):
        short = [text[:size] for text in full]
        if len(set(short)) == len(short):
            return [text.replace("T", " ") for text in short]
    return full


def text(key: str, grid: Grid) -> str:
    """Return the picture as text."""
    title = _plain_line(key)
    if not grid.rows:
        return f"{title}: nothing to draw."
    head = ["known from", *(_valid(edge) for edge in grid.columns[:-1])]
    lines = [head]
    for known, cells in zip(_known(grid.rows), grid.cells, strict=True):
        lines.append([known, *(" | ".join(cell) or "·" for cell in cells)])
    widths = [max(len(line[n]) for line in lines) for n in range(len(head))]
    body = ["  ".join(part.ljust(width) for part, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    body.insert(1, "  ".join("─" * width for width in widths))
    return "\n".join([f"{title}, believed true from …", *body, *_notes(grid)])


def _notes(grid: Grid) -> list[str]:
    end = grid.columns[-1]
    notes = [f"The last column ends at {_valid(end)}."] if end != FOREVER else []
    return notes + (["Earlier rows are left out."] if grid.cut else [])


def stacked(key: str, grid: Grid) -> str:
    """Return the picture as text for a narrow page: what was known since when, its periods under each other.

    Example:
        >>> print(stacked("a::b", grid_of([Box(0, FOREVER, 1, FOREVER, "x", False)])))
        a::b, believed true from …
        known from 1970-01-01
          1970-01-01  x
    """
    lines = [f"{_plain_line(key)}, believed true from …"]
    starts = [_valid(edge) for edge in grid.columns[:-1]]
    wide = max(map(len, starts), default=0)
    for known, cells in zip(_known(grid.rows), grid.cells, strict=True):
        lines.append(f"known from {known}")
        before: tuple[str, ...] | None = None
        for start, cell in zip(starts, cells, strict=True):
            if cell != before and (cell or before is not None):  # equal neighbours are one period
                lines.append(f"  {start.ljust(wide)}  {' | '.join(cell) or '·'}")
            before = cell if cell or before is not None else None
    return "\n".join([*lines, *(note.replace("column", "period") for note in _notes(grid))])


_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def escape(shown: str) -> str:
    """Return a text as the content of an XML element or attribute."""
    return shown.translate(_ESCAPES)


def _plain_line(key: str) -> str:
    return "".join(char if unicodedata.category(char)[0] != "C" else f"\\u{ord(char):04x}" for char in key)


NARROWEST: Final = 480
LEFT: Final = 150
TOP: Final = 64
CELL: Final = 150
ROW: Final = 46


@dataclass(frozen=True, slots=True)
class _Field:
    """Cells with the same labels, joined: columns [left, right), rows [top, bottom)."""

    left: int
    right: int
    top: int
    bottom: int
    labels: tuple[str, ...]


def svg(key: str, as_of: str, grid: Grid) -> str:
    """Return the picture as an SVG document."""
    columns, rows = max(len(grid.columns) - 1, 1), max(len(grid.rows), 1)
    width, height = max(LEFT + CELL * columns + 16, NARROWEST), TOP + ROW * rows + 40
    told = f"What is believed of {_plain_line(key)}: valid time from left to right, what was known downwards."
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' role="img" font-family="sans-serif" font-size="13">',
        f"<title>{escape(_plain_line(key))}</title>",
        f"<desc>{escape(told)}</desc>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _label(LEFT, 20, _plain_line(key), "start", "bold"),
        _label(LEFT - 10, TOP - 14, "known from", "end"),
    ]
    parts += [_tick(n, edge, rows) for n, edge in enumerate(grid.columns)]
    parts += [_label(LEFT - 10, TOP + ROW * n + 18, at, "end") for n, at in enumerate(_known(grid.rows))]
    colours: dict[str, str] = {}
    for field in _fields(grid):
        parts += _drawn(field, colours)
    foot = f"Not to scale. As known at {as_of.removesuffix('T00:00:00Z')}." + (
        " Earlier rows are left out." if grid.cut else ""
    )
    parts.append(_label(14, height - 14, foot, "start"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _tick(n: int, edge: int, rows: int) -> str:
    x = LEFT + CELL * n
    line = f'<line x1="{x}" y1="{TOP - 6}" x2="{x}" y2="{TOP + ROW * rows}" stroke="#888888" stroke-dasharray="2 3"/>'
    text = "" if edge == FOREVER else _label(x, TOP - 14, _valid(edge), "middle" if n else "start")
    return line + text


def _label(x: int, y: int, text: str, anchor: str, weight: str = "normal") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-weight="{weight}" fill="#111111">{escape(text)}</text>'


def _drawn(field: _Field, colours: dict[str, str]) -> list[str]:
    """Return one joined field: a stripe for each value that holds there, dashed where there are several."""
    x, wide = LEFT + CELL * field.left, CELL * (field.right - field.left)
    y, high = TOP + ROW * field.top, ROW * (field.bottom - field.top)
    dash = ' stroke-dasharray="5 3"' if len(field.labels) > 1 else ""
    out = []
    for n, label in enumerate(field.labels):
        colour = colours.setdefault(label.removesuffix(" ?"), _COLOURS[len(colours) % len(_COLOURS)])
        left, across = x + wide * n // len(field.labels), wide // len(field.labels)
        out.append(
            f'<rect x="{left + 1}" y="{y + 1}" width="{across - 2}" height="{high - 2}" fill="{colour}"'
            f' stroke="#333333"{dash}/>' + _label(left + across // 2, y + high // 2 + 5, label, "middle")
        )
    return out


def _fields(grid: Grid) -> list[_Field]:
    """Join cells with the same labels, first along a row, then with the row above where the runs agree."""
    out: list[_Field] = []
    above: dict[tuple[int, int, tuple[str, ...]], int] = {}
    for row, cells in enumerate(grid.cells):
        here: dict[tuple[int, int, tuple[str, ...]], int] = {}
        for left, right, labels in _runs(cells):
            at = above.get((left, right, labels))
            if at is None:
                at = len(out)
                out.append(_Field(left, right, row, row + 1, labels))
            else:
                out[at] = _Field(left, right, out[at].top, row + 1, labels)
            here[left, right, labels] = at
        above = here
    return out


def _runs(cells: Sequence[tuple[str, ...]]) -> list[tuple[int, int, tuple[str, ...]]]:
    runs: list[tuple[int, int, tuple[str, ...]]] = []
    for n, labels in enumerate(cells):
        if labels and runs and runs[-1][1] == n and runs[-1][2] == labels:
            runs[-1] = (runs[-1][0], n + 1, labels)
        elif labels:
            runs.append((n, n + 1, labels))
    return runs
