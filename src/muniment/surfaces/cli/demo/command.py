"""The command: a store of its own, the scenes one after another, and an exit code that says how it went."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from muniment.errors import ValidationError
from muniment.settings import PREFIX
from muniment.surfaces.cli import output, streams
from muniment.surfaces.cli.blocks import Block, Line
from muniment.surfaces.cli.demo.teller import Scene, Teller
from muniment.surfaces.cli.doors import Doors
from muniment.surfaces.cli.failures import Exit
from muniment.surfaces.cli.parameters import Form, Parameter
from muniment.surfaces.cli.signature import Callback, callback

PAUSE: Final = 4.0
"""Seconds to read a scene, where a person reads it."""

WIDEST: Final = 100


def build() -> Callback:
    """Return the command."""
    fast = Parameter("fast", "fast", Form.FLAG, help="No pauses between the scenes.")
    return callback((fast,), lambda doors, typed: lambda: run(doors, fast=bool(typed["fast"])))


def run(options: Doors, *, fast: bool) -> int:
    """Tell the story.

    Args:
        options: ``path`` names a new file to keep the store in; without it, it goes with the demo.
        fast: No pauses.

    Returns:
        0 if every scene went as told, else 1.
    """
    pause = 0.0 if fast or options.json or not streams.at_a_terminal() else PAUSE
    with _place(options.path) as path:
        scenes: list[Scene] = []
        for number, scene in enumerate(tell(path), start=1):
            scenes.append(scene)
            if not options.json:
                output.show(_told(number, scene))
                sys.stdout.flush()
                time.sleep(pause)
    ok = bool(scenes) and all(scene.as_told for scene in scenes)
    if options.json:
        output.document({"ok": ok, "scenes": [scene.to_dict() for scene in scenes]})
    else:
        output.show(_end(scenes, options.path))
    return Exit.PASS if ok else Exit.FAIL


def tell(path: str) -> Iterator[Scene]:
    """Make the calls of the story on a store and yield each scene when it is over.

    Args:
        path: A file that does not exist yet.
    """
    from muniment.facade.memory import Memory
    from muniment.surfaces.cli.demo.story import STORY

    with Memory(path, "demo") as memory:
        teller = Teller(memory, path)
        for scene in STORY:
            scene(teller)
            yield teller.scene


@contextmanager
def _place(path: str | None) -> Iterator[str]:
    """Yield the path of a new store; the settings of the environment do not reach it."""
    if path is not None and (path == ":memory:" or Path(path).expanduser().exists()):
        raise ValidationError("The demo tells its story in a new file.", advice="Name one that does not exist yet.")
    if path is not None:
        with _undisturbed({}):
            yield str(Path(path).expanduser().absolute())
        return
    with (
        tempfile.TemporaryDirectory(prefix="muniment-demo-", ignore_cleanup_errors=True) as folder,
        _undisturbed({f"{PREFIX}KEY_HOME": str(Path(folder) / "keys")}),
    ):
        yield str(Path(folder) / "store" / "demo.muniment")


@contextmanager
def _undisturbed(instead: Mapping[str, str]) -> Iterator[None]:
    """Hide the settings of the environment: the story is that of the defaults."""
    hidden = {name: value for name, value in os.environ.items() if name.startswith(PREFIX)}
    kept = {f"{PREFIX}KEY_HOME": hidden[f"{PREFIX}KEY_HOME"]} if f"{PREFIX}KEY_HOME" in hidden else {}
    for name in hidden:
        del os.environ[name]
    os.environ.update({**kept, **instead})
    try:
        yield
    finally:
        for name in (*kept, *instead):
            os.environ.pop(name, None)
        os.environ.update(hidden)


def _told(number: int, scene: Scene) -> Iterator[Block]:
    yield Line(f"{number}. {scene.title}", "strong")
    for exchange in scene.exchanges:
        yield Line(_wrapped(exchange.said, "   > ", "     "))
        for line in exchange.answered.splitlines():
            yield Line(_wrapped(line, "     "), "good" if not exchange.missed else "bad")
        for missed in exchange.missed:
            yield Line(_wrapped(f"NOT AS TOLD: {missed}", "     "), "bad")
    yield Line(_wrapped(scene.why, "   "), "faint")
    yield Line(" ")


def _wrapped(text: str, first: str, rest: str | None = None) -> str:
    width = max(20, min(WIDEST, shutil.get_terminal_size().columns) - 1)
    return textwrap.fill(
        streams.harmless(text), width, initial_indent=first, subsequent_indent=first if rest is None else rest,
        break_on_hyphens=False,  # a path is copied whole
    )  # fmt: skip


def _end(scenes: list[Scene], path: Any) -> Iterator[Block]:
    wrong = [scene.title for scene in scenes if not scene.as_told]
    if wrong:
        yield Line(f"{len(wrong)} of {len(scenes)} scenes did not go as told: {'; '.join(wrong)}", "bad")
    else:
        yield Line(f"All {len(scenes)} scenes went as told. Every answer above was the product's own.", "good")
    if path:
        yield Line(f"The store is kept in {path}")
    else:
        yield Line("Its store lay in a temporary folder and went with it; --path FILE keeps one.", "faint")
