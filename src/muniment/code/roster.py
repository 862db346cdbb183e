"""Which lines of a namespace are about names in code, as far as they were looked through."""

from __future__ import annotations

from muniment.quick import dataclass, field


@dataclass(slots=True)
class Roster:
    """The lines of a namespace that are about names, as far as they were found.

    Lines are only ever added, so each is looked at once; what holds on them is read anew every time. A line whose text
    was erased is kept in mind as well: its key may be said again.
    """

    pepper: bytes = b""
    upto: int = 0
    lines: list[int] = field(default_factory=list)
