"""Rerankers: whoever reads a query and a hit together and says how well they fit. One never stops a recall.

A reranker is any function from a query and texts to as many figures, or a cross-encoder as an ONNX file. Whatever it
does (fails, takes too long, returns too few figures, or what is no figure), the order that the words gave stands, and
the result says so.
"""

from __future__ import annotations

import importlib.util
import math
import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, Final

from muniment.errors import CapabilityError, ValidationError
from muniment.models.faults import not_installed

SECONDS: Final = 2.0
"""How long a recall waits: a small cross-encoder reads fifty short texts in half a second on one thread, and whoever
asks would rather have the order of the words than wait longer."""

MAX_TOKENS: Final = 512
"""Tokens of a query and a text together: what cross-encoders are trained with."""

MAX_CHARACTERS: Final = 4_096
"""Characters of a text that are looked at: 512 tokens are seldom more, and cutting early bounds the work."""

Reranker = Callable[[str, Sequence[str]], Iterable[float]]
"""Returns a figure for each text, the better the higher."""


class RerankerError(CapabilityError):
    """A reranker did not do what it was asked. The message holds no word of what it was given."""


class Bounded:
    """A reranker, kept in bounds.

    Args:
        reranker: The reranker.
        seconds: How long it may take.
    """

    def __init__(self, reranker: Reranker, seconds: float = SECONDS) -> None:
        self._reranker, self._seconds = reranker, seconds
        self._overdue: threading.Thread | None = None

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a finite figure for each text.

        Raises:
            RerankerError: If there are none, or not in time. One that is late is left alone, and until it is back no
                other is sent after it.
        """
        if self._overdue is not None and self._overdue.is_alive():
            raise RerankerError(f"The reranker took longer than {self._seconds:g} s.")
        answer: list[Any] = []
        wanted = len(texts)

        def run() -> None:
            try:
                # An answer may be an iterator without an end, and may fail while it is read.
                answer.append(list(islice(self._reranker(query, list(texts)), wanted + 1)))
            except BaseException as error:
                answer.append(error)

        thread = threading.Thread(target=run, name="muniment-reranker", daemon=True)
        thread.start()
        thread.join(self._seconds)
        if not answer:
            self._overdue = thread
            raise RerankerError(f"The reranker took longer than {self._seconds:g} s.")
        return _figures(answer[0], wanted)


def _figures(answer: Any, wanted: int) -> list[float]:
    if isinstance(answer, BaseException):
        raise RerankerError(f"The reranker failed with {type(answer).__name__}.")
    if len(answer) != wanted:
        raise RerankerError(f"The reranker did not return {wanted} figures for {wanted} texts.")
    try:
        figures = [float(one) for one in answer]
    except (TypeError, ValueError, OverflowError):
        raise RerankerError("The reranker returned what is no figure.") from None
    if not all(map(math.isfinite, figures)):
        raise RerankerError("The reranker returned what is no finite figure.")
    return figures


class OnnxCrossEncoder:
    """A cross-encoder from a file: it reads query and text as a pair, and its first output is how well they fit.

    A model with one output figure is taken as it is; of two, which are logits against and for, their difference counts.

    Args:
        model: The ONNX file, or a folder that holds ``model.onnx``; ``tokenizer.json`` lies beside it.
        threads: How many compute at once; half the processors if not given.

    Raises:
        CapabilityError: If onnxruntime, tokenizers or numpy is not installed.
        NotFoundError: If there is no such file.
    """

    def __init__(self, model: str | os.PathLike[str], *, threads: int | None = None) -> None:
        for package in ("onnxruntime", "tokenizers", "numpy"):
            if package not in sys.modules and importlib.util.find_spec(package) is None:
                raise not_installed(package, "semantic")
        from muniment.models.onnx import model_file

        self._file = model_file(model, "reranker")
        self._threads = threads
        self._turn = threading.Lock()
        self._loaded: tuple[Any, Any, frozenset[str]] | None = None

    def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return how well each text fits the query."""
        return [self._fit(query[:MAX_CHARACTERS], text[:MAX_CHARACTERS]) for text in texts]

    def _fit(self, query: str, text: str) -> float:
        import numpy as np

        session, tokenizer, names = self._load()
        pair = tokenizer.encode(query, text)
        feed = {"input_ids": pair.ids, "attention_mask": pair.attention_mask, "token_type_ids": pair.type_ids}
        out = session.run(None, {name: np.array([feed[name]], dtype=np.int64) for name in names})
        figures = np.ravel(out[0])
        return float(figures[-1] - figures[0]) if figures.size == 2 else float(figures[0])

    def _load(self) -> tuple[Any, Any, frozenset[str]]:
        with self._turn:
            if self._loaded is None:
                from tokenizers import Tokenizer

                from muniment.models.onnx import open_session

                session, names = open_session(self._file, self._threads)
                tokenizer = Tokenizer.from_file(str(self._file.with_name("tokenizer.json")))
                tokenizer.no_padding()
                # The text gives way: a query that was cut would be another query.
                tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")
                self._loaded = session, tokenizer, names
            return self._loaded


def reranker_of(given: Any) -> Bounded | None:
    """Read what a handle was given as its reranker, before any store is opened.

    Args:
        given: A function, the path of a cross-encoder, or None.

    Raises:
        ValidationError: If it is neither.
        CapabilityError, NotFoundError: See :class:`OnnxCrossEncoder`.
    """
    if given is None:
        return None
    if isinstance(given, str) and not given.strip():
        raise ValidationError("reranker must not be empty.", advice="Leave it out where there is none.")
    if isinstance(given, str | os.PathLike):
        return Bounded(OnnxCrossEncoder(given))
    if not callable(given):
        raise ValidationError(
            f"reranker must be a function or a path, not {type(given).__name__}.",
            advice="Pass a function from a query and texts to figures, or the folder of a cross-encoder.",
        )
    return Bounded(given)
