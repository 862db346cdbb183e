"""Signed notes (C2SP signed-note) and timestamped cosignatures (C2SP tlog-cosignature).

A note is a text that ends in a newline, an empty line, and one or more signature lines::

    — <key name> <base64(key id ‖ signature)>

Signatures by keys the reader does not know are ignored. A signature that claims a known key and fails
condemns the whole note, and a note without any valid known signature is rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from muniment.errors import ValidationError
from muniment.ledger.keys import (
    COSIGNATURE,
    SigningKey,
    VerifyingKey,
    check_key_name,
    decode_base64,
    encode_base64,
)
from muniment.quick import dataclass

MAX_NOTE_SIZE: Final = 1_000_000
"""Bytes. A longer note is refused unread."""

MAX_SIGNATURES: Final = 100
MAX_TIMESTAMP: Final = 2**63 - 1

_LINE: Final = re.compile("— ([^\n ]+) ([A-Za-z0-9+/=]+)\n")
_CONTROL: Final = re.compile("[\x00-\x09\x0b-\x1f]")


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line: the key's name, its 4-byte id, and the signature, with its time if it has one."""

    name: str
    key_id: bytes
    payload: bytes

    @property
    def line(self) -> str:
        """The line as it stands in the note, with its newline."""
        return f"— {self.name} {encode_base64(self.key_id + self.payload)}\n"


@dataclass(frozen=True, slots=True)
class Note:
    """A text (ending in a newline) and its signatures, verified or not."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def with_signatures(self, *more: NoteSignature) -> Note:
        """Return the note with further signature lines at its end."""
        return Note(self.text, (*self.signatures, *more))


@dataclass(frozen=True, slots=True)
class Signed:
    """A signature that was verified. A cosignature has a time, in seconds since 1970."""

    key: VerifyingKey
    timestamp: int | None = None


def parse_note(data: bytes | str) -> Note:
    """Split a note into its text and its signature lines, without verifying anything.

    Args:
        data: The note, as UTF-8 bytes or as text.

    Raises:
        ValidationError: If it is not a well-formed note.
    """
    try:
        note = data.decode() if isinstance(data, bytes) else data
        size = len(note.encode())
    except UnicodeError:
        raise _malformed("not UTF-8") from None
    if size > MAX_NOTE_SIZE:
        raise _malformed("too long")
    if _CONTROL.search(note):
        raise _malformed("control character")
    split = note.rfind("\n\n")  # the text may hold empty lines of its own: the last one counts
    if split < 0:
        raise _malformed("no signatures")
    lines = note[split + 2 :].split("\n")
    if lines.pop() != "" or not 0 < len(lines) <= MAX_SIGNATURES:
        raise _malformed("signature lines")
    return Note(note[: split + 1], tuple(parse_signature_line(line + "\n") for line in lines))


def parse_signature_line(line: str) -> NoteSignature:
    """Read one signature line, with its newline.

    Raises:
        ValidationError: If it is malformed.
    """
    match = _LINE.fullmatch(line)
    if match is None:
        raise _malformed("signature line")
    check_key_name(match[1])
    blob = decode_base64(match[2])
    if len(blob) < 5:
        raise _malformed("signature too short")
    return NoteSignature(match[1], blob[:4], blob[4:])


def format_note(note: Note) -> str:
    """Write a note as text.

    Raises:
        ValidationError: If its text cannot be the text of a note, or it has no signature.
    """
    _check_text(note.text)
    if not note.signatures:
        raise _malformed("no signatures")
    return note.text + "\n" + "".join([signature.line for signature in note.signatures])


def sign_text(text: str, key: SigningKey) -> NoteSignature:
    """Sign the text of a note with an Ed25519 note key.

    Args:
        text: The text, ending in a newline.
        key: A signing key of type 1.

    Example:
        >>> from muniment.ledger.keys import signing_key
        >>> key = signing_key("example.org/k", bytes(32))
        >>> note = Note("hello\\n", (sign_text("hello\\n", key),))
        >>> verify_note(note, [key.verifying])[0].key.name
        'example.org/k'
    """
    _check_text(text)
    if key.verifying.kind == COSIGNATURE:
        raise ValidationError(
            "A cosigner key signs checkpoints with a time, not plain notes.", advice="Use cosign().", reason="key_type"
        )
    return NoteSignature(key.verifying.name, key.verifying.id, key.sign(text.encode()))


def cosignature_message(text: str, timestamp: int) -> bytes:
    """The bytes that a cosignature/v1 signs: a label, the time in seconds, and the whole checkpoint text."""
    return f"cosignature/v1\ntime {timestamp}\n{text}".encode()


def verify_note(note: Note, keys: Iterable[VerifyingKey]) -> tuple[Signed, ...]:
    """Verify every signature of a note that is by a known key.

    Args:
        note: A parsed note.
        keys: The keys the reader knows, note keys and cosigner keys.

    Returns:
        One result per key that signed, in the order of the lines; further lines by the same key count once.

    Raises:
        ValidationError: With ``details["reason"]``: ``bad_signature`` if a signature that names a known key
            fails, ``no_known_signature`` if there is none, ``ambiguous_keys`` if two given keys share name
            and id.
    """
    known: dict[tuple[str, bytes], VerifyingKey] = {}
    for key in keys:
        if known.setdefault((key.name, key.id), key) != key:
            raise ValidationError(
                "Two of the given keys have the same name and key id.", advice="Pass only one.", reason="ambiguous_keys"
            )
    found: dict[VerifyingKey, Signed] = {}
    for signature in note.signatures:
        signer = known.get((signature.name, signature.key_id))
        if signer is None:
            continue
        signed = _verify(note.text, signature, signer)
        if signed is None:
            raise ValidationError(
                "A signature on a note does not verify.",
                advice="The note was altered, or its signer is not who it says: do not trust it.",
                reason="bad_signature",
            )
        found.setdefault(signer, signed)
    if not found:
        raise ValidationError(
            "A note has no signature by a known key.",
            advice="Check that the key given is the one that signs here.",
            reason="no_known_signature",
        )
    return tuple(found.values())


def _verify(text: str, signature: NoteSignature, key: VerifyingKey) -> Signed | None:
    payload = signature.payload
    if key.kind != COSIGNATURE:
        return Signed(key) if key.verifies(text.encode(), payload) else None
    timestamp = int.from_bytes(payload[:8], "big")
    if len(payload) != 72 or timestamp > MAX_TIMESTAMP:
        return None
    return Signed(key, timestamp) if key.verifies(cosignature_message(text, timestamp), payload[8:]) else None


def _check_text(text: str) -> None:
    if not text.endswith("\n") or _CONTROL.search(text):
        raise _malformed("text")


def _malformed(what: str) -> ValidationError:
    return ValidationError(
        f"A signed note is malformed ({what}).",
        advice="Take it again from its source, byte by byte.",
        reason="malformed",
    )
