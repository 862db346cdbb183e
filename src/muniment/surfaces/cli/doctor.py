"""``muniment doctor``: check the store and what it stands on."""

from __future__ import annotations

from muniment.surfaces.cli import checks, output
from muniment.surfaces.cli.blocks import Line, Table
from muniment.surfaces.cli.doors import Doors
from muniment.surfaces.cli.failures import Exit
from muniment.surfaces.cli.signature import Callback, callback


def build() -> Callback:
    """Return the command."""
    return callback((), lambda doors, typed: lambda: show(doors))


def show(options: Doors) -> int:
    """Print the findings; fail if one of them failed."""
    found = list(checks.examine(options))
    failed = any(check.state == "fail" for check in found)
    if options.json:
        output.document({"ok": not failed, "checks": [check.to_dict() for check in found]})
    else:
        rows = [[check.state, check.name, " ".join(filter(None, (check.says, check.advice)))] for check in found]
        warned = sum(check.state == "warn" for check in found)
        verdict = "Something must be put right." if failed else "All is well." if not warned else "It works."
        mood = "bad" if failed else "warn" if warned else "good"
        output.show(
            [Table(("", "what", "found"), rows), Line(f"{verdict} {warned} to look at." if warned else verdict, mood)]
        )
    return Exit.FAIL if failed else Exit.PASS
