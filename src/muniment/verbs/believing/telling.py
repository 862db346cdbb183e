"""After a decision: what its line answers now, told with the outcome.

It is read after the commit and never kept with the answer to a request, so it is what holds when the caller is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from muniment.beliefs.fold import Status
from muniment.claims.keys import parse_key
from muniment.errors import MunimentError
from muniment.quick import replace
from muniment.verbs.believing.believe import belief_of
from muniment.verbs.context import Context, present
from muniment.verbs.identities import line_identity
from muniment.verbs.results import Now, Outcome

if TYPE_CHECKING:
    from muniment.store.protocol import Reader


def told(context: Context, outcome: Outcome) -> Outcome:
    """Return the outcome of a decision with what its line answers now; of a note, as it is.

    Args:
        context: Who decided. Who may not read is told nothing; what is told counts as served, like every answer.
        outcome: What the decision did; it is committed, so nothing here fails it.
    """
    if not {"reader", "admin"} & context.roles:
        return outcome
    try:
        now = context.store.read(context.namespace, lambda reader: _now(context, reader, outcome))
    except MunimentError:  # of a store that is not sound: whoever reads the answer itself is told so
        return outcome
    return replace(outcome, now=now)


def _now(context: Context, reader: Reader, outcome: Outcome) -> Now | None:
    entry = None if outcome.line_version is None else reader.entry(outcome.line_version)
    line = None if entry is None or entry.line is None else reader.line_by_id(entry.line)
    if line is None or line.note or line.display is None:
        return None
    key, at = parse_key(line.display), present(context, reader.ns)
    belief = belief_of(context, reader, line, key, line_identity(context.pepper, line.scope, key.text), (at, at, at))
    values = tuple(candidate.value for candidate in belief.candidates)
    return Now(
        key.text, belief.status, belief.value, values if belief.status is Status.CONTESTED else (), belief.reason
    )
