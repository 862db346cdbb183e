"""The leaves of the log: canonical bytes, strict in both directions."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from ledger.vectors import LOG_VKEY, ORIGIN, WITNESS_VKEY
from muniment.claims.channels import Channel, Rank
from muniment.errors import ValidationError
from muniment.ledger.canonical import MAX_INTEGER
from muniment.ledger.entries import CHANNELS, MAX_LEAF_SIZE, EntryType, Leaf, RefRole, decode, encode
from muniment.ledger.genesis import genesis_leaf, key_policy_leaf

ID = "0190a5b0-0000-7000-8000-000000000001"
OTHER = "0190a5b0-0000-7000-8000-000000000002"
HASH = "A" * 43
FULL = Leaf(
    id=ID,
    type=EntryType.CLAIM,
    recorded_at=1_700_000_000_000_000,
    line=OTHER,
    disposition="superseded_prior",
    channel="user",
    rank=4,
    refs=((RefRole.PARENT, OTHER),),
    effects=((ID, "+", HASH), (OTHER, "-", HASH)),
    record=HASH,
    extra={"schema": 1, "origin": 'quote"and\\slash'},
)
MINIMAL = Leaf(ID, EntryType.REDO, 0)

ids = st.uuids().map(str)
words = st.from_regex(r"[a-z][a-z0-9_]{0,31}", fullmatch=True)
hashes = st.from_regex(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]", fullmatch=True)
leaves = st.builds(
    Leaf,
    id=ids,
    type=st.sampled_from(EntryType),
    recorded_at=st.integers(0, MAX_INTEGER),
    line=st.none() | ids,
    disposition=st.none() | words,
    channel=st.none() | st.sampled_from(sorted(CHANNELS)),
    rank=st.none() | st.integers(-1, 4),
    refs=st.lists(st.tuples(words, ids), max_size=4).map(tuple),
    effects=st.lists(st.tuples(ids, st.sampled_from("+-"), hashes), max_size=4).map(tuple),
    record=st.none() | hashes,
    extra=st.dictionaries(
        words,
        st.integers(-MAX_INTEGER, MAX_INTEGER) | st.from_regex(r"[!-~]{1,40}", fullmatch=True),
        max_size=5,
    ),
)


def test_the_bytes_of_an_entry_are_fixed() -> None:
    # If this fails, entries that are in logs already can no longer be verified.
    assert encode(FULL).decode() == (
        '{"at":1700000000000000,"ch":"user","disp":"superseded_prior",'
        '"fx":[["0190a5b0-0000-7000-8000-000000000001","+","AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],'
        '["0190a5b0-0000-7000-8000-000000000002","-","AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]],'
        '"id":"0190a5b0-0000-7000-8000-000000000001","line":"0190a5b0-0000-7000-8000-000000000002","rank":4,'
        '"rec":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",'
        '"refs":[["parent","0190a5b0-0000-7000-8000-000000000002"]],"t":"claim","v":1,'
        '"x":{"origin":"quote\\"and\\\\slash","schema":1}}'
    )
    assert encode(MINIMAL) == b'{"at":0,"id":"0190a5b0-0000-7000-8000-000000000001","t":"redo","v":1}'


@given(leaves)
def test_every_entry_survives_the_round_trip_and_is_canonical_json(leaf: Leaf) -> None:
    data = encode(leaf)
    assert decode(data) == leaf
    assert encode(decode(data)) == data
    assert rfc8785.dumps(orjson.loads(data)) == data


def test_the_channels_are_those_of_the_claims() -> None:
    assert {channel.value for channel in Channel} == CHANNELS
    for rank in Rank:
        leaf = replace(FULL, channel=Channel.USER, rank=rank)
        assert decode(encode(leaf)) == leaf


def test_the_wire_words_of_the_entry_types_do_not_change() -> None:
    assert {kind.value for kind in EntryType} >= {
        "genesis", "key_policy", "key_add", "key_revoke", "checkpoint", "claim", "reinforce", "reentry",
        "echo_count", "revert", "redo", "end", "retract", "release", "reopen", "amend", "policy", "verdict",
        "erase", "import",
    }  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"id": ID.upper()},
        {"id": ID.replace("-", "")},
        {"id": ID + "\n"},
        {"id": uuid.UUID(ID)},
        {"id": None},
        {"type": "claim"},
        {"type": "gossip"},
        {"recorded_at": -1},
        {"recorded_at": MAX_INTEGER + 1},
        {"recorded_at": 1.0},
        {"recorded_at": True},
        {"line": "Alice::city"},
        {"line": ""},
        {"disposition": "She said so"},
        {"disposition": ""},
        {"channel": "rumour"},
        {"channel": ["user"]},
        {"rank": "4"},
        {"rank": True},
        {"rank": 99},
        {"refs": ((RefRole.PARENT, "Alice"),)},
        {"refs": (("Mother of", OTHER),)},
        {"refs": ((RefRole.PARENT,),)},
        {"refs": (("parent", OTHER, OTHER),)},
        {"effects": ((ID, "*", HASH),)},
        {"effects": ((ID, "+", "Oslo"),)},
        {"effects": ((ID, "+", HASH[:-1] + "B"),)},
        {"effects": (("x", "+", HASH),)},
        {"effects": ((ID, "+"),)},
        {"record": HASH + "="},
        {"record": b"A" * 43},
        {"extra": {"note": "free text"}},
        {"extra": {"note": "näme"}},
        {"extra": {"Note": "x"}},
        {"extra": {"note": ""}},
        {"extra": {"note": 1.5}},
        {"extra": {"note": True}},
        {"extra": {"note": None}},
        {"extra": {"note": MAX_INTEGER + 1}},
        {"extra": {"note": "x" * 513}},
        {"extra": {f"n{index}": 1 for index in range(33)}},
        {"version": 2},
        {"version": True},
    ],
    ids=str,
)
def test_what_the_format_does_not_allow_is_not_written(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        encode(replace(FULL, **change))


def members(change: Callable[[dict[str, Any]], object]) -> bytes:
    """A full entry's JSON with one change, in canonical form."""
    value = orjson.loads(encode(FULL))
    change(value)
    return rfc8785.dumps(value)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'"text"',
        b"\xff",
        encode(FULL) + b"\n",
        b" " + encode(FULL),
        encode(FULL).replace(b'"rank":4', b'"rank": 4'),
        encode(FULL).replace(b'"rank":4', b'"rank":4.0'),
        encode(FULL).replace(b'"rank":4', b'"rank":4,"rank":4'),
        encode(FULL).replace(b'"rank":4', b'"rank":true'),
        encode(FULL).replace(b'"user"', b'"us\\u0065r"'),
        encode(MINIMAL).replace(b'"t":"redo","v":1', b'"v":1,"t":"redo"'),
        encode(MINIMAL).replace(b'"t"', b'"refs":[],"t"'),
        encode(MINIMAL).replace(b'"t"', b'"rank":null,"t"'),
        encode(MINIMAL).replace(b'"at":0', b'"at":-0'),
        encode(MINIMAL).replace(b'"at":0', b'"at":"0"'),
        members(lambda value: value.update(text="Alice lives in Oslo")),
        members(lambda value: value.update(z=1)),
        members(lambda value: value.update(t="gossip")),
        members(lambda value: value.update(v=2)),
        members(lambda value: value.update(v=0)),
        members(lambda value: value.update(refs={"parent": OTHER})),
        members(lambda value: value.update(refs="ab")),
        members(lambda value: value.update(refs=[ID])),
        members(lambda value: value.update(refs=5)),
        members(lambda value: value.update(fx=[[ID, "+", HASH, 1]])),
        members(lambda value: value.update(x=[])),
        members(lambda value: value.update(x={})),
        members(lambda value: value.update(x=[["a", 1]])),
        members(lambda value: value.update(x={"a": {"b": 1}})),
        members(lambda value: value.pop("id")),
        members(lambda value: value.pop("at")),
        members(lambda value: value.pop("t")),
        members(lambda value: value.pop("v")),
        b"[" * 100_000,
    ],
)
def test_bytes_that_the_encoder_would_not_have_written_are_refused(data: bytes) -> None:
    with pytest.raises(ValidationError) as caught:
        decode(data)
    assert "Alice" not in str(caught.value)


@given(st.binary(max_size=60))
def test_arbitrary_bytes_never_raise_anything_but_a_validation_error(data: bytes) -> None:
    with pytest.raises(ValidationError):
        decode(data)


def test_an_entry_has_a_greatest_size() -> None:
    fitting, data = replace(MINIMAL, refs=(("parent", OTHER),)), b""
    while len(data) <= MAX_LEAF_SIZE - 60:
        data = encode(fitting)
        fitting = replace(fitting, refs=fitting.refs * 2 if len(data) < 30_000 else (*fitting.refs, ("parent", OTHER)))
    assert len(decode(data).refs) > 1000
    with pytest.raises(ValidationError):
        encode(replace(fitting, refs=fitting.refs * 2))
    with pytest.raises(ValidationError):
        decode(data + b" " * MAX_LEAF_SIZE)


def test_a_log_is_born_with_its_name_and_its_key() -> None:
    genesis = genesis_leaf(ID, 1, origin=ORIGIN, log_key=LOG_VKEY, schema=1)
    policy = key_policy_leaf(OTHER, 2, {"log": LOG_VKEY, "witness": WITNESS_VKEY})
    assert decode(encode(genesis)).extra["origin"] == ORIGIN
    assert decode(encode(policy)).extra == {"log": LOG_VKEY, "witness": WITNESS_VKEY}


@pytest.mark.parametrize(
    ("origin", "key"),
    [("", LOG_VKEY), ("other.example/log", LOG_VKEY), (ORIGIN, "x"), ("witness.example/w1", WITNESS_VKEY)],
)
def test_a_genesis_with_another_origin_or_key_is_refused(origin: str, key: str) -> None:
    with pytest.raises(ValidationError):
        genesis_leaf(ID, 1, origin=origin, log_key=key, schema=1)


@pytest.mark.parametrize("roles", [{}, {"writer": LOG_VKEY}, {"log": LOG_VKEY, "writer": LOG_VKEY}, {"log": "x"}])
def test_a_key_has_one_role_and_the_log_has_a_key(roles: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        key_policy_leaf(ID, 1, roles)
