"""The offline embedder: real weights, checked, and the same vector for the same text wherever it stands."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from muniment import Memory
from muniment.errors import CapabilityError, NotFoundError
from muniment.models import minilm as module
from muniment.models.asking import Asker
from muniment.models.faults import EmbedderError
from muniment.models.minilm import minilm, tokenizer
from muniment.models.onnx import OnnxEmbedder
from muniment.models.units import cosine

TEXTS = ("The API allows a hundred requests per minute", "Ana adopted a puppy", "The office moved to Berlin")


def weights() -> Path:
    """Return the installed weights."""
    found = find_spec(module.PACKAGE)
    assert found is not None and found.submodule_search_locations
    return Path(next(iter(found.submodule_search_locations))) / "model.onnx"


@pytest.fixture(scope="module")
def asker() -> Asker:
    return Asker(minilm())


@pytest.mark.parametrize(
    ("query", "nearest"),
    [("how often may I call the service?", 0), ("does anybody have a dog?", 1), ("where do they work now?", 2)],
)
def test_what_means_the_same_lies_nearest(asker: Asker, query: str, nearest: int) -> None:
    vectors = asker.documents(TEXTS)
    near = [cosine(asker.query(query), vector) for vector in vectors if vector is not None]
    assert near.index(max(near)) == nearest
    assert len(vectors[0]) == module.DIMENSION if vectors[0] is not None else False


def test_a_vector_depends_on_nothing_but_its_text(asker: Asker) -> None:
    alone = asker.documents(TEXTS[:1])[0]
    amid = asker.documents([TEXTS[1] * 30, TEXTS[0], TEXTS[2]])[1]
    assert alone is not None and amid is not None and alone.tobytes() == amid.tobytes()


def test_any_text_has_a_vector(asker: Asker) -> None:
    texts = ["", " ", "\0", "\ufffd", "🙂", "東京タワー", "x" * 100_000, "word " * 20_000, "‮abc"]
    assert all(vector is not None and np.isfinite(vector).all() for vector in asker.documents(texts))


def test_the_tokenizer_is_that_of_bert_and_text_can_name_no_special_token() -> None:
    made = tokenizer()
    assert made.encode("Hello, Wörld!").ids == [101, 7592, 1010, 2088, 999, 102]
    assert made.encode("[SEP]").ids[1] != 102


def test_other_weights_are_refused(tmp_path: Path) -> None:
    data = bytearray(weights().read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "model.onnx").write_bytes(data)
    changed = OnnxEmbedder(tmp_path / "model.onnx", tokenizer=tokenizer, sha256=module.WEIGHTS)
    with pytest.raises(EmbedderError, match="not the ones"):
        changed.embed_documents(["x"])
    with Memory(":memory:", embedder=changed) as memory:
        memory.remember("The kettle is broken")
        assert memory.models.embed() == {"embedded": 0, "unembedded": 1}
        assert [hit.text for hit in memory.recall("kettle")] == ["The kettle is broken"]


def test_another_vocabulary_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "VOCABULARY", hashlib.sha256(b"another").hexdigest())
    with pytest.raises(EmbedderError, match="vocabulary"):
        tokenizer()


def test_a_folder_with_a_model_and_a_tokenizer_is_an_embedder(tmp_path: Path, asker: Asker) -> None:
    shutil.copyfile(weights(), tmp_path / "model.onnx")
    tokenizer().save(str(tmp_path / "tokenizer.json"))
    with Memory(":memory:", embedder=f"onnx:{tmp_path}") as memory:
        memory.remember(TEXTS[0])
        assert memory.models.embed() == {"embedded": 1, "unembedded": 0}
        assert memory.models.status()["embedder"].startswith("onnx:")
    same = OnnxEmbedder(tmp_path).embed_documents([TEXTS[0]])[0]
    assert cosine(same, asker.query(TEXTS[0])) > 0.9999


def test_a_folder_without_a_model_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        Memory(tmp_path / "m.muniment", embedder=f"onnx:{tmp_path}")
    assert not (tmp_path / "m.muniment").exists()


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACKAGE", "muniment_no_such_weights")
    with pytest.raises(CapabilityError, match=r"muniment\[semantic\]"):
        Memory(":memory:", embedder="minilm")


def test_usearch_before_onnxruntime_is_an_error_and_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "usearch.py").write_text("")
    code = (
        "import usearch; from muniment.models.minilm import minilm\n"
        "from muniment.models.faults import EmbedderError\n"
        "try: minilm().embed_queries(['x'])\n"
        "except EmbedderError as error: print(error.message)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(["src", str(tmp_path)])}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert out.stdout.startswith("usearch was imported before onnxruntime")


def test_recall_and_vectors_work_together_on_the_real_model(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.muniment", embedder="minilm") as memory:
        for text in TEXTS:
            memory.remember(text)
        assert memory.models.embed() == {"embedded": 3, "unembedded": 0}
        status: dict[str, Any] = memory.models.status()
        assert (status["embedder"], status["dimension"]) == ("all-MiniLM-L6-v2-int8", 384)
