"""From parameters to a function that typer understands, and from typer's command to a lean one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import typer

from muniment.surfaces.cli.doors import HELP, Doors
from muniment.surfaces.cli.parameters import Form, Parameter

R = TypeVar("R")
Callback = Callable[..., Any]

_OWN: Final = "own_"
"""Begins the internal name of a command's own parameter, so that it may be called as one of the program is."""

VISIBLE: Final = "json"
"""The option of the whole program that every command shows; the others are taken there too, without being listed."""


def callback(own: Sequence[Parameter], request: Callable[[Doors, dict[str, Any]], R]) -> Callable[..., R]:
    """Return a function with the parameters of a command, and those of the whole program behind them.

    Args:
        own: The command's parameters.
        request: Called with (the options of the whole program, the command's own parameters).

    An option of the command comes before one of the program that is spelled alike; that one is then taken before the
    command only.
    """

    names = [parameter.name for parameter in own]
    flags = {parameter.flag for parameter in own if parameter.form not in (Form.ARGUMENT, Form.ARGUMENTS)}
    shared = [name for name in HELP if "--" + name.replace("_", "-") not in flags]

    def run(ctx: typer.Context, **typed: Any) -> R:
        outer = ctx.obj if isinstance(ctx.obj, Doors) else Doors()
        outer = outer.under({name: typed.get(name) for name in shared})
        return request(outer, {name: typed.get(_OWN + name) for name in names})

    fields = [inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)]
    fields += [_own(parameter) for parameter in own]
    fields += [_shared(name, hidden=name != VISIBLE) for name in shared]
    return _shaped(run, fields)


def group_callback(remember: Callable[[typer.Context, Doors], Any]) -> Callback:
    """Return the function behind the program's own options.

    Args:
        remember: Called with the context and what was typed before the command.
    """

    def run(ctx: typer.Context, **typed: Any) -> Any:
        return remember(ctx, Doors(**typed))

    fields = [inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)]
    return _shaped(run, fields + [_shared(name, hidden=name == "traceback") for name in HELP])


def _shaped(run: Callable[..., R], fields: list[inspect.Parameter]) -> Callable[..., R]:
    run.__signature__ = inspect.Signature(fields)  # type: ignore[attr-defined]
    run.__annotations__ = {field.name: field.annotation for field in fields}
    run.__doc__ = None
    return run


def _own(parameter: Parameter) -> inspect.Parameter:
    annotation: Any = str if parameter.required else str | None
    missing: Any = ... if parameter.required else None
    help_ = parameter.help or None
    match parameter.form:
        case Form.ARGUMENT:
            default = typer.Argument(missing, metavar=parameter.metavar, help=help_, show_default=False)
        case Form.ARGUMENTS:
            annotation = list[str]
            default = typer.Argument(missing, metavar=f"{parameter.metavar}...", help=help_, show_default=False)
        case Form.OPTION:
            default = typer.Option(missing, parameter.flag, metavar=parameter.metavar, help=help_, show_default=False)
        case Form.REPEATED:
            annotation = list[str] | None
            default = typer.Option(None, parameter.flag, metavar=parameter.metavar, help=_repeated(help_))
        case Form.FLAG:
            annotation, default = bool, typer.Option(False, parameter.flag, help=help_, show_default=False)
        case Form.SWITCH:
            annotation = bool | None
            both = f"{parameter.flag}/--no-{parameter.flag[2:]}"
            default = typer.Option(None, both, help=help_, show_default=False)
    return _field(_OWN + parameter.name, default, annotation)


def _repeated(help_: str | None) -> str:
    return f"{help_ or ''} May be given several times.".lstrip()


def _shared(name: str, *, hidden: bool) -> inspect.Parameter:
    flag = "--" + name.replace("_", "-")
    if name in ("json", "traceback"):
        return _field(name, typer.Option(False, flag, help=HELP[name], hidden=hidden, show_default=False), bool)
    default = typer.Option(None, flag, metavar="TEXT", help=HELP[name], hidden=hidden)
    return _field(name, default, str | None)


def _field(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


class _AsTyped:
    """Stands in for typer's conversion of a parameter: everything is taken as it was typed, and read by us."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        return value


_AS_TYPED: Final = _AsTyped()


def lean(params: list[Any]) -> list[Any]:
    """Spare the start of the program the loading of pydantic, through which typer would pass even plain text.

    Older versions of typer have no such step; there this changes nothing.

    Args:
        params: typer's parameters; returned as they are, but for that step.
    """
    for param in params:
        if getattr(param, "_runtime_param", "") is None:
            param._runtime_param = _AS_TYPED
    return params
