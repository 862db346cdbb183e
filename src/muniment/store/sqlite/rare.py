"""What an audit, an erasure, a repair or a move asks of a reader or a writer: loaded when the first of it is asked for.

The rest is a process's daily bread; a hook would spend a millisecond on making classes that it never calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muniment.store.sqlite.session import Session

if TYPE_CHECKING:
    from muniment.store.sqlite.erase import EraseWrites
    from muniment.store.sqlite.mending import MendWrites
    from muniment.store.sqlite.moving import MovingReads, MovingWrites

    class RareReads(MovingReads):
        """Stands for what reads for an audit or a move."""

        __slots__ = ()

    class RareWrites(EraseWrites, MendWrites, MovingWrites):
        """Stands for what erases, mends and moves."""

        __slots__ = ()

else:

    class RareReads(Session):
        """Stands for what reads for an audit or a move."""

        __slots__ = ()

        def __getattr__(self, name: str) -> Any:
            from muniment.store.sqlite.moving import MovingReads

            return _whole(self, name, RareReads, MovingReads)

    class RareWrites(Session):
        """Stands for what erases, mends and moves."""

        __slots__ = ()

        def __getattr__(self, name: str) -> Any:
            from muniment.store.sqlite.erase import EraseWrites
            from muniment.store.sqlite.mending import MendWrites
            from muniment.store.sqlite.moving import MovingWrites

            return _whole(self, name, RareWrites, EraseWrites, MendWrites, MovingWrites)


def _whole(obj: Any, name: str, stand_in: type, *parts: type) -> Any:
    """Put the parts where their stand-in is among what a class is made of, and return the attribute that was asked for."""
    kind = type(obj)
    kind.__bases__ = tuple(
        [one for base in kind.__bases__ for one in (parts if base is stand_in else (base,))]
    )  # from now on the class is as if it had been put together so, and nothing asks here any more
    return getattr(obj, name)


__all__ = ["RareReads", "RareWrites"]
