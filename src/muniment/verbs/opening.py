"""Opening a namespace: its log is born with two entries, its pepper and its key with it."""

from __future__ import annotations

from hmac import digest

import orjson

from muniment.beliefs.state import Disposition, Ruling
from muniment.claims.text import check_text
from muniment.errors import TamperedError, ValidationError
from muniment.ledger.base64url import hash_to_text
from muniment.ledger.entries import EntryType
from muniment.ledger.genesis import genesis_leaf, key_policy_leaf
from muniment.protocols import Clock, Entropy, Ids
from muniment.store.keyhome import KeyHome
from muniment.store.protocol import Reader, Store, Writer
from muniment.verbs import journal

SCHEMA = 1
"""Version of the stored form that the genesis entry records."""


def check_namespace(name: object) -> str:
    """Check the name of a namespace."""
    text = check_text(name, "namespace", limit_bytes=256, allow_newlines=False)
    if text != text.strip():
        raise ValidationError("A namespace must not begin or end with white space.", advice="Trim it.")
    return text


def open_namespace(store: Store, name: str, clock: Clock, ids: Ids, entropy: Entropy, keys: KeyHome) -> bytes:
    """Return the pepper of a namespace; the namespace and its log are created if need be.

    Args:
        store: Where it lives.
        name: Its name.
        clock, ids, entropy: Injected.
        keys: Where the log key goes.
    """
    pepper = store.pepper(name)
    if pepper is not None:
        known = pepper
        store.read(name, lambda reader: check_name(reader, name, known))
        return pepper
    secret = entropy.token(32)

    def genesis(writer: Writer) -> None:
        origin = f"muniment.local/{entropy.token(16).hex()}"
        vkey = keys.create(origin, entropy.token(32)).verifying.vkey
        born = Ruling(Disposition.ACCEPTED)
        for type_ in (EntryType.GENESIS, EntryType.KEY_POLICY):
            at = max(clock.now(), writer.ns.last_at + 1)
            id_ = ids.new(at)
            if type_ is EntryType.GENESIS:
                leaf = genesis_leaf(id_, at, origin=origin, log_key=vkey, schema=SCHEMA, name=name_hash(secret, name))
            else:
                leaf = key_policy_leaf(id_, at, {"log": vkey})
            journal.append_leaf(writer, leaf, journal.Draft(id_, type_, at, None, None, 0, born))

    return store.create(name, secret, genesis)


def name_hash(pepper: bytes, name: str) -> str:
    """Return what the first entry of a log says of its namespace: a keyed hash of the name."""
    return hash_to_text(digest(pepper, b"namespace\x00" + name.encode(), "sha256"))


def check_name(reader: Reader, name: str, pepper: bytes) -> None:
    """Check that a namespace is the one its log was begun for.

    Raises:
        TamperedError: If its name was changed, or another's rows were put in its place.
    """
    entry = reader.entry_at(0)
    if entry is None:
        return  # verify tells of a log without a beginning
    try:
        said = orjson.loads(entry.leaf)["x"]["name"]
    except (ValueError, KeyError, TypeError):
        said = None
    if said != name_hash(pepper, name):
        raise TamperedError(
            "The log of this namespace was begun under another name.",
            advice="The names of namespaces were changed in the file; restore it from a backup.",
        )
