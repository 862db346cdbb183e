"""Checkpoints (C2SP tlog-checkpoint): what a log, and its witnesses, sign.

A checkpoint is the text of a signed note: the log's origin, the tree size, the root, and possibly extension
lines::

    memory.example/log
    8
    XcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+Nw7/RgQyg=

The log's signature says "this is my tree". A cosignature says "at this time, this was the largest tree of
that log I had seen, and it extends all earlier ones".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from muniment.errors import ValidationError
from muniment.ledger.keys import (
    COSIGNATURE,
    ED25519,
    SigningKey,
    VerifyingKey,
    decode_base64,
    encode_base64,
)
from muniment.ledger.notes import (
    MAX_TIMESTAMP,
    Note,
    NoteSignature,
    Signed,
    cosignature_message,
    sign_text,
    verify_note,
)
from muniment.ledger.tree import EMPTY_ROOT, HASH_SIZE, MAX_SIZE
from muniment.quick import dataclass

_DECIMAL: Final = re.compile(r"0|[1-9][0-9]{0,18}")
_LINE: Final = re.compile(r"[^\x00-\x1f]+")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a log.

    Args:
        origin: The log's name, unique for ever.
        size: Its number of entries.
        root: The 32-byte root of its tree.
        extensions: Further lines. They are signed, and mean nothing to Muniment.
    """

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VerifiedCheckpoint:
    """A checkpoint that its log signed, and the witnesses known to the reader that cosigned it."""

    checkpoint: Checkpoint
    cosigners: tuple[Signed, ...]


def parse_checkpoint(text: str) -> Checkpoint:
    """Read the text of a checkpoint, strictly.

    Args:
        text: The text of the note, with its final newline.

    Raises:
        ValidationError: For missing lines or final newline, a size with leading zeros or beyond 2^63 - 1, a
            root that is not canonical base64 of 32 bytes, or an empty line. Whether size 0 carries the empty
            root is not judged here: a witness answers that with an error of its own.

    Example:
        >>> root = "XcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+Nw7/RgQyg="
        >>> parse_checkpoint(f"memory.example/log\\n8\\n{root}\\n").size
        8
    """
    lines = text.split("\n")
    if lines.pop() != "" or len(lines) < 3:
        raise _malformed("lines")
    origin, size, root, *extensions = lines
    if not all(_LINE.fullmatch(line) for line in lines):
        raise _malformed("lines")
    checkpoint = Checkpoint(origin, parse_decimal(size), decode_base64(root), tuple(extensions))
    if len(checkpoint.root) != HASH_SIZE:
        raise _malformed("root")
    return checkpoint


def format_checkpoint(checkpoint: Checkpoint) -> str:
    """Write a checkpoint of our own as the text of a note.

    Raises:
        ValidationError: If a part is malformed; the origin must suit :func:`check_origin`.
    """
    check_origin(checkpoint.origin)
    if len(checkpoint.root) != HASH_SIZE or not 0 <= checkpoint.size <= MAX_SIZE:
        raise _malformed("size or root")
    check_empty_root(checkpoint)
    lines = [checkpoint.origin, str(checkpoint.size), encode_base64(checkpoint.root), *checkpoint.extensions]
    if not all(_LINE.fullmatch(line) for line in lines):
        raise _malformed("lines")
    return "\n".join(lines) + "\n"


def check_origin(origin: str) -> None:
    """Refuse an origin that is not a schemeless URL-like name without spaces or plus signs.

    Raises:
        ValidationError: If it is not.
    """
    if not 0 < len(origin) <= 255 or re.fullmatch(r"[!-*,-~]+", origin) is None or "://" in origin:
        raise ValidationError(
            "A log's origin must be ASCII without spaces, plus signs or a scheme.",
            advice="Use a form like example.org/memory/1.",
            reason="malformed",
        )


def sign_checkpoint(checkpoint: Checkpoint, key: SigningKey) -> Note:
    """Sign a checkpoint as its log.

    The caller makes sure that the size is durable first: a signature cannot be taken back.

    Args:
        checkpoint: The state to sign.
        key: The log's key, a note key (type 1).
    """
    text = format_checkpoint(checkpoint)
    return Note(text, (sign_text(text, key),))


def cosign(text: str, key: SigningKey, timestamp: int) -> NoteSignature:
    """Cosign a checkpoint as a witness (cosignature/v1).

    The caller has checked that it extends what it cosigned before.

    Args:
        text: The checkpoint's text, verbatim with all its lines.
        key: The witness's key, of type 4.
        timestamp: Seconds since 1970-01-01T00:00Z, at least 1.

    Raises:
        ValidationError: If the text is not a checkpoint, the key is of another type, or the time is out of
            range.
    """
    parse_checkpoint(text)
    if key.verifying.kind != COSIGNATURE:
        raise ValidationError(
            "A cosignature needs a cosigner key (type 4).", advice="Pass the witness's key.", reason="key_type"
        )
    if not 0 < timestamp <= MAX_TIMESTAMP:
        raise ValidationError(
            "A cosignature's time must be in seconds, from 1 to 2^63 - 1.",
            advice="Pass whole seconds, not milliseconds.",
        )
    signature = key.sign(cosignature_message(text, timestamp))
    return NoteSignature(key.verifying.name, key.verifying.id, timestamp.to_bytes(8, "big") + signature)


def verify_checkpoint(
    note: Note, *, origin: str, log_key: VerifyingKey, witnesses: Iterable[VerifyingKey] = ()
) -> VerifiedCheckpoint:
    """Verify a checkpoint: that it is of this log, signed by its key, and who cosigned it.

    Args:
        note: The parsed note.
        origin: The log's name, from the reader, not from the note.
        log_key: The log's key, from the reader.
        witnesses: The cosigner keys the reader knows. How many are enough is for the caller to say.

    Raises:
        ValidationError: With ``details["reason"]``: ``malformed``, ``bad_signature``, ``no_known_signature``
            (also when only witnesses signed), ``wrong_origin``, ``empty_root`` or ``key_type``.
    """
    cosigners = tuple(witnesses)
    if log_key.kind != ED25519 or any(key.kind != COSIGNATURE for key in cosigners):
        raise ValidationError(
            "A log needs a note key (type 1), a witness a cosigner key (type 4).",
            advice="Check which key was given for which.",
            reason="key_type",
        )
    checkpoint = parse_checkpoint(note.text)
    check_empty_root(checkpoint)
    if checkpoint.origin != origin:
        raise ValidationError(
            "A checkpoint is of another log.",
            advice="Compare its first line with the log's origin.",
            reason="wrong_origin",
        )
    signed = verify_note(note, [log_key, *cosigners])
    if all(one.key != log_key for one in signed):
        raise ValidationError(
            "A checkpoint is not signed by its log.",
            advice="Do not rely on it; check that the log's key is the one that was pinned.",
            reason="no_known_signature",
        )
    return VerifiedCheckpoint(checkpoint, tuple([one for one in signed if one.key.kind == COSIGNATURE]))


def parse_decimal(text: str) -> int:
    """Read a tree size or index: decimal, no sign, no leading zeros, at most 2^63 - 1.

    Raises:
        ValidationError: If it is anything else.
    """
    if _DECIMAL.fullmatch(text) is None or int(text) > MAX_SIZE:
        raise _malformed("number")
    return int(text)


def check_empty_root(checkpoint: Checkpoint) -> None:
    """Refuse a checkpoint of size 0 whose root is not that of the empty tree.

    Raises:
        ValidationError: With ``details["reason"]`` ``empty_root``.
    """
    if checkpoint.size == 0 and checkpoint.root != EMPTY_ROOT:
        raise ValidationError(
            "A checkpoint of an empty log has the root of another tree.",
            advice="Do not rely on it.",
            reason="empty_root",
        )


def _malformed(what: str) -> ValidationError:
    return ValidationError(
        f"A checkpoint is malformed ({what}).",
        advice="Take it again from where it is kept, byte by byte.",
        reason="malformed",
    )
