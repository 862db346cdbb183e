"""``muniment restore``: a backup put where a store is to be. It opens no memory: nobody may have that store open."""

from __future__ import annotations

from typing import Any, Final

from muniment.surfaces.cli import consent, doors, output, render
from muniment.surfaces.cli.doors import Doors
from muniment.surfaces.cli.failures import Exit
from muniment.surfaces.cli.parameters import Form, Parameter
from muniment.surfaces.cli.signature import Callback, callback

PARAMETERS: Final = (
    Parameter(
        "backup", "backup", Form.ARGUMENT, "BACKUP", required=True,
        help="The file that backup wrote. It goes to where --path says, or to the usual store.",
    ),
    Parameter(
        "replace", "replace", Form.FLAG, help="A store that is there may be replaced, once you have said yes to the plan."
    ),
    Parameter(
        "no_replay", "no_replay", Form.FLAG,
        help="Refuse a backup that is older than erasures that are known, instead of making them again.",
    ),
    *consent.OPTIONS,
)  # fmt: skip


def build() -> Callback:
    """Return the command."""
    return callback(PARAMETERS, lambda doors, typed: lambda: run(doors, typed))


def run(options: Doors, typed: dict[str, Any]) -> int:
    """Show what would be replaced and ask, where something would be; restore, and print what was done."""
    from muniment.facade.transfer import Transfer
    from muniment.surfaces.cli.progress import progress_bar

    doors.admit("admin")
    replace, plan = bool(typed.get("replace")), typed.get("yes")
    if typed.get("plan") or (replace and plan is None):
        would = Transfer.plan_restore(typed["backup"], options.path)
        if typed.get("plan"):
            output.result(would, as_json=options.json)
            return Exit.PASS
        if would.state != "none":
            agreed = consent.confirm(would, render.blocks(would), as_json=options.json)
            if isinstance(agreed, Exit):
                return agreed
            plan = agreed
    with progress_bar("restore", True) as progress:
        done = Transfer.restore(
            typed["backup"], options.path, replace=replace, plan=plan, replay_erasures=not typed.get("no_replay"),
            progress=progress,
        )  # fmt: skip
    output.result(done, as_json=options.json)
    return Exit.PASS
