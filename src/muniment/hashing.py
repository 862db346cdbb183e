"""SHA-256 and HMAC over it.

``hashlib`` has the quicker one for large pieces, and takes three milliseconds to come: it loads all of OpenSSL. A process
that is over in a moment hashes a dozen small pieces, and takes the one that Python brings along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muniment import brief

if TYPE_CHECKING or not brief.process:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # as of Python 3.12
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256

BLOCK: Final = 64
"""Bytes of a block of SHA-256, and so of a padded key."""

# What the two paddings of a key do to it, as tables for bytes.translate.
INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """Return HMAC-SHA-256 (RFC 2104), written out: for short messages it is a third faster than the general function.

    Example:
        >>> hmac_sha256(b"key", b"message").hex()[:16]
        '6e9ef29b75fffc5b'
    """
    padded = (key if len(key) <= BLOCK else sha256(key).digest()).ljust(BLOCK, b"\x00")
    return sha256(padded.translate(OUTER) + sha256(padded.translate(INNER) + message).digest()).digest()


__all__ = ["BLOCK", "INNER", "OUTER", "hmac_sha256", "sha256"]
