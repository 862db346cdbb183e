"""Signing and verifying keys in the text forms of C2SP signed-note.

A verifying key is published as a *vkey*: ``name+keyid+base64(type ‖ public key)``. The key id is four bytes
of a hash: a hint that selects a key, never proof of identity. The private form (``PRIVATE+KEY+…``) is the one
of Go's note library.

Two kinds of Ed25519 key exist: type 0x01 signs the text of a note, type 0x04 is a cosigner (witness) whose
signature also covers a time. A key is of one kind only, and the kind is part of its id.
"""

from __future__ import annotations

import binascii
import re
from typing import Final

from muniment.errors import ValidationError
from muniment.hashing import sha256
from muniment.quick import dataclass, field

ED25519: Final = 0x01
"""Signs the text of a note."""

COSIGNATURE: Final = 0x04
"""Signs a checkpoint together with a time (cosignature/v1)."""

_PRIVATE: Final = "PRIVATE+KEY+"
_KEY: Final = re.compile(r"([^+]+)\+([0-9a-f]{8})\+(\S+)")


@dataclass(frozen=True, slots=True)
class VerifyingKey:
    """A public key with a name.

    Args:
        name: The key's name: not empty, no white space, no plus sign.
        kind: :data:`ED25519` or :data:`COSIGNATURE`.
        public: The 32-byte Ed25519 public key.

    Example:
        >>> key = parse_vkey("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
        >>> key.name, key.id.hex()
        ('PeterNeumann', 'c74f20a3')
    """

    name: str
    kind: int
    public: bytes

    def __post_init__(self) -> None:
        check_key_name(self.name)
        if self.kind not in (ED25519, COSIGNATURE):
            raise _unsupported()
        if len(self.public) != 32:
            raise _malformed()

    @property
    def id(self) -> bytes:
        """The 4-byte key id: SHA-256(name ‖ 0A ‖ type ‖ public key), cut."""
        return sha256(self.name.encode() + b"\n" + bytes([self.kind]) + self.public).digest()[:4]

    @property
    def vkey(self) -> str:
        """The key as text."""
        return f"{self.name}+{self.id.hex()}+{encode_base64(bytes([self.kind]) + self.public)}"

    def verifies(self, message: bytes, signature: bytes) -> bool:
        """Whether ``signature`` is this key's over exactly ``message``."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key with its public half. Its repr does not show the seed.

    Args:
        verifying: The public half.
        seed: The 32-byte Ed25519 seed (RFC 8032). Use :func:`signing_key`, which derives the public half from
            it.
    """

    verifying: VerifyingKey
    seed: bytes = field(repr=False)

    @property
    def name(self) -> str:
        """The key's name; for a log's key, the log's origin."""
        return self.verifying.name

    @property
    def private_text(self) -> str:
        """The key as text, for a file that only its owner reads."""
        secret = encode_base64(bytes([self.verifying.kind]) + self.seed)
        return f"{_PRIVATE}{self.verifying.name}+{self.verifying.id.hex()}+{secret}"

    def sign(self, message: bytes) -> bytes:
        """Return the 64-byte signature. The message must say what it is for: never sign a bare hash."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self.seed).sign(message)


def signing_key(name: str, seed: bytes, kind: int = ED25519) -> SigningKey:
    """Make a signing key from 32 random bytes.

    Args:
        name: The key's name; for a log, its origin.
        seed: 32 bytes from a cryptographic source.
        kind: :data:`ED25519` or :data:`COSIGNATURE`.

    Example:
        >>> signing_key("example.org/log", bytes(32)).verifying.vkey[:25]
        'example.org/log+4e933303+'
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if len(seed) != 32:
        raise ValidationError(
            "A signing key's seed must be 32 bytes.", advice="Draw it from the system's entropy.", reason="malformed"
        )
    public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    return SigningKey(VerifyingKey(name, kind, public), seed)


def parse_vkey(text: str) -> VerifyingKey:
    """Read a vkey.

    Raises:
        ValidationError: If it is malformed, of a type that Muniment does not read, or its key id is not its
            own.
    """
    name, key_id, blob = _parse(text)
    key = VerifyingKey(name, blob[0], blob[1:])
    if key.id != key_id:
        raise _malformed()
    return key


def parse_private_key(text: str) -> SigningKey:
    """Read the private form of a key.

    Raises:
        ValidationError: As for :func:`parse_vkey`. The message never shows the key.
    """
    if not text.startswith(_PRIVATE):
        raise _malformed()
    name, key_id, blob = _parse(text.removeprefix(_PRIVATE))
    key = signing_key(name, blob[1:], blob[0])
    if key.verifying.id != key_id:
        raise _malformed()
    return key


def check_key_name(name: str) -> None:
    """Refuse a key name that is empty or holds white space, control characters or a plus sign."""
    if not name or "+" in name or any(char.isspace() or ord(char) < 0x20 for char in name):
        raise ValidationError(
            "A key's name must not be empty or hold spaces or plus signs.",
            advice="Use a name such as example.org/log.",
            reason="malformed",
        )


def encode_base64(data: bytes) -> str:
    """Standard base64 with padding."""
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def decode_base64(text: str) -> bytes:
    """Read standard base64 in its one canonical spelling.

    Raises:
        ValidationError: For anything else (other alphabet, missing padding, stray bits, white space).
    """
    try:
        data = binascii.a2b_base64(text.encode("ascii"), strict_mode=True)
    except ValueError:
        raise _not_base64() from None
    if encode_base64(data) != text:
        raise _not_base64()
    return data


def _parse(text: str) -> tuple[str, bytes, bytes]:
    match = _KEY.fullmatch(text)
    if match is None:
        raise _malformed()
    blob = decode_base64(match[3])
    if len(blob) != 33:
        # Also a type this version cannot read: its length gives it away before its number does.
        raise _malformed() if blob[:1] in (b"\x01", b"\x04") else _unsupported()
    return match[1], bytes.fromhex(match[2]), blob


def _malformed() -> ValidationError:
    return ValidationError("The key is malformed.", advice="Copy it again, whole.", reason="malformed")


def _unsupported() -> ValidationError:
    return ValidationError(
        "The key is of a type that Muniment does not read.",
        advice="Use an Ed25519 key (type 1) or an Ed25519 cosigner key (type 4).",
        reason="unsupported",
    )


def _not_base64() -> ValidationError:
    return ValidationError("A text is not canonical base64.", advice="Copy it whole.", reason="malformed")
