"""The terminal and the pipes: any encoding, any width, a reader that went away, and text that must not steer it."""

from __future__ import annotations

import codecs
import errno
import os
import re
import shutil
import sys
from pathlib import Path
from typing import IO, Final

from muniment.errors import ValidationError

_CLOSEST: Final = {
    "…": "...", "→": "->", "←": "<-", "↑": "^", "↓": "v", "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"',
    "·": "*", "•": "*", "≤": "<=", "≥": ">=", "×": "x", "\u00a0": " ", "−": "-",
}  # fmt: skip
"""How a character is written where the stream has none of its own."""

_STEERING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters, and marks that reorder a line: stored text must not steer a terminal."""

_HANDLER: Final = "muniment.closest"


def prepare() -> None:
    """Make standard output and error take any text: what they cannot encode is written as closely as they can."""
    codecs.register_error(_HANDLER, _closest)
    if sys.stdout is None:  # closed by whoever started the program: what is said goes nowhere
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_HANDLER)


def _closest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    return "".join(_CLOSEST.get(char, "?") for char in part), error.end


def harmless(text: str) -> str:
    """Return a text whose control characters and reordering marks are written out as ``\\xNN`` or ``\\uNNNN``.

    Example:
        >>> harmless("a\\x1b[2Jb")
        'a\\\\x1b[2Jb'
    """
    return _STEERING.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def harmless_json(document: str) -> str:
    """Return a JSON document with the same meaning whose steering characters are escaped."""
    return _STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", document)


def encodes_everything(stream: IO[str]) -> bool:
    """Say whether a stream can carry any character."""
    try:
        return codecs.lookup(getattr(stream, "encoding", None) or "ascii").name.startswith("utf")
    except LookupError:
        return False


def is_terminal(stream: IO[str] | None) -> bool:
    """Say whether a stream leads to a person. A stream that is missing or closed does not."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def at_a_terminal() -> bool:
    """Say whether a person types the input and reads the output."""
    return is_terminal(sys.stdin) and is_terminal(sys.stdout)


def read_input(what: str) -> str:
    """Read standard input to its end, as UTF-8.

    Args:
        what: The argument it stands for.

    Raises:
        ValidationError: If it is not UTF-8.
    """
    if sys.stdin is None:
        raise ValidationError(f"There is no standard input to read {what} from.", advice="Pass it as an argument.")
    return decode(sys.stdin.buffer.read(), what)


def save_input(file: Path, what: str) -> None:
    """Copy standard input to a file, as it is.

    Args:
        file: Where to.
        what: The argument it stands for.
    """
    if sys.stdin is None:
        raise ValidationError(f"There is no standard input to read {what} from.", advice="Name a file.")
    with file.open("wb") as out:
        shutil.copyfileobj(sys.stdin.buffer, out, 1 << 20)


def decode(data: bytes, what: str) -> str:
    """Return bytes as text: UTF-8, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValidationError(f"{what} is not UTF-8 text.", advice="Convert it to UTF-8.") from None


def reader_left(error: BaseException) -> bool:
    """Say whether an error means that whoever read the output went away (``| head``)."""
    # Windows reports a pipe without a reader as an invalid argument.
    return isinstance(error, BrokenPipeError) or (
        os.name == "nt" and isinstance(error, OSError) and error.errno == errno.EINVAL
    )


def no_room(error: BaseException) -> bool:
    """Say whether an error means that the disk is full to which the output goes. What a store says of its own is another."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


def abandon_output() -> None:
    """Let go of a pipe whose reader went away, so that nothing is said about it at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            sink = os.open(os.devnull, os.O_WRONLY)
            try:
                os.dup2(sink, stream.fileno())
            except (OSError, ValueError):
                pass
            finally:
                os.close(sink)
