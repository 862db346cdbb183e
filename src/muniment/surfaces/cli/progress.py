"""A bar on standard error while something takes long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from muniment.surfaces.cli import streams


@contextmanager
def progress_bar(title: str, wanted: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that draws a bar on standard error, or None where nobody would see it."""
    if not wanted or not streams.is_terminal(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title.replace("_", " "), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
