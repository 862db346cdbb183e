"""Where the program begins: a hook goes its own short way, before anything else is loaded."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

from muniment import brief


def run() -> NoReturn:
    """Run the program on what was typed, and end the process."""
    if sys.argv[1:2] == ["hook"]:
        gc.disable()  # while classes are loaded it only finds that they are all needed
        from muniment.surfaces.hooks import entry

        if entry.asked(sys.argv[1:]):
            brief.begin()
            # The store is closed and the answer written. The interpreter taking itself apart would cost as much again
            # as the whole of what the hook had to look up.
            os._exit(entry.main(sys.argv[1:]))
        gc.enable()
    from muniment.surfaces.cli.main import run

    run()
