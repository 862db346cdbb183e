"""A table of Codex' config.toml: a marked block at the end of the file, so that every other byte stays as it is."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any, Final

from muniment.errors import ConflictError, ValidationError

BEGIN: Final = "# >>> muniment: written by `muniment install`, taken out by `muniment install --uninstall`"
END: Final = "# <<< muniment"


def parse(text: str) -> dict[str, Any]:
    """Read a document.

    Raises:
        ValidationError: If it is none; nothing of it is quoted.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise ValidationError(
            "The configuration is not TOML; it was left alone.", advice="Mend it, then try again."
        ) from None


def put(text: str, key: str, name: str, entry: Mapping[str, Any]) -> str:
    """Return a document with a table at its end.

    Args:
        text: The document.
        key: The table of tables.
        name: The table's name in it.
        entry: Its members: texts, and lists of texts.

    Raises:
        ConflictError: If a table cannot be put there.

    Example:
        >>> print(put("", "mcp_servers", "muniment", {"command": "m", "args": ["mcp"]}).split("\\n")[1])
        [mcp_servers.muniment]
    """
    parse(text)
    lines = [BEGIN, f"[{key}.{name}]", *[f"{member} = {_spelled(value)}" for member, value in entry.items()], END]
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else newline if text.endswith("\n") else 2 * newline
    whole = f"{text}{gap}{newline.join(lines)}{newline}"
    try:
        found = tomllib.loads(whole)[key][name]
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        found = None
    if found != dict(entry):
        raise ConflictError(
            "The configuration holds something else where this would go; it was left alone.",
            advice="Look at the file, or name another with --config.",
        )
    return whole


def _spelled(value: Any) -> str:
    """Return a value as TOML. A JSON string is a TOML basic string, but for DEL, which has to be written out."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def take(text: str) -> str:
    """Return a document without the block, and without the line that parted it from what stands before."""
    start, end = text.find(BEGIN), text.find(END)
    if start < 0 or end < start:
        raise ConflictError(
            "The marks around what was written are gone; the configuration was left alone.",
            advice="Take the table out by hand.",
        )
    after = text[end + len(END) :]
    after = after.removeprefix("\r\n") if after.startswith("\r\n") else after.removeprefix("\n")
    before = text[:start]
    for gap in ("\r\n", "\n"):
        if before.endswith(2 * gap) and not after:
            before = before.removesuffix(gap)
            break
    return before + after
