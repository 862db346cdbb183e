"""Text that must not steer a terminal, nor look like another line: what is printed of names, files and reasons."""

from __future__ import annotations

import re
from typing import Final

_STEERING: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Controls, line ends, marks that reorder or hide text, and halves of surrogate pairs."""


def written_out(text: str) -> str:
    r"""Return a text with whatever could steer a reader's screen written as ``\uNNNN``; the same JSON, if it is JSON.

    Example:
        >>> written_out("a\x1b[2Jb")
        'a\\u001b[2Jb'
    """
    return text if text.isascii() and text.isprintable() else _STEERING.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000  # as JSON writes it
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
