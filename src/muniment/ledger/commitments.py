"""Salted commitments: the log vouches for a record without holding a word of it.

A record has a random 32-byte salt that lies beside it and is destroyed with it. Then, for each field,

    field salt = HMAC-SHA-256(record salt, "field" ‖ name)
    commitment = HMAC-SHA-256(field salt, "muniment/commit/v1" ‖ 00 ‖ name ‖ 00 ‖ value)

and the log holds one aggregate over the record's commitments:

    aggregate = SHA-256("muniment/aggregate/v1" ‖ 00 ‖ n ‖ part of the first field ‖ … ‖ part of the last),
    part      = len(name) ‖ name ‖ commitment, the n fields sorted by name

with n and len(name) as 2-byte big-endian integers, so that no two sets of fields share an encoding.

While the salt lives, a commitment binds (a second opening is a SHA-256 collision). Without it, a commitment
says nothing: HMAC under an unknown key of 256 bits cannot be told from random bytes, so a dictionary of
likely values is no help. Each field has its own derived salt, so one field can be disclosed (its salt and
value, plus the commitments of the others) while the others stay hidden.

``value`` is the field's canonical bytes; the field's name decides which form that is, so the same bytes never
mean two things under one name: UTF-8 for fields that are always text,
:func:`~muniment.ledger.canonical.canonical` JSON for all others.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from muniment.errors import ValidationError
from muniment.hashing import BLOCK, INNER, OUTER, hmac_sha256, sha256

SALT_SIZE: Final = 32
"""Bytes of randomness per record."""

_COMMIT: Final = b"muniment/commit/v1\x00"
_AGGREGATE: Final = b"muniment/aggregate/v1\x00"
_MAX_NAME: Final = 128

_INNER_REST: Final = bytes(BLOCK - SALT_SIZE).translate(INNER)
_OUTER_REST: Final = bytes(BLOCK - SALT_SIZE).translate(OUTER)
"""What follows a field's salt, a hash itself, when it is padded to a block as the key of the HMAC."""


def commit(salt: bytes, name: str, value: bytes) -> bytes:
    """Commit to one field of a record.

    Args:
        salt: The record's 32-byte salt.
        name: The field's name: printable ASCII, 1 to 128 characters.
        value: The field's canonical bytes.

    Returns:
        The 32-byte commitment.

    Raises:
        ValidationError: If the salt or the name is malformed.

    Example:
        >>> commit(bytes(range(32)), "text", b"Alice lives in Oslo").hex()[:16]
        '5076b9c71cb0ea9c'
    """
    _check_salt(salt)
    salting, prefix, _ = _parts(name)
    return hmac_sha256(hmac_sha256(salt, salting), prefix + value)


def commit_effect(salt: bytes, entry: str, position: int, value: bytes) -> bytes:
    """Commit to one gain or loss that an entry brings to a claim.

    It is salted by the claim it concerns, not by the entry, so that a decision over several claims still
    replays after one of them is erased. The name holds the entry and the position: equal stretches in two
    entries do not show as equal, and opening one effect opens no other.

    Args:
        salt: The salt of the claim that gains or loses.
        entry: The id of the entry that carries the effect.
        position: The effect's place in the entry, from 0.
        value: The canonical bytes of the stretches of valid time.

    Returns:
        The 32-byte commitment.
    """
    _check_salt(salt)
    name = effect_name(entry, position).encode("ascii")
    return hmac_sha256(hmac_sha256(salt, b"field" + name), _COMMIT + name + b"\x00" + value)


def effect_name(entry: str, position: int) -> str:
    """The field name under which :func:`commit_effect` commits."""
    return f"effect/{entry}/{position}"


def commit_record(salt: bytes, fields: Mapping[str, bytes]) -> tuple[bytes, dict[str, bytes]]:
    """Commit to a whole record.

    Args:
        salt: The record's 32-byte salt.
        fields: The canonical bytes of each field, by name; at least one.

    Returns:
        The aggregate for the log, and the commitment of each field by name.

    Raises:
        ValidationError: If the salt or a name is malformed, or there is no field.

    Example:
        >>> top, each = commit_record(bytes(32), {"text": b"tea", "value": b'"tea"'})
        >>> top == aggregate(each)
        True
    """
    _check_salt(salt)
    if not 0 < len(fields) <= 0xFFFF:
        raise _miscounted()
    padded = salt.ljust(BLOCK, b"\x00")
    inner, outer = padded.translate(INNER), padded.translate(OUTER)  # the key of every field's salt, taken in once
    commitments: dict[str, bytes] = {}
    parts = [_AGGREGATE, len(fields).to_bytes(2, "big")]
    for name, salting, part, begun in _plan(tuple(fields)):
        key = sha256(outer + sha256(inner + salting).digest()).digest()
        message = sha256(key.translate(INNER) + begun + fields[name]).digest()
        commitment = commitments[name] = sha256(key.translate(OUTER) + _OUTER_REST + message).digest()
        parts += (part, commitment)
    return sha256(b"".join(parts)).digest(), commitments


def aggregate(commitments: Mapping[str, bytes]) -> bytes:
    """Bind the commitments of all fields of a record into the one hash that the log holds.

    Args:
        commitments: The 32-byte commitment of each field, by name; at least one.

    Returns:
        The 32-byte aggregate. The order of the mapping does not matter.

    Raises:
        ValidationError: If a commitment or a name is malformed, or there is none.
    """
    if not 0 < len(commitments) <= 0xFFFF:
        raise _miscounted()
    parts = [_AGGREGATE, len(commitments).to_bytes(2, "big")]
    for name in sorted(commitments):
        commitment = commitments[name]
        if len(commitment) != 32:
            raise ValidationError("A commitment must be 32 bytes.", advice="Take it from commit().", reason="malformed")
        parts.append(_parts(name)[2])
        parts.append(commitment)
    return sha256(b"".join(parts)).digest()


def field_salt(salt: bytes, name: str) -> bytes:
    """Derive the salt of one field: what to hand over to disclose that field and no other."""
    _check_salt(salt)
    return hmac_sha256(salt, _parts(name)[0])


def open_field(
    aggregate_hash: bytes, name: str, value: bytes, salt_of_field: bytes, others: Mapping[str, bytes]
) -> bool:
    """Say whether a disclosed field is part of the record that the log vouches for.

    Args:
        aggregate_hash: The aggregate from the log entry.
        name: The disclosed field's name.
        value: Its canonical bytes.
        salt_of_field: Its derived salt, as :func:`field_salt` gives it.
        others: The commitments of all other fields of the record, by name.

    Returns:
        True if it is. False for a different value, salt, name or set of fields, and for malformed input.

    Example:
        >>> salt = bytes(32)
        >>> top, each = commit_record(salt, {"text": b"tea", "author": b"ann"})
        >>> open_field(top, "text", b"tea", field_salt(salt, "text"), {"author": each["author"]})
        True
    """
    from hmac import compare_digest

    if name in others or len(salt_of_field) != SALT_SIZE:
        return False
    try:
        commitment = hmac_sha256(salt_of_field, _parts(name)[1] + value)
        return compare_digest(aggregate({**others, name: commitment}), aggregate_hash)
    except ValidationError:
        return False


@lru_cache(maxsize=64)
def _plan(names: tuple[str, ...]) -> tuple[tuple[str, bytes, bytes, bytes], ...]:
    """The names of a record's fields in order, each with what it contributes to the salt, the aggregate, the commitment.

    The last one comes after the rest of the padded key.
    """
    plan = []
    for name in sorted(names):
        salting, prefix, part = _parts(name)
        plan.append((name, salting, part, _INNER_REST + prefix))
    return tuple(plan)


@lru_cache(maxsize=256)  # a schema has a few dozen names; the bound keeps hostile ones from piling up
def _parts(name: str) -> tuple[bytes, bytes, bytes]:
    """What a field's name contributes: to the salt derivation, to the commitment, to the aggregate."""
    if not (name.isascii() and name.isprintable() and 0 < len(name) <= _MAX_NAME):
        raise ValidationError(
            "A field's name must be 1 to 128 characters of printable ASCII.", advice="Put other text into the field."
        )
    raw = name.encode("ascii")
    return b"field" + raw, _COMMIT + raw + b"\x00", len(raw).to_bytes(2, "big") + raw


def _check_salt(salt: bytes) -> None:
    if len(salt) != SALT_SIZE:
        raise ValidationError(
            "A record's salt must be 32 bytes.", advice="Draw it from the system's entropy.", reason="malformed"
        )


def _miscounted() -> ValidationError:
    return ValidationError(
        "A record must have from 1 to 65535 fields to commit to.", advice="Leave out what is not there."
    )
