"""Commands made from declarations: an operation of the facade becomes a command without a line written for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from muniment.errors import ValidationError
from muniment.operation import Access, Operation, operations
from muniment.surfaces.cli import docstrings, doors, parameters
from muniment.surfaces.cli.parameters import Form, Parameter
from muniment.surfaces.cli.request import Request
from muniment.surfaces.cli.signature import Callback, callback


def summary(operation: Operation) -> str:
    """Return what an operation does, in one sentence."""
    return docstrings.describe(operation.call.__doc__).summary.partition(". ")[0].rstrip(".") + "."


def meanings(operation: Operation) -> dict[str, str]:
    """Return what each argument of an operation means."""
    everywhere = {other.method: docstrings.describe(other.call.__doc__).arguments for other in operations().values()}
    own = docstrings.describe(operation.call.__doc__).arguments  # another group may have a method of that name
    return docstrings.resolve(own, everywhere)


def build(operation: Operation) -> tuple[Callback, str]:
    """Return an operation's command, as typer wants it, and its help text."""
    found = parameters.parameters(operation, meanings(operation))
    consent: tuple[Parameter, ...] = ()
    if operation.access is Access.DESTROYS:
        from muniment.surfaces.cli.consent import OPTIONS as consent

    def request(options: doors.Doors, typed: dict[str, Any]) -> Callable[[], int]:
        given: dict[str, Any] = {option.name: typed.get(option.name) for option in consent}
        return _ready(Request(operation, read(found, typed), options, **given))

    described = docstrings.describe(operation.call.__doc__)
    return callback([*found, *consent], request), "\n\n".join(filter(None, (described.summary, described.body)))


def _ready(request: Request) -> Callable[[], int]:
    """Return what makes a call. What it takes to make one is loaded only then: help needs none of it."""

    def make() -> int:
        from muniment.surfaces.cli import calling

        return calling.call(request)

    return make


def read(declared: list[Parameter], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Turn what was typed into an operation's arguments; what was left out stays out.

    Raises:
        ValidationError: If something cannot be read, one argument is given in two ways, or one that is needed in none.
    """
    given: dict[str, Any] = {}
    for parameter in declared:
        raw = typed.get(parameter.name)
        if raw is None and parameter.form is Form.ARGUMENT:
            given[parameter.target] = None  # it has no default, and None stands for nothing said
            continue
        if raw is None or raw == [] or raw == () or (parameter.form is Form.FLAG and not raw):
            continue
        if parameter.target in given:
            raise ValidationError(f"{parameter.flag} says again what another option says.", advice="Pass one of them.")
        given[parameter.target] = _value(parameter, raw)
    for target in dict.fromkeys(one.target for one in declared if one.either):
        if target not in given:
            ways = " or ".join(f"'{one.flag}'" for one in declared if one.target == target)
            raise ValidationError(f"Missing option {ways}.", advice="Pass one of them.")
    return given


def _value(parameter: Parameter, raw: Any) -> Any:
    if parameter.form in (Form.FLAG, Form.SWITCH):
        return raw
    if parameter.form is Form.REPEATED:
        found = [parameter.read(one, parameter.label) for one in raw]
        return [one for some in found for one in (some if isinstance(some, list) else [some])]
    return parameter.read(raw, parameter.label)
