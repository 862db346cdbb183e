"""What each hook does, on the store of the project. Where there is no store, none is made and nothing is said."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from muniment import settings
from muniment.errors import MunimentError, NotFoundError
from muniment.store.open import locate
from muniment.surfaces.hooks.answer import PROJECT, Answer
from muniment.surfaces.hooks.state import State

if TYPE_CHECKING:
    from muniment.verbs.context import Context

BUSY_SECONDS: Final = 0.25
"""How long a hook waits for another writer: what was not captured is said, and the session goes on."""

ROLES: Final = ("reader", "writer")

CEILING: Final = "tool"
"""The highest channel of a hook: it hears from the editor itself what a tool did. It writes on lines of its own alone,
and never as ``user``; MUNIMENT_CHANNEL lowers it."""

MAX_NAME: Final = 200
"""Characters of a session's name."""


def handle(event: str, given: Mapping[str, Any], options: Mapping[str, str], answer: Answer) -> None:
    """Do what a hook does.

    Args:
        event: The hook.
        given: What the editor told.
        options: ``path`` and ``namespace``, where they were given.
        answer: Where to say something.
    """
    place = locate(options.get("path"))
    if not place.there or (place.file is not None and not os.path.getsize(place.file)):
        return  # an empty file is no store yet, and opening it would make one
    from muniment.facade.opening import Caller, Host  # most projects have no store: then nothing more is loaded

    state = State(place.file)
    session = _session(given)
    try:
        host = Host.open(options.get("path"), clock=None, ids=None, entropy=None, busy_seconds=BUSY_SECONDS)
        try:
            caller = Caller.read(options.get("namespace"), None, CEILING, None, session, ROLES)
            _HANDLERS[event](host.admit(caller, create=False), given, answer, state)
        finally:
            host.close()
    except NotFoundError:
        return  # nothing was ever said in this namespace
    except MunimentError as error:
        state.failed(event, error.code)
        raise
    except Exception as error:
        state.failed(event, "system" if isinstance(error, OSError) else "internal")
        raise


def _session(given: Mapping[str, Any]) -> str | None:
    name = given.get("session_id")
    plain = "".join(char for char in name[:MAX_NAME] if char.isprintable()) if isinstance(name, str) else ""
    return plain.strip() or None


def _start(context: Context, given: Mapping[str, Any], answer: Answer, state: State) -> None:
    """Tell what a new session should know, and note where it begins."""
    from muniment.sessions import digesting

    answer.context = digesting.digest(context).text
    failures = state.taken()
    if failures:
        answer.health = f"hooks did nothing {sum(failures.values())} times since the last session ({_listed(failures)})"
    if given.get("source") not in ("compact", "resume"):  # those go on with a session that has begun
        state.begun(context.session, context.store.read(context.namespace, lambda reader: reader.ns.size))


def _listed(failures: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(failures.items()))


def _before(context: Context, given: Mapping[str, Any], answer: Answer, state: State) -> None:
    """Tell what bears on an action."""
    from muniment.sessions import bearing

    words = bearing.subject_of(_tool(given), _given(given), _root(given))
    _, answer.context = bearing.bearing(context, words)


def _after(context: Context, given: Mapping[str, Any], answer: Answer, state: State) -> None:
    """Keep what is worth keeping of what a tool did."""
    from muniment.sessions import capturing

    statements = capturing.captured(_tool(given), _given(given), given.get("tool_response"), _root(given))
    if not statements:
        return
    from muniment.verbs.saying import prepare, remember

    for one in statements:
        channel = min(context.ceiling, one["channel"], key=_rank)
        said = {**one, "channel": channel}
        remember.remember(context, prepare.prepare(context, said.pop("text"), said))


def _rank(channel: str) -> int:
    from muniment.claims.channels import RANK, Channel

    return RANK[Channel(channel)]


def _end(context: Context, given: Mapping[str, Any], answer: Answer, state: State) -> None:
    """Write down, in numbers, what the session changed."""
    from muniment.sessions import ledgers

    since = state.ended(context.session)
    if since is not None:
        with suppress(NotFoundError):
            ledgers.closed(context, since)


_HANDLERS: Final = {"session-start": _start, "pre-tool-use": _before, "post-tool-use": _after, "session-end": _end}


def _tool(given: Mapping[str, Any]) -> str:
    name = given.get("tool_name")
    return name if isinstance(name, str) else ""


def _given(given: Mapping[str, Any]) -> Mapping[str, Any]:
    arguments = given.get("tool_input")
    return arguments if isinstance(arguments, Mapping) else {}


def _root(given: Mapping[str, Any]) -> str:
    """Return the project's folder: where the session began, else where it is."""
    told = given.get("cwd")
    return settings.foreign(PROJECT) or (told if isinstance(told, str) else "")
