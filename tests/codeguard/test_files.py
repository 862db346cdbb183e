"""Files and folders: what is looked at, what is passed over, and that this is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codeguard.looking import OLD, QUALIFIED
from muniment.code.checking import check_files
from muniment.code.texts import LARGEST, text_of
from muniment.errors import NotFoundError, ValidationError

HAS_GIT = subprocess.run(["git", "--version"], capture_output=True, check=False).returncode == 0


def put(folder: Path, **files: str | bytes) -> None:
    for name, content in files.items():
        file = folder / name.replace("__", "/").replace("_dot_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())


def used(*paths: Path) -> list[str]:
    return [Path(use.file or "").name for use in check_files(paths, [OLD]).uses]


def test_a_folder_is_looked_at_throughout_and_in_order(tmp_path: Path) -> None:
    put(tmp_path, b_dot_py="old()\n", a__z_dot_js="old()\n", a__c_dot_go="x()\n", readme_dot_md="old\n")
    done = check_files([tmp_path], [OLD])
    assert [os.path.relpath(use.file or "", tmp_path) for use in done.uses] == [os.path.join("a", "z.js"), "b.py"]
    assert (done.files, done.skipped) == (4, ())


def test_hidden_folders_and_the_code_of_other_people_are_left_out_where_there_is_no_git(tmp_path: Path) -> None:
    put(tmp_path, node_modules__a_dot_js="old()", _dot_venv__b_dot_py="old()", c_dot_py="old()")
    assert used(tmp_path) == ["c.py"]
    assert used(tmp_path / "node_modules" / "a.js") == ["a.js"], "whoever names a file means it"


@pytest.mark.skipif(not HAS_GIT, reason="git is not here")
def test_in_a_repository_what_git_ignores_is_left_out(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    put(tmp_path, _dot_gitignore="build/\n*.gen.py\n", build__a_dot_py="old()", b_dot_gen_dot_py="old()")
    put(tmp_path, c_dot_py="old()", sub__d_dot_py="old()", sub___dot_gitignore="e.py\n", sub__e_dot_py="old()")
    assert used(tmp_path) == ["c.py", "d.py"]
    assert used(tmp_path / "sub") == ["d.py"]


@pytest.mark.skipif(not HAS_GIT or sys.platform == "win32", reason="a shell script is to be run")
def test_the_settings_of_a_repository_run_nothing(tmp_path: Path) -> None:
    """A repository may name a program that git is to ask which files changed."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    put(tmp_path, a_dot_py="old()", evil=f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    (tmp_path / "evil").chmod(0o755)
    subprocess.run(["git", "-C", str(tmp_path), "config", "core.fsmonitor", str(tmp_path / "evil")], check=True)
    assert used(tmp_path) == ["a.py"]
    assert not (tmp_path / "ran").exists()
    subprocess.run(["git", "-C", str(tmp_path), "ls-files", "-o"], check=False, capture_output=True)
    assert (tmp_path / "ran").exists(), "the control: git itself would have run it"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_links_lead_no_further_than_the_folder(tmp_path: Path) -> None:
    put(tmp_path, secret_dot_py="old()\n", in__a_dot_py="old()\n", out__b_dot_py="old()\n")
    inside = tmp_path / "in"
    (inside / "same.py").symlink_to(inside / "a.py")
    (inside / "leak.py").symlink_to(tmp_path / "secret.py")
    (inside / "folder").symlink_to(tmp_path / "out")
    (inside / "loop").symlink_to(inside)
    (inside / "gone.py").symlink_to(inside / "nowhere.py")
    done = check_files([inside], [OLD])
    assert [Path(use.file or "").name for use in done.uses] == ["a.py"]
    assert [(Path(one.file).name, one.why) for one in done.skipped] == [("leak.py", "leads out of the tree")]
    assert used(inside / "leak.py") == ["leak.py"], "whoever names a link means it"


def test_a_file_that_is_named_twice_is_looked_at_once(tmp_path: Path) -> None:
    put(tmp_path, a_dot_py="old()\n")
    assert used(tmp_path, tmp_path / "a.py", tmp_path) == ["a.py"]


def test_binary_and_large_files_are_passed_over_and_named(tmp_path: Path) -> None:
    put(tmp_path, a_dot_py=b"old()\x00\x01", b_dot_py=b"#" * (LARGEST + 1), c_dot_py="old()")
    done = check_files([tmp_path], [OLD])
    assert [(Path(one.file).name, one.why) for one in done.skipped] == [("a.py", "binary"), ("b.py", "too large")]
    assert (len(done.uses), done.files) == (1, 1)
    assert "2 files not looked at" in done.summary


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    assert check_files([tmp_path], [OLD]).files == 0
    assert check_files([tmp_path / "pipe.py"], [OLD]).skipped[0].why == "not readable"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("old()\n".encode("utf-16"), "a.py"),
        ("\ufeffold()\n".encode(), "a.py"),
        ("old()\n".encode("utf-32"), "a.py"),
        (b"# \xe9t\xe9\nold()\n", "a.py"),
        ("# -*- coding: cp1252 -*-\n# \x80\nold()\n".encode("latin-1"), "a.py"),
        ("# coding: koi8-r\nстарый = old()\n".encode("koi8-r"), "a.py"),
        (b"# coding: punycode\nold()\n", "a.py"),
        (b"# coding: no-such\nold()\n", "a.py"),
    ],
)
def test_a_file_is_read_in_whatever_encoding_it_is(tmp_path: Path, content: bytes, name: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert used(tmp_path) == [name]


def test_an_encoding_that_no_source_is_in_is_not_used() -> None:
    """Punycode would make other letters of these, and takes for ever on a long file."""
    data = b"# coding: punycode\nold()-abc"
    assert text_of(data) == data.decode() != data.decode("punycode")


def test_an_import_that_is_relative_is_read_from_where_the_file_lies(tmp_path: Path) -> None:
    put(tmp_path, pkg__user_dot_py="from .mod import old\n", other__user_dot_py="from .mod import old\n")
    done = check_files([tmp_path], [QUALIFIED])
    assert [Path(use.file or "").parent.name for use in done.uses] == ["pkg"]


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    put(tmp_path, a_dot_py="", b_dot_py="", c_dot_md="")
    seen: list[tuple[int, int]] = []
    check_files([tmp_path], [OLD], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_a_path_that_is_not_there_is_an_error_and_so_is_none(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="nowhere does not exist"):
        check_files([tmp_path, tmp_path / "nowhere"], [OLD])
    with pytest.raises(NotFoundError):
        check_files(["\0"], [OLD])
    with pytest.raises(ValidationError):
        check_files([], [OLD])
