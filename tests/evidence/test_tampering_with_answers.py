"""Who asked of a review item, and what was answered to a request: edited, moved, copied, blanked, deleted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evidence.tale import Tale, kinds, named
from fakes import FakeClock
from muniment import Memory
from muniment.ledger.differences import DifferenceKind as Kind

CITY, PET, CODE = "ana::city", "bo::pet", "bo::code"


class Asked(Tale):
    """Requests of every kind, and review items that statements, decisions and observations opened."""

    def _tell(self, memory: Memory) -> None:
        self._keep("berlin", memory.remember("Berlin", key=CITY, idempotency_key="1"))
        self._keep("munich", memory.remember("Munich", key=CITY, idempotency_key="2"))
        self._keep("again", memory.revert(CITY, idempotency_key="3"))
        self._keep("unchanged", memory.revert(CITY, idempotency_key="4"))
        memory.policy("bo::*", on_conflict="contest", idempotency_key="5")
        self._keep("cat", memory.remember("cat", key=PET, idempotency_key="6"))
        self._keep("crowd", memory.remember("dog", key=PET, channel="tool", source="vet://1", idempotency_key="7"))
        self._keep("code", memory.remember("4711", key=CODE, idempotency_key="8"))
        memory.forget(key=CODE, idempotency_key="9")
        # Opened by a statement, by a decision that somebody else has to make, and by reports that say otherwise.
        self._keep("held", memory.remember("Ana lives in Sofia", key=CITY, channel="document", source="mail://1"))
        self._keep("referred", memory.retract(CITY, "no longer", channel="agent"))
        for number in (1, 2):
            seen = memory.observe(CITY, "Hamburg", channel="tool", support=f"crm://{number}")
        self.ids["observed"] = seen.entry_id or ""
        memory.namespace("other").remember("Paris", key=CITY, idempotency_key="1")


@pytest.fixture(scope="module")
def told_asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    return Asked(tmp_path_factory.mktemp("asked") / "asked.muniment")


@pytest.fixture
def asked(told_asked: Asked, tmp_path: Path) -> Asked:
    copy = object.__new__(Asked)
    copy.path, copy.clock, copy.ids = tmp_path / "asked.muniment", told_asked.clock, dict(told_asked.ids)
    shutil.copy(told_asked.path, copy.path)
    return copy


def base(asked: Asked) -> int:
    return asked.row("berlin") - asked.idx("berlin")


def test_the_control(asked: Asked) -> None:
    report = asked.verify()
    assert report.ok, report
    assert report.checked["answers"] == 9
    assert report.checked["items"] >= 3
    with asked.open() as memory:
        assert memory.remember("Berlin", key=CITY, idempotency_key="1").claim_id == asked.ids["berlin"]
        assert memory.revert(CITY, idempotency_key="4").disposition == "unchanged"


# What was answered.


@pytest.mark.parametrize(
    "edit",
    [
        "outcome = replace(outcome, '\"believed\":true', '\"believed\":false')",
        'outcome = replace(outcome, \'"why":"\', \'"why":"Not \')',
        'outcome = replace(outcome, \'"retired":["\', \'"retired":["0\')',
        "outcome = replace(outcome, '{\"', '{ \"')",
        "outcome = substr(outcome, 1, length(outcome) - 1)",
        "outcome = '{}'",
        "outcome = ''",
        "request = zeroblob(16)",
        "request = x''",
        "mac = zeroblob(16)",
    ],
)
def test_an_edited_answer_is_named(asked: Asked, edit: str) -> None:
    assert asked.edit(f"UPDATE requests SET {edit} WHERE id = ?", base(asked) + 2) == 1
    assert named(asked.verify(), Kind.EDITED, "request 2")


def test_an_edited_answer_is_not_given(asked: Asked) -> None:
    from muniment import TamperedError

    asked.edit("UPDATE requests SET outcome = replace(outcome, '\"believed\":true', '\"believed\":false')")
    with asked.open() as memory, pytest.raises(TamperedError):
        memory.remember("Berlin", key=CITY, idempotency_key="1")


def test_an_answer_to_another_request_is_named(asked: Asked) -> None:
    asked.edit(
        "UPDATE requests SET outcome = (SELECT outcome FROM requests WHERE id = ?) WHERE id = ?",
        base(asked) + 1, base(asked) + 2,
    )  # fmt: skip
    assert named(asked.verify(), Kind.EDITED, "request 2")


def test_an_answer_from_another_namespace_is_named(asked: Asked) -> None:
    columns = "mac, request, outcome"
    asked.edit(
        f"UPDATE requests SET ({columns}) = (SELECT {columns} FROM requests WHERE id >> 40 <> ?) WHERE id = ?",
        base(asked) >> 40, base(asked) + 2,
    )  # fmt: skip
    assert named(asked.verify(), Kind.EDITED, "request 2")


@pytest.mark.parametrize("line", ["NULL", "line + 1"])
def test_an_answer_that_is_filed_under_another_line_is_named(asked: Asked, line: str) -> None:
    """It would outlive what it speaks of."""
    asked.edit(f"UPDATE requests SET line = {line} WHERE id = ?", base(asked) + 2)
    assert named(asked.verify(), Kind.RELABELLED, "request 2")


def test_an_answer_that_was_blanked_is_concealed_unless_its_line_was_erased_from(asked: Asked) -> None:
    assert asked.ask("SELECT outcome FROM requests WHERE id = ?", base(asked) + 8) == [("",)], "the control"
    asked.edit("UPDATE requests SET request = x'', outcome = '' WHERE id = ?", base(asked) + 2)
    report = asked.verify()
    assert named(report, Kind.CONCEALED, "request 2")
    assert not named(report, Kind.CONCEALED, "request 8")


def test_an_answer_that_was_deleted_is_missed(asked: Asked) -> None:
    asked.edit("DELETE FROM requests WHERE id = ?", base(asked) + 2)
    assert named(asked.verify(), Kind.MISSING, "request 2")


def test_an_answer_that_was_made_up_under_the_secret_still_has_to_agree_with_the_log(asked: Asked) -> None:
    """Whoever has the file has the secret; the log is what they cannot make."""
    from muniment.verbs.requests import opened, sealed, secret_of

    pepper = asked.ask("SELECT pepper FROM namespaces WHERE name = 'default'")[0][0]
    for number, changes in (
        (2, {"entry_id": asked.ids["again"]}),
        (2, {"claim_id": asked.ids["berlin"]}),
        (2, {"retired": [asked.ids["cat"]]}),
        (2, {"disposition": "held"}),
        (2, {"entry_id": asked.ids["berlin"][:-4] + "0000"}),
        (4, {"disposition": "accepted"}),
    ):
        row = base(asked) + number
        mac, body, kept = asked.ask("SELECT mac, request, outcome FROM requests WHERE id = ?", row)[0]
        secret = secret_of(pepper, mac, body)
        asked.edit("UPDATE requests SET outcome = ? WHERE id = ?", sealed(secret, opened(secret, kept) | changes), row)
        assert named(asked.verify(), Kind.EDITED, f"request {number}"), changes
        asked.edit("UPDATE requests SET outcome = ? WHERE id = ?", kept, row)
    assert asked.verify().ok


def test_an_unchanged_answer_goes_with_the_line_that_it_speaks_of(asked: Asked) -> None:
    with asked.open() as memory:
        memory.forget(key=CITY)
    assert asked.ask("SELECT outcome FROM requests WHERE id = ?", base(asked) + 4) == [("",)]
    assert asked.ask("SELECT outcome <> '' FROM requests WHERE id = ?", base(asked) + 6) == [(1,)]
    assert asked.verify().ok


def test_a_claim_that_waited_loses_nothing_and_its_answer_agrees_with_the_log(asked: Asked) -> None:
    with asked.open() as memory:
        outcome = memory.retract(asked.ids["held"], "spam", idempotency_key="10")
        assert outcome.retired == (asked.ids["held"],)
    assert asked.verify().ok


# Who asked.


@pytest.mark.parametrize("opener", ["held", "referred", "observed"])
def test_another_author_of_a_review_item_is_named(asked: Asked, opener: str) -> None:
    assert asked.edit("UPDATE items SET author = zeroblob(16) WHERE uuid = ?", asked.uuid(opener)) == 1
    assert named(asked.verify(), Kind.EDITED, f"item {asked.ids[opener]}")


@pytest.mark.parametrize("hashes", ["", ", value = zeroblob(16), lookalike = zeroblob(16), author = zeroblob(16)"])
def test_an_item_that_is_passed_off_as_erased_is_concealed(asked: Asked, hashes: str) -> None:
    asked.edit(
        f"UPDATE items SET closed_at = opened_at, closed_as = 'erased', closed_by = ''{hashes} WHERE uuid = ?",
        asked.uuid("held"),
    )
    asked.edit("UPDATE namespaces SET open_items = open_items - 1 WHERE name = 'default'")
    assert named(asked.verify(), Kind.CONCEALED, f"item {asked.ids['held']}")


def test_hashes_that_are_left_of_an_erased_item_are_named(asked: Asked) -> None:
    with asked.open() as memory:
        memory.forget(key=CITY)
    assert asked.verify().ok, "the control"
    asked.edit("UPDATE items SET author = x'00112233445566778899aabbccddeeff' WHERE uuid = ?", asked.uuid("held"))
    assert named(asked.verify(), Kind.RESURRECTED, f"item {asked.ids['held']}")


# How far the index was told.


@pytest.mark.parametrize("places", [-3, 3])
def test_an_index_that_says_it_was_told_more_or_less_is_named(tmp_path: Path, places: int) -> None:
    tale = object.__new__(Tale)
    tale.path, tale.clock, tale.ids = tmp_path / "m.db", FakeClock(), {}
    with tale.open() as memory:
        memory.remember_many([{"text": f"Sensor {n} reads {n}", "key": f"sensor {n}::reading"} for n in range(300)])
        for n in range(5):
            memory.remember(f"Meter {n} reads {n}", key=f"meter {n}::reading")
    size, indexed = tale.ask("SELECT size, indexed FROM namespaces")[0]
    assert 3 < indexed <= size - 3
    assert tale.verify().ok, "the control"
    tale.edit("UPDATE namespaces SET indexed = indexed + ?", places)
    assert kinds(tale.verify()) & {"edited", "added"}


# How claims were used.


@pytest.mark.parametrize("more", [-1, 1])
def test_uses_that_are_counted_wrongly_are_named_and_mended(tmp_path: Path, more: int) -> None:
    """A store that says it has none reads none: what was of use would count no more."""
    tale = object.__new__(Tale)
    tale.path, tale.clock, tale.ids = tmp_path / "m.db", FakeClock(), {}
    with tale.open() as memory:
        memory.remember("The staging database runs on port 5433")
        assert memory.recall("staging port", reinforce=True)
    assert tale.verify().ok, "the control"
    tale.edit("UPDATE namespaces SET used = used + ?", more)
    assert named(tale.verify(), Kind.EDITED, "head of the log")
    with tale.open() as memory:
        memory.reindex()
    assert tale.verify().ok
