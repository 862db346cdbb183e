"""Where log keys lie: outside the store's folder, readable by their owner only.

A log key signs checkpoints. It is made when a log is born; appending never needs it. Where no place outside the
store can be written, it lives in memory for this process and ``persistent`` is False.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from muniment.errors import ValidationError

if TYPE_CHECKING:
    from pathlib import Path

    from muniment.ledger.keys import SigningKey


class KeyHome:
    """A folder of keys, one file per log, mode 0600; or memory.

    Args:
        folder: The folder, made when the first key is kept, or what says which it is, asked when it is first needed;
            None keeps keys in memory.
    """

    def __init__(self, folder: str | os.PathLike[str] | Callable[[], str] | None) -> None:
        self._folder = folder
        self._memory: dict[str, str] = {}

    @property
    def folder(self) -> Path | None:
        """The folder of the keys; None if they are kept in memory."""
        from pathlib import Path

        folder = self._folder
        if callable(folder):  # threads may ask at once: each calls what it found
            folder = self._folder = folder()
        return None if folder is None else Path(folder)

    @property
    def persistent(self) -> bool:
        """Whether keys outlive the process."""
        return self.folder is not None and not self._memory

    def create(self, origin: str, seed: bytes) -> SigningKey:
        """Make the key of a log and keep it.

        Args:
            origin: The log's name.
            seed: 32 secret bytes.
        """
        from muniment.ledger.keys import signing_key

        key = signing_key(origin, seed)
        self._keep(origin, key.private_text)
        return key

    def _keep(self, origin: str, text: str) -> None:
        if self.folder is not None:
            with suppress(OSError):  # not writable, or full: the key lives in memory, and doctor says so
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                _written(self._file(origin), text + "\n")
                return
        self._memory[origin] = text

    def load(self, origin: str) -> SigningKey | None:
        """Return the key of a log, or None if it is not here."""
        from muniment.ledger.keys import parse_private_key

        text = self._memory.get(origin)
        if text is None and self.folder is not None:
            with suppress(OSError):
                text = self._file(origin).read_text(encoding="utf-8").strip()
        if text is None:
            return None
        key = parse_private_key(text)
        if key.name != origin:
            raise ValidationError("A key file holds the key of another log.", advice="Restore the right file.")
        return key

    def _file(self, origin: str) -> Path:
        from muniment.hashing import sha256

        assert self.folder is not None
        return self.folder / f"{sha256(origin.encode()).hexdigest()[:32]}.key"


def _written(path: Path, text: str) -> None:
    """Make a file, durable before the log is that needs it; no file if it cannot be written."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise
