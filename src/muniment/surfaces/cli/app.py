"""The program: its own options, and a group that builds only the command that was asked for."""

from __future__ import annotations

from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

from muniment.surfaces.cli import catalogue
from muniment.surfaces.cli.doors import HELP, Doors
from muniment.surfaces.cli.naming import NESTED
from muniment.surfaces.cli.signature import group_callback, lean

SUMMARY = "A memory for AI agents that can be held to what it says."

EPILOG = """Every option above may also stand after the command. Exit codes: 0 done, 1 not so, 2 misuse, 3 in part or
not run, 4 something is not installed, 5 not durable."""

_TIMES = "WHEN is a day or an instant, such as 2025, 2025-01, 2025-01-31 or 2025-01-31T12:00Z."

_BESIDE = "The options of `muniment --help` may be given here too."


class LazyGroup(TyperGroup):
    """A group of commands that are built one by one, when they are needed."""

    within = ""
    """The group that its commands belong to, where it is not the program itself."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, in the order of the help."""
        return catalogue.following(self.within)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Build one command, or a group of some, or return None."""
        if not self.within and cmd_name in NESTED:
            return nested(cmd_name)
        loaded = catalogue.load(f"{self.within} {cmd_name}".lstrip())
        if loaded is None:
            self.commands = cast(Any, dict.fromkeys(self.list_commands(ctx)))  # what "did you mean" chooses from
            return None
        callback, help_ = loaded
        single = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
        single.command(cmd_name, help=help_, cls=LeanCommand)(callback)
        command = typer.main.get_command(single)
        command.name = cmd_name
        takes_time = any(getattr(one, "metavar", None) in ("WHEN", "{WHEN}") for one in command.params)
        command.epilog = f"{_TIMES} {_BESIDE}" if takes_time else _BESIDE
        return command

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the program's own options."""
        return lean(super().get_params(ctx))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands, without building any."""
        sections = catalogue.sections()
        if self.within:
            sections = {
                "Commands": [row for rows in sections.values() for row in rows if row[0].startswith(self.within + " ")]
            }
        widest = max(len(name) for rows in sections.values() for name, _ in rows)
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), text) for name, text in rows])


class LeanCommand(TyperCommand):
    """A command whose parameters are taken as typed."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the command's parameters."""
        return lean(super().get_params(ctx))


def application() -> Any:
    """Return the program as typer's command object."""
    return _group("muniment", SUMMARY, EPILOG)


def nested(name: str) -> Any:
    """Return a group of commands inside the program."""
    group = _group(name, NESTED[name], None)
    group.within = name
    return group


def _group(name: str, summary: str, epilog: str | None) -> Any:
    app = typer.Typer(
        name=name, cls=LazyGroup, help=summary, epilog=epilog, rich_markup_mode=None,
        pretty_exceptions_enable=False, invoke_without_command=True, no_args_is_help=False, add_completion=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )  # fmt: skip
    app.callback()(group_callback(_keep))
    return typer.main.get_command(app)


def _keep(ctx: typer.Context, doors: Doors) -> None:
    if isinstance(ctx.obj, Doors):  # of a group inside the program: what was typed before its name
        doors = ctx.obj.under({name: getattr(doors, name) for name in HELP})
    ctx.obj = doors
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
        raise typer.Exit(0)
