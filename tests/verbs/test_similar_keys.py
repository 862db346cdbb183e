"""What is told of a key under which nothing was ever said."""

from __future__ import annotations

from muniment import Memory


def test_a_misspelt_key_names_the_one_that_is_near(memory: Memory) -> None:
    memory.remember("the port is 80", key="svc::port", value=80)
    memory.remember("a note about svc::prot")
    found = memory.believe("svc::prot")
    assert (found.similar, found.unsaid) == (("svc::port",), True)
    assert str(found) == "svc::prot: no answer (never_said). Did you mean svc::port?"
    assert str(memory.history("svc::prot")) == "Nothing there. Did you mean svc::port?"
    for typed, meant in (
        ("scv::port", True),
        ("svc::ports", True),
        ("svc", True),
        ("port", True),
        ("svc::host", False),
    ):
        assert memory.believe(typed).similar == (("svc::port",) if meant else ()), typed


def test_a_key_that_is_older_than_a_thousand_others_is_found_by_the_words_that_are_right(memory: Memory) -> None:
    memory.remember("the port is 80", key="billing service::port", value=80)
    memory.remember("the host is ours", key="billing service::host", value="ours")
    memory.remember("the owner is evil", key="billing service::owner", value="evil", channel="document")  # it is held
    memory.remember_many({"text": f"{n}", "key": f"filling {n}::number", "value": n} for n in range(1_100))
    for typed, meant in (
        ("billing service::prot", "billing service::port"),
        ("biling service::port", "billing service::port"),
        ("billing service::port number", ""),
        ("shipping::prot", ""),
    ):
        assert memory.believe(typed).similar == ((meant,) if meant else ()), typed
    assert set(memory.believe("billing service").similar) == {"billing service::port", "billing service::host"}
    memory.forget(
        key="billing service::port", basis="asked for", plan=memory.plan_forget(key="billing service::port").hash
    )
    assert memory.believe("billing service::prot").similar == ()


def test_names_that_differ_in_a_number_are_two_things(memory: Memory) -> None:
    memory.remember("Debian", key="server 1::system")
    assert memory.believe("server 2::system").similar == ()


def test_only_keys_that_the_caller_sees_are_named(memory: Memory) -> None:
    memory.scoped(user="ana").remember("80", key="svc::port")
    assert memory.scoped(user="ana").believe("svc::prot").similar == ("svc::port",)
    assert memory.scoped(user="ben").believe("svc::prot").similar == ()
    assert memory.believe("svc::prot").similar == () == memory.namespace("acme").believe("svc::prot").similar


def test_a_key_that_was_forgotten_is_not_named(memory: Memory) -> None:
    memory.remember("80", key="svc::port")
    plan = memory.plan_forget(key="svc::port")
    memory.forget(key="svc::port", basis="asked for", plan=plan.hash)
    assert memory.believe("svc::prot").similar == ()
    assert not memory.believe("svc::port").unsaid


def test_what_was_known_then_knows_no_key_that_came_later(memory: Memory) -> None:
    memory.remember("one", key="a::b")
    then = memory.history("a::b")[0].recorded_at
    memory.remember("80", key="svc::port")
    before = memory.believe("svc::prot", as_of=then)
    assert (before.similar, before.unsaid) == ((), True)
    assert not memory.history("svc::port", as_of=then).unsaid  # type: ignore[attr-defined]


def test_the_three_nearest_are_named_in_order(memory: Memory) -> None:
    for predicate in ("ports", "prat", "part", "port", "sport"):
        memory.remember(predicate, key=f"service::{predicate}")
    assert memory.believe("service::prot").similar == ("service::port", "service::prat", "service::part")
