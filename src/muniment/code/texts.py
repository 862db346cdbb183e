"""Reading files of code: which encoding, which are none, which are too large."""

from __future__ import annotations

import codecs
import os
import re
from typing import Final

LARGEST: Final = 2 * 1_048_576
"""Bytes of a file that is looked at: 50,000 lines. What is larger was written by a program, and is generated anew."""

_HEAD: Final = 8_192
"""Bytes in which a file that is no text shows it, as for git."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED: Final = re.compile(rb"^[ \t\f]*(?:#|//|/\*).*?coding[:=][ \t]*([-\w.]+)")

_NO_SCRIPT: Final = frozenset({"punycode", "idna", "utf-7", "unicode-escape", "raw-unicode-escape", "undefined"})
"""Encodings that no source is in, some of which take for ever to read a long file."""


def decoded(path: str) -> tuple[str | None, str]:
    """Return what is in a file, or why it was not looked at.

    Text is UTF-8, what its byte order mark says, or what its first two lines declare (PEP 263); else Latin-1, in which
    every name of ASCII letters is found as well.

    Args:
        path: The file. A link is not followed: ``files.listed`` has followed those that may be.
    """
    try:
        with open(path, "rb") as stream:
            if os.fstat(stream.fileno()).st_size > LARGEST:
                return None, "too large"
            data = stream.read(LARGEST + 1)
    except OSError:
        return None, "not readable"
    if len(data) > LARGEST:  # it grew, or is no file of the ordinary kind
        return None, "too large"
    text = text_of(data)
    return (None, "binary") if text is None else (text, "")


def text_of(data: bytes) -> str | None:
    """Return bytes as text, or None if they are none. See :func:`decoded`."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if b"\0" in data[:_HEAD]:
        return None
    declared = next((one[1] for line in data.split(b"\n", 2)[:2] if (one := _DECLARED.match(line))), b"utf-8")
    for encoding in (declared.decode("ascii", "replace"), "utf-8"):
        try:
            if codecs.lookup(encoding).name not in _NO_SCRIPT:
                return data.decode(encoding)
        except (LookupError, UnicodeDecodeError, ValueError):
            continue
    return data.decode("latin-1")
