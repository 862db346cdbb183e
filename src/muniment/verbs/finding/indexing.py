"""Filling the semantic index: one batch after another, each asked for outside and stored inside a transaction.

Vectors follow what was said, never the other way: nothing here touches the log. A batch that is lost to a crash is
asked for again, one that two processes made is stored once, and a claim that was erased or reworded while the model
was thinking gets no vector from its old wording.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from muniment.claims.intervals import FOREVER
from muniment.claims.values import Value
from muniment.models.asking import Asker
from muniment.models.faults import EmbedderError
from muniment.models.units import packed
from muniment.recall.vectors import same_model
from muniment.store.records import ClaimRow, LineRow
from muniment.store.vectors import NewVector, Space
from muniment.verbs.views import key_text, wording

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Store, Writer

BATCH: Final = 32
"""Claims of one batch: as many as an endpoint takes at once without a wait that anybody notices."""

MOMENT: Final = 1.0
"""Seconds that what the embedder made of the fixed text may be old when vectors are stored: an endpoint may have been given
another model since, and whatever it makes then is of another space."""

ALONE: Final = 8
"""Claims after which a model on this machine is asked whether to go on: closing a store waits for no more."""


def described(row: ClaimRow, line: LineRow, text: str) -> str:
    """Return what a model is told of a claim: its key as words, its text, and its value where the text lacks it."""
    key = key_text(line)
    value = "" if row.text_is_value else Value.from_json_text(row.value).display
    said = f"{text} ({value})" if value and value not in text else text
    return f"{key.replace('::', ' ').replace('_', ' ')}: {said}" if key else said


Told = tuple[int, int, str]
"""Index of a claim, its partition, and what a model is told of it."""


def _told(reader: Reader, rows: list[ClaimRow]) -> list[Told]:
    lines = reader.lines_by_id(sorted({row.line for row in rows}))
    found: list[Told] = []
    for row in rows:
        line = lines.get(row.line)
        if line is not None:
            found.append((row.idx, line.part, described(row, line, wording(reader, row, FOREVER)[0])))
    return found


def _waiting(reader: Reader, space: Space) -> tuple[list[Told], int]:
    """Return the next claims without a vector, and up to where the log is gone through with them."""
    corrected = [row for idx in reader.vector_gaps(BATCH) if (row := reader.claim_at(idx)) is not None]
    fresh = reader.scan(space.upto - 1, BATCH)
    upto = fresh[-1].idx + 1 if len(fresh) == BATCH else reader.ns.size
    return _told(reader, corrected + fresh), upto


def step(store: Store, namespace: str, asker: Asker, stop: Callable[[], bool] = lambda: False) -> bool | None:
    """Make the vectors of the next claims that have none.

    Args:
        store, namespace: Where.
        asker: The embedder.
        stop: Asked now and then: True ends it, and nothing of the batch is kept.

    Returns:
        Whether there may be more; None if the stored vectors are of another model.

    Raises:
        EmbedderError: If the embedder does not work now; nothing was stored.
    """
    space = store.read(namespace, lambda reader: reader.space())
    if space is not None and not is_of(space, asker):
        return None
    if space is None:
        probe = asker.probe()
        space = store.write(namespace, lambda writer: writer.space() or _begin(writer, asker, probe))
        if not is_of(space, asker):
            return None
    now = space
    told, upto = store.read(namespace, lambda reader: _waiting(reader, now))
    if not told and upto <= space.upto:
        return False
    if told and not is_of(space, asker, MOMENT):
        return None
    vectors: list[Any] = []
    size = ALONE if asker.prompt else BATCH
    for first in range(0, len(told), size):
        if stop():
            return True
        vectors += asker.documents([text for _, _, text in told[first : first + size]])
    store.write(namespace, lambda writer: _keep(writer, now, told, vectors, upto))
    return len(told) >= BATCH


def _keep(writer: Writer, space: Space, told: list[Told], vectors: list[Any], upto: int) -> None:
    """Store the vectors of claims that still are there and still read so: one that was reworded is a gap by now."""
    still = set(_told(writer, [row for idx, _, _ in told if (row := writer.claim_at(idx)) is not None]))
    fresh: list[NewVector] = []
    for each, vector in zip(told, vectors, strict=True):
        if each in still:
            small = (0.0, None) if vector is None else packed(vector)
            fresh.append(NewVector(each[0], each[1], *small))
    writer.put_vectors(space, fresh, upto)


def is_of(space: Space, asker: Asker, within: float = math.inf) -> bool:
    """Say whether stored vectors are of an embedder.

    Args:
        space: Of the vectors.
        asker: The embedder.
        within: Seconds that its answer to the fixed text may be old.

    Raises:
        EmbedderError: If it does not work now.
    """
    if space.model != asker.id:
        return False
    return same_model(space, asker.probe(within))


def _begin(writer: Writer, asker: Asker, probe: Any) -> Space:
    return writer.begin_space(asker.id, int(probe.size), packed(probe)[1])


def embed(context: Any, progress: Callable[[int, int], object] | None = None) -> dict[str, int]:
    """Make every vector that a namespace lacks; with another model than before, all of them.

    Args:
        context: Whose namespace.
        progress: Called with (done, total) after each batch.

    Returns:
        ``embedded``: claims that have a vector now; ``unembedded``: those that have none, because the embedder failed
        or can make nothing of them, or there is none.

    Raises:
        ClosedError, ReadOnlyError, BusyError: The store takes no vector; no model was asked.
    """
    meaning, store, namespace = context.meaning, context.store, context.namespace
    store.write(namespace, lambda writer: None)  # whether it takes any is not to depend on what a model answers
    if meaning is not None:
        try:
            _embed(meaning, store, namespace, progress)
        except EmbedderError as error:
            meaning.note(error)
    done, total = store.read(namespace, _count)
    if progress is not None:
        progress(done, total)
    return {"embedded": done, "unembedded": total - done}


def _embed(meaning: Any, store: Store, namespace: str, progress: Callable[[int, int], object] | None) -> None:
    with meaning.alone:
        probe = meaning.asker.probe(MOMENT)
        store.write(namespace, lambda writer: _renew(writer, meaning.asker, probe))
        while meaning.step(namespace):
            if progress is not None:
                progress(*store.read(namespace, _count))


def _renew(writer: Writer, asker: Asker, probe: Any) -> None:
    space = writer.space()
    if space is None or not is_of(space, asker):
        _begin(writer, asker, probe)
    writer.retry_vectors()


def _count(reader: Reader) -> tuple[int, int]:
    space = reader.space()
    return (0 if space is None else space.held), reader.ns.claims
