"""Since when a value holds is one instant, whichever door tells it: the start of the whole stretch (semantics §5)."""

from __future__ import annotations

from muniment import Memory

KEY = "ana::city"


def starts(memory: Memory) -> dict[str, str | None]:
    """Return what each door says of the value that answers, beside a page that waits."""
    held = memory.remember("Ana lives in Faro", key=KEY, value="Faro", channel="document")
    belief = memory.believe(KEY)
    assert belief.primary is not None
    item = next(item for item in memory.review(key=KEY) if item.id == held.item)
    hit = next(hit for hit in memory.recall("where does Ana live") if hit.claim_id == belief.primary.claim_id)
    prompt = memory.context("where does Ana live").text.partition("; from ")[2].partition(";")[0]
    return {
        "believe": belief.since, "candidate": belief.primary.since, "review": item.against[0].since,
        "recall": hit.valid_from, "context": prompt or hit.recorded_at,
    }  # fmt: skip


def test_a_value_that_a_revert_brought_back_holds_since_it_first_held(memory: Memory) -> None:
    memory.remember("Ana lives in Berlin", key=KEY, value="Berlin", valid_from="2023")
    memory.remember("Ana lives in Munich", key=KEY, value="Munich", valid_from="2024")
    memory.revert(KEY)
    assert set(starts(memory).values()) == {"2023"}


def test_a_value_that_several_claims_say_holds_since_the_first_of_them(memory: Memory) -> None:
    memory.remember("Ana lives in Berlin", key=KEY, value="Berlin", valid_from="2023-01-01", valid_to="2023-12-31")
    memory.remember("Ana still lives in Berlin", key=KEY, value="Berlin", valid_from="2024-01-01", source="x://b")
    assert set(starts(memory).values()) == {"2023-01-01T00:00:00Z"}


def test_a_digest_says_the_same(memory: Memory) -> None:
    memory.remember("We decided on SQLite", key="store::decision", value="SQLite", valid_from="2023", tags=["decision"])
    memory.remember("We decided on Postgres", key="store::decision", value="Postgres", valid_from="2024")
    memory.revert("store::decision")
    decisions = memory.sessions.decisions()
    assert [one.since for one in decisions] == [memory.believe("store::decision").since] == ["2023"]


def test_what_stands_beside_holds_since_it_first_held_too(memory: Memory) -> None:
    memory.policy("*", cardinality="many")
    memory.remember("Ana likes coffee", key="ana::likes", value="coffee", valid_from="2020")
    for year in ("2022", "2023"):
        memory.remember("Ana likes tea", key="ana::likes", value="tea", channel="model", valid_from=year, valid_to=year)
    (tea,) = memory.believe("ana::likes", valid_at="2023-06").beside
    assert (tea.standing, tea.since, tea.until) == ("unvouched", "2022-01-01T00:00:00Z", "2023")
