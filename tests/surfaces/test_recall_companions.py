"""Recall and its companions as a person reads them: plain in a pipe, tables on a terminal, one document as JSON."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from muniment.surfaces.cli import output
from muniment.surfaces.cli.render_recall import MEANINGS
from muniment.verbs.finding import scoring, searching
from surfaces.running import Run


class Terminal(io.StringIO):
    """A page of eighty columns that counts as a terminal."""

    def isatty(self) -> bool:
        return True


def shown(result: object, *, terminal: bool = False, monkeypatch: pytest.MonkeyPatch | None = None) -> str:
    page = Terminal() if terminal else io.StringIO()
    if monkeypatch is not None:
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("NO_COLOR", "1")
    output.result(result, as_json=False, stream=page)
    return page.getvalue()


@pytest.fixture
def memory() -> Memory:
    memory = Memory(":memory:", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy())
    memory.remember("Ana lives in Porto", key="ana::city", value="Porto")
    memory.remember("Ana lives in Lisbon", key="ana::city", value="Lisbon", priority=9)
    memory.remember("Ana \x1b[2Jspeaks Portuguese".replace("\x1b", ""), tags=["language"])
    return memory


def test_an_explanation_is_a_table_of_factors_in_words(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    hit = memory.recall("Ana Lisbon")[0]
    page = shown(memory.explain("Ana Lisbon", hit.claim_id))
    assert page.startswith("hit 1: It matches and it is believed.\n")
    assert re.search(r"^priority +1\.08 +the priority it was given", page, re.MULTILINE)
    assert re.search(r"^score +[\d.]+ +what it is ranked by$", page, re.MULTILINE)
    assert re.search(r"^lisbon +[\d.]+$", page, re.MULTILINE)
    wide = shown(memory.explain("Ana Lisbon", hit.claim_id), terminal=True, monkeypatch=monkeypatch)
    assert re.search(r"factor +figure +meaning", re.sub(r"\x1b\[\d*m", "", wide)), (
        "it fits a page of eighty columns as a table"
    )


def test_what_keeps_a_claim_from_being_found_is_said_first(memory: Memory) -> None:
    old = memory.history("ana::city")[0]
    assert shown(memory.explain("Porto", old.claim_id)).startswith(
        "not among the hits: It matches, but it is superseded."
    )


def test_every_factor_of_a_score_has_a_meaning_in_words(memory: Memory) -> None:
    parent = memory.remember("Bea lives in Faro", key="bea::city", value="Faro")
    memory.remember("Bea pays rent in Faro", derived_from=[parent.claim_id])
    memory.remember("Where does Bea live?")
    for source in ("a", "b"):
        memory.remember("Bea lives in Faro", key="bea::city", value="Faro", channel="tool", source=source)
    memory.remember("Bea lives in Rome", key="bea::city", value="Rome")
    memory.retract("bea::city", "a mistake")
    names: set[str] = set()
    for query in ("Bea Faro rent", "Ana", "Where does Bea live?", "Lisbon"):
        for hit in memory.recall(query, include="all", prefer={"tags": "language"}, k=50):
            names |= set(hit.why)
        for hit in memory.recall_iterative(query, follow_ups=["Porto"]):
            names |= set(hit.why)
    assert {"relevance", "lexical", "priority", "recency", "preferred", "query"} <= names
    assert names - set(MEANINGS) == set()
    sources = [Path(module.__file__ or "").read_text("utf-8") for module in (scoring, searching)]
    named = set(re.findall(r'factors\["(\w+)"\]|\| \{"(\w+)":', "".join(sources)))
    assert {one or other for one, other in named} >= {"dated", "round", "orphaned"}
    assert {one or other for one, other in named} - set(MEANINGS) == set()


def test_a_verdict_shows_its_evidence(memory: Memory) -> None:
    page = shown(memory.verify_claim("Ana lives in Oslo"))
    assert page.startswith("contradicted: The key has another value.\n")
    assert re.search(r"contradicts +ana::city +Ana lives in Lisbon", page)
    assert shown(memory.verify_claim("It rains")).strip() == "unknown: Nothing that is believed speaks of it."


def test_neighbours_are_rows_and_none_is_said(memory: Memory) -> None:
    hit = memory.recall("Ana Lisbon")[0]
    page = shown(memory.neighbors(hit.claim_id, include="all"))
    assert re.search(r"^line +ana::city +Ana lives in Porto +superseded", page, re.MULTILINE)
    alone = Memory(":memory:").remember("alone")
    assert alone.claim_id
    with Memory(":memory:") as empty:
        said = empty.remember("alone")
        assert shown(empty.neighbors(said.claim_id or "")).strip() == "Nothing near it is believed."


def test_a_context_is_shown_as_the_model_gets_it_and_what_was_left_out_is_counted(memory: Memory) -> None:
    found = memory.context("Ana", k=1)
    page = shown(found)
    assert page.startswith(found.text + "\n")
    assert page.endswith(f"1 record, {found.tokens} tokens, 1 left out\n")
    assert "Nothing that is believed" in shown(memory.context("zebra"))


def test_an_index_says_how_to_go_on(memory: Memory) -> None:
    page = memory.index_lines(limit=1)
    assert shown(page).endswith(f"There is more: --cursor {page.cursor}\n")
    assert shown(Memory(":memory:").index_lines()).strip() == "Nothing there."


def test_the_commands_answer_what_the_memory_answers(inside: Run) -> None:
    inside("remember", "Ana lives in Porto", "--key", "ana::city", "--value", "Porto")
    assert inside("verify-claim", "Ana lives in Oslo", "--json").json["verdict"] == "contradicted"


@pytest.mark.usefixtures("operator")
def test_a_recall_strengthens_what_it_finds_where_it_is_told_to(inside: Run) -> None:
    inside("remember", "Ana lives in Porto", "--key", "ana::city", "--value", "Porto")
    why = inside("recall", "Ana Porto", "--json").json["hits"][0]["why"]
    assert "reinforced" not in why
    inside("recall", "Ana Porto", "--reinforce")
    again = inside("recall", "Ana Porto", "--json").json["hits"][0]["why"]
    assert again["reinforced"] == pytest.approx(1.025, abs=1e-3)
    assert inside("context", "Ana", "--budget-tokens", "200", "--json").json["hits"][0]["value"] == "Porto"
    assert inside("index-lines", "--json").json["rows"][0]["line"] == '- "ana::city" = "Porto"'
    found = inside("recall-iterative", "nothing", "--follow-ups", "Ana", "--follow-ups", "Porto", "--json").json
    assert [hit["why"]["query"] for hit in found["hits"]] == [1.0]
    id = found["hits"][0]["claim_id"]
    assert inside("neighbors", id, "--json").json["rows"] == []
    assert inside("recall", "Ana", "--diversity", "2").code != 0


def test_what_a_pipe_gets_is_the_answer_and_remarks_about_it_go_to_standard_error(inside: Run) -> None:
    inside("remember", "Ana lives in Porto", "--key", "ana::city", "--value", "Porto")
    inside("remember", "Ana lives in Faro", "--key", "ana::city", "--value", "Faro")
    found = inside("context", "Ana")
    assert found.out.startswith("<memory-") and re.search(r"</memory-[0-9a-f]+>\n\Z", found.out)
    assert found.err == f"1 record, {inside('context', 'Ana', '--json').json['tokens']} tokens\n"
    assert inside("recall", "Ana").err == "1 more matched and is not believed now; --include all lists it.\n"
    inside("remember", "Ben lives in Rome")
    assert inside("index-lines", "--limit", "1").err.startswith("There is more: --cursor ")
    for empty, said in (
        (("context", "zebra"), "Nothing that is believed answers it, or nothing fits.\n0 records, 0 tokens\n"),
        (("recall", "zebra"), "Nothing found.\n"), (("review",), "Nothing there.\n"),
        (("list", "--where", '{"key": "a::b"}'), "Nothing there.\n"), (("changes", "--since", "now"), "Nothing new.\n"),
    ):  # fmt: skip
        ran = inside(*empty)
        assert (ran.out, ran.err) == ("", said)
        assert inside(*empty, "--json").err == ""
