"""What shares no content word is found by what it means."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from muniment import Memory
from muniment.lexical.analyser import analyse_query
from muniment.models import minilm
from reference.helpers import texts

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(find_spec(minilm.PACKAGE) is None, reason="the extra 'semantic' is not installed: no model"),
]

AMONG = 3
LEAST = 11
"""Of twelve pairs, how many are to be found among the first three."""


@pytest.fixture(scope="module")
def pairs(data: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads((data / "paraphrases.json").read_text(encoding="utf-8"))
    assert len(found) == 12
    return found


@pytest.fixture(scope="module")
def meaning() -> Iterator[Memory]:
    with Memory(":memory:", embedder="minilm") as memory:
        yield memory


def found(memory: Memory, pairs: list[dict[str, str]], held: str, asked: str) -> int:
    """Count the pairs whose one half is found by the other among the first few."""
    memory.remember_many({"text": pair[held]} for pair in pairs)
    memory.models.embed()
    return sum(pair[held] in texts(memory, pair[asked], k=AMONG) for pair in pairs)


@pytest.mark.parametrize(("held", "asked"), [("held", "restated"), ("restated", "held")])
def test_what_was_said_otherwise_is_found(meaning: Memory, pairs: list[dict[str, str]], held: str, asked: str) -> None:
    assert found(meaning.namespace(held), pairs, held, asked) >= LEAST


@pytest.mark.parametrize(("held", "asked"), [("held", "restated"), ("restated", "held")])
def test_words_alone_do_not_find_it(pairs: list[dict[str, str]], held: str, asked: str) -> None:
    """The control: the pairs do test meaning."""
    with Memory(":memory:") as memory:
        assert found(memory, pairs, held, asked) <= 3
    for pair in pairs:
        words = [{term.text for term in analyse_query(text) if not term.stop} for text in pair.values()]
        assert len(words[0] & words[1]) <= 1
