"""A line drawn in both kinds of time: what is returned, apart from the reading and the drawing of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muniment.claims.scopes import Scope
from muniment.quick import dataclass
from muniment.verbs.plain import Result

if TYPE_CHECKING:
    from muniment.verbs.believing.drawing import Box


@dataclass(frozen=True, slots=True)
class Stretch(Result):
    """A claim held [since, until) of valid time, as known during [known_from, known_to).

    Args:
        claim_id: The claim.
        value: Its value.
        since, until: Valid time; None for unbounded.
        known_from: When that became known.
        known_to: When it was known otherwise; None while it stands.
        possible: It lies in a granule that two periods share.
    """

    claim_id: str
    value: Any
    since: str | None
    until: str | None
    known_from: str
    known_to: str | None
    possible: bool


@dataclass(frozen=True, slots=True)
class Chart(Result):
    """A line in both kinds of time: what was believed, for when, and as known when.

    Args:
        key: The key asked for.
        scope: Where the line lies; None if nothing was said of the key.
        as_of: The instant of transaction time to which it was drawn.
        stretches: The rectangles, in the order in which they became known.
    """

    key: str
    scope: Scope | None
    as_of: str
    stretches: tuple[Stretch, ...]
    _boxes: tuple[Box, ...] = ()

    @property
    def unsaid(self) -> bool:
        """Whether nothing was ever said of the key: then it may be a slip."""
        return self.scope is None

    def to_dict(self) -> dict[str, Any]:
        """Return the rectangles as plain data, and the picture as ``text`` and ``svg``."""
        rows = [stretch.to_dict() for stretch in self.stretches]
        scope = None if self.scope is None else self.scope.as_dict()
        return {"key": self.key, "scope": scope, "as_of": self.as_of, "stretches": rows,
                "text": self.to_text(), "svg": self.to_svg()}  # fmt: skip

    def to_text(self, width: int | None = None) -> str:
        """Return the picture as text: a row for each time at which something became known, a column for each period.

        Rows and columns are not to scale; each begins where something changes.

        Args:
            width: Columns of the page. Where the picture is wider, its periods stand under each other.
        """
        from muniment.verbs.believing.drawing import grid_of, stacked, text

        grid = grid_of(self._boxes)
        drawn = text(self.key, grid)
        if width is None or max(map(len, drawn.splitlines())) <= width:
            return drawn
        return stacked(self.key, grid)

    def to_svg(self) -> str:
        """Return the picture as an SVG document. It runs no script, loads nothing, and escapes what was said."""
        from muniment.verbs.believing.drawing import grid_of, svg

        return svg(self.key, self.as_of, grid_of(self._boxes))

    def __str__(self) -> str:
        return self.to_text()
