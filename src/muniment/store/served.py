"""What was served: keyed hashes of what each session was shown in the last day, beside the store.

A statement that a session was served and then writes back is no evidence (re-entry). The set lies in a small file
``<store>.served`` that every process of the store appends to, without sync: losing it costs a few detections, and a
read leaves the store itself as it was, to the byte. It holds no text, only hashes under the namespace's pepper.

The file is a sequence of records of 32 bytes: a check (4 bytes), seconds since 1970 (4), session (8), item (16). A
record whose check fails (a torn write, a damaged file) is passed over, byte by byte, to the next sound one.
"""

from __future__ import annotations

import contextlib
import os
import struct
import threading
import zlib
from collections.abc import Callable, Iterable
from typing import Final

RECORD: Final = 32
WINDOW: Final = 86_400
"""Seconds for which something counts as served."""

AGAIN: Final = 3_600
"""Seconds within which the same thing is not written again."""

COMPACT: Final = 1 << 20
"""Bytes of the file above which it is rewritten with what still counts (and above twice what counted last time)."""

_SECOND: Final = 1_000_000
_pack: Final = struct.Struct("<II8s16s").pack
_unpack: Final = struct.Struct("<II8s16s").unpack_from


class ServedSet:
    """The served set of a store.

    Args:
        path: Its file, or None to keep it in memory (a store in RAM, or on a medium that cannot be written).

    Example:
        >>> served = ServedSet(None)
        >>> served.add(b"session1", bytes(16), at=1_000_000)
        >>> served.was_served(b"session1", bytes(16), at=2_000_000)
        True
        >>> served.was_served(b"session1", bytes(16), at=90_000_000_000)
        False
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._path = None if path is None else os.fspath(path)
        self._seen: dict[bytes, int] = {}
        self._lock = threading.Lock()
        self._file: int | None = None
        self._inode = 0
        self._read = 0
        self._limit = COMPACT

    def add(self, session: bytes, item: bytes, at: int) -> None:
        """Note that a session was served an item. Never raises: what cannot be written is kept in memory.

        Args:
            session: Keyed hash of the session; its first 8 bytes count.
            item: Keyed hash of what it was shown, 16 bytes.
            at: Microseconds since the epoch.
        """
        seconds = at // _SECOND
        key = session[:8].ljust(8, b"\0") + item
        with self._lock:
            if seconds - self._seen.get(key, -AGAIN) < AGAIN:
                return
            self._seen[key] = seconds
            if self._path is None:
                if len(self._seen) > COMPACT // RECORD:
                    self._forget(seconds)
                return
            try:
                self._append(_record(seconds, key), seconds)
            except OSError:
                return  # it is noted in memory

    def was_served(self, session: bytes, item: bytes, at: int) -> bool:
        """Say whether a session was served an item within the last 24 hours, by whichever process."""
        with self._lock:
            if self._path is not None:
                with contextlib.suppress(OSError):
                    self._catch_up()
            served = self._seen.get(session[:8].ljust(8, b"\0") + item)
        return served is not None and at // _SECOND - served < WINDOW

    def drop(self, items: frozenset[bytes]) -> None:
        """Forget items, in memory and in the file, because what they stand for was erased.

        Records are overwritten where they lie, so other processes that hold the file open see it too.
        """
        if not items:
            return
        with self._lock:
            self._seen = {key: at for key, at in self._seen.items() if key[8:] not in items}
            while self._wiped(lambda key: key[8:] in items):
                pass  # another process put a new file in its place, and may have read the old one before

    def _wiped(self, gone: Callable[[bytes], bool]) -> bool:
        """Overwrite records in the file; say whether another file lies there by now."""
        if self._path is None or not os.path.isfile(self._path):
            return False
        with contextlib.suppress(FileNotFoundError), open(self._path, "r+b") as file:
            for at, key, _ in _records(file.read()):
                if gone(key):
                    file.seek(at)
                    file.write(bytes(RECORD))
            file.flush()
            os.fsync(file.fileno())
            return os.stat(self._path).st_ino != os.fstat(file.fileno()).st_ino
        return False

    def close(self) -> None:
        """Close the file. What is still noted, by a read that ends later, is kept in memory."""
        with self._lock:
            self._path = None
            self._shut()

    def _shut(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _append(self, data: bytes, seconds: int) -> None:
        """Write one record. What others wrote meanwhile is read when somebody asks, not here."""
        state = self._written(data)
        if not state.st_nlink:  # another process put a new file in its place by now, or it was removed
            self._shut()
            state = self._written(data)
        end = state.st_size
        if end == self._read + len(data):
            self._read = end  # nobody else wrote, so the next look need not read our own words
        if end > self._limit:
            self._catch_up()
            self._compact(seconds)

    def _written(self, data: bytes) -> os.stat_result:
        """Write at the end of the file, and look at it after that."""
        file = self._open()
        os.write(file, data)
        return os.fstat(file)

    def _open(self) -> int:
        if self._file is None:
            assert self._path is not None
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            self._file = os.open(self._path, flags, 0o600)
            self._inode, self._read = os.fstat(self._file).st_ino, 0
        return self._file

    def _catch_up(self) -> None:
        """Read what other processes appended; follow the file if one of them rewrote it."""
        assert self._path is not None
        try:
            state = os.stat(self._path)
        except FileNotFoundError:
            self._shut()
            return
        if self._file is not None and state.st_ino == self._inode and state.st_size == self._read:
            return
        if self._file is not None and state.st_ino != self._inode:
            self._shut()
        file = self._open()
        if state.st_size < self._read:
            self._read = 0
        size = state.st_size - self._read
        if size <= 0:
            return
        os.lseek(file, self._read, os.SEEK_SET)
        data = os.read(file, size)
        end = 0
        for at, key, seconds in _records(data):
            end = at + RECORD
            if seconds > self._seen.get(key, 0):
                self._seen[key] = seconds
        # A torn tail is left to be read again: its writer may still be at it.
        self._read += max(end, len(data) - RECORD + 1) if len(data) >= RECORD else 0

    def _forget(self, seconds: int) -> None:
        self._seen = {key: at for key, at in self._seen.items() if seconds - at < WINDOW}

    def _compact(self, seconds: int) -> None:
        """Rewrite the file with what still counts, and put it in the old one's place.

        What counts is what the file says, not what is remembered here: another process may have dropped something. What
        it drops, or adds, between the reading and the replacing is in the old file, which is read once more.
        """
        assert self._path is not None
        old = self._open()
        self._seen = kept = _counted(old, seconds)
        # Where most of it still counts, the next time comes only after as much again: rewriting costs what it saves.
        self._limit = max(COMPACT, 2 * RECORD * len(kept))
        new = f"{self._path}.{os.urandom(6).hex()}.new"
        try:
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
            with open(descriptor, "wb") as file:
                file.write(b"".join([_record(at, key) for key, at in kept.items()]))
            if os.stat(self._path).st_ino != self._inode:
                raise FileExistsError  # another process was quicker
            if os.name == "nt":
                self._shut()  # an open file cannot be replaced there, and then nobody else has it open
            os.replace(new, self._path)
        except OSError:  # Windows: somebody has the file open; it is rewritten another time
            with contextlib.suppress(OSError):
                os.unlink(new)
            return
        if self._file is not None:
            self._seen = now = _counted(old, seconds)
            self._shut()
            if not kept.keys() <= now.keys():
                self._wiped(lambda key: key not in now)
            for key in now.keys() - kept.keys():
                os.write(self._open(), _record(now[key], key))


def _counted(file: int, seconds: int) -> dict[bytes, int]:
    """Return what a file says that still counts."""
    os.lseek(file, 0, os.SEEK_SET)
    found: dict[bytes, int] = {}
    for _, key, at in _records(os.read(file, os.fstat(file).st_size)):
        if seconds - at < WINDOW and at > found.get(key, -1):
            found[key] = at
    return found


def _record(seconds: int, key: bytes) -> bytes:
    body = _pack(0, seconds & 0xFFFFFFFF, key[:8], key[8:])[4:]
    return (zlib.crc32(body) | 1).to_bytes(4, "little") + body


def _records(data: bytes) -> Iterable[tuple[int, bytes, int]]:
    """Yield (offset, session and item, seconds) of each sound record."""
    at = 0
    end = len(data) - RECORD
    while at <= end:
        check, seconds, session, item = _unpack(data, at)
        if check and check == (zlib.crc32(data[at + 4 : at + RECORD]) | 1):
            yield at, session + item, seconds
            at += RECORD
        else:
            at += 1
