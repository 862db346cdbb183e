"""muniment install: plan, consent, write, nothing the second time, and the same bytes as before when it is taken out."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muniment.surfaces.cli import checks
from muniment.surfaces.cli.doors import Doors
from muniment.surfaces.cli.main import main
from muniment.surfaces.install import applying, planning
from muniment.surfaces.install.editors import EDITORS, Machine, place
from muniment.surfaces.install.entries import hooks, server
from muniment.surfaces.install.jsonc import parse
from muniment.surfaces.mcp import extra
from surfaces.running import PROGRAM, SOURCES, Ran

Install = Callable[..., Ran]

JSON_IDES = [name for name, editor in EDITORS.items() if not editor.toml]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Run ``muniment install`` with a home folder of its own."""
    home = tmp_path / "home"
    home.mkdir()

    def run(*arguments: str, **variables: str) -> Ran:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("MUNIMENT_", "CODEX_"))}
        env |= {"PYTHONPATH": str(SOURCES), "HOME": str(home), "USERPROFILE": str(home), **variables}
        done = subprocess.run(
            [*PROGRAM, "install", *arguments, "--json"], env=env, cwd=tmp_path, capture_output=True, timeout=120
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


def into(install: Install, file: Path, ide: str = "cursor", *more: str) -> Ran:
    """Install with consent."""
    arguments = ["--ide", ide, "--config", str(file), "--no-hooks", *more]
    plan = install(*arguments, "--plan")
    return install(*arguments, "--yes", plan.json["hash"]) if plan.code == 0 and "done" not in plan.json else plan


def out_of(install: Install, file: Path, ide: str = "cursor", *more: str) -> Ran:
    return into(install, file, ide, "--uninstall", *more)


def read(file: Path, ide: str) -> Any:
    text = file.read_text(encoding="utf-8-sig")
    return tomllib.loads(text) if EDITORS[ide].toml else parse(text).value


@pytest.mark.parametrize("ide", EDITORS)
def test_an_entry_is_written_where_there_was_no_file_and_the_file_goes_with_it(
    install: Install, tmp_path: Path, ide: str
) -> None:
    file = tmp_path / "deep" / "config"
    assert into(install, file, ide).code == 0
    entry = read(file, ide)[EDITORS[ide].key]["muniment"]
    assert entry["args"][-1] == "mcp"
    assert os.path.isabs(entry["command"])
    assert entry.get("type") == ("stdio" if EDITORS[ide].typed else None)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = into(install, file, ide)
    assert (again.code, again.json["done"], again.json["changes"]) == (0, "nothing was left to do", [])
    assert out_of(install, file, ide).code == 0
    assert not list(file.parent.iterdir())


FILES = {
    "plain": b'{\n  "mcpServers": {\n    "other": {"command": "x"}\n  }\n}\n',
    "compact": b'{"theme":"dark"}',
    "comments": b'// mine\n{\n  // the servers\n  "mcpServers": {\n    "other": {} // keep\n    // more\n  }, /* end */\n}\n',
    "mark": b"\xef\xbb\xbf" + b'{\n  "a": 1\n}',
    "windows": b'{\r\n\t"a": 1,\r\n\t"mcpServers": {}\r\n}\r\n',
    "empty": b"",
    "blank": b"\n\n",
    "braces": b"{\n}\n",
    "unicode": '{"naïve": "日本語 \\u00e9 🙂"}\n'.encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_taking_it_out_gives_the_same_bytes(install: Install, tmp_path: Path, name: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(FILES[name])
    os.chmod(file, 0o644)
    assert into(install, file).code == 0
    assert file.with_name("mcp.json.before-muniment").read_bytes() == FILES[name]
    assert read(file, "cursor")["mcpServers"]["muniment"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert out_of(install, file).code == 0
    assert file.read_bytes() == FILES[name]
    assert [one.name for one in tmp_path.glob("*mcp*")] == ["mcp.json"]


def test_what_was_changed_since_stays_when_it_is_taken_out(install: Install, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(FILES["comments"])
    into(install, file)
    text = file.read_text().replace('"other": {}', '"other": {"command": "new"}')
    file.write_text(text.replace("// mine", "// mine and yours"))
    assert out_of(install, file).code == 0
    assert "muniment" not in file.read_text()
    assert "// mine and yours" in file.read_text()
    assert read(file, "cursor") == {"mcpServers": {"other": {"command": "new"}}}


TOML = '# mine\nmodel = "o5"   # spaces kept\n\n[mcp_servers.other]\ncommand = "x"\n[tui]\nnotifications = true'


@pytest.mark.parametrize("text", [TOML, TOML + "\n", TOML.replace("\n", "\r\n"), "", "\n"])
def test_toml_keeps_its_comments_and_its_bytes(install: Install, tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(text.encode())
    assert into(install, file, "codex").code == 0
    data = file.read_bytes()
    assert data.startswith(text.encode())
    assert data.count(b"\n") == data.count(b"\r\n") or b"\r\n" not in data
    found = tomllib.loads(data.decode())
    assert found["mcp_servers"]["muniment"]["args"][-1] == "mcp"
    assert {**found, "mcp_servers": None} == {**tomllib.loads(text), "mcp_servers": None}
    assert into(install, file, "codex").json["changes"] == []
    file.write_bytes(data + b"\n[later]\nx = 1\n")
    assert out_of(install, file, "codex").code == 0
    assert tomllib.loads(file.read_text()) == {**tomllib.loads(text), "later": {"x": 1}}
    file.write_bytes(text.encode())
    into(install, file, "codex")
    out_of(install, file, "codex")
    assert file.read_bytes() == text.encode()


@pytest.mark.parametrize(
    "text", ["mcp_servers = {}\n", 'mcp_servers = "x"\n', "[mcp_servers]\nmuniment = 1\n", "a = \n", "[a\n"]
)
def test_toml_that_has_no_place_for_it_is_left_alone(install: Install, tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    assert into(install, file, "codex").code in (1, 2)
    assert file.read_text() == text


@pytest.mark.parametrize(
    "data", [b"{", b"[]", b'{"mcpServers": []}', b'{"a": 1, "a": 2}', b"\xff\xfe{\x00}\x00", b'{"a": }']
)
def test_a_malformed_configuration_is_refused_by_line_and_left_alone(
    install: Install, tmp_path: Path, data: bytes
) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(data)
    ran = into(install, file)
    assert ran.code in (1, 2)
    assert "left alone" in ran.error["message"]
    assert file.read_bytes() == data
    assert [one.name for one in tmp_path.glob("mcp*")] == ["mcp.json"]


def test_of_two_configurations_the_one_that_is_broken_is_named(install: Install, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".claude").mkdir()
    for broken in (home / ".claude.json", home / ".claude" / "settings.json"):
        broken.write_text("{\n")
        ran = install("--ide", "claude", "--plan")
        assert ran.code == 1 and ran.error["message"].startswith(f"{broken}: The configuration is not JSON at line")
        broken.write_text("{}")


def test_something_else_under_the_name_is_never_overwritten_nor_taken_out(install: Install, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    text = '{"mcpServers": {"muniment": {"command": "npx", "args": ["-y", "somebody-elses"]}}}'
    file.write_text(text)
    for ran in (into(install, file), out_of(install, file)):
        assert (ran.code, ran.error["code"]) == (1, "conflict")
    assert file.read_text() == text
    assert into(install, file, "cursor", "--name", "memory").code == 0
    assert set(read(file, "cursor")["mcpServers"]) == {"muniment", "memory"}
    assert out_of(install, file, "cursor", "--name", "memory").code == 0
    assert file.read_text() == text


def test_another_muniment_is_named_as_such_and_can_be_taken_out(install: Install, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {"muniment": {"command": "/old/bin/muniment", "args": ["mcp"]}}}')
    ran = into(install, file)
    assert "Another Muniment" in ran.error["message"]
    assert out_of(install, file).code == 0
    assert "muniment" not in (file.read_text() if file.exists() else "")


def test_nothing_is_written_without_consent_to_exactly_this(install: Install, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(FILES["plain"])
    arguments = ["--ide", "cursor", "--config", str(file)]
    asked = install(*arguments)
    assert (asked.code, asked.error["code"]) == (2, "validation")
    assert asked.error["details"]["plan"]["changes"][0]["path"] == str(file)
    assert '+    "muniment"' in asked.error["details"]["plan"]["changes"][0]["diff"]
    assert install(*arguments, "--yes", "0" * 16).error["code"] == "conflict"
    plan = install(*arguments, "--plan").json
    file.write_bytes(FILES["plain"] + b" ")
    assert install(*arguments, "--yes", plan["hash"]).error["code"] == "conflict"
    assert file.read_bytes() == FILES["plain"] + b" "


def test_a_file_that_somebody_changes_between_plan_and_writing_is_left_to_them(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(FILES["plain"])
    editor = EDITORS["cursor"]
    made = planning.plan(editor, {file: (planning.adding(editor, "muniment", server(editor, ["/m"])), str)})
    file.write_bytes(b'{"somebody": "else"}')
    with pytest.raises(applying.ConflictError):
        applying.apply(made)
    assert file.read_bytes() == b'{"somebody": "else"}'
    assert len(list(tmp_path.iterdir())) == 1


def test_a_link_stays_a_link_and_what_it_leads_to_is_written(install: Install, tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.json", tmp_path / "mcp.json"
    real.write_bytes(FILES["plain"])
    link.symlink_to(real)
    assert into(install, link).code == 0
    assert link.is_symlink()
    assert "muniment" in real.read_text()
    assert out_of(install, link).code == 0
    assert link.is_symlink()
    assert real.read_bytes() == FILES["plain"]


def test_a_write_protected_file_is_refused_before_anything_is_written(install: Install, tmp_path: Path) -> None:
    file, settings = tmp_path / "claude.json", tmp_path / "settings.json"
    file.write_text("{}")
    settings.write_text("{}")
    os.chmod(settings, 0o444)
    arguments = ["--ide", "claude", "--config", str(file), "--hooks-config", str(settings)]
    plan = install(*arguments, "--plan").json
    ran = install(*arguments, "--yes", plan["hash"])
    assert (ran.code, ran.error["code"]) == (5, "read_only")
    assert (file.read_text(), settings.read_text()) == ("{}", "{}")


def test_claude_code_gets_its_hooks_beside_those_of_others(install: Install, tmp_path: Path) -> None:
    settings = tmp_path / "home" / ".claude" / "settings.json"
    settings.parent.mkdir()
    own = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "mine"}]}]}, "model": "opus"}
    settings.write_text(json.dumps(own, indent=4) + "\n")
    before = settings.read_bytes()
    plan = install("--ide", "claude", "--plan").json
    assert {Path(one["path"]).name for one in plan["changes"]} == {".claude.json", "settings.json"}
    assert install("--ide", "claude", "--yes", plan["hash"]).code == 0
    found = json.loads(settings.read_text())
    assert found["model"] == "opus"
    assert found["hooks"]["SessionStart"][0] == own["hooks"]["SessionStart"][0]  # type: ignore[index]
    assert set(found["hooks"]) == {"SessionStart", "PreToolUse", "PostToolUse", "SessionEnd"}
    assert found["hooks"]["PostToolUse"][0]["hooks"][0]["async"] is True
    assert json.loads((tmp_path / "home" / ".claude.json").read_text())["mcpServers"]["muniment"]["type"] == "stdio"
    assert install("--ide", "claude", "--plan").json["changes"] == []
    plan = install("--ide", "claude", "--uninstall", "--plan").json
    assert install("--ide", "claude", "--uninstall", "--yes", plan["hash"]).code == 0
    assert settings.read_bytes() == before
    assert not (tmp_path / "home" / ".claude.json").exists()


def test_the_hooks_that_were_written_run(install: Install, tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    arguments = ["--ide", "claude", "--config", str(tmp_path / "c.json"), "--hooks-config", str(settings)]
    install(*arguments, "--yes", install(*arguments, "--plan").json["hash"])
    for event, groups in json.loads(settings.read_text())["hooks"].items():
        handler = groups[0]["hooks"][0]
        given = json.dumps({"hook_event_name": event, "session_id": "s"}).encode()
        env = {**os.environ, "PYTHONPATH": str(SOURCES), "MUNIMENT_PATH": str(tmp_path / "none.muniment")}
        ran = subprocess.run(
            [handler["command"], *handler["args"]], input=given, env=env, capture_output=True, timeout=60
        )
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_the_server_that_was_written_answers(install: Install, tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    file = tmp_path / "mcp.json"
    into(install, file)
    entry = read(file, "cursor")["mcpServers"]["muniment"]
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(SOURCES), "MUNIMENT_PATH": str(tmp_path / "m.muniment")}
    ran = subprocess.run(
        [entry["command"], *entry["args"]],
        input=json.dumps(hello).encode() + b"\n",
        env=env,
        capture_output=True,
        timeout=60,
    )
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert lines[0]["result"]["serverInfo"]["name"] == "muniment"


def test_the_store_that_was_named_is_the_one_of_server_and_hooks(install: Install, tmp_path: Path) -> None:
    arguments = ["--ide", "claude", "--path", "team.muniment", "--namespace", "app", "--plan"]
    plan = install(*arguments).json
    path = str(tmp_path / "team.muniment")
    for change in plan["changes"]:
        assert json.dumps(path)[1:-1] in change["diff"]
        assert '"app"' in change["diff"]


MACHINES = {
    "linux": Machine("linux", "/home/ana", "/srv/app", {}),
    "darwin": Machine("darwin", "/Users/ana", "/srv/app", {}),
    "win32": Machine("win32", "C:\\Users\\ana", "D:\\app", {"APPDATA": "C:\\Users\\ana\\AppData\\Roaming"}),
}
PLACES = {
    ("claude", "linux"): "/home/ana/.claude.json",
    ("claude", "win32"): "C:\\Users\\ana\\.claude.json",
    ("claude-desktop", "darwin"): "/Users/ana/Library/Application Support/Claude/claude_desktop_config.json",
    ("claude-desktop", "win32"): "C:\\Users\\ana\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
    ("cursor", "win32"): "C:\\Users\\ana\\.cursor\\mcp.json",
    ("windsurf", "darwin"): "/Users/ana/.codeium/windsurf/mcp_config.json",
    ("codex", "linux"): "/home/ana/.codex/config.toml",
    ("cline", "linux"): "/home/ana/.cline/data/settings/cline_mcp_settings.json",
    ("gemini", "darwin"): "/Users/ana/.gemini/settings.json",
    ("vscode", "linux"): "/home/ana/.config/Code/User/mcp.json",
    ("vscode", "darwin"): "/Users/ana/Library/Application Support/Code/User/mcp.json",
    ("vscode", "win32"): "C:\\Users\\ana\\AppData\\Roaming\\Code\\User\\mcp.json",
}


@pytest.mark.parametrize(("ide", "system"), PLACES)
def test_each_program_has_its_place_on_each_platform(ide: str, system: str) -> None:
    assert str(place(EDITORS[ide], "user", MACHINES[system])) == PLACES[ide, system]


def test_a_variable_of_the_program_moves_its_place() -> None:
    machine = Machine("linux", "/home/ana", "/srv/app", {"CODEX_HOME": "/srv/codex"})
    assert str(place(EDITORS["codex"], "user", machine)) == "/srv/codex/config.toml"


@pytest.mark.parametrize(
    "arguments",
    [("--ide", "emacs"), (), ("--ide", "windsurf", "--scope", "project"), ("--ide", "cursor", "--scope", "team"),
     ("--ide", "cursor", "--name", "a b"), ("--ide", "claude", "--config", "x.json")],
)  # fmt: skip
def test_what_cannot_be_is_refused(install: Install, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert install(*arguments).code in (2, 4)
    assert not list((tmp_path / "home").iterdir())


@pytest.mark.parametrize("name", EDITORS)
def test_every_plan_names_the_page_its_format_is_from(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", "--ide", name, "--config", str(tmp_path / "c"), "--no-hooks", "--plan"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert EDITORS[name].page in said and "not tried in the program itself" in said
    assert "2026" in EDITORS[name].page
    assert "will not start" not in said, "the extra is installed here"


def test_a_server_that_could_not_start_yet_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in extra.PACKAGES:
        with monkeypatch.context() as without:
            without.setitem(sys.modules, package, None)
            arguments = ["install", "--ide", "cursor", "--config", str(tmp_path / package)]
            assert main([*arguments, "--plan"]) == 0
            assert "muniment[mcp]" in capsys.readouterr().out
            assert main([*arguments, "--plan", "--json"]) == 0
            plan = json.loads(capsys.readouterr().out)
            assert "will not start" in plan["cautions"][0]
            assert main([*arguments, "--yes", plan["hash"]]) == 0
            assert "pip install 'muniment[mcp]'" in " ".join(capsys.readouterr().out.split()), "at the end, too"
            assert main([*arguments, "--program", "elsewhere", "--name", "other", "--plan", "--json"]) == 0
            assert json.loads(capsys.readouterr().out)["cautions"] == [], "of another program nobody knows"


def test_where_the_extra_is_missing_doctor_and_the_server_name_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "muniment mcp can start" in [one.says.rstrip(".") for one in checks.examine(Doors(path=":memory:"))]
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    (found,) = [one for one in checks.examine(Doors(path=":memory:")) if one.name == "mcp server"]
    assert found.state == "warn" and "pip install 'muniment[mcp]'" in found.advice
    for name in [name for name in sys.modules if name.startswith("muniment.surfaces.mcp.")]:
        if name != extra.__name__:
            monkeypatch.delitem(sys.modules, name)
    assert main(["mcp"]) == 4
    said = capsys.readouterr().err
    assert "the extra mcp" in said and "pip install 'muniment[mcp]'" in said


def test_an_entry_of_a_project_says_that_it_holds_paths_of_this_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for scope, told in (("project", True), ("user", False)):
        assert main(["install", "--ide", "cursor", "--scope", scope, "--plan", "--json"]) == 0
        cautions = json.loads(capsys.readouterr().out)["cautions"]
        assert any("paths of this machine" in one for one in cautions) is told


def test_the_help_says_that_no_format_was_tried(install: Install) -> None:
    ran = subprocess.run(
        [*PROGRAM, "install", "--help"],
        env={**os.environ, "PYTHONPATH": str(SOURCES), "COLUMNS": "200"},
        capture_output=True,
    )
    text = " ".join(ran.stdout.decode().split())
    assert "none was tried in the program itself" in text


def test_hooks_are_started_without_a_shell() -> None:
    for group in hooks(["C:\\Program Files\\m.exe"], ["--path", "a b"]).values():
        (handler,) = group["hooks"]
        assert handler["command"] == "C:\\Program Files\\m.exe"
        assert handler["args"][0] == "hook"
        assert handler["args"][-2:] == ["--path", "a b"]


if sys.platform == "win32":  # links and permissions are another matter there
    del (
        test_a_link_stays_a_link_and_what_it_leads_to_is_written,
        test_a_write_protected_file_is_refused_before_anything_is_written,
    )
