"""The quick judgement of a leaf is the strict one."""

from __future__ import annotations

import random

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.errors import ValidationError
from muniment.evidence.leaves import read_leaf
from muniment.ledger.entries import EntryType, Leaf, decode, encode
from muniment.store.sqlite.leafpack import pack, spelled

ID = "0190a5b0-0000-7000-8000-000000000001"
HASH = "A" * 43

leaves = st.builds(
    Leaf,
    st.just(ID),
    st.sampled_from(EntryType),
    st.integers(0, 2**53 - 1),
    line=st.sampled_from([None, ID]),
    disposition=st.sampled_from([None, "held", "accepted"]),
    channel=st.sampled_from([None, "user"]),
    rank=st.sampled_from([None, 0, 4, -1]),
    refs=st.sampled_from([(), (("parent", ID),)]),
    effects=st.sampled_from([(), ((ID, "+", HASH),), ((ID, "-", HASH), (ID, "+", HASH))]),
    record=st.sampled_from([None, HASH]),
    extra=st.sampled_from([{}, {"opens": "held"}]),
)


def _strict(data: bytes) -> bool:
    try:
        decode(data)
    except ValidationError:
        return False
    return True


@given(leaves)
def test_what_was_encoded_is_read(leaf: Leaf) -> None:
    data = encode(leaf)
    assert read_leaf(data) == orjson.loads(data)


@settings(max_examples=400)
@given(leaves, st.integers(0, 10**9))
def test_whatever_is_done_to_a_leaf_both_judge_alike(leaf: Leaf, seed: int) -> None:
    chance = random.Random(seed)
    members = orjson.loads(encode(leaf))
    name = chance.choice([*members, "fx", "line", "rank", "x", "zz"])
    members[name] = chance.choice(
        [None, 1, -1, 17, True, 1.5, "x", "", ID, ID.upper(), HASH, "A" * 42 + "B", [], {}, [[ID, "+", HASH]], [[ID, "*", HASH]],
         [[ID, "+"]], [ID], [["parent", ID]], {"a": 1}, {"A": 1}, 2**60, "claim", "user"]
    )  # fmt: skip
    for option in (orjson.OPT_SORT_KEYS, None, orjson.OPT_INDENT_2):
        data = orjson.dumps(members, option=option)
        assert (read_leaf(data) is not None) == _strict(data), data


@given(st.binary(max_size=200))
def test_noise_is_no_leaf(data: bytes) -> None:
    assert (read_leaf(data) is not None) == _strict(data)


@given(leaves)
def test_what_a_store_knows_of_a_packed_leaf_is_what_would_be_judged(leaf: Leaf) -> None:
    data = encode(leaf)
    text, members = spelled(pack(data))
    assert text == data
    assert members == (None if leaf.refs or leaf.extra else orjson.loads(data))


@settings(max_examples=400)
@given(leaves, st.integers(0, 10**9))
def test_no_damage_to_a_packed_leaf_passes_for_an_entry(leaf: Leaf, seed: int) -> None:
    chance = random.Random(seed)
    stored = bytearray(pack(encode(leaf)))
    for _ in range(chance.randrange(1, 3)):
        stored[chance.randrange(len(stored))] = chance.randrange(256)
    text, members = spelled(bytes(stored[: chance.choice([None, len(stored) - 1])]))
    assert members is None or (members == orjson.loads(text) and _strict(text))
