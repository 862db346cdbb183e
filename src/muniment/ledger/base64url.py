"""32-byte hashes as text: base64url without padding, one spelling per hash."""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64
from typing import Final

from muniment.errors import ValidationError

_URL: Final = bytes.maketrans(b"+/", b"-_")
_PLAIN: Final = bytes.maketrans(b"-_", b"+/")

is_hash_text: Final = re.compile(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]").fullmatch
"""Match a 32-byte hash in its one canonical spelling: the unused low bits of the last character are zero."""


def hash_to_text(digest: bytes) -> str:
    """Spell a 32-byte hash as 43 characters of base64url.

    Example:
        >>> hash_to_text(bytes(32))
        'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    """
    return b2a_base64(digest, newline=False).translate(_URL)[:-1].decode("ascii")  # on the way of every write


def hash_from_text(text: str) -> bytes:
    """Read what :func:`hash_to_text` wrote.

    Raises:
        ValidationError: If the text is not the canonical spelling of 32 bytes.

    Example:
        >>> hash_from_text("A" * 43) == bytes(32)
        True
    """
    if is_hash_text(text) is None:
        raise ValidationError(
            "A hash must be 43 characters of canonical base64url.",
            advice="Copy it whole, unpadded.",
            reason="malformed",
        )
    return a2b_base64(f"{text}=".encode().translate(_PLAIN))
