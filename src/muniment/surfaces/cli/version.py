"""``muniment version``: what runs here."""

from __future__ import annotations

import platform
from typing import Any

import muniment
from muniment.surfaces.cli import output
from muniment.surfaces.cli.doors import Doors
from muniment.surfaces.cli.signature import Callback, callback


def build() -> Callback:
    """Return the command."""
    return callback((), lambda doors, typed: lambda: show(doors))


def show(doors: Doors) -> int:
    """Print the versions."""
    output.fields(versions(), as_json=doors.json)
    return 0


def versions() -> dict[str, Any]:
    """Return the versions of Muniment, Python, the system and SQLite."""
    import apsw

    return {
        "muniment": muniment.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "sqlite": apsw.sqlite_lib_version(),
        "apsw": apsw.apsw_version(),
    }
