"""A configuration is edited in place: what is not ours keeps its bytes, whatever the file looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.errors import ConflictError, ValidationError
from muniment.surfaces.install.jsonc import parse
from muniment.surfaces.install.splicing import put, take

ENTRY = {"command": "/usr/bin/muniment", "args": ["mcp"]}
WAY = ["mcpServers", "muniment"]

FILES = {
    "empty object": "{}",
    "empty object on two lines": "{\n}\n",
    "compact": '{"a":1}',
    "two spaces": '{\n  "a": 1\n}\n',
    "tabs": '{\n\t"a": {\n\t\t"b": 2\n\t}\n}\n',
    "other servers": '{\n  "mcpServers": {\n    "other": {"command": "x"}\n  },\n  "z": 0\n}\n',
    "empty servers": '{\n  "mcpServers": {},\n  "z": 0\n}\n',
    "a comment in empty servers": '{\n  "mcpServers": {\n    // none yet\n  }\n}\n',
    "comments": (
        '// top\n{\n  /* one */ "a": 1, // two\n  "mcpServers": {\n    "o": {} // three\n    // four\n  } // five\n}\n'
        "// six\n"
    ),
    "trailing commas": '{\n  "a": 1,\n  "mcpServers": {\n    "o": {},\n  },\n}\n',
    "windows": '{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "o": {}\r\n  }\r\n}\r\n',
    "no last newline": '{\n  "a": "http://x/*no comment*/"\n}',
    "marks in strings": '{"a": "}, // \\" {", "mcpServers": {"o": "]"}}',
    "one line comment at the end": '{"a": 1 // last\n}',
}


@pytest.mark.parametrize("name", FILES)
def test_what_is_put_in_is_there_and_everything_else_as_it_was(name: str) -> None:
    text = FILES[name]
    changed = put(text, WAY, ENTRY)
    before, after = parse(text).value, parse(changed).value
    assert after["mcpServers"].pop("muniment") == ENTRY
    assert after == {**before, "mcpServers": before.get("mcpServers", {})}
    for line in text.splitlines():
        for comment in ("top", "one", "two", "three", "four", "five", "six", "none yet", "last"):
            assert (comment in line) is False or comment in changed
    assert ("\r\n" in text) == ("\r\n" in changed)
    assert changed.count("\n") == changed.count("\r\n") or "\r\n" not in changed


@pytest.mark.parametrize("name", FILES)
def test_what_was_put_in_can_be_taken_out(name: str) -> None:
    text = FILES[name]
    back = take(put(text, WAY, ENTRY), WAY)
    servers = parse(text).value.get("mcpServers")
    assert parse(back).value == ({k: v for k, v in parse(text).value.items() if k != "mcpServers" or servers})
    assert "muniment" not in back


@pytest.mark.parametrize("name", ["compact", "two spaces", "tabs", "other servers", "trailing commas", "windows"])
def test_putting_in_and_taking_out_gives_the_same_bytes(name: str) -> None:
    assert take(put(FILES[name], WAY, ENTRY), WAY) == FILES[name]


def test_the_style_of_the_file_is_kept() -> None:
    assert put(FILES["tabs"], WAY, {"command": "m"}) == (
        '{\n\t"a": {\n\t\t"b": 2\n\t},\n\t"mcpServers": {\n\t\t"muniment": {\n\t\t\t"command": "m"\n\t\t}\n\t}\n}\n'
    )
    assert put('{"a":1}', ["b"], {"c": 2}) == '{"a":1, "b": {"c": 2}}'


def test_an_item_goes_to_the_end_of_its_list_and_a_list_is_made_where_there_is_none() -> None:
    text = '{\n  "hooks": {\n    "Stop": [\n      {"matcher": "x"}\n    ]\n  }\n}\n'
    assert parse(put(text, ["hooks", "Stop"], {"n": 1}, item=True)).value["hooks"]["Stop"] == [
        {"matcher": "x"},
        {"n": 1},
    ]
    made = put(text, ["hooks", "Start"], {"n": 1}, item=True)
    assert parse(made).value["hooks"]["Start"] == [{"n": 1}]
    assert take(made, ["hooks", "Start", 0]) == text
    assert take('{"a": [1, 2, 3]}', ["a", 1]) == '{"a": [1, 3]}'


@pytest.mark.parametrize(
    "text", ["[]", '"text"', "{", '{"a": }', '{"a": 1 "b": 2}', "{'a': 1}", '{"a": 1} x', '{"a": 01}', '{"a": 1, "a": 2}',
             '{"a": "\n"}', "{/* ", "\x00", "{" * 100, '{"a": NaN}']
)  # fmt: skip
def test_what_is_no_configuration_is_refused_and_nothing_of_it_is_quoted(text: str) -> None:
    with pytest.raises((ValidationError, ConflictError)) as caught:
        put(text, WAY, ENTRY)
    assert '"a"' not in str(caught.value)


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"mcpServers": "x"}', '{"mcpServers": null}'])
def test_something_else_in_the_place_of_the_servers_is_left_alone(text: str) -> None:
    with pytest.raises(ConflictError):
        put(text, WAY, ENTRY)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=6), JSON, max_size=4), st.sampled_from([None, 2, 4, "\t"]))
def test_any_document_is_read_as_the_standard_library_reads_it_and_survives(
    document: dict[str, Any], indent: Any
) -> None:
    text = json.dumps(document, indent=indent)
    assert parse(text).value == document
    if isinstance(document.get("mcpServers", {}), dict):
        changed = put(text, ["ours", "muniment"], ENTRY) if "ours" not in document else text
        assert json.loads(changed) == (
            {**document, "ours": {"muniment": ENTRY}} if "ours" not in document else document
        )
        if "ours" not in document:
            assert json.loads(take(changed, ["ours", "muniment"])) == document
