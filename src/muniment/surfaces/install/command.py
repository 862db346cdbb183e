"""``muniment install``: write the server, and for Claude Code the hooks, into an editor's configuration."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from muniment import settings
from muniment.errors import ConflictError, ValidationError
from muniment.paths import absolute, here
from muniment.quick import replace
from muniment.surfaces.cli import output, streams
from muniment.surfaces.cli.blocks import Block, Fields, Line
from muniment.surfaces.cli.doors import Doors
from muniment.surfaces.cli.failures import Exit
from muniment.surfaces.cli.parameters import Form, Parameter
from muniment.surfaces.cli.signature import Callback, callback
from muniment.surfaces.install import applying, entries, planning
from muniment.surfaces.install.editors import EDITORS, HOOKS, Editor, Machine, place
from muniment.surfaces.install.planning import Edit, Plan
from muniment.surfaces.mcp import extra

_SAID: Final = (
    "The program to install into. The plan names the page of its documentation that the format was read from; none was "
    "tried in the program itself."
)

PARAMETERS: Final = (
    Parameter("ide", "ide", Form.OPTION, "|".join(EDITORS), required=True, help=_SAID),
    Parameter("scope", "scope", Form.OPTION, "user|project", help="For you everywhere, or for this project. Default user."),
    Parameter("config", "config", Form.OPTION, "FILE", help="Its configuration, where it is not in the usual place."),
    Parameter("hooks_config", "hooks_config", Form.OPTION, "FILE",
              help="The settings that hold the hooks of Claude Code; needed with --config."),
    Parameter("no_hooks", "no_hooks", Form.FLAG, help="Leave out the hooks of Claude Code."),
    Parameter("name", "name", Form.OPTION, "NAME", help="The name of the server. Default muniment."),
    Parameter("program", "program", Form.OPTION, "FILE", help="What starts Muniment. Default: what runs now, by its whole path."),
    Parameter("uninstall", "uninstall", Form.FLAG,
              help="Take out what was written. A file that nobody changed since is then what it was, to the byte."),
    Parameter("plan", "plan", Form.FLAG, help="Show what would change and the hash of that plan, and stop."),
    Parameter("yes", "yes", Form.OPTION, "HASH", help="Consent given beforehand: the hash of the plan."),
)  # fmt: skip

_NAME: Final = 64
"""Characters of a server's name."""


def build() -> Callback:
    """Return the command."""
    return callback(PARAMETERS, lambda doors, typed: lambda: run(doors, typed))


def run(options: Doors, typed: Mapping[str, Any]) -> int:
    """Plan, show, ask, and write."""
    editor = EDITORS.get(str(typed.get("ide")))
    if editor is None:
        raise ValidationError("There is no such program here.", advice=f"Use one of: {', '.join(EDITORS)}.")
    plan = planned(editor, options, typed)
    if not plan.changes:
        return _done(plan, options, "nothing was left to do")
    if typed.get("plan"):
        return _show(plan, options)
    if typed.get("yes") is not None:
        if typed["yes"] != plan.hash:
            raise ConflictError(
                "The plan is another one by now; nothing was written.", advice="Look at it with --plan."
            )
    elif not _agreed(plan, options):
        print("Nothing was written.")
        return Exit.PARTIAL
    applying.apply(plan)
    return _done(plan, options, "taken out" if plan.uninstall else "installed")


def planned(editor: Editor, options: Doors, typed: Mapping[str, Any]) -> Plan:
    """Return what would change."""
    scope, name = typed.get("scope") or "user", typed.get("name") or entries.NAME
    if scope not in ("user", "project"):
        raise ValidationError("There is no such scope.", advice="Use user or project.")
    if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii() or len(name) > _NAME:
        raise ValidationError("The name of a server is of letters, digits, - and _.", advice="Choose another --name.")
    machine = _machine()
    config = Path(absolute(str(typed.get("config") or place(editor, scope, machine))))
    program, given = _program(typed.get("program")), _given(options)
    entry = entries.server(editor, program, given)
    wanted: dict[Path, tuple[Edit, Edit]] = {
        config: (planning.adding(editor, name, entry), planning.removing(editor, name, entry))
    }
    if editor.name == "claude" and not typed.get("no_hooks"):
        groups = entries.hooks(program, given)
        path = _hooks_path(typed, scope, machine)
        wanted[path] = (planning.adding_hooks(groups), planning.removing_hooks(groups))
    found = planning.plan(editor, wanted, uninstall=bool(typed.get("uninstall")))
    return found if found.uninstall else replace(found, cautions=_cautions(typed, scope, [*program, *given]))


def _cautions(typed: Mapping[str, Any], scope: str, words: list[str]) -> tuple[str, ...]:
    """Return what to know of an entry: that its server cannot start, that it is good for this machine alone."""
    found = []
    if typed.get("program") is None and extra.missing() is not None:  # of another program nobody knows
        found.append(f"The server will not start yet: the extra mcp is not installed. {extra.advice()}")
    places = [word for word in words if os.path.isabs(word)]
    if scope == "project" and places:
        found.append(
            f"The entry holds paths of this machine ({', '.join(places)}): whoever gets the file with the project "
            "has to have the same ones, so think twice before you commit it."
        )
    return tuple(found)


def _hooks_path(typed: Mapping[str, Any], scope: str, machine: Machine) -> Path:
    if typed.get("hooks_config"):
        return Path(absolute(typed["hooks_config"]))
    if typed.get("config"):
        raise ValidationError(
            "With --config, the settings that hold the hooks have to be named, too.",
            advice="Pass --hooks-config, or --no-hooks.",
        )
    base = machine.project if scope == "project" else machine.home
    return Path(machine.path(base, HOOKS[scope]))


def _machine() -> Machine:
    named = {name: found for name in ("APPDATA", "CODEX_HOME") if (found := settings.foreign(name)) is not None}
    return Machine(sys.platform, os.path.expanduser("~"), here(), named)


def _program(named: str | None) -> list[str]:
    """Return what starts Muniment: what was named, the script beside the interpreter, or the module."""
    if named is not None:
        return [absolute(named)]
    script = Path(sys.executable).with_name("muniment.exe" if sys.platform == "win32" else "muniment")
    return [str(script)] if script.exists() else [sys.executable, "-m", "muniment"]


def _given(options: Doors) -> list[str]:
    """Return the options of the whole program that the server and the hooks are to be started with."""
    path = None if options.path is None else os.path.abspath(os.path.expanduser(options.path))
    pairs = {"--path": path, "--namespace": options.namespace}
    return [word for flag, value in pairs.items() if value is not None for word in (flag, value)]


def _agreed(plan: Plan, options: Doors) -> bool:
    if options.json or not streams.at_a_terminal():
        raise ValidationError(
            "This changes a configuration, and nobody can be asked here.",
            advice="Look at the plan with --plan, then pass its hash: --yes HASH.",
            plan=plan.to_dict(),
        )
    output.show(_blocks(plan))
    sys.stdout.write("Do it? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _show(plan: Plan, options: Doors) -> int:
    if options.json:
        output.document(plan.to_dict())
    else:
        output.show([*_blocks(plan), Fields([("plan", plan.hash)])])
    return Exit.PASS


def _blocks(plan: Plan) -> Iterator[Block]:
    yield Line(f"{plan.editor.title}, as documented at {plan.editor.page}; not tried in the program itself.", "faint")
    for change in plan.changes:
        if change.after is None:
            yield Line(f"{change.path} goes: it holds nothing else.", "strong")
        for line in change.diff.splitlines():
            yield Line(line, {"+": "good", "-": "bad"}.get(line[:1], "plain"))
    for caution in plan.cautions:
        yield Line(caution, "warn")


def _done(plan: Plan, options: Doors, said: str) -> int:
    if options.json:
        output.document({**plan.to_dict(), "done": said})
    else:
        files = ", ".join(str(change.path) for change in plan.changes)
        output.show([Line(f"{plan.editor.title}: {said}{f': {files}' if files else ''}.", "good")])
        if plan.changes:
            output.show([Line(f"Start {plan.editor.title} anew for it to be seen.", "faint")])
        output.show([Line(caution, "warn") for caution in plan.cautions])
    return Exit.PASS
