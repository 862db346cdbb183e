"""Putting a member or an item into a JSON document, or taking one out, and leaving every other byte as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from muniment.errors import ConflictError
from muniment.surfaces.install.jsonc import Node, parse, skip

_INDENT: Final = re.compile(r"\n([ \t]+)\S")
_LINE_COMMENT: Final = re.compile(r"//[^\n]*$")


def put(text: str, path: Sequence[str], value: Any, *, item: bool = False) -> str:
    """Return a document with a member put into an object, or an item at the end of an array.

    Objects and the array on the way are made where they are not there.

    Args:
        text: The document; an empty one becomes an object.
        path: Names from the root to the member, or to the array.
        value: What to put there.
        item: The path names an array that the value is appended to.

    Raises:
        ValidationError: If the document is none.
        ConflictError: If something else stands on the way.

    Example:
        >>> put('{"a": 1}', ["b"], 2)
        '{"a": 1, "b": 2}'
        >>> put('{"a": [1]}', ["a"], 2, item=True)
        '{"a": [1, 2]}'
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    if not text.strip():
        whole: Any = [value] if item else value
        for name in reversed(path):
            whole = {name: whole}
        return json.dumps(whole, indent=2, ensure_ascii=False).replace("\n", newline) + newline
    node, depth, left = parse(text), 0, list(path)
    while left and (inner := _object(node).get(left[0])) is not None:
        node, depth = inner, depth + 1
        left.pop(0)
    if left:
        name, *rest = left
        made: Any = [value] if item else value
        for one in reversed(rest):
            made = {one: made}
        return _into(text, _object(node), depth, made, newline, name)
    if not item or not isinstance(node.value, list):
        raise _other()
    return _into(text, node, depth, value, newline, None)


def _object(node: Node) -> Node:
    if not isinstance(node.value, dict):
        raise _other()
    return node


def _other() -> ConflictError:
    return ConflictError(
        "The configuration holds something else where this would go; it was left alone.",
        advice="Look at the file, or name another with --config.",
    )


def _into(text: str, node: Node, depth: int, value: Any, newline: str, name: str | None) -> str:
    """Return the document with a part more at the end of an object or array."""
    step = _step(text)
    one_line = "\n" not in text[node.start : node.end] and bool(node.parts)
    spelled = json.dumps(value, ensure_ascii=False, indent=None if one_line else step)
    part = spelled if name is None else f"{json.dumps(name, ensure_ascii=False)}: {spelled}"
    trailing = "," if node.comma >= 0 else ""
    if one_line:
        at = node.comma + 1 if trailing else node.parts[-1][1]
        return f"{text[:at]}{'' if trailing else ','} {part}{trailing}{text[at:]}"
    inner, outer = step * (depth + 1), step * depth
    part = part.replace("\n", f"{newline}{inner}")
    if not node.parts:
        kept = text[node.start + 1 : node.end - 1].rstrip()  # a comment may stand in it
        return f"{text[: node.start + 1]}{kept}{newline}{inner}{part}{newline}{outer}{text[node.end - 1 :]}"
    last, close = node.parts[-1][1], node.end - 1
    between = text[last:close].rstrip()
    comma = "" if trailing else ","
    return f"{text[:last]}{comma}{between}{newline}{inner}{part}{trailing}{newline}{outer}{text[close:]}"


def _step(text: str) -> str:
    """Return the indentation of one level: that of the first indented line."""
    found = _INDENT.search(text)
    return "  " if found is None else found.group(1)


def take(text: str, path: Sequence[str | int]) -> str:
    """Return a document without a member or an item, and without the containers that it leaves empty.

    Args:
        text: The document.
        path: Names and numbers from the root to the part.

    Example:
        >>> take('{"a": 1, "b": {"c": 2}}', ["b", "c"])
        '{"a": 1}'
    """
    way = list(path)
    while len(way) > 1 and _alone(text, way):
        way.pop()
    node = parse(text)
    for step in way[:-1]:
        node = _child(node, step)
    index = way[-1] if isinstance(way[-1], int) else [name for name, _, _ in node.members].index(way[-1])
    start, end = node.parts[index]
    if index + 1 < len(node.parts):
        return text[:start] + text[skip(text, end) + 1 :].lstrip()
    head, tail = text[:start], text[node.comma + 1 if node.comma >= 0 else end :]
    if index and node.comma < 0:  # the comma before it parts nothing any more
        comma = skip(text, node.parts[index - 1][1])
        head = text[:comma] + text[comma + 1 : start]
    head = head.rstrip()
    commented = _LINE_COMMENT.search(head) is not None and not tail.lstrip(" \t").startswith(("\n", "\r\n"))
    return f"{head}\n{tail}" if commented else head + tail


def _child(node: Node, step: str | int) -> Node:
    if isinstance(step, int):
        return node.items[step]
    found = node.get(step)
    assert found is not None, "the caller looked"
    return found


def _alone(text: str, way: Sequence[str | int]) -> bool:
    """Say whether a part is the only one of its container."""
    node = parse(text)
    for step in way[:-1]:
        node = _child(node, step)
    return len(node.parts) == 1
