"""The form of an export: one JSON object a line, each bound to all before it.

The last member of every line is ``sum``: SHA-256 over the sum of the line before (32 zero bytes for the first) and the
line's own bytes without it, as 64 hexadecimal digits. So whatever is changed, left out, added, cut or put in another
order is noticed in the line where it is. A sum is no signature: what makes an export trustworthy is the root of its
log, compared with one from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, Final

from muniment import jsontext
from muniment.claims.intervals import FOREVER, NEVER
from muniment.errors import CorruptError, MunimentError, NewerSchemaError, TamperedError
from muniment.hashing import sha256

FORMAT: Final = "muniment-export"
VERSION: Final = 1

MAX_LINE: Final = 64 << 20
"""Bytes of a line. A claim's texts are a few MiB at most; a longer line is no export."""

_START: Final = bytes(32)
_MARK: Final = b',"sum":"'
_TAIL: Final = len(_MARK) + 64 + 2

Record = dict[str, Any]


def written(records: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Spell records as lines.

    Example:
        >>> [line[:7] for line in written([{"a": 1}])]
        [b'{"a":1,']
    """
    chain = _START
    for record in records:
        body = jsontext.dumps(record)
        chain = sha256(chain + body).digest()
        yield body[:-1] + _MARK + chain.hex().encode() + b'"}\n'


class Lines:
    """Reads lines back, strictly.

    Args:
        file: Open for reading bytes.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._chain = file, _START
        self.number = 0
        """Of the line that was read last, from 1."""

    def __iter__(self) -> Iterator[Record]:
        while (line := self._file.readline(MAX_LINE + 1)) != b"":
            self.number += 1
            yield self._read(line)

    def _read(self, line: bytes) -> Record:
        if len(line) > MAX_LINE:
            raise self.bad("is longer than any line of an export")
        if not line.endswith(b"\n"):
            raise self.bad("breaks off")
        if line[-_TAIL - 1 : -67] != _MARK or not line.endswith(b'"}\n') or len(line) <= _TAIL + 2:
            self._foreign(line)
            raise self.bad("is not a line of an export")
        body = line[: -_TAIL - 1] + b"}"
        chain = sha256(self._chain + body).digest()
        if line[-67:-3] != chain.hex().encode():
            raise self.forged("was changed, or lines before it were left out, added or put in another order")
        self._chain = chain
        try:
            record = jsontext.loads(body)
        except jsontext.JSONDecodeError:
            raise self.bad("is not JSON") from None
        if type(record) is not dict or jsontext.dumps(record) != body:
            raise self.bad("is not spelled as exports are")
        return record

    def _foreign(self, line: bytes) -> None:
        """A first line that says it is of a later version is believed, however it ends."""
        try:
            header = jsontext.loads(line)
        except jsontext.JSONDecodeError:
            return
        if self.number == 1 and type(header) is dict and header.get("format") == FORMAT:
            check_version(header)

    def bad(self, what: str) -> CorruptError:
        """Return the error of a line that cannot be read."""
        return CorruptError(
            f"Line {self.number} of the export {what}; nothing was imported.",
            advice="Copy the file again from where it was made, or export anew.",
            line=self.number,
        )

    def forged(self, what: str) -> TamperedError:
        """Return the error of a line that is not what was exported."""
        return forged(self.number, what)


def forged(number: int, what: str) -> TamperedError:
    """Return the error of a line that is not what was exported."""
    return TamperedError(
        f"Line {number} of the export {what}; nothing was imported.",
        advice="Use the file as it was exported, and compare its root with the one that the source shows.",
        line=number,
    )


def check_version(header: Mapping[str, Any]) -> None:
    """Refuse an export that a later version of Muniment made.

    Raises:
        NewerSchemaError: If it is one.
    """
    version = header.get("version")
    if type(version) is int and version > VERSION:
        raise NewerSchemaError(
            "Line 1 of the export says that a newer version of Muniment made it; nothing was imported.",
            advice="Upgrade Muniment.",
            line=1,
            version=version,
            supported=VERSION,
        )


def instant(at: int) -> str | None:
    """Spell an instant of valid time: a text, because it may be larger than what every JSON reader keeps exactly.

    The unbounded past and future are None.
    """
    return None if at in (NEVER, FOREVER) else str(at)


def instant_of(text: Any, unbounded: int) -> int:
    """Read what :func:`instant` wrote.

    Raises:
        ValueError: If it is something else.
    """
    if text is None:
        return unbounded
    at = int(text) if type(text) is str else 0
    if str(at) != text or not NEVER < at < FOREVER:
        raise ValueError("not an instant")
    return at


def only(members: Record, known: str) -> None:
    """Refuse members that this version does not know: they would be lost without a word.

    Args:
        members: What was read.
        known: Names, parted by spaces.

    Raises:
        ValueError: If there is one.
    """
    if members.keys() - known.split():
        raise ValueError("a member that nobody knows")


def failure_of(lines: Lines, error: BaseException) -> MunimentError:
    """Return the error of a line whose members are not of the form that exports have."""
    if isinstance(error, MunimentError) and "line" in error.details:
        return error
    return lines.bad("does not have the form that lines of an export have")
