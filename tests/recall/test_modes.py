"""By words alone or by meaning too: a floor abstains, equals come newest first, and no embedder spoils a recall."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from embedders import Speller
from fakes import FakeClock
from muniment import Memory, MunimentError
from reference.helpers import texts

MODES: dict[str, Callable[[], Any]] = {"words": lambda: "off", "spelled": Speller, "minilm": lambda: "minilm"}

FACTS = (
    "The staging database listens on port 5433",
    "Ana drinks green tea in the morning",
    "The release train leaves every second Tuesday",
    "Visitors sign in at reception",
)


class Concepts:
    """An embedder that knows three things, by two words each, and tells all else from them.

    Args:
        dimension: Numbers in a vector.
        id: Its name.
        turned: Places by which its space is turned against that of another one.
    """

    prompt = True
    KNOWN = (("dog", "puppy"), ("car", "automobile"), ("bird", "heron"))

    def __init__(self, dimension: int = 16, id: str = "concepts", turned: int = 0) -> None:
        self.id, self.dimension, self._turned = id, dimension, turned

    def embed_documents(self, said: Sequence[str]) -> list[list[float]]:
        return [self._vector(text.lower().split()) for text in said]

    embed_queries = embed_documents

    def _vector(self, words: list[str]) -> list[float]:
        row = [float(any(word in words for word in names)) for names in self.KNOWN]
        row.append(0.1 if any(row) else 1.0)
        row += [0.0] * (self.dimension - len(row))
        return row[-self._turned :] + row[: -self._turned] if self._turned else row


@pytest.fixture(params=list(MODES))
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[Memory]:
    """A memory in each mode."""
    with Memory(tmp_path / "modes.muniment", embedder=MODES[request.param](), clock=clock) as opened:
        yield opened


def test_a_floor_abstains_in_every_mode(memory: Memory) -> None:
    """Item 13: where nothing is relevant enough, nothing is returned, whatever shares a word or lies nearest."""
    memory.remember_many({"text": text} for text in FACTS)
    memory.models.embed()
    assert texts(memory, "port of the green spaceship engine warp core", min_relevance=0.9) == []
    assert texts(memory, "quantum chromodynamics of quarks", min_relevance=0.5) == []
    assert texts(memory, "port of the green spaceship engine warp core"), "the control: without a floor"
    assert texts(memory, "staging database port 5433", min_relevance=0.5) == [FACTS[0]]


def test_a_higher_floor_never_finds_more(memory: Memory) -> None:
    memory.remember_many({"text": text} for text in FACTS)
    memory.models.embed()
    for query in ("the staging database", "green tea at reception", "when does the train leave", "who drinks coffee"):
        kept = [texts(memory, query, k=50, min_relevance=floor / 10) for floor in range(11)]
        assert all(more[: len(less)] == less for more, less in pairwise(kept))


def test_identical_texts_come_newest_first_in_every_mode(memory: Memory) -> None:
    """Item 13: in theirs, two channels gave equal records unequal ranks, and the oldest came first."""
    memory.remember_many({"text": text} for text in FACTS)
    years = ("2021", "2024", "2020", "2022")
    for year in years:  # of equal texts, those of other dates are other claims
        memory.remember("the meeting moved to noon", valid_from=year, session=year)
    memory.models.embed()
    wanted = list(reversed(years))
    assert [hit.valid_from for hit in memory.recall("meeting moved to noon", k=4)] == wanted
    paged, cursor = [], None
    for _ in range(4):
        page = memory.recall("meeting moved to noon", k=1, cursor=cursor)
        paged += [hit.valid_from for hit in page]
        cursor = page.cursor
    assert paged == wanted


def test_what_is_meant_is_found_after_the_store_was_opened_again(tmp_path: Path) -> None:
    """Item 14: and by another handle, which made none of the vectors."""
    path = tmp_path / "again.muniment"
    with Memory(path, embedder=Concepts()) as memory:
        memory.remember("Zoe adopted one puppy yesterday")
        memory.remember_many({"text": text} for text in FACTS)
        memory.models.embed()
        assert texts(memory, "dog", k=1) == ["Zoe adopted one puppy yesterday"]
    with Memory(path, embedder=Concepts()) as memory:
        assert texts(memory, "dog", k=1) == ["Zoe adopted one puppy yesterday"]
        assert memory.recall("dog").degraded == ()
    with Memory(path) as memory:
        assert texts(memory, "dog") == [], "the control: by words alone it is not there"


OTHERS = {
    "smaller": Concepts(8, "smaller"),
    "larger": Concepts(64, "larger"),
    "turned": Concepts(16, "turned", turned=1),
    "smaller under its old name": Concepts(8),
    "larger under its old name": Concepts(64),
    "turned under its old name": Concepts(16, turned=1),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=list(OTHERS))
def test_another_embedder_never_raises_and_mixes_no_spaces(tmp_path: Path, other: Concepts) -> None:
    """Item 14, P45: words go on finding, what is amiss is said, and nothing is dropped until it is made anew."""
    path = tmp_path / "changed.muniment"
    with Memory(path, embedder=Concepts()) as memory:
        memory.remember("Zoe adopted one puppy yesterday")
        memory.remember_many({"text": f"the heron was seen at pond {n}"} for n in range(9))
        memory.models.embed()
    with Memory(path, embedder=other) as memory:
        memory.remember("Ben bought some automobile today")
        found = memory.recall("who adopted something")
        assert found[0].text == "Zoe adopted one puppy yesterday"
        assert "models embed" in " ".join(found.degraded)
        assert texts(memory, "dog") == [], "a vector of one space is not compared with one of another"
        assert memory.stats()["claims"] == 11
        memory.models.embed()
        assert texts(memory, "dog", k=1) == ["Zoe adopted one puppy yesterday"]
        assert texts(memory, "car", k=1) == ["Ben bought some automobile today"]
        assert memory.recall("dog").degraded == ()


class StoppedError(Exception):
    """Somebody pulls the plug."""


def test_making_vectors_anew_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    """P45: nothing is made twice."""
    path, counted = tmp_path / "stopped.muniment", Speller(24, "another")
    with Memory(path, embedder=Speller()) as memory:
        memory.remember_many({"text": f"the heron was seen at pond {n}"} for n in range(150))
        memory.models.embed()

    def stop(done: int, total: int) -> None:
        if 0 < done < total:
            raise StoppedError

    with Memory(path, embedder=counted) as memory:
        with suppress(StoppedError):
            memory.models.embed(progress=stop)
        assert texts(memory, "heron pond 17", k=1) == ["the heron was seen at pond 17"]
    with Memory(path, embedder=counted) as memory:
        memory.models.embed()
        assert memory.models.status()["missing"] == 0
        assert memory.recall("heron pond 17").degraded == ()
    made = [text for text in counted.asked if text.startswith("the heron")]
    assert len(set(made)) == 150
    assert len(made) <= 150 + 64, "at most a batch or two were asked for again"


def test_an_embedder_that_fails_on_one_text_loses_none(tmp_path: Path) -> None:
    """P44: three are stored, the words find each, the status tells how many vectors are missing, and making them mends it."""
    broken = True

    def spoil(said: list[str]) -> Any:
        if broken and any("second" in text for text in said):
            raise RuntimeError("no")

    speller = Speller(spoil=spoil)
    with Memory(tmp_path / "failing.muniment", embedder=speller) as memory:
        outcomes = memory.remember_many({"text": f"the {place} of three"} for place in ("first", "second", "third"))
        assert all(outcome.believed for outcome in outcomes)
        with suppress(MunimentError):
            memory.models.embed()
        assert memory.models.status()["missing"] >= 1
        assert [texts(memory, place, k=1) for place in ("first", "second", "third")] == [
            ["the first of three"], ["the second of three"], ["the third of three"],
        ]  # fmt: skip
        broken = False
        memory.models.embed()
        assert memory.models.status()["missing"] == 0


HOSTILE: dict[str, Callable[[list[str]], Any]] = {
    "raises": lambda said: 1 / 0,
    "gives nothing": lambda said: [],
    "gives too few": lambda said: [[1.0] * 32] * (len(said) - 1),
    "gives no numbers": lambda said: [["a"] * 32 for _ in said],
    "gives not a number": lambda said: [[float("nan")] * 32 for _ in said],
    "gives the infinite": lambda said: [[float("inf")] * 32 for _ in said],
    "gives zeros": lambda said: [[0.0] * 32 for _ in said],
    "gives ragged rows": lambda said: [[1.0] * (n + 3) for n, _ in enumerate(said)],
    "gives a text": lambda said: "vector",
}


@pytest.mark.parametrize("spoil", HOSTILE.values(), ids=list(HOSTILE))
def test_whatever_an_embedder_answers_the_words_find(tmp_path: Path, spoil: Callable[[list[str]], Any]) -> None:
    with Memory(tmp_path / "hostile.muniment", embedder=Speller(spoil=spoil)) as memory:
        memory.remember_many({"text": text} for text in FACTS)
        with suppress(MunimentError):
            memory.models.embed()
        for text in FACTS:
            assert texts(memory, text, k=1) == [text]
        assert memory.recall("quantum chromodynamics") is not None
