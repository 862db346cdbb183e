"""A real cross-encoder, small enough to be made in a test: it reads a query and a text together, token against token.

Every word has a direction; words that mean the same share one. How well a text fits is, summed over the words of the
query, the best match among the words of the text (late interaction, after Khattab and Zaharia, "ColBERT", SIGIR 2020).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ("[UNK]", "[CLS]", "[SEP]")


def build(folder: Path, meanings: list[list[str]], outputs: int = 1) -> Path:
    """Write ``model.onnx`` and ``tokenizer.json`` into a folder and return it.

    Args:
        folder: Where to.
        meanings: Words that mean the same, meaning by meaning; the earlier ones weigh more.
        outputs: 1 for one figure, 2 for logits against and for.
    """
    words = [word for meaning in meanings for word in meaning]
    _tokenizer({word: at for at, word in enumerate((*SPECIAL, *words))}).save(str(folder / "tokenizer.json"))
    directions = np.zeros((len(SPECIAL) + len(words), len(meanings)), dtype=np.float32)
    at = len(SPECIAL)
    for number, meaning in enumerate(meanings):
        directions[at : at + len(meaning), number] = 1 - number / (2 * len(meanings))
        at += len(meaning)
    onnx.save(_model(directions, outputs), str(folder / "model.onnx"))
    return folder


def _tokenizer(vocabulary: dict[str, int]) -> Tokenizer:
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    return made


def _model(directions: np.ndarray, outputs: int) -> onnx.ModelProto:
    """Return the graph: directions of all tokens, products of query and text, their greatest, their sum."""
    node = helper.make_node
    constants = [
        numpy_helper.from_array(directions, "directions"),
        numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
        numpy_helper.from_array(np.array(1.0, dtype=np.float32), "one"),
        numpy_helper.from_array(np.array([1], dtype=np.int64), "words"),
        numpy_helper.from_array(np.array([[-0.5, 0.5]], dtype=np.float32), "logits"),
    ]
    nodes = [
        node("Gather", ["directions", "input_ids"], ["tokens"]),
        node("Cast", ["token_type_ids"], ["text"], to=TensorProto.FLOAT),
        node("Sub", ["one", "text"], ["query"]),
        node("Unsqueeze", ["text", "last"], ["text_column"]),
        node("Unsqueeze", ["query", "last"], ["query_column"]),
        node("Mul", ["tokens", "query_column"], ["asked"]),
        node("Mul", ["tokens", "text_column"], ["said"]),
        node("Transpose", ["said"], ["said_turned"], perm=[0, 2, 1]),
        node("MatMul", ["asked", "said_turned"], ["products"]),
        node("ReduceMax", ["products"], ["best"], axes=[2], keepdims=0),
        node("ReduceSum", ["best", "words"], ["fit"], keepdims=1),
    ]
    if outputs == 2:
        nodes.append(node("MatMul", ["fit", "logits"], ["out"]))
    else:
        nodes.append(node("Identity", ["fit"], ["out"]))
    whole = ["batch", "length"]
    graph = helper.make_graph(
        nodes,
        "cross-encoder",
        [helper.make_tensor_value_info(name, TensorProto.INT64, whole) for name in ("input_ids", "token_type_ids")],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["batch", outputs])],
        constants,
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made)
    return made
