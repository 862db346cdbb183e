"""Reading docstrings: what an operation does and what each argument means, as the help of a door shows it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import cleandoc
from typing import Final

from muniment.quick import dataclass

_SECTION: Final = re.compile(r"^(Args|Returns|Raises|Example|Examples|Yields|Note):\s*$")
_ITEM: Final = re.compile(r"^ {4}([A-Za-z_][\w]*(?:, [A-Za-z_][\w]*)*):\s*(.*)$")
_ROLE: Final = re.compile(r":\w+:`~?\.?([^`]+)`")
_ELSEWHERE: Final = re.compile(r"^As for :meth:`(\w+)`(?:, (.*))?\.$")


@dataclass(frozen=True, slots=True)
class Description:
    """A docstring in parts.

    Args:
        summary: Its first sentence or paragraph.
        body: The paragraphs between the summary and the first section.
        arguments: What each argument means, by name.
    """

    summary: str
    body: str
    arguments: Mapping[str, str]


def describe(docstring: str | None) -> Description:
    """Take a docstring of this code base apart.

    Args:
        docstring: The raw text; None (as under ``python -OO``) describes nothing.

    Example:
        >>> describe("Say it.\\n\\n    Args:\\n        text, key: What it is.\\n    ").arguments["key"]
        'What it is.'
    """
    if not docstring:
        return Description("", "", {})
    sections: dict[str, list[str]] = {"": []}
    name = ""
    for line in cleandoc(docstring).splitlines():
        found = _SECTION.match(line)
        if found:
            name = found.group(1)
            sections[name] = []
        else:
            sections[name].append(line)
    summary, _, body = "\n".join(sections[""]).strip().partition("\n\n")
    return Description(_plain(summary), _plain(body), _arguments(sections.get("Args", [])))


def resolve(arguments: Mapping[str, str], elsewhere: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Replace "As for :meth:`other`, and more." by what the other says of the argument, at any remove, and more.

    Args:
        arguments: Meanings by name, as :func:`describe` found them.
        elsewhere: The same of every operation, by method.
    """
    out: dict[str, str] = {}
    for name, text in arguments.items():
        seen: set[str] = set()
        while (found := _ELSEWHERE.match(text)) and found.group(1) not in seen:
            seen.add(found.group(1))
            more = f" {found.group(2)[0].upper()}{found.group(2)[1:]}." if found.group(2) else ""
            text = elsewhere.get(found.group(1), {}).get(name, text) + more
        out[name] = _plain(text)
    return out


def _arguments(lines: list[str]) -> dict[str, str]:
    out: dict[str, str] = {}
    names: list[str] = []
    for line in lines:
        found = _ITEM.match(line)
        if found:
            names = found.group(1).split(", ")
            out.update(dict.fromkeys(names, found.group(2)))
        elif line.strip():
            for name in names:
                out[name] = f"{out[name]} {line.strip()}"
    return out


def _plain(text: str) -> str:
    """Drop the markup of reStructuredText: roles and double backquotes."""
    return _ROLE.sub(r"\1", text).replace("``", "")
