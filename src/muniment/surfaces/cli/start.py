"""Where the program begins: a hook goes its own short way, before anything else is loaded."""

from __future__ import annotations

import sys
from typing import NoReturn


def run() -> NoReturn:
    """Run the program on what was typed, and end the process."""
    if sys.argv[1:2] == ["hook"]:
        from muniment.surfaces.hooks import entry

        if entry.asked(sys.argv[1:]):
            sys.exit(entry.main(sys.argv[1:]))
    from muniment.surfaces.cli.main import run

    run()
