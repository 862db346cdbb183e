"""Before something is destroyed: the plan of what would go, and a person's word for exactly that."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from muniment.errors import NotFoundError, ValidationError
from muniment.operation import Operation, operations
from muniment.surfaces.cli import output, render, streams
from muniment.surfaces.cli.blocks import Block, Fields, Table
from muniment.surfaces.cli.failures import Exit
from muniment.surfaces.cli.parameters import Form, Parameter
from muniment.surfaces.cli.request import Request

OPTIONS = (
    Parameter(
        "yes", "yes", Form.OPTION, "HASH", help="Consent given beforehand: the hash of the plan. Nothing else is done."
    ),
    Parameter("plan", "plan", Form.FLAG, help="Show what would go and the hash of that plan, and stop."),
)
"""What every command takes that destroys."""


READABLE: Final = 50
"""Claims of a plan that are shown with what they say; of more, a person reads none."""


def planner(operation: Operation) -> Operation:
    """Return the operation that plans another one: ``plan_forget`` for ``forget``.

    Raises:
        LookupError: If it was declared without one, which a test refuses.
    """
    group, dot, method = operation.name.rpartition(".")
    return operations()[f"{group}{dot}plan_{method}"]


def ask(request: Request, given: Mapping[str, Any], call: Callable[[Operation, Mapping[str, Any]], Any]) -> Exit | str:
    """Show the plan of an operation that destroys, and ask for consent.

    Args:
        request: What was typed.
        given: The arguments of the operation.
        call: Calls an operation of the open memory.

    Returns:
        The hash of the plan that may be carried out, else the exit code to end with.

    Raises:
        ValidationError: If nobody can be asked, and no plan was consented to.
    """
    if request.yes and not request.plan:
        return request.yes
    planning = planner(request.operation)
    known = inspect.signature(planning.call).parameters
    plan = call(planning, {name: value for name, value in given.items() if name in known})
    if request.plan and request.doors.json:
        output.result(plan, as_json=True)
        return Exit.PASS
    if request.plan:
        output.show(described(plan, call))
        return Exit.PASS
    return confirm(plan, described(plan, call), as_json=request.doors.json)


def confirm(plan: Any, shown: Iterable[Block], *, as_json: bool) -> Exit | str:
    """Show a plan and have a person say yes to it.

    Args:
        plan: The plan, with its ``hash``.
        shown: The same for a person.
        as_json: A program is calling.

    Returns:
        The hash of the plan, else the exit code to end with.

    Raises:
        ValidationError: If nobody can be asked.
    """
    if as_json or not streams.at_a_terminal():
        raise ValidationError(
            "This destroys, and nobody can be asked here.",
            advice="Look at the plan with --plan, then pass its hash: --yes HASH.",
            plan=plan.to_dict(),
        )
    output.show(shown)
    sys.stdout.write("Do it? [y/N] ")
    sys.stdout.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return str(plan.hash)
    print("Nothing was done.")
    return Exit.PARTIAL


def described(plan: Any, call: Callable[[Operation, Mapping[str, Any]], Any]) -> Iterator[Block]:
    """Return a plan for a person: what the claims in it say, as far as they are few enough to be read."""
    *parts, last = render.blocks(plan)
    rows: list[list[str]] = []
    get = operations()["get"]
    for part in parts:
        if not isinstance(part, Fields) or len(part.pairs) > READABLE:
            yield part
            continue
        for what, id_ in part.pairs:
            try:
                claim = call(get, {"id": id_})
                rows.append([what, claim.key or "", claim.text, id_])
            except NotFoundError:  # an erasure or a policy, whose texts go
                rows.append([what, "", "", id_])
    if rows:
        yield Table(("", "key", "text", "id"), rows)
    yield last
