"""Which embedder: an object, a function, a word, or what the settings say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from muniment.claims.text import check_text
from muniment.errors import ValidationError
from muniment.models.units import MAX_DIMENSION
from muniment.protocols import Embedder

OFF: Final = "off"
"""The word for none, whatever the settings say."""

MAX_ID: Final = 1_024
"""Bytes of an embedder's id, as UTF-8."""

_ADVICE: Final = (
    "Pass an Embedder, a function from texts to vectors, or one of: minilm, onnx:/folder, http://…#model, "
    "sentence-transformers:name, fastembed:name, model2vec:folder, off."
)


def embedder_of(
    given: Any, url: str | None = None, model: str | None = None, key: str | None = None
) -> Embedder | None:
    """Return the embedder that was asked for; None for none.

    Args:
        given: An embedder, a function, a word, or None for what the settings say.
        url, model, key: The settings: an endpoint with its model and key; without a URL, ``model`` is a word. The key
            of one endpoint is sent to no other.

    Raises:
        ValidationError: If it is none of these.
        CapabilityError: If what it needs is not installed.
    """
    if given is None:
        if url is not None:
            from muniment.models.endpoint import EndpointEmbedder

            return EndpointEmbedder(url, model or "", key=key)
        return None if model is None else _named(model, key)
    if isinstance(given, str):
        foreign = url is not None and url.rstrip("/") != given.partition("#")[0].rstrip("/")
        return _named(given, None if foreign else key, model)
    if not isinstance(given, type) and all(
        callable(getattr(given, name, None)) for name in ("embed_documents", "embed_queries")
    ):
        return _checked(given)
    if callable(given) and not isinstance(given, type):
        from muniment.models.packages import FunctionEmbedder

        return FunctionEmbedder(given)
    raise ValidationError(f"embedder must not be {type(given).__name__}.", advice=_ADVICE)


def _checked(given: Any) -> Embedder:
    """Return somebody's embedder, once what is stored of it was looked at."""
    if not isinstance(getattr(given, "id", None), str) or not given.id:
        raise ValidationError("embedder has no id.", advice="See muniment.protocols.Embedder.")
    check_text(given.id, "embedder.id", limit_bytes=MAX_ID, allow_newlines=False)
    dimension = getattr(given, "dimension", 0) or 0
    if isinstance(dimension, bool) or not isinstance(dimension, int) or not 0 <= dimension <= MAX_DIMENSION:
        raise ValidationError(
            f"embedder.dimension must be a whole number up to {MAX_DIMENSION}.",
            advice="Leave it out: the first vector shows it.",
        )
    found: Embedder = given
    return found


def _named(word: str, key: str | None, model: str | None = None) -> Embedder | None:
    """Return the embedder that a word names."""
    if word == OFF:
        return None
    if word.startswith(("http://", "https://")):
        from muniment.models.endpoint import EndpointEmbedder

        url, _, named = word.partition("#")
        return EndpointEmbedder(url, named or model or "", key=key)
    kind, _, rest = word.partition(":")
    make = _MAKERS.get(kind)
    if make is None or (kind == "minilm") == bool(rest):
        raise ValidationError("embedder names nothing that is known.", advice=_ADVICE)
    return make(rest)


def _minilm(_: str) -> Embedder:
    from muniment.models.minilm import minilm

    return minilm()


def _onnx(path: str) -> Embedder:
    from muniment.models.onnx import OnnxEmbedder

    return OnnxEmbedder(path)


def _sentence_transformers(name: str) -> Embedder:
    from muniment.models.packages import SentenceTransformersEmbedder

    return SentenceTransformersEmbedder(name)


def _fastembed(name: str) -> Embedder:
    from muniment.models.packages import FastEmbedEmbedder

    return FastEmbedEmbedder(name)


def _model2vec(name: str) -> Embedder:
    from muniment.models.packages import Model2VecEmbedder

    return Model2VecEmbedder(name)


_MAKERS: Final[Mapping[str, Callable[[str], Embedder]]] = {
    "minilm": _minilm,
    "onnx": _onnx,
    "sentence-transformers": _sentence_transformers,
    "fastembed": _fastembed,
    "model2vec": _model2vec,
}
