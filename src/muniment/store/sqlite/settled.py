"""The common case of a read in one statement: one value holds now, and nothing stands beside it.

Everything that the answer is made of hangs on the line, so one join brings it: the head of the log, the line, the
one stretch that holds, its claim, what the log vouches for, and its support. A single statement is a snapshot by
itself. What it cannot tell (several claims hold, the value has several claims, something stands beside …) it leaves to
the general way, by saying nothing; it never judges.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import apsw

from muniment.beliefs.state import Identity
from muniment.claims.channels import VOUCHED_FROM
from muniment.claims.intervals import FOREVER, NEVER
from muniment.store.records import AtRow, Settled, Support
from muniment.store.sqlite.leafpack import record
from muniment.store.sqlite.rows import CLAIM, CLAIM_WIDTH, NO_SCOPE, Row, cardinality_of, claim_of, uuid_text

_OPEN: Final = f"tx_to = {FOREVER}"
_BESIDE_IT: Final = (
    f"o.line = l.id AND o.{_OPEN} AND o.vend >= t.vstart AND o.vstart <= t.vend"
    " AND NOT (o.claim = t.claim AND o.vstart = t.vstart AND o.vend = t.vend)"
)
"""Other stretches that meet the one at hand. They lie beside it in the table, so it is asked first whether there are
any: what else might tell lies on pages of its own."""

_MORE: Final = (
    "CASE WHEN EXISTS(SELECT 1 FROM claims b INDEXED BY claims_beside WHERE b.line = l.id AND b.beside_until > 0) THEN 1"
    " WHEN n.open_items > 0 AND EXISTS(SELECT 1 FROM items i WHERE i.line = l.id AND i.closed_at IS NULL) THEN 1"
    f" WHEN EXISTS(SELECT 1 FROM stretches o WHERE {_BESIDE_IT})"
    " AND (l.repeated = 1 AND EXISTS(SELECT 1 FROM claims v WHERE v.line = l.id AND v.value = c.value AND v.id <> c.id)"
    f" OR EXISTS(SELECT 1 FROM stretches o WHERE {_BESIDE_IT} AND +o.claim = c.id))"
    " THEN EXISTS(SELECT 1 FROM stretches o CROSS JOIN claims v ON v.id = o.claim"
    f" WHERE {_BESIDE_IT} AND v.value = c.value) ELSE 0 END"
)
"""Whether there is more to consider: something beside, something that waits for a verdict, or another stretch of the
value that the one at hand is a part of."""

_VIEW: Final = (
    "CREATE TEMP VIEW IF NOT EXISTS settled AS"
    f" SELECT {CLAIM}, l.cardinality, l.label, l.values_n, l.version, s.text AS scope, n.last_at, n.policy_version,"
    f" t.possible, t.vstart, t.vend, e.leaf, {_MORE} AS more,"
    f" (SELECT o.vend FROM stretches o WHERE o.line = l.id AND o.{_OPEN} ORDER BY o.vend DESC LIMIT 1 OFFSET 1) AS others_until,"
    " (SELECT count(*) FROM supporters u WHERE u.claim = c.id AND u.identity IS NOT c.support) AS supporters,"
    " (SELECT max(f.at) FROM confirmations f WHERE f.claim = c.id) AS confirmed,"
    " n.id AS ns, n.name AS namespace, l.mac AS mac"
    " FROM namespaces n CROSS JOIN lines l CROSS JOIN scopes s CROSS JOIN stretches t CROSS JOIN claims c"
    " CROSS JOIN entries e"
    " WHERE l.ns = n.id AND l.cardinality IS NOT 'many' AND s.id = l.scope"
    f" AND t.line = l.id AND t.{_OPEN} AND c.id = t.claim AND e.id = c.id"
)
"""The statement, as a view that a connection is given when it is first asked. The text of a statement is gone through each
time to find it among those that are prepared, a microsecond for a thousand characters: this one has three."""

_SETTLED: Final = "SELECT * FROM settled WHERE ns = ?1 AND namespace = ?2 AND mac = ?3 ORDER BY vend DESC LIMIT 1"
_WIDTH: Final = CLAIM_WIDTH + 15


def settled(connection: Any, ns: int, name: str, identity: Identity, clock: Callable[[], int]) -> Settled | None:
    """Return what one line answers now, where one statement tells; see ``store.protocol.Store.settled``.

    The stretch that reaches furthest is looked at, and how far the next one reaches: where that is no further than
    now, and the first one holds now, it does so alone.

    Args:
        connection: Need not be in a transaction.
        ns: The store's integer for the namespace.
        name: The namespace.
        identity: Of the line.
        clock: Asked for the time once everything is read.
    """
    try:
        rows: list[Row] = connection.execute(_SETTLED, (ns, name, identity)).fetchall()
    except apsw.SQLError:  # asked for the first time
        connection.execute(_VIEW)
        rows = connection.execute(_SETTLED, (ns, name, identity)).fetchall()
    if not rows:
        return None
    row = rows[0]
    cardinality, label, values, version, scope, last_at, policies, possible, start, end, leaf, more, others_until, \
        supporters, confirmed = row[CLAIM_WIDTH:_WIDTH]  # fmt: skip
    if more:
        return None
    claim = claim_of(row)
    if claim.amended or claim.parents or claim.ranks:
        return None
    now = max(clock(), last_at)
    head = claim.head
    if not start <= now < end or now < (NEVER if others_until is None else others_until) or head.expires_at <= now:
        return None
    at = head.recorded_at if confirmed is None else confirmed
    if head.rank >= VOUCHED_FROM:
        at = max(at, head.recorded_at)
    return Settled(
        now, policies, cardinality_of(cardinality), label or "", values,
        None if version is None else uuid_text(version), scope or NO_SCOPE,
        AtRow(claim, possible == 1, start, end), record(leaf), Support(supporters + (claim.support is not None), at),
    )  # fmt: skip
