"""What the withdrawal of a claim means for all that derives from it (semantics §6). Pure.

One rule: a claim is withheld while an ancestor of it stands withdrawn, by a decision made after the claim was said and
not undone for the claim by a review of its own. What a withheld claim loses is a loss of the cause ``withdraw``; what
comes back to it meanwhile is withheld at once, which such a loss says too. Both are due to it: it has them back as soon
as no ancestor forbids it any more, as far as nobody else holds them since.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from muniment.beliefs.effects import changed_until, holders_after
from muniment.beliefs.state import Cause, ClaimHead, Holder
from muniment.beliefs.steps import Logged, undone
from muniment.claims.intervals import NEVER, Spans, intersect, subtract, union
from muniment.quick import replace


def own(log: Sequence[Logged]) -> list[Logged]:
    """Return the entries of a line's log that were made on the line itself."""
    return [entry for entry in log if not entry.elsewhere]


def reviewed(log: Sequence[Logged]) -> frozenset[int]:
    """Return when the withdrawals were made, on other lines, that were undone on this one: here they forbid nothing."""
    gone = undone(own(log))
    return frozenset(entry.at for entry in log if entry.elsewhere and entry.id in gone)


def seen_here(log: Sequence[Logged], heads: Mapping[str, ClaimHead]) -> tuple[Logged, ...]:
    """Return a line's log in which entries of other lines are judged by what they did to this one.

    Until when an entry changes the answer is kept for its own line. What was given back where it was taken is no step
    any more.

    Args:
        log: Every entry of the line.
        heads: Head of each claim of the line.
    """
    if not any(entry.elsewhere for entry in log):
        return tuple(log)
    out: list[Logged] = []
    held: tuple[Holder, ...] = ()
    missing: dict[int, dict[str, Spans]] = {}
    for place, entry in enumerate(log):
        effects = [e for e in entry.effects if e.claim in heads]
        after = holders_after(held, effects, [heads[e.claim] for e in effects])
        if entry.elsewhere:
            served = [[h for h in state if h.head.expires_at > entry.at] for state in (held, after)]
            entry = replace(entry, step_until=changed_until(*served))
            for effect in effects:
                span: Spans = ((effect.start, effect.end),)
                if effect.gain:
                    for took in missing.values():
                        took[effect.claim] = subtract(took.get(effect.claim, ()), span)
                elif effect.cause is Cause.WITHDRAW:
                    took = missing.setdefault(place, {})
                    took[effect.claim] = union(took.get(effect.claim, ()), span)
        out.append(entry)
        held = after
    for place, took in missing.items():
        if not any(took.values()):  # all of it was given back where it was taken
            out[place] = replace(out[place], step_until=NEVER)
    return tuple(out)


def dues(
    log: Sequence[Logged],
    heads: Mapping[str, ClaimHead],
    holders: Sequence[Holder],
    claims: Collection[str],
    many: bool,
    gone: Collection[str],
) -> dict[str, tuple[Spans, Spans]]:
    """Return what is due to claims that nothing forbids any more: stretches, and which of them were only possible.

    What others hold that they did not hold beside the claim when it was withheld stays theirs.

    Args:
        log: Every entry of their line.
        heads: Head of each claim of the line.
        holders: What holds on it now.
        claims: The claims.
        many: Whether the line holds many values at a time.
        gone: Ids of the entries that do not stand on it.
    """
    due: dict[str, Spans] = dict.fromkeys(claims, ())
    maybe: dict[str, Spans] = dict.fromkeys(claims, ())
    beside: dict[tuple[str, str], Spans] = {}
    held: dict[str, Spans] = {}
    for entry in log:
        for claim, gain, start, end, cause, possible in entry.effects:
            span: Spans = ((start, end),)
            if claim in due and entry.id not in gone and cause is not Cause.MEET:
                owed = cause is Cause.WITHDRAW and not gain
                due[claim] = union(due[claim], span) if owed else subtract(due[claim], span)
                maybe[claim] = union(maybe[claim], span) if owed and possible else subtract(maybe[claim], span)
                for other, spans in held.items() if owed else ():
                    both = intersect(spans, span)
                    if both and other != claim:
                        beside[claim, other] = union(beside.get((claim, other), ()), both)
            held[claim] = union(held.get(claim, ()), span) if gain else subtract(held.get(claim, ()), span)
    out: dict[str, tuple[Spans, Spans]] = {}
    for claim, spans in due.items():
        for holder in holders if spans else ():
            if holder.head.id == claim or (not many and holder.head.value != heads[claim].value):
                spans = subtract(spans, subtract(holder.spans, beside.get((claim, holder.head.id), ())))
        if spans:
            out[claim] = (spans, intersect(maybe[claim], spans))
    return out
