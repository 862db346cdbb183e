"""Laying down policies: by a person or the operator, versioned and logged (semantics §4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from muniment.beliefs.policy import HALF_LIFE_DAYS, OnConflict
from muniment.beliefs.state import Cardinality, Disposition, Ruling
from muniment.claims.channels import RANK, Channel
from muniment.claims.intervals import DAY
from muniment.claims.keys import parse_pattern
from muniment.errors import PermissionDenied, ValidationError
from muniment.ledger.canonical import canonical
from muniment.ledger.entries import EntryType
from muniment.store.records import PolicyRow
from muniment.verbs import checks, journal
from muniment.verbs.context import Context, tick
from muniment.verbs.requests import answered, keep, outcome_of, request_of
from muniment.verbs.results import Outcome

if TYPE_CHECKING:
    from muniment.store.protocol import Writer


def set_policy(context: Context, pattern: Any, given: Mapping[str, Any]) -> Outcome:
    """Lay down a policy for a key, a pattern or the namespace (``*``).

    Args:
        context: Who lays it down: role admin, or the channel user.
        pattern: A key, ``subject::*``, ``*::predicate`` or ``*``.
        given: The members to state; what is not given stays as it was.

    Raises:
        PermissionDenied: If the caller is neither admin nor speaks as a user.
        ValidationError: If the pattern or a member is malformed.
    """
    parsed = parse_pattern(pattern)
    body = policy_body(given)
    channel = context.channel(given.get("channel"))
    if not context.scope.is_empty:
        context.require("admin")  # a policy holds in every scope of the namespace
    if channel is not Channel.USER and "admin" not in context.roles:
        raise PermissionDenied("Only a person or the operator lays down policies.", advice="Use the channel user.")
    reason = None if given.get("reason") is None else checks.short(given["reason"], "reason")
    asked = ("policy", parsed.text, body, reason)
    request = request_of(context, context.author, given.get("idempotency_key"), *asked)

    def work(writer: Writer) -> Outcome:
        first = None if request is None else answered(writer, request)
        if first is not None:
            return outcome_of(first)
        at = tick(context, writer.ns)
        id_ = context.ids.new(at)
        text = canonical(body).decode()
        fields = {"pattern": parsed.text.encode(), "policy": text.encode()}
        salt = context.entropy.token(32)
        if reason is not None:
            fields["reason"] = reason.encode()
        ruling = Ruling(Disposition.POLICY_SET, why="The policy holds from now on.")
        draft = journal.Draft(
            id_, EntryType.POLICY, at, None, channel.value, int(RANK[channel]), ruling, fields, salt,
            extra={"policy_version": writer.ns.policy_version + 1},
        )  # fmt: skip
        journal.append(writer, draft, {})
        writer.add_policy(PolicyRow(id_, parsed.text, text, at, reason, salt))
        outcome = Outcome(ruling.disposition, None, False, why=ruling.why, entry_id=id_)
        if request is not None:
            keep(writer, request, outcome)
        return outcome

    return context.store.write(context.namespace, work)


def policy_body(given: Mapping[str, Any]) -> dict[str, Any]:
    """Check the members of a policy and return them as canonical data."""
    body: dict[str, Any] = {}
    if given.get("on_conflict") is not None:
        word = checks.one_of(given["on_conflict"], "on_conflict", (*OnConflict, "review"))
        if word == "review" and given.get("review") is None:
            raise ValidationError(
                "on_conflict='review' needs the channels to review.", advice="Pass review=['model'], say."
            )
        if word != "review":
            body["on_conflict"] = word
    for name in ("review", "writers"):
        if given.get(name) is not None:
            channels = checks.words(given[name], name)
            body[name] = sorted(checks.one_of(c, "channel", tuple(Channel)) for c in channels)
    if given.get("cardinality") is not None:
        body["cardinality"] = checks.one_of(given["cardinality"], "cardinality", tuple(Cardinality))
    for name in ("aging_days", "decayed_days"):
        if given.get(name) is not None:
            body[name] = checks.whole(given[name], name, 0, 100_000)
    if given.get("expires_after_days") is not None:
        body["expires_after"] = checks.whole(given["expires_after_days"], "expires_after_days", 1, 100_000) * DAY
    if given.get("half_life_days") is not None:
        body |= _half_lives(given["half_life_days"])
    for name in ("critical", "boundary", "echo"):
        if given.get(name) is not None:
            body[name] = checks.flag(given[name], name)
    if not body:
        raise ValidationError("A policy must state something.", advice="Pass on_conflict=, cardinality=, review= …")
    return body


def _half_lives(given: Any) -> dict[str, int]:
    if not isinstance(given, Mapping) or not given or any(kind not in HALF_LIFE_DAYS for kind in given):
        raise ValidationError("half_life_days must give days by kind.", advice=f"Kinds: {', '.join(HALF_LIFE_DAYS)}.")
    return {
        f"half_life_{kind}": checks.whole(given[kind], "half_life_days", 1, 100_000)
        for kind in HALF_LIFE_DAYS
        if kind in given
    }
