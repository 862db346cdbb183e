"""Before something is destroyed: the plan of what would go, and a person's word for it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from muniment.errors import ValidationError
from muniment.surfaces.cli import output, streams
from muniment.surfaces.cli.blocks import Block, Fields, Line
from muniment.surfaces.cli.failures import Exit

if TYPE_CHECKING:
    from muniment.facade.memory import Memory
    from muniment.surfaces.cli.generate import Request
    from muniment.verbs.results import Statement


@dataclass(frozen=True, slots=True)
class Plan:
    """What an erasure would take.

    Args:
        direct: Ids of the claims that were named, or lie on the named key.
        derived: Ids of the claims that derive from them, as far as this handle sees.
    """

    direct: tuple[str, ...]
    derived: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        return {"direct": list(self.direct), "derived": list(self.derived), "note": NOTE}

    def blocks(self) -> Iterator[Block]:
        """Return the plan for a person."""
        yield Line(f"Would erase {len(self.direct)} and {len(self.derived)} derived from them, for good.", "bad")
        yield Fields([("erase", id_) for id_ in self.direct] + [("derived", id_) for id_ in self.derived])
        yield Line(NOTE, "faint")


NOTE = "Claims of narrower scopes that derive from these go as well; only a handle of that scope can list them."


def ask(memory: Memory, request: Request, given: Mapping[str, Any]) -> Exit | None:
    """Show the plan of a ``forget`` and ask for consent.

    Returns:
        None if it may go ahead, else the exit code to end with.

    Raises:
        ValidationError: If nobody can be asked and ``--yes`` was not given.
    """
    if request.yes and not request.dry_run:
        return None
    plan = plan_of(memory, given.get("ids"), given.get("key"))
    if request.dry_run or not plan.direct:
        _print(plan, as_json=request.doors.json)
        return Exit.PASS if plan.direct else Exit.FAIL
    if request.doors.json or not streams.at_a_terminal():
        raise ValidationError(
            f"This would erase {len(plan.direct)} and {len(plan.derived)} derived from them; nobody can be asked here.",
            advice="Look at the plan with --dry-run, then pass --yes.",
            plan=plan.to_dict(),
        )
    output.show(plan.blocks())
    sys.stdout.write("Erase them? [y/N] ")
    sys.stdout.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return None
    print("Nothing was erased.")
    return Exit.PARTIAL


def _print(plan: Plan, *, as_json: bool) -> None:
    if as_json:
        output.document(plan.to_dict())
    elif plan.direct:
        output.show(plan.blocks())
    else:
        output.show([Line("Nothing is stored that matches, so nothing would be erased.", "warn")])


def plan_of(memory: Memory, ids: Any, key: Any) -> Plan:
    """Return what would go: the named claims, and what derives from them at any remove.

    Raises:
        ValidationError: If not exactly one selector is given.
        NotFoundError: If a named claim does not exist.
    """
    if (ids is None) == (key is None):
        raise ValidationError(
            "forget needs ids or a key, and not both.", advice="--ids ID, or --key subject::predicate"
        )
    if key is None:
        direct = tuple(dict.fromkeys(memory.get(id_).claim_id for id_ in ids))
    else:
        direct = tuple(row.claim_id for row in memory.history(key) if row.scope == memory.scope)
    return Plan(direct, _derived(memory, direct) if direct else ())


def _derived(memory: Memory, direct: tuple[str, ...]) -> tuple[str, ...]:
    children: dict[str, list[str]] = {}
    for row in _everything(memory):
        for parent in row.derived_from:
            children.setdefault(parent, []).append(row.claim_id)
    found, waiting = dict.fromkeys(direct), list(direct)
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found[child] = None
                waiting.append(child)
    return tuple(found)[len(direct) :]


def _everything(memory: Memory) -> Iterator[Statement]:
    """Yield every claim that the handle sees, whatever its standing."""
    cursor: str | None = None
    while True:
        page = memory.list(limit=1000, cursor=cursor, include=("all",))
        yield from page.rows
        cursor = page.cursor
        if cursor is None:
            return
