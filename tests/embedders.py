"""Embedders that tests control: small, real, and as bad as they are told to be."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Sequence
from typing import Any


def spelled(text: str, dimension: int = 32) -> list[float]:
    """Return a vector of a text's words: texts that share words lie close together."""
    row = [0.0] * dimension
    for word in text.lower().replace("?", " ").replace(".", " ").split():
        row[zlib.crc32(word.encode()) % dimension] += 1.0
    row[0] += 0.01
    return row


class Speller:
    """An embedder of spelled words.

    Args:
        dimension: Numbers in a vector.
        id: Its name.
        spoil: Called with the texts before they are answered; may raise, wait, or return what to answer instead.
    """

    prompt = True

    def __init__(
        self, dimension: int = 32, id: str = "speller", spoil: Callable[[list[str]], Any] | None = None
    ) -> None:
        self.id, self.dimension, self.spoil = id, dimension, spoil
        self.asked: list[str] = []
        self._turn = threading.Lock()

    def embed_documents(self, texts: Sequence[str]) -> Any:
        with self._turn:
            self.asked += texts
        spoiled = None if self.spoil is None else self.spoil(list(texts))
        return [spelled(text, self.dimension) for text in texts] if spoiled is None else spoiled

    embed_queries = embed_documents
