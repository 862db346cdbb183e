"""``.muniment/symbols.jsonl``: the same bytes for the same names, one clear error for what is none, and in line with
the memory beside it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from muniment import ConflictError, Memory, MunimentError, NotFoundError, ValidationError
from muniment.code import symbolsfile
from muniment.code.checking import check_text
from muniment.code.symbols import Symbol, Symbols

HEAD = '{"format":"muniment symbols","version":1}\n'
LINE = '{"name":"old","replacement":"new"}\n'


def parse(text: str | bytes) -> tuple[Symbol, ...]:
    return symbolsfile.parse(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))


SYMBOLS = (
    Symbol("pkg.mod.old", "pkg.mod.new", "split in two"),
    Symbol("alt", "neu", "ümlaut: 名前"),
    Symbol("torn", None, None, ("a", "b")),
    Symbol("Z", "Y"),
)


def test_what_is_written_is_read_back_and_written_alike() -> None:
    for seed in range(5):
        shuffled = random.Random(seed).sample(SYMBOLS, len(SYMBOLS))
        assert symbolsfile.render(shuffled) == symbolsfile.render(SYMBOLS)
    again = parse(symbolsfile.render(SYMBOLS))
    assert sorted(again, key=lambda one: one.name) == sorted(SYMBOLS, key=lambda one: one.name)
    assert symbolsfile.render(again) == symbolsfile.render(SYMBOLS)


def test_one_more_name_is_one_more_line() -> None:
    before = symbolsfile.render(SYMBOLS).splitlines()
    after = symbolsfile.render([*SYMBOLS, Symbol("middle", "x")]).splitlines()
    assert len(set(after) - set(before)) == 1 and set(before) < set(after)


def test_a_reason_cannot_steer_a_terminal_nor_look_like_another_line() -> None:
    written = symbolsfile.render([Symbol("a", "b", "x\x1b[2J\u202e\u2028\n<b>")])
    assert written.count(b"\n") == 2 and b"\x1b" not in written and "\u202e".encode() not in written
    assert parse(written)[0].reason == "x\x1b[2J\u202e\u2028\n<b>"
    shown = check_text("a()", parse(written)).uses[0].message
    assert shown.isprintable() and "<b>" in shown


def test_two_branches_that_say_the_same_of_a_name_agree() -> None:
    assert len(parse(HEAD + LINE + LINE)) == 1
    assert len(parse(HEAD + '{"name":"a::b","replacement":"c"}\n{"name":"a.b","replacement":"c"}\n')) == 1


@pytest.mark.parametrize("ending", ["\r\n", "\n\n"])
def test_line_ends_of_another_system_and_empty_lines_do_no_harm(ending: str) -> None:
    assert len(parse("\ufeff" + (HEAD + LINE).replace("\n", ending))) == 1


HOSTILE = {
    "empty": ("", 1),
    "no header": (LINE, 1),
    "another version": (HEAD.replace("1", "2") + LINE, 1),
    "another format": ('{"format":"x","version":1}\n', 1),
    "binary": (b"\x00\xff\xfe" * 100, 1),
    "not json": (HEAD + "old -> new\n", 2),
    "not an object": (HEAD + LINE + '["old", "new"]\n', 3),
    "a conflict of a merge": (HEAD + "<<<<<<< ours\n" + LINE + "=======\n>>>>>>> theirs\n", 2),
    "two replacements of one name": (HEAD + LINE + LINE.replace("new", "other"), 3),
    "one name in two spellings": (HEAD + '{"name":"a.b","replacement":"c"}\n{"name":"a::b","replacement":"d"}\n', 3),
    "a member that none has": (HEAD + '{"name":"a","replacement":"b","run":"rm -rf"}\n', 2),
    "no name": (HEAD + '{"replacement":"b"}\n', 2),
    "no replacement": (HEAD + '{"name":"a"}\n', 2),
    "itself": (HEAD + '{"name":"a.b","replacement":"a::b"}\n', 2),
    "a number": (HEAD + '{"name":7,"replacement":"b"}\n', 2),
    "a list": (HEAD + '{"name":["a"],"replacement":"b"}\n', 2),
    "null": (HEAD + '{"name":null,"replacement":"b"}\n', 2),
    "a pattern": (HEAD + '{"name":"(a+)+$","replacement":"b"}\n', 2),
    "a star": (HEAD + '{"name":".*","replacement":"b"}\n', 2),
    "a path": (HEAD + '{"name":"../../etc/passwd","replacement":"b"}\n', 2),
    "an escape": (HEAD + '{"name":"a\\u001b[2J","replacement":"b"}\n', 2),
    "half a surrogate": (HEAD + '{"name":"a\\ud800","replacement":"b"}\n', 2),
    "a long name": (HEAD + json.dumps({"name": "a" * 300, "replacement": "b"}) + "\n", 2),
    "a long reason": (HEAD + json.dumps({"name": "a", "replacement": "b", "reason": "x" * 2_000}) + "\n", 2),
    "a long line": (HEAD + json.dumps({"name": "a", "replacement": "b", "reason": "x" * 20_000}) + "\n", 2),
    "an empty reason": (HEAD + '{"name":"a","replacement":"b","reason":" "}\n', 2),
    "many candidates": (HEAD + json.dumps({"name": "a", "replacement": None, "candidates": ["b"] * 99}) + "\n", 2),
    "a candidate that is no name": (HEAD + '{"name":"a","replacement":null,"candidates":["b c"]}\n', 2),
    "deep": (HEAD + '{"name":' + "[" * 8_000 + "]" * 8_000 + "}\n", 2),
    "a number without end": (HEAD + '{"name":"a","replacement":1e999}\n', 2),
}  # fmt: skip
"""Files that are none, and the line that is to blame."""


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_no_symbols_file_is_one_error_that_names_the_line_and_quotes_nothing(what: str) -> None:
    data, line = HOSTILE[what]
    with pytest.raises(ValidationError) as refused:
        parse(data)
    assert refused.value.details["line"] == line
    assert refused.value.advice
    for word in ("etc", "rm -rf", "\x1b", "a+"):
        assert word not in str(refused.value)


@pytest.mark.parametrize("data", [b"x" * (symbolsfile.SIZE_LIMIT + 1), HEAD.encode() + b"\n" * 200_000])
def test_a_file_that_is_too_large_is_refused_as_a_whole(data: bytes) -> None:
    with pytest.raises(ValidationError, match=r"larger|more than"):
        parse(data)


def test_the_largest_chain_of_renames_comes_to_its_end() -> None:
    symbols = Symbols(Symbol(f"n{i}", f"n{i + 1}") for i in range(20_000))
    advice = symbols.advice("n0")
    assert (advice.replacement, len(advice.via)) == ("n20000", 19_999)
    assert str(advice) == "use n20000 (after 19999 other names)"


def test_names_that_replace_each_other_are_told_as_a_circle() -> None:
    symbols = parse(HEAD + '{"name":"a","replacement":"b"}\n{"name":"b","replacement":"a"}\n')
    uses = check_text("a(b)", symbols).uses
    assert [use.replacement for use in uses] == [None, None]
    assert all("circle" in use.message for use in uses)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    return tmp_path


def test_export_writes_the_file_of_the_repository_and_the_same_bytes_again(repository: Path) -> None:
    with Memory(":memory:") as memory:
        memory.code.deprecate("old", "new", "why")
        first = memory.code.export()
        file = repository / ".muniment" / "symbols.jsonl"
        assert (Path(first.path), first.symbols, first.changed) == (file, 1, True)
        assert file.read_text("utf-8") == HEAD + '{"name":"old","reason":"why","replacement":"new"}\n'
        assert not memory.code.export().changed
    with Memory(":memory:") as another:
        another.code.deprecate("old", "new", "why")
        assert not another.code.export().changed, "another store, another day, the same bytes"


def test_outside_a_repository_the_file_must_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if any((folder / ".git").exists() for folder in (tmp_path, *tmp_path.parents)):
        pytest.skip("the folder for temporary files lies in a repository")
    with Memory(":memory:") as memory:
        with pytest.raises(NotFoundError):
            memory.code.export()
        assert memory.code.export(tmp_path / "s.jsonl").changed


def test_export_lets_no_name_go_of_which_the_memory_never_heard(repository: Path) -> None:
    file = repository / ".muniment" / "symbols.jsonl"
    symbolsfile.write(file, [Symbol("theirs", "x")])
    with Memory(":memory:") as memory:
        memory.code.deprecate("mine", "y")
        with pytest.raises(ConflictError, match="never heard"):
            memory.code.export()
        assert b"theirs" in file.read_bytes()
        assert memory.code.export(overwrite=True).symbols == 1


def test_what_is_no_symbols_file_is_not_written_over(tmp_path: Path) -> None:
    precious = tmp_path / "thesis.txt"
    precious.write_text("years of work")
    with Memory(":memory:") as memory:
        for call in (lambda: memory.code.export(precious, overwrite=True), lambda: memory.code.sync(precious)):
            with pytest.raises(ValidationError):
                call()
    assert precious.read_text() == "years of work"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
@pytest.mark.parametrize("linked", ["file", "folder"])
def test_a_repository_cannot_lead_a_write_elsewhere(repository: Path, tmp_path: Path, linked: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if linked == "folder":
        os.symlink(elsewhere, repository / ".muniment")
    else:
        (repository / ".muniment").mkdir()
        symbolsfile.write(elsewhere / "target", [])
        os.symlink(elsewhere / "target", repository / ".muniment" / "symbols.jsonl")
    before = sorted(elsewhere.iterdir())
    with Memory(":memory:") as memory:
        memory.code.deprecate("a", "b")
        for call in (memory.code.export, memory.code.sync):
            with pytest.raises(ConflictError, match="link"):
                call()
    assert sorted(elsewhere.iterdir()) == before


def test_sync_takes_the_names_of_the_file_as_those_of_a_page(repository: Path) -> None:
    file = repository / ".muniment" / "symbols.jsonl"
    symbolsfile.write(file, [Symbol("theirs", "x", "why")])
    with Memory(":memory:") as memory:
        memory.code.deprecate("mine", "y")
        done = memory.code.sync()
        assert (done.taken, done.waiting, done.added, done.symbols) == ((), ("theirs",), ("mine",), 2)
        assert "channel user" in done.next and "waits for a person" in memory.code.symbol_status("theirs").message
        assert memory.code.symbol_status("theirs").status == "active"
        assert [view.standing for view in memory.code.symbol_status("theirs").waiting] == ["held"]
        again = memory.code.sync()
        assert (again.changed, again.waiting, memory.review().rows[0].count) == (False, ("theirs",), 1)
        assert [one.name for one in symbolsfile.read(file)] == ["mine", "theirs"]


def test_sync_takes_them_as_those_of_whoever_vouches(repository: Path) -> None:
    symbolsfile.write(repository / ".muniment" / "symbols.jsonl", [Symbol("theirs", "x", "why")])
    with Memory(":memory:") as memory:
        assert memory.code.sync(channel="user", dry_run=True).taken == ("theirs",)
        assert memory.code.symbols() == ()
        assert memory.code.sync(channel="user").taken == ("theirs",)
        assert memory.code.symbol_status("theirs").reason == "why"
        assert not memory.code.sync().changed


def test_sync_puts_the_newer_word_of_the_memory_into_the_file(repository: Path) -> None:
    file = repository / ".muniment" / "symbols.jsonl"
    with Memory(":memory:") as memory:
        memory.code.deprecate("a", "b")
        memory.code.deprecate("gone", "x")
        memory.code.sync()
        memory.code.deprecate("a", "c")
        memory.code.undeprecate("gone")
        done = memory.code.sync()
        assert (done.added, done.removed) == (("a",), ("gone",))
        assert symbolsfile.read(file) == (Symbol("a", "c"),)


def test_sync_keeps_another_word_of_the_file_until_a_person_decides(repository: Path) -> None:
    file = repository / ".muniment" / "symbols.jsonl"
    with Memory(":memory:") as memory:
        memory.code.deprecate("a", "mine")
        symbolsfile.write(file, [Symbol("a", "theirs")])
        assert memory.code.sync().waiting == ("a",)
        assert symbolsfile.read(file) == (Symbol("a", "theirs"),)
        assert memory.code.symbol_status("a").replacement == "mine"
        memory.resolve(memory.review().rows[0].id, "accept", "theirs is right")
        assert memory.code.sync().waiting == ()
        assert memory.code.symbol_status("a").replacement == "theirs"


def test_an_agent_may_not_vouch_above_its_ceiling(repository: Path, tmp_path: Path) -> None:
    symbolsfile.write(repository / ".muniment" / "symbols.jsonl", [Symbol("a", "b")])
    with Memory(":memory:", channel="agent") as memory, pytest.raises(MunimentError, match="may not speak as user"):
        memory.code.sync(channel="user")


@pytest.mark.skipif(subprocess.run(["git", "--version"], capture_output=True).returncode != 0, reason="git is not here")
def test_git_merges_names_that_two_branches_added(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
        return subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    file = tmp_path / "symbols.jsonl"
    git("init")
    (tmp_path / ".gitattributes").write_text("symbols.jsonl merge=union\n")
    symbolsfile.write(file, [Symbol("m", "x")])
    git("add", "."), git("commit", "-m", "one")
    git("checkout", "-b", "side")
    symbolsfile.write(file, [Symbol("m", "x"), Symbol("n", "y"), Symbol("a", "b")])
    git("commit", "-am", "two")
    git("checkout", "main")
    symbolsfile.write(file, [Symbol("m", "x"), Symbol("o", "z")])
    git("commit", "-am", "three")
    git("merge", "side", "-m", "four")
    assert sorted(one.name for one in symbolsfile.read(file)) == ["a", "m", "n", "o"]
