"""``muniment hook``: how the hooks fare. With an event it runs that hook, which the program's entry does more quickly."""

from __future__ import annotations

from typing import Any, Final

from muniment import settings
from muniment.errors import ValidationError
from muniment.store.open import locate
from muniment.surfaces.cli import output
from muniment.surfaces.cli.blocks import Fields, Line
from muniment.surfaces.cli.doors import Doors
from muniment.surfaces.cli.failures import Exit
from muniment.surfaces.cli.parameters import Form, Parameter
from muniment.surfaces.cli.signature import Callback, callback
from muniment.surfaces.hooks import entry
from muniment.surfaces.hooks.state import State

PARAMETERS = (
    Parameter(
        "event", "event", Form.ARGUMENT, f"[{'|'.join(entry.EVENTS)}]",
        help="The hook to run on the JSON object on standard input. Without one: how the hooks fare.",
    ),
)  # fmt: skip


def build() -> Callback:
    """Return the command."""
    return callback(PARAMETERS, lambda doors, typed: lambda: run(doors, typed))


def run(options: Doors, typed: dict[str, Any]) -> int:
    """Run a hook, or show how they fare."""
    event = typed.get("event")
    if event is None:
        return show(options)
    if event not in entry.EVENTS:
        raise ValidationError("There is no such hook.", advice=f"Use one of: {', '.join(entry.EVENTS)}.")
    given = {"--path": options.path, "--namespace": options.namespace}
    return entry.main(["hook", event, *[word for name, value in given.items() if value for word in (name, value)]])


_FARES: Final = "No hook has failed since failures were last told, at the start of a session."


def show(options: Doors) -> int:
    """Print whether the hooks are on, which store is theirs, and how often they did nothing since that was last told."""
    found = locate(options.path)
    place, failures = found.setting, State(found.file).failures()
    on = not settings.switched_off("HOOKS")
    if options.json:
        output.document({"on": on, "path": place.value, "rule": place.rule, "failures": dict(failures)})
        return Exit.PASS
    pairs = [("hooks", "on" if on else "off (MUNIMENT_HOOKS)"), ("store", f"{place.value} ({place.rule})")]
    shown = [*pairs, *[(f"did nothing: {name}", f"{count} times") for name, count in sorted(failures.items())]]
    output.show([Fields(shown), Line(_FARES if not failures else "Some did nothing.", "faint")])
    return Exit.PASS
