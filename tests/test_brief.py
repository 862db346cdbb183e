"""What a process that is over in a moment does without is missed by nobody: the light ways answer as the usual ones."""

from __future__ import annotations

import hashlib
import hmac
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import platformdirs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from muniment import hashing, lightjson, patterns, settings
from surfaces.running import SOURCES

OPTIONS = (0, orjson.OPT_SORT_KEYS, orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER)
ANY_TEXT = st.text(st.characters(codec=None))
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner) | st.tuples(inner, inner), max_leaves=12
)


def outcome(function: Any, *given: Any, **named: Any) -> tuple[str, Any]:
    """Return what a call answers, types and all, or which error it raises."""
    try:
        return "answered", repr(function(*given, **named))
    except Exception as error:
        return "raised", type(error)


@given(VALUES)
@example("".join(map(chr, [*range(0xD800), *range(0xE000, 0x11000)])))
@example({"b": [1, True, None], "a": {"z": "é", "A": 2**53}, "": -(2**63)})
@example({1: "a key that is no text"})
@example([2**63, 2**64])
@example("\ud800")
@example({"\udfff": 1})
@example(float("nan"))
def test_the_light_encoder_writes_what_orjson_writes_and_refuses_what_it_refuses(value: Any) -> None:
    for option in OPTIONS:
        assert outcome(lightjson.dumps, value, option=option) == outcome(orjson.dumps, value, option=option)


@pytest.mark.parametrize("depth", [lightjson.MAX_DEPTH - 1, lightjson.MAX_DEPTH, 253, 254, 255, 256, 2000])
def test_both_encoders_end_at_the_same_depth(depth: int) -> None:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    assert outcome(lightjson.dumps, value) == outcome(orjson.dumps, value)


class Word(str):
    """Not quite a text."""


ODD = (Word("a"), [Word("a")], {Word("a"): 1}, object(), {1, 2}, b"x", [object()])


@pytest.mark.parametrize("number", range(len(ODD)))
def test_what_is_not_plain_is_left_to_orjson(number: int) -> None:
    assert outcome(lightjson.dumps, ODD[number]) == outcome(orjson.dumps, ODD[number])


TEXTS = (
    "", " ", "1", " [1, 2] ", "[1,]", "{}x", "nul", "-0", "-0.0", "1.5", "1e400", "1E5", "01", "-", "0x1", "9" * 18, "9" * 19,
    "18446744073709551615", "18446744073709551616", "-9223372036854775808", "-9223372036854775809", "1" * 5000, "NaN",
    "Infinity", "-Infinity", '"\\ud800"', '"\\uD83D\\uDE00"', '"\\udc00\\ud800"', '"\\u0041\\n"', '"\t"', '"\x7f\u2028"',
    '"\\x"', '{"a": 1, "a": 2}', '{"a" 1}', "{1: 2}", "[" * 600 + "]" * 600, "[" * 1100 + "]" * 1100, "[" * 100_000,
    "\ufeff[]", '"\ud800"', '{"x": {"y": ["z", true, false, null]}}', "\x00", "[1]\n\r\t ", "\u00a01", "'a'",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:40])
def test_the_light_decoder_reads_what_orjson_reads_and_refuses_what_it_refuses(text: str) -> None:
    assert outcome(lightjson.loads, text) == outcome(orjson.loads, text)
    data = text.encode("utf-8", "surrogatepass")
    for kind in (bytes, bytearray, memoryview):
        assert outcome(lightjson.loads, kind(data)) == outcome(orjson.loads, kind(data))


@given(VALUES.map(lambda value: json.dumps(value, ensure_ascii=False)) | st.text() | st.binary())
def test_any_text_is_read_alike(text: str | bytes) -> None:
    assert outcome(lightjson.loads, text) == outcome(orjson.loads, text)


def test_its_names_are_those_of_orjson() -> None:
    assert (lightjson.OPT_SORT_KEYS, lightjson.OPT_STRICT_INTEGER) == (orjson.OPT_SORT_KEYS, orjson.OPT_STRICT_INTEGER)
    assert issubclass(orjson.JSONDecodeError, lightjson.JSONDecodeError)


@given(st.binary(max_size=200), st.binary(max_size=300))
def test_the_message_code_is_that_of_the_standard_library(key: bytes, message: bytes) -> None:
    assert hashing.hmac_sha256(key, message) == hmac.digest(key, message, "sha256")


@pytest.mark.parametrize("home", ["/home/ana", "/home/ana/", "/", "relative", "", "/home/with space/é"])
@pytest.mark.parametrize("data", [None, "", "/data", "relative", "~/x", " "])
def test_data_lies_where_platformdirs_says(home: str, data: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", home)
    if data is None:
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_DATA_HOME", data)
    monkeypatch.delenv("MUNIMENT_KEY_HOME", raising=False)
    usual = Path(platformdirs.user_data_dir("muniment", appauthor=False))
    assert Path(settings.data_folder()) == usual
    assert Path(settings.key_home().value) == usual.with_name("muniment-keys")


BRIEF = """
import sys
from muniment import brief
brief.begin()
from muniment import hashing, jsontext
print(hashing.sha256(b"muniment").hexdigest(), hashing.hmac_sha256(b"k" * 100, b"m").hex())
print(jsontext.dumps({"b": 1, "a": "é"}, option=jsontext.OPT_SORT_KEYS), jsontext.loads(b'[1, "x"]'))
print(*[name for name in ("orjson", "_hashlib", "hashlib", "uuid", "inspect") if name in sys.modules])
print(jsontext.loads("1.5"), "orjson" in sys.modules)
"""


def test_a_brief_process_comes_to_the_same_hashes_and_texts_without_the_large_libraries() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BRIEF], env={"PYTHONPATH": str(SOURCES)}, capture_output=True, timeout=60, check=True
    )
    hashes, texts, loaded, last = done.stdout.decode().split("\n")[:4]
    assert hashes == f"{hashlib.sha256(b'muniment').hexdigest()} {hmac.digest(b'k' * 100, b'm', 'sha256').hex()}"
    assert texts == f"{orjson.dumps({'a': 'é', 'b': 1})} {[1, 'x']}"
    assert loaded == ""
    assert last == "1.5 True"


def test_a_pattern_is_compiled_when_it_is_first_used_and_once() -> None:
    one = patterns.pattern("(a+)", 2)
    assert one.pattern == "(a+)"
    assert "fullmatch" not in vars(one)
    assert one.fullmatch("AAA") is not None
    assert one.search is one.search
    assert (one.groups, one.flags & 2) == (1, 2)
    with pytest.raises(AttributeError):
        one.compile  # noqa: B018


def test_every_method_of_a_pattern_is_there() -> None:
    import re

    compiled = re.compile("a")
    one = patterns.pattern("a")
    for name in dir(compiled):
        if not name.startswith("_") and name != "scanner":
            assert hasattr(one, name), name
