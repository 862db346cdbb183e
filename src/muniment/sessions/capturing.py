"""From a tool's call to what is worth keeping of it. Pure: what an editor told in, statements out.

What a tool did is first-hand: ``tool``. What it brought in from outside (a page, a search) is text that nobody vouches
for: ``document``, behind the injection boundary. Nothing here is ever said as ``user``, and every line that is written
has its place under a subject of its own (``file …``, ``commit …``), so that a forged call reaches no other line.

Contents of files, commands and their output are not kept: they hold secrets, and of a memory that kept them nothing
else is found. A file that was changed, a commit with its first line, and the beginning of what a page said are.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any, Final

from muniment.patterns import pattern
from muniment.sessions.salience import CAPTURED, COMMIT

EDITS: Final = ("Edit", "MultiEdit", "NotebookEdit", "Write")
SHELLS: Final = ("Bash", "PowerShell")
PAGES: Final = ("WebFetch", "WebSearch")

CAPTURES: Final = (*EDITS, *SHELLS, *PAGES)
"""The tools whose calls are looked at after they ran."""

PAGE_SHOWN: Final = 600
"""Characters of a page that are kept: what it is about, not what it says."""

SUBJECT_SHOWN: Final = 300
"""Characters of a commit's first line, a path or a question."""

_COMMITTED: Final = pattern(
    r"^\[(?P<branch>\S{1,200})(?: \(root-commit\))? (?P<hash>[0-9a-f]{7,40})\] (?P<subject>.+)$", re.M
)
"""What ``git commit`` prints first."""

_COMMITS: Final = pattern(r"\bgit\b[^|;&\n]*\bcommit\b")

_URL: Final = pattern(r"https?://[^\s@]+$")


def captured(tool: str, given: Mapping[str, Any], response: Any, root: str = "") -> list[dict[str, Any]]:
    """Return the statements that are worth keeping of a tool's call, as arguments of ``remember``.

    Args:
        tool: Name of the tool.
        given: What it was given.
        response: What it answered.
        root: The project's folder: paths inside it are kept without it.

    Example:
        >>> captured("Write", {"file_path": "/home/a/project/x.py", "content": "secret"}, {}, "/home/a/project")[0]["text"]
        'Wrote x.py'
        >>> captured("Read", {"file_path": "/etc/passwd"}, "root:x:0")
        []
    """
    if tool in EDITS:
        return _edit(tool, given, root)
    if tool in SHELLS:
        return _commit(tool, given, response)
    if tool in PAGES:
        return _page(tool, given, response)
    return []


def _edit(tool: str, given: Mapping[str, Any], root: str) -> list[dict[str, Any]]:
    path = _text(given.get("file_path")) or _text(given.get("notebook_path"))
    if not path:
        return []
    name = inside(path, root)
    done = "Wrote" if tool == "Write" else "Edited"
    return [
        {
            "text": f"{done} {name}", "key": f"file {_part(name)}::last change", "value": done.lower(), "channel": "tool",
            "source": f"tool {tool}", "kind": "episodic", "tags": [CAPTURED, "file"],
        }
    ]  # fmt: skip


def _commit(tool: str, given: Mapping[str, Any], response: Any) -> list[dict[str, Any]]:
    if not _COMMITS.search(_text(given.get("command"))):
        return []
    out = response.get("stdout") if isinstance(response, Mapping) else response
    found = _COMMITTED.search(_text(out, 20_000))
    if found is None:
        return []
    subject = found["subject"][:SUBJECT_SHOWN]
    return [
        {
            "text": subject, "key": f"commit {found['hash'][:12]}::subject", "channel": "tool",
            "source": f"tool {tool}", "kind": "semantic", "tags": [CAPTURED, COMMIT],
        }
    ]  # fmt: skip


def _page(tool: str, given: Mapping[str, Any], response: Any) -> list[dict[str, Any]]:
    where = _text(given.get("url")) or _text(given.get("query"))
    said = response if isinstance(response, str) else _first_text(response)
    if not where or not said.strip():
        return []
    source = where if _URL.match(where) else f"{tool} {where}"
    return [
        {
            "text": f"{said.strip()[:PAGE_SHOWN]}", "channel": "document", "source": source, "kind": "episodic",
            "tags": [CAPTURED, "page"],
        }
    ]  # fmt: skip


def _first_text(response: Any) -> str:
    """Return the first text in what a tool answered; the names of members differ from tool to tool."""
    if isinstance(response, Mapping):
        for name in ("result", "content", "text", "results"):
            found = response.get(name)
            if isinstance(found, str) and found.strip():
                return found
            inner = _first_text(found) if isinstance(found, list | Mapping) else ""
            if inner:
                return inner
    if isinstance(response, list):
        for one in response[:20]:
            found = one if isinstance(one, str) else _first_text(one)
            if found:
                return found
    return ""


def inside(path: str, root: str) -> str:
    """Return a path without the project's folder, with ``/`` between its names; one outside keeps its last two names.

    Example:
        >>> inside("C:\\\\work\\\\app\\\\src\\\\a.py", "C:\\\\work\\\\app"), inside("/home/ana/notes/b.md", "/work")
        ('src/a.py', 'notes/b.md')
    """
    plain, base = path.replace("\\", "/"), root.replace("\\", "/").rstrip("/")
    if base and plain.startswith(f"{base}/"):
        return plain[len(base) + 1 :][-SUBJECT_SHOWN:]
    head, name = posixpath.split(plain)
    folder = posixpath.basename(head)
    return (f"{folder}/{name}" if folder else name)[-SUBJECT_SHOWN:]


def _part(name: str) -> str:
    """Return a name as part of a key: no ``::`` in it."""
    return re.sub(r":{2,}", ":", name)


def _text(value: Any, limit: int = 4_000) -> str:
    """Return a text without what no statement may hold; nothing for anything else."""
    if not isinstance(value, str):
        return ""
    return "".join(char for char in value[:limit] if char in "\n\t" or (char.isprintable() or char == " "))
