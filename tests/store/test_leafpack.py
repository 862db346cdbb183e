"""Packed leaves unpack to the same bytes, whatever they are."""

from __future__ import annotations

import struct

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.beliefs.state import Disposition
from muniment.claims.channels import Channel
from muniment.ledger.base64url import hash_to_text
from muniment.ledger.entries import EntryType, Leaf, encode
from muniment.store.sqlite.leafpack import pack, record, unpack

_uuids = st.uuids().map(str)
_hashes = st.binary(min_size=32, max_size=32).map(hash_to_text)
_leaves = st.builds(
    Leaf,
    id=_uuids,
    type=st.sampled_from(EntryType),
    recorded_at=st.integers(0, 2**53 - 1),
    line=st.none() | _uuids,
    disposition=st.none() | st.sampled_from([d.value for d in Disposition] + ["unheard_of"]),
    channel=st.none() | st.sampled_from([c.value for c in Channel]),
    rank=st.none() | st.integers(-16, 16),
    refs=st.lists(st.tuples(st.sampled_from(["parent", "target"]), _uuids), max_size=3).map(tuple),
    effects=st.lists(st.tuples(_uuids, st.sampled_from(["+", "-"]), _hashes), max_size=3).map(tuple),
    record=st.none() | _hashes,
    extra=st.dictionaries(st.sampled_from(["origin", "n"]), st.integers(-5, 5) | st.just("x/y"), max_size=2),
)


@given(_leaves)
def test_every_leaf_comes_back_to_the_byte(leaf: Leaf) -> None:
    data = encode(leaf)
    packed = pack(data)
    assert unpack(packed) == data
    if leaf.disposition != "unheard_of":
        assert len(packed) < len(data)
        assert record(packed)[0].hex() == leaf.id.replace("-", "")
        assert hash_to_text(record(packed)[1]) == leaf.record if leaf.record else record(packed)[1] == b""


@given(st.binary(max_size=200))
def test_what_is_no_leaf_comes_back_to_the_byte(data: bytes) -> None:
    assert unpack(pack(data)) == data


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.replace(b'":', b'": ', 1),
        lambda d: d.replace(b'"v":1', b'"v":1.0'),
        lambda d: d.replace(b'"v":1', b'"v":2'),
        lambda d: d[:-1] + b',"z":1}',
        lambda d: d.upper(),
        lambda d: d.replace(b'"+"', b'"*"'),
    ],
)
def test_another_spelling_is_kept_as_it_is(spoil: object) -> None:
    leaf = Leaf("0190a5b0-0000-7000-8000-00000000000a", EntryType.CLAIM, 5, effects=(
        ("0190a5b0-0000-7000-8000-00000000000b", "+", hash_to_text(bytes(32))),), record=hash_to_text(b"\xff" * 32),
    )  # fmt: skip
    data = spoil(encode(leaf))  # type: ignore[operator]
    assert unpack(pack(data)) == data


def test_a_commitment_whose_last_digit_has_spare_bits_is_not_rounded() -> None:
    text = hash_to_text(bytes(32))[:-1] + "B"  # decodes to the same bytes, and is another text
    data = orjson.dumps({"at": 1, "id": "0190a5b0-0000-7000-8000-00000000000a", "rec": text, "t": "claim", "v": 1})
    assert unpack(pack(data)) == data


@given(_leaves, st.data())
def test_a_damaged_leaf_never_raises_and_never_passes(leaf: Leaf, data: st.DataObject) -> None:
    packed = bytearray(pack(encode(leaf)))
    at = data.draw(st.integers(0, len(packed) - 1))
    packed[at] ^= data.draw(st.integers(1, 255))
    assert unpack(bytes(packed)) != encode(leaf)
    record(bytes(packed))
    for cut in range(0, len(packed), 7):
        unpack(bytes(packed[:cut]))


def test_the_places_of_the_words_are_those_of_the_format() -> None:
    """The stored numbers are places in these lists; a list may grow at its end and nowhere else."""
    assert [t.value for t in EntryType][:10] == [
        "genesis", "key_policy", "key_add", "key_revoke", "key_destroyed", "schema", "checkpoint", "claim", "reinforce",
        "reentry",
    ]  # fmt: skip
    assert [d.value for d in Disposition][:5] == [
        "accepted",
        "succession",
        "backfilled",
        "superseded_prior",
        "reinforced",
    ]
    assert [c.value for c in Channel] == ["user", "tool", "agent", "model", "document", "recall"]
    assert struct.calcsize(">BBq16sB") == 27
