"""What a shell is told when Tab is pressed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from muniment.surfaces.cli import catalogue, completing, completion
from surfaces.running import PROGRAM, Run

CASES = {
    "": [name for name in catalogue.following() if name],
    "code ": catalogue.following("code"),
    "code ch": ["check"],
    "code --json ch": ["check"],
    "code check --form": ["--format"],
    "code check --format s": ["sarif"],
    "reme": ["remember", "remember-many"],
    "zebra": [],
    "--na": ["--namespace"],
    "--namespace remember": [],
    "--json remember tea --val": ["--value", "--value-json", "--valid-from", "--valid-to", "--valid-confidence"],
    "remember tea --kind ": ["episodic", "semantic", "procedural"],
    "remember tea --kind e": ["episodic"],
    "remember tea --key ": [],
    "remember --path believe tea --rea": ["--reason", "--reaffirm"],
    "verify --no": ["--no-full"],
    "forget --y": ["--yes"],
    "remember t": [],
    "doctor --j": ["--json"],
}


@pytest.mark.parametrize("typed", CASES)
def test_what_may_stand_next(typed: str) -> None:
    assert sorted(completing.candidates(typed.split(" "))) == sorted(CASES[typed])


@pytest.mark.parametrize("name", catalogue.names())
def test_the_options_of_every_command_are_known(name: str) -> None:
    found = completing.candidates([*name.split(), "--"])
    assert "--json" in found and "--help" in found
    assert len(found) == len(set(found))


def test_the_program_answers_a_shell_as_it_would_be_asked(muniment: Run) -> None:
    assert muniment("completion", "--words", "--json", "reme").out.split() == ["remember", "remember-many"]
    nothing = muniment("completion", "--words", "nonsense", "--x")
    assert (nothing.code, nothing.out, nothing.err) == (0, "\n", "")


@pytest.mark.parametrize("shell", completion.SCRIPTS)
def test_each_shell_has_a_script_that_asks_this_program(shell: str, inside: Run) -> None:
    printed = inside("completion", shell)
    assert (printed.code, printed.err) == (0, "")
    assert "completion --words" in printed.out and "muniment" in printed.out
    assert inside("completion", shell, "--json").json["script"].rstrip("\n") == printed.out.rstrip("\n")


def test_another_shell_is_a_misuse(inside: Run) -> None:
    assert inside("completion", "cmd.exe").code == 2


@pytest.mark.parametrize("shell", completion.SCRIPTS)
def test_installing_writes_one_file_and_says_what_is_left(
    shell: str, inside: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for _ in range(2):
        done = inside("completion", shell, "--install", "--json")
        assert done.code == 0 and done.json["left_to_do"]
        assert Path(done.json["file"]).read_text("utf-8") == completion.SCRIPTS[shell]
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


def test_a_place_that_cannot_be_written_is_told(inside: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    assert inside("completion", "bash", "--install").code == 5


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
def test_bash_completes_what_is_typed(places: dict[str, str], tmp_path: Path) -> None:
    program = tmp_path / "muniment"
    program.write_text(f"#!/bin/sh\nexec '{PROGRAM[0]}' -m {PROGRAM[2]} \"$@\"\n")
    program.chmod(0o755)
    script = completion.SCRIPTS["bash"] + (
        'COMP_WORDS=(muniment remember "two words" --kind e); COMP_CWORD=4; _muniment muniment; echo "${COMPREPLY[@]}"\n'
        'COMP_WORDS=(muniment remember ""); COMP_CWORD=2; _muniment muniment; echo "${#COMPREPLY[@]}"\n'
        'COMP_WORDS=(muniment reme); COMP_CWORD=1; _muniment muniment; echo "${COMPREPLY[@]}"\n'
    )
    env = places | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("episodic\n0\nremember remember-many\n", "")
