"""Embedders of other packages, and functions of one's own, behind the one protocol.

Each is loaded when it is first asked. What a model's package fetches from where is its own affair: give it a folder,
and nothing is fetched.
"""

from __future__ import annotations

import importlib
import importlib.util
import threading
from collections.abc import Callable, Sequence
from typing import Any

from muniment.models.faults import not_installed


class Loaded:
    """A model of another package that is made once, when it is first needed.

    Args:
        model: The model itself, or the name by which ``make`` makes it.
        package: What must be installed for that.
        make: Makes it, given the module and the name.
    """

    def __init__(self, model: Any, package: str, make: Callable[[Any, str], Any]) -> None:
        self._made = None if isinstance(model, str) else model
        if self._made is None and importlib.util.find_spec(package) is None:
            raise not_installed(package.replace("_", "-"), "")
        self._name, self._package, self._make = model, package, make
        self._turn = threading.Lock()

    def __call__(self) -> Any:
        """Return it."""
        with self._turn:
            if self._made is None:
                self._made = self._make(importlib.import_module(self._package), self._name)
            return self._made


def _name(model: Any) -> str:
    """Return what names a model: its name, or of one that was loaded by somebody else what it says, else its class."""
    said = model if isinstance(model, str) else getattr(model, "model_name", None)
    return said if isinstance(said, str) else type(model).__name__


class SentenceTransformersEmbedder:
    """A model of sentence-transformers.

    Args:
        model: Its name or folder, or a loaded ``SentenceTransformer``.
        id: Names the space; the model's name if not given.
    """

    def __init__(self, model: Any, *, id: str = "") -> None:
        self._model = Loaded(model, "sentence_transformers", lambda module, name: module.SentenceTransformer(name))
        self.id = id or f"sentence-transformers:{_name(model)}"
        self.dimension = 0

    def embed_documents(self, texts: Sequence[str]) -> Any:
        """Return one vector for each text, with the model's prompt for documents where it has one."""
        return self._encode("encode_document", texts)

    def embed_queries(self, texts: Sequence[str]) -> Any:
        """Return one vector for each query, with the model's prompt for queries where it has one."""
        return self._encode("encode_query", texts)

    def _encode(self, name: str, texts: Sequence[str]) -> Any:
        model = self._model()
        encode = getattr(model, name, None) or model.encode  # encode_query and encode_document came with version 5
        return encode(list(texts), show_progress_bar=False)


class FastEmbedEmbedder:
    """A model of fastembed.

    Args:
        model: Its name, or a loaded ``TextEmbedding``.
        id: Names the space; the model's name if not given.
    """

    def __init__(self, model: Any, *, id: str = "") -> None:
        self._model = Loaded(model, "fastembed", lambda module, name: module.TextEmbedding(model_name=name))
        self.id = id or f"fastembed:{_name(model)}"
        self.dimension = 0

    def embed_documents(self, texts: Sequence[str]) -> list[Any]:
        """Return one vector for each text."""
        return list(self._model().passage_embed(list(texts)))

    def embed_queries(self, texts: Sequence[str]) -> list[Any]:
        """Return one vector for each query."""
        return list(self._model().query_embed(list(texts)))


class Model2VecEmbedder:
    """A static model of model2vec: a table of word vectors, hundreds of times as fast as a transformer.

    Args:
        model: Its name or folder, or a loaded ``StaticModel``.
        id: Names the space; the model's name if not given.
    """

    prompt = True

    def __init__(self, model: Any, *, id: str = "") -> None:
        self._model = Loaded(model, "model2vec", lambda module, name: module.StaticModel.from_pretrained(name))
        self.id = id or f"model2vec:{_name(model)}"
        self.dimension = 0

    def embed_documents(self, texts: Sequence[str]) -> Any:
        """Return one vector for each text."""
        return self._model().encode(list(texts))

    embed_queries = embed_documents


class FunctionEmbedder:
    """A function of one's own: it takes a list of texts and returns a list of vectors.

    Args:
        function: The function.
        id: Names the space. The function's name if not given, so give one when what it computes changes.
    """

    def __init__(self, function: Callable[[list[str]], Any], *, id: str = "") -> None:
        self._function = function
        name = getattr(function, "__qualname__", type(function).__qualname__)
        self.id = id or f"function:{getattr(function, '__module__', '')}.{name}"
        self.dimension = 0

    def embed_documents(self, texts: Sequence[str]) -> Any:
        """Return one vector for each text."""
        return self._function(list(texts))

    embed_queries = embed_documents
