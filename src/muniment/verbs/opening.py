"""Opening a namespace: whether it is the one that its log was begun for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muniment import jsontext
from muniment.claims.text import check_text
from muniment.errors import TamperedError, ValidationError
from muniment.hashing import hmac_sha256
from muniment.ledger.base64url import hash_to_text
from muniment.verbs.identities import portable

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Store
    from muniment.store.records import NamespaceState

SCHEMA = 1
"""Version of the stored form that the genesis entry records."""


def check_namespace(name: object) -> str:
    """Check the name of a namespace."""
    text = check_text(name, "namespace", limit_bytes=256, allow_newlines=False)
    if text != text.strip():
        raise ValidationError("A namespace must not begin or end with white space.", advice="Trim it.")
    return text


def open_namespace(store: Store, name: str) -> bytes | None:
    """Return the pepper of a namespace, or None if there is no namespace of that name.

    Args:
        store: Where it lives.
        name: Its name.

    Raises:
        TamperedError: If it was renamed in the file.
    """
    pepper = store.pepper(name)
    if pepper is not None:
        store.read(name, lambda reader: check_name(reader, name, pepper))
    return pepper


def name_hash(pepper: bytes, name: str) -> str:
    """Return what the first entry of a log says of its namespace: a keyed hash of the name.

    The key is the portable half of the pepper, so that an export can prove under which name its log was begun.
    """
    return hash_to_text(hmac_sha256(portable(pepper), b"namespace\x00" + name.encode()))


def alias(pepper: bytes, name: str, born: str) -> bytes:
    """Return what is kept of a namespace whose log was begun under another name: a proof of both, and that name.

    Args:
        pepper: Its secret.
        name: Its name here.
        born: The name its log was begun under.
    """
    return hmac_sha256(pepper, b"alias\x00" + name.encode() + b"\x00" + born.encode()) + born.encode()


def born_as(ns: NamespaceState) -> str:
    """Return the name that the log of a namespace was begun under.

    Raises:
        TamperedError: If the namespace was imported under another name than it has now.
    """
    if ns.alias is None:
        return ns.name
    try:
        born = ns.alias[32:].decode()
    except UnicodeDecodeError:
        born = ""
    if ns.alias != alias(ns.pepper, ns.name, born):
        raise _renamed()
    return born


def check_name(reader: Reader, name: str, pepper: bytes) -> None:
    """Check that a namespace is the one its log was begun for.

    Raises:
        TamperedError: If its name was changed, or another's rows were put in its place.
    """
    entry = reader.entry_at(0)
    if entry is None:
        return  # verify tells of a log without a beginning
    try:
        said = jsontext.loads(entry.leaf)["x"]["name"]
    except (ValueError, KeyError, TypeError):
        said = None
    if name != reader.ns.name or said != name_hash(pepper, born_as(reader.ns)):
        raise _renamed()


def _renamed() -> TamperedError:
    return TamperedError(
        "The log of this namespace was begun under another name.",
        advice="The names of namespaces were changed in the file; restore it from a backup.",
    )
