"""Policies: laid down by a person or the operator, kept in the store, versioned and logged (semantics §4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muniment import jsontext
from muniment.beliefs.policy import OnConflict, Policy, merge
from muniment.beliefs.state import Cardinality
from muniment.claims.channels import Channel
from muniment.claims.intervals import FOREVER, NEVER
from muniment.claims.keys import Key, parse_pattern
from muniment.verbs.context import Context, ParsedPolicies

if TYPE_CHECKING:
    from muniment.store.protocol import Reader
    from muniment.store.records import LineRow


def policy_of(context: Context, reader: Reader, key: Key | None, as_of: int = FOREVER) -> Policy:
    """Return the merged policy of a line (of the whole namespace for a note), as it was at a transaction time."""
    cache, parsed = context.policies, _current(context, reader)
    if not parsed.policies:
        return cache.override
    merged = parsed.merged
    if as_of < parsed.latest:
        then = parsed.then  # whoever asks of a past instant asks of that one for many lines
        if then is None or then[0] != as_of:
            then = parsed.then = (as_of, {})
        merged = then[1]
    name = (key.subject, key.predicate) if key is not None else ("", "")
    found = merged.get(name)
    if found is None:
        matching = [p for pattern, p, at in parsed.policies if at <= as_of and _matches(pattern, key)]
        found = merge([*matching, cache.override])
        if len(merged) < 10_000:  # bounded: a cache of lines must not grow with the store
            merged[name] = found
    return found


def half_life(context: Context, reader: Reader, line: LineRow, kind: str, as_of: int = FOREVER) -> int:
    """Return the days after which half of what recency is worth to a claim is gone: by its kind, and its line's policy."""
    if not _current(context, reader).policies:
        return context.policies.override.half_life(kind)
    return policy_of(context, reader, _key(line), as_of).half_life(kind)


def holds_many(context: Context, reader: Reader, line: LineRow, as_of: int = FOREVER) -> bool:
    """Say whether a line holds many values at one instant, as it was laid down or said by a transaction time.

    The policy in force decides, from the moment it is laid down; where none says, the line's writers have said it. A
    note is the only value of its line, so nothing disputes it.
    """
    if line.note:
        return True
    if line.subject is not None and _current(context, reader).counting:
        laid_down = policy_of(context, reader, _key(line), as_of).cardinality
        if laid_down is not None:
            return laid_down is Cardinality.MANY
    return line.cardinality_at(as_of) is Cardinality.MANY


def _key(line: LineRow) -> Key | None:
    return None if line.note or line.subject is None else Key(line.subject, line.predicate or "", line.display or "")


def _current(context: Context, reader: Reader) -> ParsedPolicies:
    parsed = context.policies.parsed
    if parsed.version != reader.ns.policy_version:
        parsed = context.policies.parsed = _parsed(reader)
    return parsed


def _parsed(reader: Reader) -> ParsedPolicies:
    policies = [(parse_pattern(row.pattern), _decoded(row.body), row.at) for row in reader.policies()]
    policies.sort(key=lambda policy: policy[0].specificity)
    counting = any(policy.cardinality is not None for _, policy, _ in policies)
    latest = max((at for *_, at in policies), default=NEVER)
    return ParsedPolicies(reader.ns.policy_version, tuple(policies), counting=counting, latest=latest)


def _matches(pattern: Any, key: Key | None) -> bool:
    return bool(pattern.specificity == 0) if key is None else bool(pattern.matches(key))


def _decoded(text: str) -> Policy:
    body: dict[str, Any] = jsontext.loads(text)
    for name in ("review", "writers"):
        if name in body:
            body[name] = frozenset(Channel(c) for c in body[name])
    if "on_conflict" in body:
        body["on_conflict"] = OnConflict(body["on_conflict"])
    if "cardinality" in body:
        body["cardinality"] = Cardinality(body["cardinality"])
    return Policy(**body)
