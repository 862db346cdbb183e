"""Proof files (C2SP tlog-proof): one entry's place in a signed log, verifiable offline.

::

    c2sp.org/tlog-proof@v1
    extra <base64>             (optional, vouched for by nobody)
    index 5
    <base64 hash>              (the audit path, sibling of the leaf first)

    <checkpoint note, verbatim>
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from muniment.errors import ValidationError
from muniment.ledger.checkpoints import VerifiedCheckpoint, parse_decimal, verify_checkpoint
from muniment.ledger.keys import VerifyingKey, decode_base64, encode_base64
from muniment.ledger.notes import MAX_NOTE_SIZE, Note, format_note, parse_note
from muniment.ledger.tree import HASH_SIZE
from muniment.ledger.tree_verify import MAX_PROOF, verify_inclusion
from muniment.quick import dataclass

HEADER: Final = "c2sp.org/tlog-proof@v1"


@dataclass(frozen=True, slots=True)
class TlogProof:
    """A proof file, parsed but not verified.

    Args:
        index: The entry's position in the log, from 0.
        path: The inclusion proof: 32-byte hashes, sibling of the leaf first.
        note: The signed checkpoint of the tree that the path leads to.
        extra: Free bytes for the application. Nothing vouches for them.
    """

    index: int
    path: tuple[bytes, ...]
    note: Note
    extra: bytes | None = None


def format_proof(proof: TlogProof) -> str:
    """Write a proof file."""
    lines = [HEADER]
    if proof.extra is not None:
        lines.append(f"extra {encode_base64(proof.extra)}")
    lines.append(f"index {proof.index}")
    lines.extend([encode_base64(hash_) for hash_ in proof.path])
    return "\n".join(lines) + "\n\n" + format_note(proof.note)


def parse_proof(data: bytes | str) -> TlogProof:
    """Read a proof file, without verifying it.

    Args:
        data: The file, as UTF-8 bytes or as text.

    Raises:
        ValidationError: If it is malformed.
    """
    if len(data) > 2 * MAX_NOTE_SIZE:
        raise _malformed("too long")
    try:
        text = data.decode() if isinstance(data, bytes) else data
    except UnicodeError:
        raise _malformed("not UTF-8") from None
    head, blank, note = text.partition("\n\n")
    lines = head.split("\n")
    if not blank or lines.pop(0) != HEADER or not lines:
        raise _malformed("header")
    extra = None
    if lines[0].startswith("extra "):
        extra = decode_base64(lines.pop(0).removeprefix("extra "))
    if not lines or not lines[0].startswith("index "):
        raise _malformed("index")
    index = parse_decimal(lines.pop(0).removeprefix("index "))
    path = tuple([decode_base64(line) for line in lines])
    if len(path) > MAX_PROOF or any(len(hash_) != HASH_SIZE for hash_ in path):
        raise _malformed("path")
    return TlogProof(index, path, parse_note(note), extra)


def verify_proof(
    proof: TlogProof,
    leaf: bytes,
    *,
    origin: str,
    log_key: VerifyingKey,
    witnesses: Iterable[VerifyingKey] = (),
    threshold: int = 0,
) -> VerifiedCheckpoint:
    """Verify that a log that the reader trusts holds an entry.

    Args:
        proof: The parsed proof.
        leaf: The 32-byte leaf hash, which the reader computes from the entry itself.
        origin: The log's name, from the reader.
        log_key: The log's key, from the reader.
        witnesses: The cosigner keys the reader knows.
        threshold: How many of them, at least, must have cosigned. Two names for one key count once.

    Returns:
        The checkpoint and its cosigners.

    Raises:
        ValidationError: As for :func:`~muniment.ledger.checkpoints.verify_checkpoint`, and with
            ``details["reason"]`` ``quorum`` if too few witnesses cosigned, ``not_included`` if the path does
            not lead to the root.
    """
    verified = verify_checkpoint(proof.note, origin=origin, log_key=log_key, witnesses=witnesses)
    if len({signed.key.public for signed in verified.cosigners}) < threshold:
        raise ValidationError(
            "Too few known witnesses cosigned a checkpoint.",
            advice="Fetch a newer proof, or check the list of witnesses.",
            reason="quorum",
            needed=threshold,
        )
    checkpoint = verified.checkpoint
    if not verify_inclusion(leaf, proof.index, checkpoint.size, proof.path, checkpoint.root):
        raise ValidationError(
            "The proof does not show the entry in the log.",
            advice="The entry, its position or the proof was altered.",
            reason="not_included",
        )
    return verified


def _malformed(what: str) -> ValidationError:
    return ValidationError(
        f"A proof file is malformed ({what}).", advice="Ask for it again; it proves nothing.", reason="malformed"
    )
