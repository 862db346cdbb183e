"""resolve: the verb. Its arguments, who gives the verdict, and what ``both`` writes anew; the core is ``resolving``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from muniment.beliefs.state import Disposition
from muniment.beliefs.verdicts import Verdict
from muniment.claims.channels import Channel
from muniment.claims.moments import parse_moment
from muniment.claims.scopes import Scope
from muniment.claims.text import check_text
from muniment.errors import ConflictError, ValidationError
from muniment.quick import dataclass, replace
from muniment.verbs import checks, persons
from muniment.verbs.believing.telling import told
from muniment.verbs.context import Context
from muniment.verbs.expectations import expectation
from muniment.verbs.requests import answered, keep, outcome_of, request_of
from muniment.verbs.results import Outcome
from muniment.verbs.reviewing import resolving
from muniment.verbs.reviewing.asking import check_fits
from muniment.verbs.reviewing.reviewers import check_token
from muniment.verbs.saying import remember
from muniment.verbs.saying.prepare import prepare
from muniment.verbs.views import listed, source_of, stated, value_of, verified, wording

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Writer

MAX_REASON: Final = 65_536
"""Bytes of a reason."""

_WRITTEN: Final = frozenset(
    {
        Disposition.ACCEPTED, Disposition.SUCCESSION, Disposition.BACKFILLED, Disposition.SUPERSEDED_PRIOR,
        Disposition.REINFORCED,
    }
)  # fmt: skip
"""What may become of the claim that ``both`` writes."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A verdict as asked for, checked."""

    item: str
    verdict: Verdict
    reason: str
    by: str | None
    token: str | None
    expect: str | None
    period: Mapping[str, Any]
    scope: Mapping[str, str] | None


def resolve(context: Context, item: Any, verdict: Any, reason: Any, given: Mapping[str, Any]) -> Outcome:
    """Give a verdict on an item of the review inbox.

    Args:
        context: Through whose handle.
        item: The item's id.
        verdict: accept, keep, reject, restore, both, moot or unknown.
        reason: Why.
        given: by, token, valid_from, valid_to, scope, expect, idempotency_key.

    Raises:
        ConflictError: If the answer changed since the item was shown, or the verdict does not fit it.
        NotFoundError: If there is no such item.
        PermissionDenied: If only a person decides it, or a token proves nothing.
        ValidationError: If an argument is malformed.
    """
    ask = _asked(item, verdict, reason, given)
    request = request_of(
        context, context.author, given.get("idempotency_key"), "resolve", ask.item, ask.verdict.value, ask.reason,
        {name: value for name, value in given.items() if name != "idempotency_key"},
    )  # fmt: skip

    def work(writer: Writer) -> Outcome:
        first = None if request is None else answered(writer, request)
        if first is not None:
            return outcome_of(first)
        outcome = _resolve(context, writer, ask)
        if request is not None:
            keep(writer, request, outcome)
        return outcome

    return told(context, context.store.write(context.namespace, work))


def check(context: Context, item: Any, verdict: Any, reason: Any, given: Mapping[str, Any]) -> None:
    """Check all that can be checked of a verdict before a person is asked to confirm it.

    Args:
        context: Through whose handle.
        item, verdict, reason, given: As for :func:`resolve`.

    Raises:
        ConflictError: If the verdict does not fit the item.
        ValidationError: If an argument is malformed.
    """
    ask = _asked(item, verdict, reason, given)
    for name, moment in ask.period.items():
        parse_moment(moment, name)
    if given.get("idempotency_key") is not None:
        checks.short(given["idempotency_key"], "idempotency_key")

    def look(reader: Reader) -> None:
        found = reader.item(ask.item) if checks.is_id(ask.item) else None
        if found is not None:  # of one that is not there, whoever shows it says so
            check_fits(reader, found, ask.verdict)

    context.store.read(context.namespace, look)


def _asked(item: Any, verdict: Any, reason: Any, given: Mapping[str, Any]) -> _Asked:
    name = check_text(item, "item", limit_bytes=64, allow_newlines=False)
    word = Verdict(checks.one_of(verdict, "verdict", tuple(Verdict)))
    if reason is None:
        raise ValidationError("A verdict needs a reason.", advice="Pass reason='…'.")
    period = {name: given[name] for name in ("valid_from", "valid_to") if given.get(name) is not None}
    scope = given.get("scope")
    if scope is not None:
        scope = _scope(scope)
    if word is Verdict.BOTH and not period and scope is None:
        raise ValidationError(
            "both needs a period or a scope for the newcomer.", advice="Pass valid_from=, valid_to= or scope=."
        )
    if word is not Verdict.BOTH and (period or scope is not None):
        raise ValidationError("Only the verdict both takes a period or a scope.", advice="Leave them out, or say both.")
    return _Asked(
        name,
        word,
        check_text(reason, "reason", limit_bytes=MAX_REASON),
        None if given.get("by") is None else checks.short(given["by"], "by"),
        None if given.get("token") is None else check_text(given["token"], "token", limit_bytes=4096),
        expectation(given.get("expect")),
        period,
        scope,
    )


def _scope(given: Any) -> Mapping[str, str]:
    """Read a narrower scope: the parts to add."""
    if isinstance(given, Scope):
        given = {name: part for name, part in given.as_dict().items() if part is not None}
    if not isinstance(given, Mapping) or not given or set(given) - {"user", "agent", "session", "project"}:
        raise ValidationError("scope must be a Scope or a dict.", advice="Its parts: user, agent, session, project.")
    return {str(name): checks.short(part, "scope") for name, part in given.items()}


def _resolve(context: Context, writer: Writer, ask: _Asked) -> Outcome:
    reviewer, shown = _reviewer(context, writer, ask)
    verdict = resolving.Given(ask.verdict, ask.reason, shown)
    outcome = resolving.decide(context, writer, ask.item, verdict, reviewer)
    if ask.verdict is not Verdict.BOTH or outcome.disposition is not Disposition.RESOLVED:
        return outcome
    return _write_anew(context, writer, ask, reviewer, outcome)


def _reviewer(context: Context, writer: Writer, ask: _Asked) -> tuple[resolving.Reviewer, str | None]:
    """Return who gives the verdict, and at which version of the line they saw the item."""
    if ask.token is not None:
        person = check_token(context, writer, ask.token, ask.item, ask.verdict.value)
        return resolving.Reviewer(Channel.USER, person.name or context.author, person, ask.by), _version(person)
    if isinstance(context.person, persons.Person):
        person = context.person
        shown = _version(person) if person.covers(ask.item, ask.verdict.value) else None
        return resolving.Reviewer(context.ceiling, context.author, person, ask.by), shown or ask.expect
    own = persons.opener(context)
    return resolving.Reviewer(context.ceiling, context.author, own, ask.by), ask.expect


def _version(person: persons.Person) -> str | None:
    return None if person.said is None else person.said[2]


def _write_anew(
    context: Context, writer: Writer, ask: _Asked, reviewer: resolving.Reviewer, outcome: Outcome
) -> Outcome:
    """Say the newcomer's value for its own period, or in its own scope, in the name of who decided.

    Raises:
        ConflictError: If it would still quarrel with what holds, or leave nothing of it.
    """
    item, line, row = resolving.find(context, writer, ask.item)
    others = {h.head.value for h in _held(writer, item.line) if h.head.value != row.head.value}
    text, meta = wording(writer, verified(writer, row, line.label), 2**63 - 1)
    start, end = stated(row)
    dates = ask.period or {"valid_from": start, "valid_to": end}
    source = source_of(row)
    given: dict[str, Any] = {
        "key": None if line.subject is None else line.display,
        "value": None if row.text_is_value else value_of(row, text),
        "channel": reviewer.channel, "source": source, "kind": row.kind, "confidence": row.head.confidence / checks.MILLION,
        "tags": listed(row.tags), "about": listed(row.about), "meta": None if meta is None else _plain(meta),
        "criticality": row.criticality, "priority": row.priority, "reason": ask.reason, "reaffirm": True, **dates,
    }  # fmt: skip
    speaker = replace(context, ceiling=reviewer.channel, author=reviewer.author)
    if ask.scope is not None:
        speaker = speaker.narrowed(ask.scope)
    said = prepare(speaker, text, {name: value for name, value in given.items() if value is not None})
    written = remember.write(speaker, writer, said)
    left = {h.head.value for h in _held(writer, item.line)}
    if written.disposition not in _WRITTEN or not others <= left:
        raise ConflictError(
            "The two would not be apart: they claim the same time, or nothing would be left of one.",
            advice="Choose a period of its own or a narrower scope for the newcomer, or say accept or keep.",
        )
    return replace(
        outcome, claim_id=written.claim_id, believed=written.believed,
        line_version=outcome.line_version if ask.scope is not None else written.line_version,
    )  # fmt: skip


def _held(writer: Writer, line: int) -> tuple[Any, ...]:
    return writer.holders(line, -(2**63), 2**63 - 1, writer.ns.last_at)


def _plain(meta: str) -> Any:
    from muniment import jsontext

    return jsontext.loads(meta)
