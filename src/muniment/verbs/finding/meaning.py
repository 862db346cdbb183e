"""What claims mean, for all handles of one store: the embedder, the matrices, and a thread that keeps up in between.

No write waits for the embedder, and none fails with it: after a commit the thread is woken, makes vectors for what has
none, and goes to sleep. A recall waits for the vector of its query, for a bounded time. What goes wrong is said in
``degraded`` and in ``memory.models.status()``.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from muniment.errors import ClosedError, MunimentError, StoreError
from muniment.models.asking import Asker
from muniment.models.faults import EmbedderError
from muniment.recall.vectors import BUDGET, CHANGED, Matrices, Question
from muniment.verbs.context import Context
from muniment.verbs.finding import indexing

if TYPE_CHECKING:
    from muniment.store.protocol import Store

LINGER: Final = 1.0
"""Seconds that the thread waits for more before it ends; it holds the store meanwhile."""

PAUSES: Final = (1.0, 2.0, 5.0, 15.0, 60.0)
"""Seconds between attempts at an embedder that fails; the last one for good."""

LAST_WORDS: Final = 2.0
"""Seconds that closing waits for the thread. One that is inside an embedder for longer is left: it ends when it is
back, and touches the store no more."""

RECENT: Final = 16
"""Queries whose vectors are kept, so that the pages of a recall ask no model again."""


CATCH_UP: Final = 64
"""Missing vectors that a command makes before it searches: no thread of its process lives long enough to. A model on this
machine takes 6 to 14 ms for each, so a second at most; whoever waits for more should know, and say so."""


class Meaning:
    """The semantic side of a store.

    Args:
        store: The store.
        asker: The embedder.
        writes: Whether vectors may be stored: False for a medium that is read only.
        budget: Bytes of vectors that are kept in memory.
    """

    def __init__(self, store: Store, asker: Asker, *, writes: bool = True, budget: int = BUDGET) -> None:
        self.asker = asker
        self.matrices = Matrices(budget)
        self.alone = threading.RLock()
        """Held while a batch is made, so that the thread and a reindex do not make the same one."""
        self._store, self._writes = store, writes
        self._pid = os.getpid()
        self._turn = threading.Condition()
        self._wanted: dict[str, None] = {}
        self._at: str | None = None
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._recent: OrderedDict[str, tuple[Any, Any]] = OrderedDict()
        self._abreast: set[str] = set()
        self._failure: str | None = None
        weakref.finalize(self, _end, self._stop, self._threads)  # also when the process ends and nobody closed

    @property
    def failure(self) -> str | None:
        """What went wrong last, if nothing has gone right since."""
        return self._failure

    def note(self, error: MunimentError) -> None:
        """Keep what went wrong, for whoever asks how it stands."""
        self._failure = error.message

    def working(self, namespace: str) -> bool:
        """Say whether missing vectors of a namespace are being made, without trouble so far."""
        return self._failure is None and (namespace in self._wanted or namespace == self._at)

    def keeping_up(self, namespace: str) -> bool:
        """Say whether the vectors that are missing are those of the last moment: this process had made all before."""
        return namespace in self._abreast and self.working(namespace)

    # --- recall --------------------------------------------------------------------------------------------------

    def ask(self, namespace: str, words: str) -> Question:
        """Return a query as a question that snapshots can be asked."""
        if not words.strip() or self._pid != os.getpid() or self._stop.is_set():
            return Question()
        self.wake(namespace)
        try:
            vector, probe = self._vector(words), self.asker.probe()
        except EmbedderError as error:
            self.note(error)
            return Question(remarks=(f"No semantic search: {error.message}",))
        return Question(vector, self.matrices, self.asker.id, probe, (), lambda: self.keeping_up(namespace))

    def _vector(self, words: str) -> Any:
        with self._turn:
            known, probe = self._recent.get(words, (None, None))
        if known is None or probe is not self.asker.probed:  # of another model by now
            known = self.asker.query(words)
            with self._turn:
                self._recent[words] = known, self.asker.probed
                while len(self._recent) > RECENT:
                    self._recent.popitem(last=False)
        return known

    # --- filling -------------------------------------------------------------------------------------------------

    def wake(self, namespace: str) -> None:
        """Have the thread look at a namespace: something may have been said in it."""
        if not self._writes or self._pid != os.getpid() or self._stop.is_set():
            return
        with self._turn:
            self._wanted[namespace] = None
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="muniment-meaning", daemon=True)
                self._threads[:] = [self._thread]
                self._thread.start()
            else:
                self._turn.notify()

    def catch_up(self, namespace: str) -> None:
        """Make the vectors that are missing, where they are few and a model on this machine makes them.

        What goes wrong is told by what follows: the recall asks the same embedder, and sees what is missing.
        """
        if not self._writes or not self.asker.prompt:
            return
        space, claims = self._store.read(namespace, lambda reader: (reader.space(), reader.ns.claims))
        missing = claims - (0 if space is None else space.held)
        if not 0 < missing <= CATCH_UP:
            return
        try:
            while self.step(namespace):
                pass
        except (EmbedderError, StoreError) as error:
            self.note(error)

    def step(self, namespace: str) -> bool | None:
        """Make the vectors of the next claims of a namespace. See ``indexing.step``."""
        with self.alone:
            more = indexing.step(self._store, namespace, self.asker, self._stop.is_set)
        self._failure = CHANGED if more is None else None
        if more is False:
            self._abreast.add(namespace)
        return more

    def _run(self) -> None:
        failures = 0
        while (namespace := self._next()) is not None:
            try:
                more = self.step(namespace)
            except ClosedError:
                return
            except (EmbedderError, StoreError) as error:
                self.note(error)
                failures, more = failures + 1, True
                self._stop.wait(PAUSES[min(failures, len(PAUSES)) - 1])
            except Exception as error:  # the namespace is not there, say; the thread goes on for the others
                self._failure = str(getattr(error, "message", f"Making vectors failed with {type(error).__name__}."))
                more = False
            else:
                failures = 0
            if more:
                self._again(namespace)

    def _next(self) -> str | None:
        """Wait for a namespace to look at; None if the thread shall end."""
        with self._turn:
            self._at = None
            if not self._wanted and not self._stop.is_set():
                self._turn.wait(LINGER)
            if not self._wanted or self._stop.is_set():
                self._thread = self._at = None
                return None
            self._at = next(iter(self._wanted))
            del self._wanted[self._at]
            return self._at

    def _again(self, namespace: str) -> None:
        with self._turn:
            self._wanted[namespace] = None

    def close(self) -> None:
        """End the thread. The store is not touched afterwards."""
        self._stop.set()
        if self._pid == os.getpid():
            with self._turn:
                self._turn.notify()
            _end(self._stop, self._threads)


def _end(stop: threading.Event, threads: list[threading.Thread]) -> None:
    stop.set()
    for thread in threads:
        if thread is not threading.current_thread():
            thread.join(LAST_WORDS)


def ask(context: Context, words: str) -> Question:
    """Return a query as a question; ask before a snapshot is taken, for it may wait for a model.

    Args:
        context: Who asks.
        words: The query.

    Returns:
        A question. It is false, and finds nothing, where there is no embedder, or it failed or was too slow: then
        ``degraded`` says so.
    """
    if context.meaning is None:
        return Question()
    if context.door == "cli":
        context.meaning.catch_up(context.namespace)
    found: Question = context.meaning.ask(context.namespace, words)
    return found


def status(context: Context) -> dict[str, Any]:
    """Return how the semantic index of a namespace stands. See ``memory.models.status``."""
    space, claims = context.store.read(context.namespace, lambda reader: (reader.space(), reader.ns.claims))
    meaning = context.meaning
    held = 0 if space is None else space.held
    return {
        "embedder": None if meaning is None else meaning.asker.id,
        "stored": None if space is None else space.model,
        "dimension": None if space is None else space.dimension,
        "vectors": held,
        "missing": claims - held,
        "working": meaning is not None and meaning.working(context.namespace),
        "trouble": None if meaning is None else meaning.failure,
        "memory": 0 if meaning is None else meaning.matrices.bytes,
    }
