"""chart: the rectangles of a line in valid time and transaction time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from muniment.claims.intervals import FOREVER
from muniment.claims.keys import parse_key
from muniment.claims.moments import point
from muniment.claims.scopes import visible_scopes
from muniment.store.records import ClaimRow, LineRow, Rectangle
from muniment.verbs.believing.charts import Chart, Stretch
from muniment.verbs.believing.drawing import Box
from muniment.verbs.context import Context, present
from muniment.verbs.identities import line_identity
from muniment.verbs.views import scope_of, stamp, value_of, verified, wording

if TYPE_CHECKING:
    from muniment.store.protocol import Reader


def chart(context: Context, key: Any, as_of: Any = None) -> Chart:
    """Return a line in both kinds of time: the narrowest one of the key that the handle sees and that has claims.

    Raises:
        ValidationError: If an argument is malformed.
        TamperedError: If a claim does not match its log entry.
    """
    parsed = parse_key(key)
    known = None if as_of is None else point(as_of, "as_of")

    def work(reader: Reader) -> Chart:
        at = present(context, reader.ns) if known is None else known
        for scope in visible_scopes(context.scope):
            line = reader.line(line_identity(context.pepper, scope.text, parsed.text))
            if line is not None:
                found = _known(reader, line, at)
                if found:
                    return _chart(parsed.text, reader, line, at, found)
        return Chart(parsed.text, None, stamp(at) or "", ())

    return context.store.read(context.namespace, work)


def _known(reader: Reader, line: LineRow, at: int) -> list[tuple[Rectangle, ClaimRow]]:
    """Return the rectangles of a line that were known by an instant, with their claims, in order."""
    rows: dict[str, ClaimRow | None] = {}
    out: list[tuple[Rectangle, ClaimRow]] = []
    for rectangle in reader.rectangles(line.id):
        if rectangle.tx_from > at:
            continue
        if rectangle.claim not in rows:
            row = reader.claim(rectangle.claim)
            rows[rectangle.claim] = None if row is None else verified(reader, row, line.label)
        claim = rows[rectangle.claim]
        if claim is not None and claim.head.expires_at > rectangle.tx_from:
            out.append((rectangle, claim))
    out.sort(key=lambda pair: (pair[0].tx_from, pair[0].start, pair[1].idx))
    return out


def _chart(key: str, reader: Reader, line: LineRow, at: int, known: Sequence[tuple[Rectangle, ClaimRow]]) -> Chart:
    stretches: list[Stretch] = []
    boxes: list[Box] = []
    for rectangle, row in known:
        until = min(rectangle.tx_to, row.head.expires_at)
        tx_to = until if until <= at else FOREVER
        value = value_of(row, wording(reader, row, at)[0])
        stretches.append(
            Stretch(
                row.head.id, value, stamp(rectangle.start), stamp(rectangle.end),
                stamp(rectangle.tx_from) or "", stamp(tx_to), rectangle.possible,
            )
        )  # fmt: skip
        boxes.append(Box(rectangle.start, rectangle.end, rectangle.tx_from, tx_to, str(value), rectangle.possible))
    return Chart(key, scope_of(line.scope), stamp(at) or "", tuple(stretches), tuple(boxes))
