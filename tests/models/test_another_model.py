"""An embedder that becomes another one while a process runs: an endpoint that was updated, say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from muniment import Memory
from muniment.errors import ValidationError
from muniment.models import asking
from muniment.recall.vectors import CHANGED
from muniment.verbs.finding import indexing

WORDS = ("dog", "office", "river", "muniment")


class Updated:
    """An embedder of one id that numbers its directions anew once it is told to."""

    id, dimension, prompt = "endpoint", 4, True
    turned = 0

    def embed_documents(self, texts: Any) -> list[list[float]]:
        rows = [[float(word in text.lower()) or 0.01 for word in WORDS] for text in texts]
        return [row[self.turned :] + row[: self.turned] for row in rows]

    embed_queries = embed_documents


@pytest.fixture
def updated(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Updated, Memory]]:
    """An embedder that was updated after a store was filled with it; a minute has passed since it was last asked."""
    embedder = Updated()
    with Memory(":memory:", embedder=embedder) as memory:
        memory.remember("The dog sleeps")
        memory.remember("The office is in Porto")
        memory.models.embed()
        assert memory.recall("dog")[0].why["semantic"] > 0.9 and memory.recall("dog").degraded == ()
        monkeypatch.setattr(asking, "PROBED", -1.0)
        monkeypatch.setattr(indexing, "MOMENT", -1.0)
        embedder.turned = 1
        yield embedder, memory


def test_a_query_is_not_compared_with_the_vectors_of_the_model_before(updated: tuple[Updated, Memory]) -> None:
    _, memory = updated
    hits = memory.recall("the dog there")
    assert hits.degraded == (CHANGED,) and all("semantic" not in hit.why for hit in hits)


def test_what_is_said_later_gets_no_vector_of_the_new_model_beside_the_old_ones(
    updated: tuple[Updated, Memory],
) -> None:
    embedder, memory = updated
    memory.remember("The river is wide")
    memory.recall("wide river")
    memory.models.embed()  # makes all of them anew
    assert memory.models.status()["missing"] == 0 and memory.recall("dog").degraded == ()
    assert memory.recall("dog")[0].text == "The dog sleeps" and memory.recall("dog")[0].why["semantic"] > 0.9
    embedder.turned = 0
    assert memory.recall("river").degraded == (CHANGED,)


@pytest.mark.parametrize(
    ("name", "value"),
    [("dimension", "a"), ("dimension", float("nan")), ("dimension", -1), ("dimension", 10**9), ("id", "\ud800"),
     ("id", "a\nb"), ("id", "x" * 2000), ("id", ""), ("id", 3)],
)  # fmt: skip
def test_an_embedder_of_which_something_cannot_be_stored_is_refused_before_a_store_is_opened(
    name: str, value: Any, tmp_path: Any
) -> None:
    embedder = Updated()
    setattr(embedder, name, value)
    with pytest.raises(ValidationError):
        Memory(tmp_path / "m.muniment", embedder=embedder)
    assert list(tmp_path.iterdir()) == []
