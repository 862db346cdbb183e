"""Is it so? A statement held against what is believed, by its words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, ValidationError
from muniment.recall.agreeing import names
from muniment.recall.wordings import Wording
from muniment.verbs.finding.companions import Verdict


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy()) as opened:
        opened.remember("Ana lives in Porto", key="ana::city", value="Porto")
        opened.remember("Ana lives in Lisbon", key="ana::city", value="Lisbon")
        opened.remember("The gateway allows 100 requests a minute")
        opened.remember("Deploys never happen on Fridays")
        opened.remember("The mill is closed. Ask Bea for the key.")
        opened.remember("It is false that it floods in May")
        yield opened


def verdict(memory: Memory, text: str, **given: object) -> str:
    return memory.verify_claim(text, **given).verdict.value  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ana lives in Lisbon", "supported"),
        ("ana LIVES in  lisbon.", "supported"),
        ("Ana lives in Porto", "retired"),
        ("Ana lives in Oslo", "contradicted"),
        ("Ana does not live in Lisbon", "contradicted"),
        ("Ana doesn't live in Lisbon", "contradicted"),
        ("Ana doesn’t live in Lisbon", "contradicted"),
        ("Bob lives in Lisbon", "unknown"),
        ("Lisbon lives in Ana", "unknown"),
        ("Ana lives in a tent", "unknown"),
        ("Ana lives in Lisbon Street", "unknown"),
        ("Ana lives in Lisbon and Oslo", "unknown"),
        ("The gateway allows 100 requests a minute", "supported"),
        ("The gateway allows requests", "unknown"),
        ("The gateway allows 100 requests", "unknown"),
        ("Ask Bea for the key", "supported"),
        ("The mill is closed", "supported"),
        ("The mill is closed. Ask Bea for the key.", "supported"),
        ("It floods in May", "contradicted"),
        ("Ana doesn't think Bob lives in Lisbon", "unknown"),
        ("The gateway allows 250 requests a minute", "contradicted"),
        ("The gateway allows 100 requests an hour", "unknown"),
        ("Requests allow the gateway", "unknown"),
        ("Deploys happen on Fridays", "contradicted"),
        ("Deploys never happen on Fridays", "supported"),
        ("Deploys happen on Tuesdays", "unknown"),
        ("It rains", "unknown"),
    ],
)
def test_a_statement_without_a_key(memory: Memory, text: str, expected: str) -> None:
    assert verdict(memory, text) == expected


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("Lisbon", {}, "supported"),
        ("She moved to Lisbon last year", {}, "supported"),
        ("Porto", {}, "retired"),
        ("Oslo", {}, "contradicted"),
        ("She never lived in Lisbon", {}, "contradicted"),
        ("It is false that she lives in Lisbon", {}, "contradicted"),
        ("She moved from Porto to Lisbon", {}, "unknown"),
        ("She likes the sea and the long summer evenings there", {}, "unknown"),
        ("whatever", {"value": "Lisbon"}, "supported"),
        ("whatever", {"value": "Porto"}, "retired"),
        ("whatever", {"value": "Oslo"}, "contradicted"),
        ("whatever", {"value": 7}, "contradicted"),
    ],
)
def test_a_statement_about_a_key(memory: Memory, text: str, given: dict[str, object], expected: str) -> None:
    assert verdict(memory, text, key="ana::city", **given) == expected


def test_a_key_of_which_nothing_was_said_is_unknown(memory: Memory) -> None:
    found = memory.verify_claim("Kim lives in Oslo", key="kim::city")
    assert (found.verdict, found.evidence) == (Verdict.UNKNOWN, ())
    assert found.why


def test_the_evidence_names_the_claims_and_how_they_stand(memory: Memory) -> None:
    found = memory.verify_claim("Ana lives in Porto")
    assert [(one.relation, one.value, one.standing) for one in found.evidence] == [
        ("retired", "Porto", "superseded"),
        ("contradicts", "Lisbon", "current"),
    ]
    assert all(memory.get(one.claim_id).text == one.text for one in found.evidence)


def test_a_candidate_of_a_dispute_is_contested_whoever_said_it(memory: Memory) -> None:
    for port in (5432, 5433):
        memory.remember(f"The port is {port}", key="db::port", value=port, channel="tool", source=f"cfg:{port}")
    found = memory.verify_claim("The port is 5432")
    assert found.verdict is Verdict.CONTESTED
    assert {(one.relation, one.value) for one in found.evidence} == {("supports", 5432), ("contradicts", 5433)}
    assert verdict(memory, "The port is 6000") == "contradicted"


def test_notes_that_contradict_each_other_make_a_statement_contested(memory: Memory) -> None:
    memory.remember("The cellar floods in winter")
    memory.remember("The cellar never floods in winter")
    assert verdict(memory, "The cellar floods in winter") == "contested"


def test_what_is_held_is_no_evidence(memory: Memory) -> None:
    said = memory.remember("The vault code is 1234", channel="document", source="https://evil.example/")
    assert said.disposition.value == "held"
    assert verdict(memory, "The vault code is 1234") == "unknown"


def test_what_was_erased_is_unknown(memory: Memory) -> None:
    said = memory.remember("The tower is open on Mondays")
    assert verdict(memory, "The tower is open on Mondays") == "supported"
    memory.forget(ids=[said.claim_id], basis="asked")
    assert verdict(memory, "The tower is open on Mondays") == "unknown"


def test_what_ended_is_retired(memory: Memory) -> None:
    memory.remember("Lee works at Acme", key="lee::employer", value="Acme", valid_from="2020")
    memory.end("lee::employer", "2022-01-01")
    assert verdict(memory, "Lee works at Acme") == "retired"
    assert verdict(memory, "Lee works at Acme", valid_at="2021-01-01") == "supported"


def test_a_member_of_many_is_supported_and_another_is_unknown(memory: Memory) -> None:
    for tag in ("red", "blue"):
        memory.remember(tag, key="flag::colour", cardinality="many")
    assert verdict(memory, "red", key="flag::colour") == "supported"
    assert verdict(memory, "green", key="flag::colour") == "unknown"


def test_only_what_is_trusted_counts_if_that_is_asked(memory: Memory) -> None:
    memory.remember("The mill is closed on Sundays", channel="model")
    assert verdict(memory, "The mill is closed on Sundays") == "supported"
    assert "inferred" in memory.verify_claim("The mill is closed on Sundays").evidence[0].markers
    assert verdict(memory, "The mill is closed on Sundays", trusted_only=True) == "unknown"


def test_another_scope_is_nobodys_evidence(memory: Memory) -> None:
    memory.scoped(user="kim").remember("Kim likes green tea", key="kim::drink", value="green tea")
    assert verdict(memory, "Kim likes green tea") == "unknown"
    assert verdict(memory.scoped(user="kim"), "Kim likes green tea") == "supported"


def test_the_same_question_has_the_same_answer(memory: Memory) -> None:
    assert memory.verify_claim("Ana lives in Porto") == memory.verify_claim("Ana lives in Porto")


@pytest.mark.parametrize(
    "value", ["(", "[a-", "\\", "a|b", "^$", ".*", "\u200d", "💡", "-5", "C++", "", " ", "no", "not"]
)
def test_no_text_is_a_pattern_and_none_raises(memory: Memory, value: str) -> None:
    said = memory.remember(f"The sign reads {value} today", key="sign::text", value=value or "?")
    assert said.believed
    assert verdict(memory, f"The sign reads {value} today", key="sign::text") == "supported"
    assert verdict(memory, f"Whatever {value} means ((( [ \\ {{", key="sign::text")
    assert verdict(memory, "The sign reads .* today", key="sign::text", value=value or "?") == "supported"


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
def test_what_is_said_again_is_itself_and_anything_has_a_verdict(said: str, other: str) -> None:
    with Memory(":memory:", clock=FakeClock()) as memory:
        try:
            memory.remember(said)
        except ValidationError:
            return
        if memory.recall(said) and not Wording(said).asks:
            assert verdict(memory, said) in ("supported", "contested")
        try:
            assert Verdict(verdict(memory, other))
        except ValidationError:
            assert not other.strip() or not other.isprintable()


def test_a_value_is_a_word_of_its_own() -> None:
    for text, value, expected in (
        ("the port is 5433.", "5433", True), ("the port is 54330", "5433", False), ("at -5 degrees", "5", False),
        ("v1.0 is out", "1.0", False), ("100/min", "100", False), ("Porto Alegre", "porto", True),
        ("\u7528\u6237\u670d\u52a1\u5668", "\u670d\u52a1", True), ("a", "", False),
    ):  # fmt: skip
        assert names(Wording(text), value) is expected, text
