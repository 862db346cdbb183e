"""reinforce: note that what a recall found was of use, beside the log.

It strengthens the hits for later recalls and starts their age anew. It touches no claim, no belief and no trust, and
nothing of it reaches the log, an export or another namespace; it goes with the claim.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muniment.errors import StoreError
from muniment.operation import writing
from muniment.quick import replace
from muniment.recall.reinforcing import faded, strengthened
from muniment.store.uses import Use
from muniment.verbs import checks
from muniment.verbs.context import Context, present
from muniment.verbs.finding.found import Found
from muniment.verbs.finding.hits import Hits
from muniment.verbs.policies import half_life

if TYPE_CHECKING:
    from muniment.store.protocol import Writer

_BELIEVED = ("current", "contested")


def wanted(context: Context, reinforce: Any) -> bool:
    """Say whether hits are to be strengthened; that is a write, so it needs the role of one.

    Raises:
        PermissionDenied: If the caller may only read.
    """
    if not checks.flag(reinforce, "reinforce"):
        return False
    writing(context, "writer")
    return True


def reinforced(context: Context, found: Found) -> Hits:
    """Strengthen the beliefs among some hits; return the hits, which say so where the store could not keep it."""
    rows = [ranked for ranked in found.rows if ranked[4] in _BELIEVED]

    def work(writer: Writer) -> None:
        now = present(context, writer.ns)
        known = writer.uses([row.idx for _, _, row, *_ in rows])
        for _, factors, row, line, *_ in rows:
            share = factors["relevance"] / found.top if found.top else 0.0
            before, life = known.get(row.idx), half_life(context, writer, line, row.kind)
            left = 0 if before is None else faded(before.strength, now - before.at, life)
            writer.put_use(row.idx, Use(strengthened(left, share), now))

    if rows:
        try:
            context.store.write(context.namespace, work)
        except StoreError as error:
            return replace(found.hits, degraded=(*found.hits.degraded, f"Not reinforced: {error.message}"))
    return found.hits
