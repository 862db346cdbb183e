"""Write what is measured and told about the MCP server: the table of docs/mcp.md, and docs/mcp-transcript.md.

``PYTHONPATH=src python tools/make_mcp.py``; with ``--check`` it names what is stale. The table is counted with a
tokenizer that brings its vocabulary along, so it is the same everywhere.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent))

import mcp_story

from muniment.operation import PROFILES
from muniment.surfaces.mcp import tools
from muniment.surfaces.mcp.server import declared

DOCS: Final = Path(__file__).resolve().parents[1] / "docs"
PAGE, TRANSCRIPT = DOCS / "mcp.md", DOCS / "mcp-transcript.md"
VOCABULARY: Final = "o200k_base"
_TABLE: Final = re.compile(r"(?<=<!-- costs -->\n).*?(?=\n<!-- /costs -->)", re.DOTALL)


@cache
def _encoding() -> Any:
    import bpe_openai

    return bpe_openai.get_encoding(VOCABULARY)


def tokens(data: Any) -> int:
    """Return how many tokens some data is, as compact JSON."""
    return len(_encoding().encode(json.dumps(data, ensure_ascii=False, separators=(",", ":"))))


def cost(profile: str) -> tuple[int, int, int]:
    """Return (tools, tokens that a model reads, tokens of the whole list) of one profile.

    A model reads name, description and input schema: what the interfaces of models take. The whole list has titles,
    annotations and output schemas too, which are for the client.
    """
    listed = [
        declared(tool).model_dump(by_alias=True, mode="json", exclude_none=True)
        for tool in tools.offered((profile,)).values()
    ]
    read = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in listed]
    return len(listed), sum(map(tokens, read)), sum(map(tokens, listed))


def table() -> str:
    """Return the table of what each profile costs."""
    rows = [("profile", "for", "tools", "a model reads", "the whole list"), ("---", "---", "---:", "---:", "---:")]
    purposes = {**PROFILES, tools.GRAPH: "The nine tools of the protocol's own memory server, over the same claims."}
    for profile, purpose in purposes.items():
        count, read, whole = cost(profile)
        if count:
            rows.append((f"`{profile}`", purpose, str(count), f"{read:,}", f"{whole:,}"))
    return "\n".join(_row(row) for row in rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def pages() -> dict[Path, str]:
    """Return what each page should say."""
    page = PAGE.read_text("utf-8")
    return {PAGE: _TABLE.sub(lambda _: table(), page), TRANSCRIPT: mcp_story.page()}


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` name those that are stale."""
    stale = {path: text for path, text in pages().items() if not path.exists() or path.read_text("utf-8") != text}
    if "--check" in arguments:
        print("\n".join(path.name for path in stale))
        return 1 if stale else 0
    for path, text in stale.items():
        path.write_text(text, "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
