"""Which embedder a memory gets, from what it is given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embedders import Speller, spelled
from muniment import Memory
from muniment.errors import CapabilityError, ValidationError
from muniment.models.choosing import embedder_of
from muniment.models.packages import FastEmbedEmbedder, Model2VecEmbedder, SentenceTransformersEmbedder


def letters(texts: list[str]) -> list[list[float]]:
    return [spelled(text) for text in texts]


def test_a_function_is_an_embedder() -> None:
    with Memory(":memory:", embedder=letters) as memory:
        memory.remember("The kettle is broken")
        assert memory.models.embed() == {"embedded": 1, "unembedded": 0}
        assert memory.models.status()["embedder"].endswith("test_choosing.letters")


def test_an_object_is_used_as_it_is() -> None:
    speller = Speller()
    assert embedder_of(speller) is speller


@pytest.mark.parametrize(
    "given", ["", "mini", "minilm:large", "onnx:", "onnx", "http", 7, [], b"minilm", True, 1.5, {}]
)
def test_anything_else_is_refused_before_a_store_is_made(given: Any, tmp_path: Path) -> None:
    with pytest.raises(ValidationError):
        Memory(tmp_path / "m.muniment", embedder=given)
    assert not (tmp_path / "m.muniment").exists()


def test_an_embedder_without_an_id_is_refused() -> None:
    speller = Speller()
    for id in ("", None, 7):
        speller.id = id  # type: ignore[assignment]
        with pytest.raises(ValidationError, match="id"):
            Memory(":memory:", embedder=speller)


def test_the_settings_name_one_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_EMBED_MODEL", "minilm")
    with Memory(":memory:") as memory:
        assert memory.models.status()["embedder"] == "all-MiniLM-L6-v2-int8"
    monkeypatch.setenv("MUNIMENT_EMBED_MODEL", "nonsense")
    with pytest.raises(ValidationError):
        Memory(":memory:")
    monkeypatch.setenv("MUNIMENT_EMBED_MODEL", "off")
    with Memory(":memory:") as memory:
        assert memory.models.status()["embedder"] is None


@pytest.mark.parametrize("word", ["sentence-transformers:x", "fastembed:x"])
def test_a_package_that_is_not_installed_is_named(word: str) -> None:
    package = word.partition(":")[0].replace("-", "_")
    if __import__("importlib.util").util.find_spec(package) is None:
        with pytest.raises(CapabilityError, match=word.partition(":")[0]):
            embedder_of(word)


class Encoder:
    """Has the call interface of ``SentenceTransformer`` before version 5: ``encode`` alone."""

    def __init__(self) -> None:
        self.called: list[str] = []

    def encode(self, sentences: list[str], *, show_progress_bar: bool | None = None) -> Any:
        self.called.append("encode")
        return np.array([spelled(text) for text in sentences], np.float32)


class Encoder5(Encoder):
    """Has that of version 5: a prompt of its own for queries and for documents."""

    def encode_query(self, sentences: list[str], *, show_progress_bar: bool | None = None) -> Any:
        self.called.append("query")
        return np.array([spelled(text) for text in sentences], np.float32)

    def encode_document(self, sentences: list[str], *, show_progress_bar: bool | None = None) -> Any:
        self.called.append("document")
        return np.array([spelled(text) for text in sentences], np.float32)


class TextEmbedding:
    """Has the call interface of fastembed's: a name, and generators of arrays."""

    model_name = "some/model"

    def passage_embed(self, texts: Sequence[str]) -> Any:
        return (np.array(spelled(text), np.float32) for text in texts)

    query_embed = passage_embed


@pytest.mark.parametrize(
    ("made", "calls"),
    [
        (lambda: SentenceTransformersEmbedder(Encoder()), ["encode", "encode"]),
        (lambda: SentenceTransformersEmbedder(Encoder5()), ["document", "query"]),
        (lambda: FastEmbedEmbedder(TextEmbedding()), None),
    ],
    ids=["sentence-transformers 4", "sentence-transformers 5", "fastembed"],
)
def test_the_interfaces_of_other_packages_are_spoken(made: Any, calls: list[str] | None) -> None:
    embedder = made()
    rows = list(embedder.embed_documents(["a", "b"]))
    assert len(rows) == 2 and len(list(embedder.embed_queries(["a"]))) == 1
    if calls is not None:
        assert embedder._model().called == calls
    else:
        assert embedder.id == "fastembed:some/model"
    with Memory(":memory:", embedder=embedder) as memory:
        memory.remember("The kettle is broken")
        assert memory.models.embed() == {"embedded": 1, "unembedded": 0}


def test_a_real_model_of_model2vec_works_from_a_folder(tmp_path: Path) -> None:
    from model2vec import StaticModel

    from muniment.models.minilm import tokenizer

    made = tokenizer()
    vectors = np.random.default_rng(7).normal(size=(made.get_vocab_size(), 16)).astype(np.float32)
    StaticModel(vectors, made, config={}).save_pretrained(str(tmp_path / "static"))
    with Memory(":memory:", embedder=f"model2vec:{tmp_path / 'static'}") as memory:
        memory.remember("The kettle is broken")
        memory.remember("Ana adopted a puppy")
        assert memory.models.embed() == {"embedded": 2, "unembedded": 0}
        assert memory.models.status()["dimension"] == 16
    loaded = Model2VecEmbedder(StaticModel.from_pretrained(str(tmp_path / "static")))
    assert len(loaded.embed_queries(["kettle"])[0]) == 16
