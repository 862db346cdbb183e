"""believe in one look: the belief of a line on which one value holds now and nothing stands beside it.

Most lines are like that most of the time. The store brings all that such an answer is made of at once
(``Store.settled``); it is folded, checked against the log and shown by the same code as everywhere else. Whatever else
there is to consider leads to None, and to the general way in ``verbs.believing.believe``.
"""

from __future__ import annotations

from collections.abc import Callable

from muniment.beliefs.fold import Status, answer, currency
from muniment.beliefs.policy import Policy
from muniment.beliefs.state import Cardinality
from muniment.claims.keys import Key
from muniment.verbs.context import Context
from muniment.verbs.identities import line_identity
from muniment.verbs.records import check
from muniment.verbs.results import Belief
from muniment.verbs.serving import note_served
from muniment.verbs.views import own_markers, scope_of, shown, written


def settled_belief(context: Context, key: Key, clock: Callable[[], int]) -> Belief | None:
    """Return the belief of a key now, if one look at its line in the caller's own scope tells it, else None.

    Nothing is narrower than the caller's own scope, so where its line answers, no other line is asked.

    Args:
        context: Who asks.
        key: The key.
        clock: Tells the time, in microseconds.

    Raises:
        TamperedError: If the record does not match its log entry.
    """
    identity = line_identity(context.pepper, context.scope.text, key.text)
    found = context.store.settled(context.namespace, identity, clock)
    if found is None:
        return None
    row, now = found.at.claim, found.now
    policy = _policy(context, found.policy_version, key)
    if policy is None or policy.cardinality is Cardinality.MANY:
        return None
    answered = answer(found.cardinality, (row.head,), now)
    if answered.status is not Status.RESOLVED:
        return None
    check(row, found.label, *found.record)
    view = shown(row, row.text, (found.at.start, found.at.end), found.support.count, "answer")
    note_served(context, [(identity, row.head.value)], now)
    present = written(now)
    return Belief(
        key.text, answered.status, view.value, view, (view,), None, found.support.count,
        currency(row.kind, found.support.confirmed_at, now, policy.aging_days, policy.decayed_days),
        tuple(own_markers(row, found.at.possible)), view.since, view.until, max(0, found.values - 1), found.version,
        (), None, scope_of(found.scope), present, present,
    )  # fmt: skip


def _policy(context: Context, version: int, key: Key) -> Policy | None:
    """Return the merged policy of a line where it is known already, else None."""
    parsed = context.policies.parsed
    if parsed.version != version:
        return None
    if not parsed.policies:
        return context.policies.override
    return parsed.merged.get((key.subject, key.predicate))
