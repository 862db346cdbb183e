"""export, import, backup, restore and migrate on the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from surfaces.running import PROGRAM, Run

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture
def said(inside: Run) -> None:
    """Something to move."""
    assert inside("remember", "The office is in Berlin", "--key", "office::city", "--value", "Berlin").code == 0


def planned(run: Run) -> str:
    """The hash of the plan of a restore."""
    plan = run("restore", "backup", "--plan", "--json")
    assert plan.code == 0, plan.err
    return str(plan.json["hash"])


def test_an_export_is_imported_elsewhere_and_the_roots_agree(inside: Run, said: None, tmp_path: Path) -> None:
    out = inside("export", "out.jsonl", "--json")
    assert out.code == 0, out.err
    done = inside("--path", "other.muniment", "import", "out.jsonl", "--json")
    assert done.code == 0, done.err
    assert done.json["root"] == out.json["root"] and done.json["state"] == "imported"
    assert inside("--path", "other.muniment", "believe", "office::city", "--json").json["value"] == "Berlin"
    assert inside("--path", "other.muniment", "verify", "--json").json["root"] == out.json["root"]


def test_standard_output_carries_the_export_alone(inside: Run, said: None, tmp_path: Path) -> None:
    assert inside("export", "file.jsonl").code == 0
    for options in ((), ("--json",)):
        ran = inside("export", "-", *options)
        assert ran.code == 0
        assert ran.out == (tmp_path / "file.jsonl").read_text()
        assert all(isinstance(json.loads(line), dict) for line in ran.out.splitlines())
        assert "root" in ran.err


def test_an_export_goes_through_a_pipe(muniment: Run, tmp_path: Path) -> None:
    muniment("remember", "The office is in Berlin", "--key", "office::city")
    ran = muniment("export", "-")
    taken = muniment("--path", "other.muniment", "import", "-", "--json", stdin=ran.out)
    assert taken.code == 0, taken.err
    assert taken.json["claims"] == 1


@pytest.mark.parametrize("damage", ["cut", "none of ours", "empty"])
def test_a_refused_import_from_a_pipe_makes_no_store(damage: str, muniment: Run, tmp_path: Path) -> None:
    muniment("remember", "The office is in Berlin", "--key", "office::city")
    lines = muniment("export", "-").out.splitlines(keepends=True)
    given = {"cut": "".join(lines[:-1]), "none of ours": "hello\n", "empty": ""}[damage]
    before = sorted(path.name for path in tmp_path.iterdir())
    refused = muniment("--path", "other.muniment", "import", "-", "--json", stdin=given)
    assert refused.code == 1, refused.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    taken = muniment("--path", "other.muniment", "import", "-", "--json", stdin="".join(lines))
    assert taken.code == 0 and taken.json["claims"] == 1


def test_exit_codes_say_how_it_went(inside: Run, said: None, tmp_path: Path) -> None:
    assert inside("export", "out.jsonl").code == 0
    assert inside("export", "out.jsonl").code == 1, "there is a file already"
    assert inside("export", "out.jsonl", "--overwrite").code == 0
    assert inside("export", "").code == 2
    assert inside("export").code == 2
    assert inside("import", "nowhere.jsonl").code == 1
    assert inside("import", "out.jsonl").code == 0, "the same log is there: nothing to do"
    lines = (tmp_path / "out.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "cut.jsonl").write_bytes(b"".join(lines[:-1]))
    cut = inside("import", "cut.jsonl", "--into", "copy", "--json")
    assert cut.code == 1 and cut.error["details"]["line"] == len(lines)
    assert inside("import", "out.jsonl", "--into", "copy", "--dry-run", "--json").json["state"] == "checked"
    assert inside("restore", "nowhere").code == 1


def test_without_a_person_or_the_operators_word_nothing_is_moved(
    muniment: Run, places: dict[str, str], tmp_path: Path
) -> None:
    muniment("remember", "x", "--key", "a::b")
    del places["MUNIMENT_CHANNEL"]
    for arguments in (("export", "x"), ("import", "x"), ("backup", "x"), ("migrate", "--to", "x"), ("restore", "x")):
        ran = muniment(*arguments)
        assert ran.code == 1 and "role admin" in ran.err
    assert not (tmp_path / "x").exists()


def test_a_backup_is_restored(inside: Run, said: None, tmp_path: Path) -> None:
    assert inside("backup", "backup", "--json").json["namespaces"] == 1
    assert inside("remember", "It moved to Hamburg", "--key", "office::city", "--value", "Hamburg").code == 0
    assert inside("restore", "backup").code == 1, "there is a store already"
    done = inside("restore", "backup", "--replace", "--yes", planned(inside), "--json")
    assert done.code == 0, done.err
    assert done.json["rolled_back"] in ([], ["default"])
    assert inside("believe", "office::city", "--json").json["value"] == "Berlin"


def test_in_a_pipe_a_store_is_replaced_only_with_the_hash_of_the_plan(inside: Run, said: None, tmp_path: Path) -> None:
    inside("backup", "backup")
    inside("remember", "It moved to Hamburg", "--key", "office::city", "--value", "Hamburg")
    before = (tmp_path / "memory.muniment").read_bytes()
    refused = inside("restore", "backup", "--replace", "--json", stdin="y\n")
    assert refused.code == 2 and refused.error["details"]["plan"]["hash"] == planned(inside)
    rows = refused.error["details"]["plan"]["namespaces"]
    assert [(row["namespace"], row["entries"] - row["restored"]) for row in rows] == [("default", 1)]
    wrong = inside("restore", "backup", "--replace", "--yes", "0" * 32, "--json")
    assert wrong.code == 1 and wrong.error["details"]["plan"]["hash"] == planned(inside)
    assert (tmp_path / "memory.muniment").read_bytes() == before


def test_a_plan_of_a_restore_is_void_once_something_more_was_said(inside: Run, said: None) -> None:
    inside("backup", "backup")
    yes = planned(inside)
    assert planned(inside) == yes
    inside("remember", "It moved to Hamburg", "--key", "office::city", "--value", "Hamburg")
    assert inside("restore", "backup", "--replace", "--yes", yes).code == 1
    assert inside("believe", "office::city", "--json").json["value"] == "Hamburg"


def test_where_nothing_is_replaced_nobody_is_asked(inside: Run, said: None) -> None:
    inside("backup", "backup")
    for options in ((), ("--replace",)):
        done = inside("--path", f"new{len(options)}.muniment", "restore", "backup", *options, "--json")
        assert done.code == 0, done.err


@pytest.mark.parametrize(("answer", "city", "code"), [("y\n", "Berlin", 0), ("\n", "Hamburg", 3)])
def test_at_a_terminal_the_plan_is_shown_and_a_person_says_yes(
    answer: str, city: str, code: int, terminal: Run, muniment: Run
) -> None:
    muniment("remember", "The office is in Berlin", "--key", "office::city", "--value", "Berlin")
    muniment("backup", "backup")
    muniment("remember", "It moved to Hamburg", "--key", "office::city", "--value", "Hamburg")
    asked = terminal("restore", "backup", "--replace", typed=answer)
    assert "Would replace the store" in asked.out and "1 entry fewer" in asked.out, asked.out
    assert asked.code == code
    assert muniment("believe", "office::city", "--json").json["value"] == city


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal", ".served", ".hooks"])
def test_a_backup_is_not_restored_onto_a_file_beside_a_store(
    ending: str, inside: Run, said: None, tmp_path: Path
) -> None:
    inside("backup", "backup")
    beside = tmp_path / f"memory.muniment{ending}"
    beside.write_bytes(b"what SQLite keeps")
    for options in (("--replace",), ()):
        refused = inside("--path", str(beside), "restore", "backup", *options, "--json")
        assert refused.code == 2 and "keeps beside it" in refused.error["message"]
    assert beside.read_bytes() == b"what SQLite keeps"


def test_a_restore_makes_erasures_again_and_can_be_told_to_refuse(inside: Run, said: None, tmp_path: Path) -> None:
    inside("backup", "backup")
    plan = inside("plan-forget", "--key", "office::city", "--json").json["hash"]
    assert inside("forget", "--key", "office::city", "--yes", plan).code == 0
    yes = planned(inside)
    assert inside("restore", "backup", "--replace", "--yes", yes, "--no-replay").code == 1
    done = inside("restore", "backup", "--replace", "--yes", yes, "--json")
    assert done.code == 0 and done.json["replayed"] == 1
    assert inside("believe", "office::city", "--json").json["reason"] == "erased"


def test_migrate_tells_the_schema_and_moves(inside: Run, said: None, tmp_path: Path) -> None:
    assert inside("migrate", "--json").json["to"] is None
    moved = inside("migrate", "--to", "moved.muniment", "--json")
    assert moved.code == 0 and list(moved.json["heads"]) == ["default"]
    assert inside("--path", "moved.muniment", "believe", "office::city", "--json").json["value"] == "Berlin"


def test_a_person_sees_a_sentence_and_what_did_not_come_along(inside: Run, said: None, tmp_path: Path) -> None:
    out = inside("export", "out.jsonl").out
    assert "claims written" in out and "Note: The key that signs checkpoints is not in it" in out
    assert "Note:" in inside("--path", "other.muniment", "import", "out.jsonl").out


def test_a_bar_is_drawn_at_a_terminal(terminal: Run, muniment: Run, tmp_path: Path) -> None:
    muniment("remember", "x", "--key", "a::b")
    ran = terminal("export", "out.jsonl")
    assert ran.code == 0 and "export" in ran.out and "\x1b[" in ran.out
    assert (tmp_path / "out.jsonl").exists()


def test_without_standard_input_an_import_from_it_is_a_misuse(
    said: None, places: dict[str, str], tmp_path: Path
) -> None:
    for words in (["import", "-"], ["import", "-", "--path", str(tmp_path / "new")]):
        done = subprocess.run(
            ["sh", "-c", 'exec "$@" <&-', "sh", *PROGRAM, *words, "--json"],
            env=places, cwd=tmp_path, capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 2 and b'"validation"' in done.stderr, done.stderr
    assert not (tmp_path / "new").exists()
