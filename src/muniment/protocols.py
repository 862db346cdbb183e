"""What Muniment asks of the outside world. Everything that varies between two runs comes in through these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol


class Clock(Protocol):
    """Tells the time. Injected, so that a run can be repeated to the byte."""

    def now(self) -> int:
        """Return microseconds since 1970-01-01T00:00Z."""


class Entropy(Protocol):
    """Gives secret random bytes: salts, peppers and key seeds."""

    def token(self, size: int) -> bytes:
        """Return ``size`` unpredictable bytes."""


class Ids(Protocol):
    """Mints record ids."""

    def new(self, at: int) -> str:
        """Return a new UUIDv7 text for a record made at ``at`` (microseconds since the epoch)."""


class Adjudicator(Protocol):
    """Decides contests in a person's place: a function that is asked about each, after its commit."""

    def __call__(self, request: Any, /) -> Any:
        """Return affirm, deny or unknown, a dict with ``verdict``, ``evidence`` and ``reason``, or None for later.

        Args:
            request: An ``AdjudicationRequest``.
        """


class Embedder(Protocol):
    """Turns texts into vectors, so that what means the same lies close together.

    It is called from a thread in the background and from that of a recall, so maybe from two at once. It may fail: a
    write does not wait for it, and a recall answers without it. Its vectors need not be of unit length.

    An embedder that runs in this process and always answers within a moment may declare ``prompt = True``: a recall
    then asks it in its own thread, without a limit of time.
    """

    @property
    def id(self) -> str:
        """Names the model and its version: vectors of different ids are never compared."""

    @property
    def dimension(self) -> int:
        """Numbers in a vector; 0 while it is not known."""

    def embed_documents(self, texts: Sequence[str], /) -> Iterable[Any]:
        """Return one vector for each text that is to be found: a list of lists, an array, or the like."""

    def embed_queries(self, texts: Sequence[str], /) -> Iterable[Any]:
        """Return one vector for each text that is looked for with."""


class Chat(Protocol):
    """Answers a conversation: a model's words, from wherever the caller has them. Muniment itself opens no connection."""

    def __call__(self, messages: Sequence[Mapping[str, str]], /) -> str:
        """Return the next message.

        Args:
            messages: What was said so far: dicts with ``role`` (system, user, assistant) and ``content``.
        """
