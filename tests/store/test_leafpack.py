"""Packed leaves come out as they went in, whatever they are."""

from __future__ import annotations

import orjson
from hypothesis import given
from hypothesis import strategies as st

from muniment import Memory
from muniment.beliefs.state import Disposition
from muniment.ledger.base64url import hash_to_text
from muniment.ledger.entries import EntryType, Leaf, encode
from muniment.store.sqlite.leafpack import pack, record, unpack

UUIDS = st.uuids().map(str)
HASHES = st.binary(min_size=32, max_size=32).map(hash_to_text)


@st.composite
def leaves(draw: st.DrawFn) -> bytes:
    return encode(
        Leaf(
            draw(UUIDS),
            draw(st.sampled_from([EntryType.CLAIM, EntryType.REVERT, EntryType.ERASE, EntryType.REINFORCE])),
            draw(st.integers(0, 2**53 - 1)),
            line=draw(st.none() | UUIDS),
            disposition=draw(st.none() | st.sampled_from([d.value for d in Disposition]) | st.just("something_new")),
            channel=draw(st.none() | st.sampled_from(["user", "tool", "recall"])),
            rank=draw(st.none() | st.integers(-1, 4)),
            refs=tuple(draw(st.lists(st.tuples(st.sampled_from(["parent", "undoes"]), UUIDS), max_size=3))),
            effects=tuple(draw(st.lists(st.tuples(UUIDS, st.sampled_from("+-"), HASHES), max_size=4))),
            record=draw(st.none() | HASHES),
            extra=draw(st.dictionaries(st.sampled_from(["a", "b"]), st.integers(0, 9) | st.just("x+/="), max_size=2)),
        )
    )


@given(leaves())
def test_every_leaf_unpacks_to_the_same_bytes(leaf: bytes) -> None:
    assert unpack(pack(leaf)) == leaf


@given(st.binary(max_size=200))
def test_bytes_that_are_no_leaf_are_kept_as_they_are(data: bytes) -> None:
    assert unpack(pack(data)) == data


@given(st.binary(max_size=120))
def test_damaged_bytes_never_raise(data: bytes) -> None:
    unpack(data)
    record(data)


@given(leaves())
def test_the_record_is_found_without_unpacking(leaf: bytes) -> None:
    members = orjson.loads(leaf)
    if members.get("disp") != "something_new":
        id_, rec = record(pack(leaf))
        assert id_.hex() == members["id"].replace("-", "")
        assert (hash_to_text(rec) if rec else None) == members.get("rec")


def test_an_ordinary_leaf_takes_less_than_half_its_bytes(memory: Memory) -> None:
    memory.remember("A", key="k::v")
    outcome = memory.remember("B", key="k::v")
    leaf = memory._host.store.read("default", lambda reader: reader.entry(outcome.entry_id).leaf)  # type: ignore[arg-type,union-attr]
    assert len(pack(leaf)) < len(leaf) / 2
