"""Founding a namespace: its log is born with two entries, its pepper and its key with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muniment.beliefs.state import Disposition, Ruling
from muniment.ledger.entries import EntryType
from muniment.ledger.genesis import genesis_leaf, key_policy_leaf
from muniment.protocols import Clock, Entropy, Ids
from muniment.store.keyhome import KeyHome
from muniment.verbs import journal
from muniment.verbs.opening import SCHEMA, name_hash

if TYPE_CHECKING:
    from muniment.store.protocol import Store, Writer


def found_namespace(store: Store, name: str, clock: Clock, ids: Ids, entropy: Entropy, keys: KeyHome) -> bytes:
    """Make a namespace and its log, unless somebody else has meanwhile; return its pepper.

    Args:
        store: Where it will live.
        name: Its name, checked.
        clock, ids, entropy: Injected.
        keys: Where the log key goes.
    """
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
