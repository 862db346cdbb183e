"""Leaves, packed: the canonical JSON of an entry in fewer than half its bytes.

A leaf is JSON so that anybody can check it, and most of it is names of members, hexadecimal and base64. Stored, it is
kept as a small binary record that unpacks to exactly the same bytes; a leaf that would not (a later format, or one
that was tampered with) is kept as it is. Nothing but the store knows of this form.

    1 byte   form: 1
    1 byte   which members are there (bits of _HAS)
    8 bytes  at · 16 bytes id · 1 byte type
    then, where there: disposition, channel, rank (1 byte each), line (16), rec (32),
    fx (2 bytes count, then 16 + 1 + 32 each), the rest (refs and x) as JSON
"""

from __future__ import annotations

import re
import struct
from binascii import a2b_base64, b2a_base64
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from muniment import jsontext
from muniment.beliefs.state import Disposition
from muniment.claims.channels import Channel
from muniment.errors import ValidationError
from muniment.ledger.canonical import MAX_INTEGER
from muniment.ledger.entries import MAX_LEAF_SIZE, EntryType, Leaf, decode
from muniment.ledger.parts import MOST, OF, PART, PARTS

if TYPE_CHECKING:
    from muniment.store.audit import Stated

_PLAIN: Final = 0
_PACKED: Final = 1

_TYPES: Final = [t.value for t in EntryType]
_DISPOSITIONS: Final = [d.value for d in Disposition]
_CHANNELS: Final = [c.value for c in Channel]
# The stored numbers are places in these lists: they may grow at the end and nowhere else.
_TYPE_AT: Final = {name: place for place, name in enumerate(_TYPES)}
_DISPOSITION_AT: Final = {name: place for place, name in enumerate(_DISPOSITIONS)}
_CHANNEL_AT: Final = {name: place for place, name in enumerate(_CHANNELS)}

_BYTES: Final = [bytes([n]) for n in range(256)]
_CH, _DISP, _FX, _LINE, _RANK, _REC, _REST = (1 << bit for bit in range(7))
_HEAD: Final = struct.Struct(">BBq16sB")
_is_uuid: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch
_is_hash: Final = re.compile(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]").fullmatch
_STANDARD: Final = bytes.maketrans(b"-_", b"+/")
_URL: Final = bytes.maketrans(b"+/", b"-_")
_SIGNS: Final = {"+": b"+", "-": b"-"}
_GAIN: Final = ord("+")
_FULL: Final = MOST * 40
"""Bytes: fewer than any leaf takes that is full, and so may be continued."""


def pack(leaf: bytes) -> bytes:
    """Return a leaf in its stored form.

    Args:
        leaf: Canonical JSON of an entry.

    Example:
        >>> leaf = b'{"at":1700000000000000,"id":"0190a5b0-0000-7000-8000-000000000001","rank":4,"t":"claim","v":1}'
        >>> len(leaf), len(pack(leaf)), unpack(pack(leaf)) == leaf
        (94, 28, True)
    """
    try:
        return pack_leaf(decode(leaf), leaf)
    except ValidationError:  # not a leaf of this format
        return bytes([_PLAIN]) + leaf


def pack_leaf(leaf: Leaf, spelled: bytes) -> bytes:
    """Return a leaf in its stored form, from its members, where whoever writes it has them at hand.

    Args:
        leaf: An entry that :func:`muniment.ledger.entries.encode` took, so each of its members is well-formed.
        spelled: The bytes that it gave.
    """
    try:
        has, words = _words(leaf.disposition, leaf.channel, leaf.rank)
        parts = [b"", words]
        id = bytes.fromhex(leaf.id.replace("-", ""))
        if leaf.line is not None:
            has |= _LINE
            parts.append(id if leaf.line == leaf.id else bytes.fromhex(leaf.line.replace("-", "")))
        if leaf.record is not None:
            has |= _REC
            parts.append(a2b_base64(leaf.record.encode().translate(_STANDARD) + b"="))
        if leaf.effects:
            has |= _FX
            parts.append(len(leaf.effects).to_bytes(2, "big"))
            for claim, sign, commitment in leaf.effects:
                hash_ = a2b_base64(commitment.encode().translate(_STANDARD) + b"=")
                parts += (id if claim == leaf.id else bytes.fromhex(claim.replace("-", "")), _SIGNS[sign], hash_)
        if leaf.refs or leaf.extra:
            rest: dict[str, Any] = {"refs": leaf.refs} if leaf.refs else {}
            if leaf.extra:
                rest["x"] = {name: leaf.extra[name] for name in sorted(leaf.extra)}
            has |= _REST
            parts.append(jsontext.dumps(rest))
        parts[0] = _HEAD.pack(_PACKED, has, leaf.recorded_at, id, _TYPE_AT[leaf.type])
        return b"".join(parts)
    except KeyError:  # a word that has no number here
        return bytes([_PLAIN]) + spelled


@lru_cache(maxsize=256)
def _words(disposition: str | None, channel: str | None, rank: int | None) -> tuple[int, bytes]:
    """Return which of three members are there, and their bytes: there are some dozens of combinations.

    Raises:
        KeyError: For a word that has no number here.
    """
    has = (disposition is not None and _DISP) | (channel is not None and _CH) | (rank is not None and _RANK)
    packed = b"" if disposition is None else _BYTES[_DISPOSITION_AT[disposition]]
    packed += b"" if channel is None else _BYTES[_CHANNEL_AT[channel]]
    return has, packed + (b"" if rank is None else _BYTES[rank & 0xFF])


def unpack(stored: bytes) -> bytes:
    """Return the canonical bytes of a stored leaf; damaged bytes give bytes that match no hash."""
    form = stored[:1]
    if form == bytes([_PLAIN]):
        return stored[1:]
    try:
        return _unpack(stored) if form == bytes([_PACKED]) else b""
    except (IndexError, ValueError, struct.error):
        return b""


def spelled(stored: bytes) -> tuple[bytes, dict[str, Any] | None]:
    """Return the canonical bytes of a stored leaf, and its members where the packed form leaves nothing to judge.

    What was packed without references and structural facts has ids, commitments and words that are well-formed by
    construction; the numbers and signs are looked at here. Of everything else the members are None.
    """
    if stored[:1] != bytes([_PACKED]):
        return unpack(stored), None
    try:
        members = _members(stored)
    except (IndexError, ValueError, struct.error):
        return b"", None
    sound = not stored[1] & _REST and 0 <= members["at"] <= MAX_INTEGER and -16 <= members.get("rank", 0) <= 16
    if "fx" in members:
        effects = members["fx"] = list(map(list, members["fx"]))
        sound = sound and bool(effects) and all(sign in _SIGNS for _, sign, _ in effects)
    leaf = jsontext.dumps(members)
    return leaf, members if sound and len(leaf) <= MAX_LEAF_SIZE else None


def stated(stored: bytes) -> Stated:
    """Return what a stored leaf states, without making its text; of damaged bytes, nothing."""
    from muniment.store.audit import Stated

    try:
        if stored[:1] == bytes([_PACKED]):
            return _stated(stored)
        leaf = jsontext.loads(stored[1:])
        return Stated(
            leaf["t"], _uuid_bytes(leaf["id"]), leaf["at"], _uuid_bytes(leaf["line"]) if "line" in leaf else None,
            leaf.get("disp"), leaf.get("rank", 0), _hash_bytes(leaf["rec"]) if "rec" in leaf else b"",
            [(_uuid_bytes(claim), sign == "+", _hash_bytes(hash_)) for claim, sign, hash_ in leaf.get("fx", ())],
        )  # fmt: skip
    except (IndexError, KeyError, ValueError, TypeError, AttributeError, struct.error):
        return Stated("", b"", 0, None, None, 0, b"", [])


def parts(stored: bytes) -> int:
    """Return how many continuations a stored leaf says that it has; 0 for all but the few that could have any."""
    if len(stored) < _FULL:
        return 0
    try:
        found = jsontext.loads(unpack(stored))["x"][PARTS]
    except (KeyError, ValueError, TypeError):
        return 0
    return found if type(found) is int and found > 0 else 0


def continues(stored: bytes, id: bytes, part: int) -> bool:
    """Say whether a stored leaf is that part of the entry of an id."""
    try:
        leaf = jsontext.loads(unpack(stored))
        return leaf["t"] == "continue" and (_uuid_bytes(leaf["x"][OF]), leaf["x"][PART]) == (id, part)
    except (KeyError, ValueError, TypeError, AttributeError):
        return False


def record(stored: bytes) -> tuple[bytes, bytes]:
    """Return (id, aggregate commitment) of a stored leaf without unpacking it; empty bytes where there is none."""
    if len(stored) < _HEAD.size or stored[0] != _PACKED:
        return b"", b""
    has = stored[1]
    if not has & _REC:
        return stored[10:26], b""
    at = 27 + bool(has & _DISP) + bool(has & _CH) + bool(has & _RANK) + (16 if has & _LINE else 0)
    return stored[10:26], stored[at : at + 32]


def _uuid_bytes(text: str) -> bytes:
    if _is_uuid(text) is None:
        raise ValueError
    return bytes.fromhex(text.replace("-", ""))


def _hash_bytes(text: str) -> bytes:
    if _is_hash(text) is None:
        raise ValueError
    return a2b_base64(text.encode().translate(_STANDARD) + b"=")


def _unpack(stored: bytes) -> bytes:
    return jsontext.dumps(_members(stored))


def _members(stored: bytes) -> dict[str, Any]:
    """Return the members of a packed leaf in the order of the canonical form."""
    _, has, recorded, id_, type_ = _HEAD.unpack_from(stored)
    at = _HEAD.size
    members: dict[str, Any] = {"at": recorded}
    small: dict[str, Any] = {}
    if has & _DISP:
        small["disp"] = _DISPOSITIONS[stored[at]]
        at += 1
    if has & _CH:
        members["ch"] = _CHANNELS[stored[at]]
        at += 1
    if has & _RANK:
        small["rank"] = struct.unpack_from(">b", stored, at)[0]
        at += 1
    if has & _LINE:
        small["line"] = _uuid(stored, at)
        at += 16
    if has & _REC:
        small["rec"] = _text(stored, at)
        at += 32
    if has & _FX:
        count = int.from_bytes(stored[at : at + 2], "big")
        at += 2
        small["fx"] = [
            (_uuid(stored, p), chr(stored[p + 16]), _text(stored, p + 17)) for p in range(at, at + 49 * count, 49)
        ]
        at += 49 * count
    if has & _REST:
        small.update(jsontext.loads(stored[at:]))
    elif at != len(stored):
        raise ValueError  # cut short, or something hangs on
    # In sorted order, as the canonical form has them.
    for name in ("disp", "fx"):
        if name in small:
            members[name] = small[name]
    members["id"] = _uuid(id_, 0)
    for name in ("line", "rank", "rec", "refs"):
        if name in small:
            members[name] = small[name]
    members["t"], members["v"] = _TYPES[type_], 1
    if "x" in small:
        members["x"] = small["x"]
    return members


def _stated(stored: bytes) -> Stated:
    from muniment.store.audit import Stated

    _, has, recorded, id_, type_ = _HEAD.unpack_from(stored)
    at = _HEAD.size
    disposition = line = None
    rank, commitment = 0, b""
    if has & _DISP:
        disposition = _DISPOSITIONS[stored[at]]
        at += 1
    if has & _CH:
        at += 1
    if has & _RANK:
        rank = stored[at] - 256 * (stored[at] > 127)
        at += 1
    if has & _LINE:
        line = stored[at : at + 16]
        at += 16
    if has & _REC:
        commitment = stored[at : at + 32]
        at += 32
    effects: list[tuple[bytes, bool, bytes]] = []
    if has & _FX:
        count = stored[at] << 8 | stored[at + 1]
        for p in range(at + 2, at + 2 + 49 * count, 49):
            effects.append((stored[p : p + 16], stored[p + 16] == _GAIN, stored[p + 17 : p + 49]))
    return Stated(_TYPES[type_], id_, recorded, line, disposition, rank, commitment, effects)


def _uuid(data: bytes, at: int) -> str:
    h = data[at : at + 16].hex()
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def _text(data: bytes, at: int) -> str:
    return b2a_base64(data[at : at + 32], newline=False)[:43].translate(_URL).decode()
