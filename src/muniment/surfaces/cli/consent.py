"""Before something is destroyed: the plan of what would go, and a person's word for exactly that."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

from muniment.errors import ValidationError
from muniment.operation import Operation, operations
from muniment.surfaces.cli import output, streams
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
    if request.plan:
        output.result(plan, as_json=request.doors.json)
        return Exit.PASS
    if request.doors.json or not streams.at_a_terminal():
        raise ValidationError(
            "This destroys, and nobody can be asked here.",
            advice="Look at the plan with --plan, then pass its hash: --yes HASH.",
            plan=plan.to_dict(),
        )
    output.result(plan, as_json=False)
    sys.stdout.write("Do it? [y/N] ")
    sys.stdout.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return str(plan.hash)
    print("Nothing was done.")
    return Exit.PARTIAL
