"""The rows of docs/coverage.toml, and what is wrong with them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from muniment import Memory
from muniment.operation import Operation, operations
from muniment.surfaces.cli import catalogue

SOURCE: Final = Path(__file__).resolve().parents[1] / "docs" / "coverage.toml"

_WAYS: Final = ("ours", "planned", "waiver")
"""A row says exactly one of these."""


@dataclass(frozen=True)
class Row:
    """What one name of another project has become here.

    Args:
        seed: The project.
        name: Its name there.
        on: Where it is offered there.
        ours: What does it here.
        planned: In what it is to come.
        will: The names it is to have.
        waiver: Why there is none.
        note: What differs.
    """

    seed: str
    name: str
    on: tuple[str, ...]
    ours: tuple[str, ...] = ()
    planned: str = ""
    will: tuple[str, ...] = ()
    waiver: str = ""
    note: str = ""

    def wrong(self) -> Iterator[str]:
        """Yield what is wrong with the row."""
        here = f"{self.seed} {self.name}"
        if sum(bool(getattr(self, way)) for way in _WAYS) != 1:
            yield f"{here}: it must say one of {', '.join(_WAYS)}"
        for name in self.ours:
            if not exists(name):
                yield f"{here}: there is no {name}"
        if self.planned and not self.will:
            yield f"{here}: it must say under which names it will come"
        for name in self.will:
            if exists(name):
                yield f"{here}: {name} is there, so it can be claimed"
        found = [op.name for op in operations().values() if self.planned and op.method == self.name.replace("-", "_")]
        if found:
            yield f"{here}: {found[0]} bears its name, so it can be claimed"
        if self.waiver and len(self.waiver) < 20:
            yield f"{here}: a waiver needs a reason"


def exists(name: str) -> bool:
    """Say whether something of ours exists: an operation, a command (``muniment …``) or a handle's method."""
    kind, space, rest = name.partition(" ")
    if space:
        return kind == "muniment" and rest in catalogue.names()
    if name.startswith("Memory."):
        return hasattr(Memory, name.removeprefix("Memory."))
    return name in operations()


def title(name: str) -> str:
    """Return what something of ours is shown as: an operation with a link to its page in the reference."""
    operation: Operation | None = operations().get(name)
    if operation is None:
        return f"`{name}`"
    return f"[{name}](reference/{operation.profile}.md#{name.replace('.', '')})"


def read() -> dict[str, tuple[str, list[Row]]]:
    """Return (what it is, rows) of each project, by its name."""
    data: dict[str, Any] = tomllib.loads(SOURCE.read_text("utf-8"))
    out: dict[str, tuple[str, list[Row]]] = {}
    for part in data.values():
        seed = part["title"]["name"]
        out[seed] = (part["title"]["what"], [_row(seed, name, said) for name, said in part["rows"].items()])
    return out


def _row(seed: str, name: str, said: dict[str, Any]) -> Row:
    on, ours, will = tuple(said["on"].split()), tuple(said.get("ours", ())), tuple(said.get("will", ()))
    rest = {key: value for key, value in said.items() if key not in ("on", "ours", "will")}
    return Row(seed, name, on, ours=ours, will=will, **rest)


def wrong(found: dict[str, tuple[str, list[Row]]]) -> list[str]:
    """Return what is wrong with the rows."""
    return [problem for _, rows in found.values() for row in rows for problem in row.wrong()]
