"""The protocol of a store is the contract for a second one: every method says what it takes and returns."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from muniment.store.protocol import Reader, Store, Writer
from muniment.store.sqlite.store import SqliteStore


def methods(protocol: type) -> dict[str, Any]:
    """Every method of a protocol, with those of its parts."""
    found = {
        name: one for base in reversed(protocol.__mro__) for name, one in vars(base).items() if inspect.isfunction(one)
    }
    return {name: one for name, one in found.items() if not name.startswith("_")}


@pytest.mark.parametrize("protocol", [Reader, Writer, Store])
def test_every_method_of_the_protocol_has_a_docstring(protocol: type) -> None:
    found = methods(protocol)
    assert len(found) > 10
    assert [name for name, one in found.items() if not (one.__doc__ or "").strip().endswith((".", ")"))] == []


def same(said: Any, done: Any) -> bool:
    """Say whether a function can be called as another says: names, order, kinds; it may leave more out."""
    wanted, has = (list(inspect.signature(one).parameters.values()) for one in (said, done))
    pairs = list(zip(wanted, has, strict=False))
    return len(has) >= len(wanted) and all(
        (p.name, p.kind) == (q.name, q.kind) and p.default in (q.default, inspect.Parameter.empty) for p, q in pairs
    )


def whole(session: Any) -> type:
    """Return the class of a reader or a writer, with what is loaded when it is first asked for."""
    assert session.audit_log
    return type(session)


def test_a_store_takes_what_the_protocol_says() -> None:
    seen: dict[str, Any] = {}
    with SqliteStore(None) as store:
        store.create("a", bytes(32), lambda writer: seen.update(writer=whole(writer)))
        store.read("a", lambda reader: seen.update(reader=whole(reader)))
    for protocol, kind in ((Store, SqliteStore), (Reader, seen["reader"]), (Writer, seen["writer"])):
        assert [name for name, said in methods(protocol).items() if not same(said, getattr(kind, name))] == []
