"""The options that hold for every command, and the memory they open."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from muniment import settings
from muniment.errors import NotFoundError, PermissionDenied, ValidationError
from muniment.quick import dataclass
from muniment.surfaces.cli import streams

if TYPE_CHECKING:
    from muniment.facade.memory import Memory

SCOPE: Final = {"user": "user", "agent": "agent", "project": "project", "scope_session": "session"}
"""Options that are parts of the scope, and the part that each is. ``--session`` is none: it is provenance, as the argument
of that name is everywhere else."""


@dataclass(frozen=True, slots=True)
class Doors:
    """What was given for the whole program.

    Args:
        path: The store.
        namespace: The namespace in it.
        user, agent, project, scope_session: Parts of the scope.
        channel: The channel to speak as.
        session: Provenance: the session that the call belongs to.
        json: One JSON document instead of text.
        traceback: Show where an internal error came from.
    """

    path: str | None = None
    namespace: str | None = None
    user: str | None = None
    agent: str | None = None
    project: str | None = None
    scope_session: str | None = None
    channel: str | None = None
    session: str | None = None
    json: bool = False
    traceback: bool = False

    def under(self, inner: dict[str, Any]) -> Doors:
        """Return these options, overridden by those that stand after the command's name."""
        names = [f.name for f in fields(self)]
        return Doors(**{name: inner.get(name) or getattr(self, name) for name in names})

    @property
    def scope(self) -> dict[str, str]:
        """The parts of the scope that are set."""
        return {part: given for name, part in SCOPE.items() if (given := getattr(self, name)) is not None}


def placed(scope: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the options that lead a command into a scope, each with what follows it.

    Args:
        scope: Its parts by name, as ``Scope.as_dict`` gives them.

    Example:
        >>> list(placed({"user": "ana", "session": "monday"}))
        [('--user', 'ana'), ('--scope-session', 'monday')]
    """
    for name, part in SCOPE.items():
        if part in scope:
            yield f"--{name.replace('_', '-')}", scope[part]


HELP: Final = {
    "path": "The store: a file, or :memory:. Default: see `muniment where`.",
    "namespace": "The namespace in the store.",
    "user": "Part of the scope: a user.",
    "agent": "Part of the scope: an agent.",
    "project": "Part of the scope: a project.",
    "scope_session": "Part of the scope: a session. What is said in it is seen only with it.",
    "channel": "Speak as user, tool, agent, model, document or recall, none above what the caller may.",
    "session": "Provenance: the session this call belongs to. Hides nothing.",
    "json": "Answer with one JSON document.",
    "traceback": "Show where an internal error came from.",
}
"""What each option means, in the order of the help."""


UNATTENDED = ("reader", "writer", "auditor")
"""What a door may do where no person sits at it: it lays down no policy, erases nothing and rebuilds nothing, unless
the operator raises its ceiling to ``user``."""


def ceiling() -> tuple[str, str]:
    """Return the highest channel of this door and the rule that gave it.

    The operator's setting decides; without one it is ``user`` where a person types and reads, else ``agent``.
    """
    fixed = settings.environment("CHANNEL")
    if fixed is not None:
        return fixed, f"variable {settings.PREFIX}CHANNEL"
    if streams.at_a_terminal():
        return "user", "a person at a terminal"
    return "agent", "no terminal"


def speaking(asked: str | None) -> tuple[str, str | None]:
    """Return the ceiling and the channel asked for, once it is known to lie within.

    Raises:
        ValidationError: If there is no such channel.
        PermissionDenied: If it lies above the ceiling.
    """
    from muniment.claims.channels import RANK, Channel

    highest, _ = ceiling()
    for name in (highest, asked):
        if name is not None and name not in tuple(Channel):
            raise ValidationError("There is no such channel.", advice=f"Use one of: {', '.join(Channel)}.")
    if asked is not None and RANK[Channel(asked)] > RANK[Channel(highest)]:
        raise PermissionDenied(
            f"This call may not speak as {asked}; its highest channel is {highest}.",
            advice="A person at a terminal is user; the operator sets MUNIMENT_CHANNEL.",
        )
    return highest, asked


def roles() -> tuple[str, ...] | None:
    """Return what this door may do: everything (None) where a person sits at it, or the operator says so."""
    return None if ceiling()[0] == "user" else UNATTENDED


def admit(role: str) -> None:
    """Refuse a role that this door does not have, before anybody is asked for consent.

    Raises:
        PermissionDenied: If it needs a person at a terminal, or the operator's word.
    """
    held = roles()
    if held is not None and role not in held:
        raise PermissionDenied(
            f"This needs the role {role}, which a script or an agent does not have.",
            advice="Do it at a terminal, or let the operator set MUNIMENT_CHANNEL=user.",
        )


ADJUDICATES: Final = ("claim_request", "answer")
"""What an adjudicator does that polls. It decides nothing but what was queued for it, at the rank the operator set."""


def is_adjudicators(name: str) -> bool:
    """Say whether an operation is an adjudicator's, and the operator let this door be one."""
    return name in ADJUDICATES and settings.adjudicator() is not None


def store_is_missing(doors: Doors) -> bool:
    """Say whether a call would have to make its store.

    Raises:
        MunimentError: If no store can be where the options say, or that cannot be looked at.
    """
    from muniment.store.open import locate

    return not locate(doors.path).there


def open_memory(doors: Doors, channel: str, *, create: bool = True, also: tuple[str, ...] = ()) -> Memory:
    """Open the memory that the options name.

    Args:
        doors: The options.
        channel: The highest channel of the handle.
        create: Make a store, or a namespace in it, that is not there. It is worth a note: the path may be a slip of
            the pen.
        also: Roles beyond those of the door, for a call that proves itself.

    Raises:
        NotFoundError: If there is none and none may be made.
    """
    from muniment.store.open import locate

    place = locate(doors.path)
    if place.file is not None and not place.there:
        path, rule = place.setting.value, place.setting.rule
        if not create:
            raise NotFoundError(
                f"There is no store at {path} yet ({rule}).",
                advice="Say something first: muniment remember; or name another store with --path.",
            )
        if not doors.json:
            made = "one" if os.path.isdir(os.path.dirname(place.file)) else "it, and the folder that it lies in"
            note = f"Note: there was no store at {path} ({rule}); this call makes {made}."
            print(streams.harmless(note), file=sys.stderr)
    return _memory(doors, doors.path, channel, create or place.file is None, also)


def rehearsal(doors: Doors, channel: str) -> Memory:
    """Open an empty memory in RAM that is otherwise what the options name."""
    return _memory(doors, ":memory:", channel, True)


def _memory(doors: Doors, path: str | None, channel: str, create: bool, also: tuple[str, ...] = ()) -> Memory:
    from muniment.facade.memory import Memory

    held = roles()
    return Memory(
        path,
        doors.namespace,
        scope=doors.scope or None,
        channel=channel,  # type: ignore[arg-type]  # checked above, and again by the facade
        roles=held if held is None else (*held, *also),
        session=doors.session,
        _create=create,
        _door="cli",
    )


def wants_json(argv: list[str]) -> bool:
    """Say whether the answer is to be JSON, before the options are read (so that a misuse is told in JSON too)."""
    return "--json" in argv[: argv.index("--")] if "--" in argv else "--json" in argv
