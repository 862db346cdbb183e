"""``muniment where``: every setting and the rule that gave it."""

from __future__ import annotations

from muniment import settings
from muniment.surfaces.cli import doors, output
from muniment.surfaces.cli.blocks import Table
from muniment.surfaces.cli.doors import Doors
from muniment.surfaces.cli.signature import Callback, callback


def build() -> Callback:
    """Return the command."""
    return callback((), lambda doors, typed: lambda: show(doors))


def show(options: Doors) -> int:
    """Print the settings."""
    found = effective(options)
    if options.json:
        output.document({"settings": [{"name": s.name, "value": s.value, "rule": s.rule} for s in found]})
    else:
        output.show([Table(("setting", "value", "rule"), [[s.name, s.value, s.rule] for s in found])])
    return 0


def effective(options: Doors) -> list[settings.Setting]:
    """Return every setting as it holds for this call: options of the call first, then the settings' own rules."""
    given = {"namespace": options.namespace}
    highest, rule = doors.ceiling()
    out: list[settings.Setting] = []
    for setting in settings.settings():
        if setting.name == "path":
            setting = settings.store_path(options.path)
        elif setting.name == "channel":
            setting = settings.Setting("channel", highest, rule)
        elif given.get(setting.name):
            setting = settings.Setting(setting.name, str(given[setting.name]), "argument")
        out.append(setting)
    out += [settings.Setting(f"scope {name}", part, "argument") for name, part in options.scope.items()]
    return out
