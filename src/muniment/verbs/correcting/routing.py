"""route: from an utterance to a plan: which call it comes to, on which line, and what is missing (semantics §6).

Planning reads and never writes. A plan is run by the facade, through the very operations it names, so every check of
a direct call holds for it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

from muniment.beliefs.fold import Status
from muniment.claims.channels import Channel
from muniment.claims.keys import parse_key
from muniment.claims.moments import point
from muniment.claims.scopes import visible_scopes
from muniment.claims.sources import parse_source
from muniment.claims.text import check_text
from muniment.errors import MunimentError, PermissionDenied, ValidationError
from muniment.quick import dataclass, field, replace
from muniment.store.records import LineRow
from muniment.verbs import checks
from muniment.verbs.believing.folding import Folded, fold_line
from muniment.verbs.context import Context, present
from muniment.verbs.correcting.deciding import value_identities
from muniment.verbs.correcting.plans import Action, Call, RoutePlan
from muniment.verbs.correcting.utterances import Fact, Said, recognise
from muniment.verbs.identities import line_identity
from muniment.verbs.policies import holds_many
from muniment.verbs.views import value_of

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

SPEAKERS: Final = ("user", "me")
"""Subjects under which what is said of the speaker lies, besides the user that the scope names."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The arguments of a route, checked."""

    utterance: str
    key: str | None
    channel: Channel
    passed: Mapping[str, Any] = field(default_factory=dict)
    """What goes on to a call that writes."""


def plan(context: Context, utterance: Any, **given: Any) -> RoutePlan:
    """Return what an utterance comes to; nothing is written.

    Args:
        context: Who speaks.
        utterance: What was said.

    Raises:
        ValidationError: If an argument is malformed.
        PermissionDenied: If the channel lies above the ceiling.
    """
    asked = _checked(context, utterance, given)
    said = recognise(asked.utterance)
    if said.action is Action.NONE:
        return RoutePlan(Action.NONE, why=said.why, next=said.advice)
    return context.store.read(context.namespace, lambda reader: _plan(context, reader, said, asked))


def _checked(context: Context, utterance: Any, given: Mapping[str, Any]) -> Asked:
    text = check_text(utterance, "utterance", limit_bytes=65_536)
    key = None if given.get("key") is None else parse_key(given["key"]).text
    channel = context.channel(given.get("channel"))
    if given.get("source") is not None:
        parse_source(given["source"])
    if given.get("idempotency_key") is not None:
        checks.short(given["idempotency_key"], "idempotency_key")
    passed = {name: given[name] for name in ("channel", "source", "idempotency_key") if given.get(name) is not None}
    return Asked(text, key, channel, passed)


def run(planned: RoutePlan, operations: Any) -> RoutePlan:
    """Make the call of a plan and return the plan with its result; a plan without a call stays as it is.

    Args:
        planned: The plan.
        operations: What has the operations as methods: the facade.
    """
    if planned.call is None or planned.missing:
        return planned
    if planned.action is Action.DELETE:
        operations._context.require("eraser")
        if operations._context.ceiling is not Channel.USER:
            raise PermissionDenied(
                "What an utterance deletes is gone for good, so only a person's handle does it.",
                advice="Show the plan to a person, or call forget() with its key.",
            )
    call = planned.call
    result = getattr(operations, call.operation)(**call.arguments)
    return replace(planned, executed=True, result=result)


# The plan ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """Where a named fact lies: its key, and its line in exactly the handle's scope (or a wider one) if there is one."""

    key: str
    line: LineRow | None
    here: bool


def _plan(context: Context, reader: Reader, said: Said, asked: Asked) -> RoutePlan:
    if said.fact is not None and asked.key is not None and asked.key not in _keys(context, said.fact):
        return _lacking(said, "key", "It names another fact than the call does.", "Leave key out, or name that fact.")
    if said.fact is None and said.action is Action.ASK:
        return _search(asked, said)
    place = _place(context, reader, said, asked)
    if place is None:
        return _search(asked, said) if said.action is Action.ASK else _unnamed(said)
    make = {Action.SET: _set, Action.REVERT: _revert, Action.DELETE: _delete, Action.ASK: _ask}[said.action]
    return make(context, reader, said, asked, place)


def _keys(context: Context, fact: Fact) -> tuple[str, ...]:
    """Return the keys that a fact may lie under, the likeliest first."""
    if fact.subject is None:
        names: tuple[str, ...] = (fact.name,)
    elif fact.subject:
        names = (f"{fact.subject}::{fact.name}",)
    else:
        own = (context.scope.user,) if context.scope.user else ()
        names = tuple(f"{subject}::{fact.name}" for subject in (*own, *SPEAKERS))
    out: list[str] = []
    for name in names:
        try:
            out.append(parse_key(name).text)
        except ValidationError:
            continue
    return tuple(out)


def _place(context: Context, reader: Reader, said: Said, asked: Asked) -> Place | None:
    """Return where the fact lies, or may begin to lie; None where it is not named plainly enough."""
    keys = (asked.key,) if asked.key is not None else () if said.fact is None else _keys(context, said.fact)
    if said.fact is None and said.action is not Action.ASK and not _points(asked):
        return None
    scopes = visible_scopes(context.scope)
    for key in keys:
        for scope in scopes:
            line = reader.line(line_identity(context.pepper, scope.text, key))
            if line is not None and line.subject is not None:
                return Place(key, line, scope == context.scope)
    if said.action is Action.SET and keys and (asked.key is not None or (said.fact is not None and said.fact.new)):
        return Place(keys[0], None, True)
    return None


_POINTING: Final = frozenset({"it", "this", "that", "back", "undo", "revert", "rollback"})


def _points(asked: Asked) -> bool:
    """Say whether an utterance without a fact points at the one that the call names, and speaks of nothing else."""
    words = [word.strip(".,!").lower() for word in asked.utterance.split()]
    known = {
        "please",
        "go",
        "roll",
        "bring",
        "take",
        "put",
        "turn",
        "set",
        "change",
        "restore",
        "delete",
        "forget",
        "erase",
    }
    return asked.key is not None and bool(set(words) & _POINTING) and set(words) <= known | _POINTING | {"remove"}


def _lacking(said: Said, what: str, why: str, advice: str) -> RoutePlan:
    return RoutePlan(said.action, value=said.value, missing=(what,), why=why, next=advice)


def _unnamed(said: Said) -> RoutePlan:
    """The utterance names no fact that is known: it is refused."""
    return _lacking(
        said, "key", "It names no fact that is known here, so nothing can be done.",
        "Name the fact: ana::city, or Ana's city.",
    )  # fmt: skip


def _search(asked: Asked, said: Said) -> RoutePlan:
    return RoutePlan(
        Action.ASK,
        call=Call("recall", {"query": asked.utterance}),
        why=said.why,
        next="Nothing is changed by a question.",
    )


def _ask(context: Context, reader: Reader, said: Said, asked: Asked, place: Place) -> RoutePlan:
    arguments: dict[str, Any] = {"key": place.key}
    if said.at is not None:
        try:
            point(said.at, "valid_at")
        except MunimentError:
            return _lacking(said, "valid_at", "It asks about a date that is none.", "Write it as 2024-01-31.")
        arguments["valid_at"] = said.at
    return RoutePlan(Action.ASK, place.key, call=Call("believe", arguments), why=said.why)


def _set(context: Context, reader: Reader, said: Said, asked: Asked, place: Place) -> RoutePlan:
    assert said.value is not None
    folded = None if place.line is None else _folded(context, reader, place.line)
    if said.was is not None and not _holds(context, folded, said.was):
        return replace(
            _lacking(said, "value", "What it says is there now is not.", "Ask what is believed, then say it anew."),
            key=place.key,
        )  # fmt: skip
    value = said.value if said.quoted else _typed(said.value, folded)
    arguments = {"text": asked.utterance, "key": place.key, "value": value, **asked.passed, **_expect(asked, place)}
    return RoutePlan(Action.SET, place.key, value, Call("remember", arguments), why=said.why)


def _revert(context: Context, reader: Reader, said: Said, asked: Asked, place: Place) -> RoutePlan:
    if not place.here or place.line is None:
        return replace(_elsewhere(said), key=place.key)
    arguments: dict[str, Any] = {"key": place.key, "reason": asked.utterance}
    value: Any = None
    if said.value is not None:
        value = said.value if said.quoted else _typed(said.value, _folded(context, reader, place.line))
        arguments["to"] = value
        if not any(reader.ever_held(place.line.id, known) for known in value_identities(context, value)):
            return replace(
                _lacking(said, "value", "The fact never had this value, so it cannot go back to it.",
                         "history() lists what it was; to set a new value, say: set … to …"),
                key=place.key,
            )  # fmt: skip
    arguments |= {**asked.passed, **_expect(asked, place)}
    return RoutePlan(Action.REVERT, place.key, value, Call("revert", arguments), why=said.why)


def _delete(context: Context, reader: Reader, said: Said, asked: Asked, place: Place) -> RoutePlan:
    if not place.here or place.line is None:
        return replace(_elsewhere(said), key=place.key)
    passed = {name: given for name, given in asked.passed.items() if name == "idempotency_key"}
    return RoutePlan(
        Action.DELETE, place.key, call=Call("forget", {"key": place.key, **passed}), why=said.why,
        next="It is gone for good then, with all that derives from it: plan_forget(key=…) shows it.",
    )  # fmt: skip


def _elsewhere(said: Said) -> RoutePlan:
    return _lacking(said, "scope", "The fact lies in a wider scope than this handle's.", "Use a handle of that scope.")


def _expect(asked: Asked, place: Place) -> dict[str, str]:
    """What runs is what was planned: the line may not have changed between. A retried request cannot know."""
    if "idempotency_key" in asked.passed or not place.here:
        return {}
    return {"expect": "none" if place.line is None else place.line.version or "none"}


def _folded(context: Context, reader: Reader, line: LineRow) -> Folded | None:
    now = present(context, reader.ns)
    folded = fold_line(context, reader, line, now, now)
    return folded if folded.answer.status is Status.RESOLVED and not holds_many(context, reader, line) else None


def _holds(context: Context, folded: Folded | None, value: str) -> bool:
    if folded is None:
        return False
    known = value_identities(context, _typed(value, folded)) | value_identities(context, value)
    return folded.answer.groups[0].value in known


def _typed(value: str, folded: Folded | None) -> Any:
    """Return a value as a number where the fact is a number now, else as the text that was said."""
    if folded is None:
        return value
    row = folded.rows[folded.answer.groups[0].primary.id].claim
    held = None if row.text_is_value else value_of(row, "")
    if isinstance(held, bool) or not isinstance(held, int | Decimal):
        return value
    try:
        number = Decimal(value)
    except InvalidOperation:
        return value
    return value if not number.is_finite() else int(number) if number == number.to_integral_value() else number
