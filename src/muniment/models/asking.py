"""Asking an embedder: whatever it does, what comes back is unit vectors of one dimension, or an EmbedderError.

An embedder is somebody else's code, or somebody else's machine. It may be slow, raise anything, return the wrong
number of vectors, of the wrong length, or of no direction. All of that ends here.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from muniment.models.faults import EmbedderError
from muniment.models.units import of_one_model, rows_of, unit
from muniment.protocols import Embedder

if TYPE_CHECKING:
    from muniment.models.units import Vector

QUERY_SECONDS: Final = 2.0
"""How long a recall waits for the vector of its query. A model on this machine takes milliseconds, one across a
network a few hundred; whoever asks would rather have the lexical answer than wait longer."""

REST_SECONDS: Final = 5.0
"""After a query that failed, or was not answered in time, no other is sent for so long: of an embedder that is down only
one recall in five seconds waits for it."""

MAX_CHARACTERS: Final = 8_192
"""Characters of a text that an embedder is given: about 2,000 tokens of English, more than most models look at. What
comes later is found by its words."""

FEW_CHARACTERS: Final = 1_000
"""What it is given of a text that it refused: a script may take several tokens for each character."""

PROBED: Final = 60.0
"""Seconds after which a query asks for the fixed text anew: an endpoint may be given another model while we run."""

PROBE: Final = "A muniment is a document kept as evidence of a right."
"""A text that stands for nothing: what an embedder makes of it tells whether it works, and whether it is the same."""


class Asker:
    """An embedder, kept in bounds.

    Args:
        embedder: The embedder.
        seconds: How long a query may take. One that declares itself ``prompt`` is not timed: it runs in the caller's
            thread and ends by itself.
    """

    def __init__(self, embedder: Embedder, seconds: float = QUERY_SECONDS) -> None:
        self.embedder = embedder
        self.id = str(embedder.id)
        self._seconds = seconds
        self.prompt = bool(getattr(embedder, "prompt", False))
        self._dimension = int(getattr(embedder, "dimension", 0) or 0)
        self._probe: Vector | None = None
        self._probed_at = 0.0
        self._turn = threading.Lock()
        self._overdue: threading.Thread | None = None
        self._resting: tuple[float, EmbedderError] | None = None

    @property
    def probed(self) -> Vector | None:
        """What it makes of the fixed text, if it was asked."""
        return self._probe

    def probe(self, within: float = math.inf) -> Vector:
        """Return what it makes of the fixed text; it is asked once, and again where that was too long ago.

        Args:
            within: Seconds that its last answer may be old.

        Raises:
            EmbedderError: If it fails at that.
        """
        with self._turn:
            if self._probe is None or time.monotonic() - self._probed_at > within:
                found = self._rows(self.embedder.embed_documents, [PROBE])[0]
                self._probed_at = time.monotonic()
                if self._probe is None or not of_one_model(found, self._probe):
                    self._probe, self._dimension = found, int(found.size)
            return self._probe

    def alive(self) -> bool:
        """Say whether it answers for the fixed text now."""
        try:
            self._rows(self.embedder.embed_documents, [PROBE])
        except EmbedderError:
            return False
        return True

    def documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vectors of texts; None for each that it can make nothing of, while it works for others.

        Raises:
            EmbedderError: If it does not work now.
        """
        self.probe()
        texts = [text[:MAX_CHARACTERS] for text in texts]
        try:
            return list(self._rows(self.embedder.embed_documents, texts))
        except EmbedderError as error:
            if error.down or not self.alive():
                raise
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> Vector | None:
        for part in (text, text[:FEW_CHARACTERS])[: 1 + (len(text) > FEW_CHARACTERS)]:
            try:
                return self._rows(self.embedder.embed_documents, [part])[0]
            except EmbedderError as error:
                if error.down:
                    raise
        return None

    def query(self, text: str) -> Vector:
        """Return the vector of a query.

        Raises:
            EmbedderError: If there is none, or not in time.
        """
        text = text[:MAX_CHARACTERS]
        if self.prompt:
            return self._asked(text)
        resting = self._resting
        if resting is not None and time.monotonic() < resting[0]:
            raise resting[1].again()
        try:
            return self._within(lambda: self._asked(text))
        except EmbedderError as error:
            self._resting = (time.monotonic() + REST_SECONDS, error)
            raise

    def _asked(self, text: str) -> Vector:
        found = self._rows(self.embedder.embed_queries, [text])[0]
        self.probe(PROBED)
        if found.size != self._dimension:
            raise EmbedderError("The embedder returned a vector of another dimension.", down=False)
        return found

    def _rows(self, call: Callable[[Sequence[str]], Any], texts: Sequence[str]) -> list[Vector]:
        try:
            answer = call(list(texts))
        except EmbedderError:
            raise
        except Exception as error:  # somebody else's code: its words may quote what it was given
            raise EmbedderError(f"The embedder failed with {type(error).__name__}.", down=False) from None
        found = [unit(row, self._dimension) for row in rows_of(answer, len(texts))]
        self._resting = None
        return found

    def _within(self, work: Callable[[], Vector]) -> Vector:
        """Run something in a thread of its own, and wait for it no longer than is allowed.

        One that is not back yet is left alone, and until it is back no other is sent after it.
        """
        if self._overdue is not None and self._overdue.is_alive():
            raise _late(self._seconds)
        done: list[Any] = []

        def run() -> None:
            try:
                done.append(work())
            except BaseException as error:
                done.append(error)

        thread = threading.Thread(target=run, name="muniment-query", daemon=True)
        thread.start()
        thread.join(self._seconds)
        if not done:
            self._overdue = thread
            raise _late(self._seconds)
        if isinstance(done[0], BaseException):
            raise done[0]
        found: Vector = done[0]
        return found


def _late(seconds: float) -> EmbedderError:
    return EmbedderError(f"The embedder took longer than {seconds:g} s.", advice="Look after it, or name another one.")
