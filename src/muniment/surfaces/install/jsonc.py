"""JSON as editors write it (comments, trailing commas), read with the place of every part, so that it can be edited in
place: whatever is not changed keeps its bytes.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from muniment.errors import ValidationError
from muniment.quick import dataclass, field

MAX_DEPTH: Final = 64
"""Levels of nesting; a settings file has a dozen."""

_SKIP: Final = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_PLAIN: Final = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


@dataclass(slots=True)
class Node:
    """A value and where it stands.

    Args:
        start, end: Its first character, and the one after its last.
        value: What it says, as plain data.
        members: Of an object: name and node of each member, in order, with where the member's name begins.
        items: Of an array: its nodes.
        comma: Where a comma stands after the last member or item, or -1.
    """

    start: int
    end: int
    value: Any
    members: list[tuple[str, int, Node]] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)
    comma: int = -1

    def get(self, name: str) -> Node | None:
        """Return the node of a member, or None."""
        return next((node for key, _, node in self.members if key == name), None)

    @property
    def parts(self) -> list[tuple[int, int]]:
        """Where each member or item begins and ends."""
        return [(at, node.end) for _, at, node in self.members] or [(node.start, node.end) for node in self.items]


def parse(text: str) -> Node:
    """Read a document.

    Args:
        text: Without a byte order mark.

    Raises:
        ValidationError: If it is none; the line is told, and nothing of what stands there.

    Example:
        >>> node = parse('{"a": [1, 2], // one\\n}')
        >>> node.value, node.get("a").start
        ({'a': [1, 2]}, 6)
    """
    reader = _Reader(text)
    root = reader.value(reader.skip(0), 0)
    if reader.skip(root.end) != len(text):
        raise reader.wrong(reader.skip(root.end))
    return root


def skip(text: str, at: int) -> int:
    """Return the place of the next character that is neither white space nor part of a comment."""
    found = _SKIP.match(text, at)
    return at if found is None else found.end()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, at: int) -> int:
        return skip(self._text, at)

    def wrong(self, at: int) -> ValidationError:
        line = self._text.count("\n", 0, at) + 1
        return ValidationError(
            f"The configuration is not JSON at line {line}; it was left alone.",
            advice="Mend it, then try again.",
            line=line,
        )

    def value(self, at: int, depth: int) -> Node:
        if depth > MAX_DEPTH or at >= len(self._text):
            raise self.wrong(at)
        opening = self._text[at]
        if opening == "{":
            return self._object(at, depth)
        if opening == "[":
            return self._array(at, depth)
        found = (_STRING if opening == '"' else _PLAIN).match(self._text, at)
        if found is None:
            raise self.wrong(at)
        return Node(at, found.end(), json.loads(found.group()))

    def _object(self, start: int, depth: int) -> Node:
        node, at = Node(start, start, {}), self.skip(start + 1)
        while not self._text.startswith("}", at):
            name_at = at
            name = self.value(at, MAX_DEPTH) if self._text.startswith('"', at) else None
            colon = -1 if name is None else self.skip(name.end)
            if name is None or not self._text.startswith(":", colon) or name.value in node.value:
                raise self.wrong(at)  # also where a name comes twice: which of the two is meant, nobody knows
            member = self.value(self.skip(colon + 1), depth + 1)
            node.members.append((name.value, name_at, member))
            node.value[name.value] = member.value
            at = self._after(node, member.end, "}")
        node.end = at + 1
        return node

    def _array(self, start: int, depth: int) -> Node:
        node, at = Node(start, start, []), self.skip(start + 1)
        while not self._text.startswith("]", at):
            item = self.value(at, depth + 1)
            node.items.append(item)
            node.value.append(item.value)
            at = self._after(node, item.end, "]")
        node.end = at + 1
        return node

    def _after(self, node: Node, end: int, closing: str) -> int:
        """Return where the next part begins, or the closing mark stands."""
        at = self.skip(end)
        node.comma = -1
        if self._text.startswith(",", at):
            node.comma = at
            return self.skip(at + 1)
        if not self._text.startswith(closing, at):
            raise self.wrong(at)
        return at
