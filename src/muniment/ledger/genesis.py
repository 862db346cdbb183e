"""The two entries every log is born with: genesis (entry 0) and the key policy (entry 1)."""

from __future__ import annotations

from collections.abc import Mapping

from muniment.errors import ValidationError
from muniment.ledger.checkpoints import check_origin
from muniment.ledger.entries import SUITE, EntryType, Leaf
from muniment.ledger.keys import ED25519, parse_vkey


def genesis_leaf(
    entry: str, recorded_at: int, *, origin: str, log_key: str, schema: int, name: str | None = None
) -> Leaf:
    """Describe the log itself: what it is called, who signs for it, how it is written.

    Args:
        entry: The id of entry 0.
        recorded_at: Microseconds since 1970-01-01T00:00Z.
        origin: The log's name, unique for ever: a URL without scheme. Never one that names a person: it
            stays.
        log_key: The vkey of the key that signs its checkpoints (type 1). Its name is the origin.
        schema: The version of the store's schema.
        name: A keyed hash of the namespace's name, as base64url, so that no other can pass for it.

    Raises:
        ValidationError: If the origin or the key is malformed, or the key has another name.
    """
    check_origin(origin)
    key = parse_vkey(log_key)
    if key.name != origin or key.kind != ED25519:
        raise ValidationError(
            "A log's key must be a note key (type 1) that bears the log's origin as its name.",
            advice="Make it with signing_key(origin, seed).",
        )
    extra: dict[str, int | str] = {"origin": origin, "log_key": log_key, "schema": schema, "suite": SUITE}
    if name is not None:
        extra["name"] = name
    return Leaf(entry, EntryType.GENESIS, recorded_at, extra=extra)


def key_policy_leaf(entry: str, recorded_at: int, roles: Mapping[str, str]) -> Leaf:
    """Say which key speaks in which role, from entry 1 until a later entry adds or revokes one.

    Args:
        entry: The id of entry 1.
        recorded_at: Microseconds since 1970-01-01T00:00Z, after the genesis.
        roles: The vkey for each role (``log``, ``writer``, ``eraser``, ``witness``, ``certificate``); at
            least ``log``.

    Raises:
        ValidationError: If there is no log key, a key is malformed, or one key has two roles.
    """
    if "log" not in roles:
        raise ValidationError("A key policy must name the log key.", advice="Give the role log its key.")
    publics = [parse_vkey(vkey).public for vkey in roles.values()]
    if len(set(publics)) != len(publics):
        raise ValidationError("A key is valid for one role only.", advice="Create one key per role.")
    return Leaf(entry, EntryType.KEY_POLICY, recorded_at, extra=dict(roles))
