"""The plugin, its marketplace and the hooks of pre-commit: read as their programs read them, and run."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import muniment
from muniment import Memory
from muniment.surfaces.install import entries
from muniment.surfaces.install.editors import EDITORS
from surfaces.running import SOURCES

ROOT = SOURCES.parent
PLUGIN = ROOT / "plugin"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="starts a shell script in the place of the program")


def read(*parts: str) -> Any:
    return json.loads(ROOT.joinpath(*parts).read_text(encoding="utf-8"))


@pytest.fixture
def path(tmp_path: Path) -> dict[str, str]:
    """An environment in which ``muniment`` is on the path, as after an installation, and no store is the user's."""
    script = tmp_path / "bin" / "muniment"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m muniment "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return {
        **os.environ, "PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(SOURCES),
        "MUNIMENT_PATH": str(tmp_path / "memory.muniment"), "MUNIMENT_HOOK_SECONDS": "60",
    }  # fmt: skip


def test_the_marketplace_lists_the_plugin_that_lies_beside_it() -> None:
    market = read(".claude-plugin", "marketplace.json")
    assert set(market) <= {"name", "description", "owner", "plugins", "version"}
    assert market["owner"]["name"]
    (listed,) = market["plugins"]
    assert listed["source"].startswith("./"), "relative to the folder that holds .claude-plugin"
    manifest = json.loads((ROOT / listed["source"] / ".claude-plugin" / "plugin.json").read_text())
    assert manifest["name"] == listed["name"] == market["name"]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", listed["name"])


def test_the_manifest_has_documented_members_and_the_version_of_the_package() -> None:
    manifest = read("plugin", ".claude-plugin", "plugin.json")
    assert set(manifest) <= {
        "name", "displayName", "version", "description", "author", "license", "keywords", "homepage", "repository"
    }  # fmt: skip
    assert manifest["version"] == muniment.__version__
    assert isinstance(manifest["keywords"], list)
    assert isinstance(manifest["author"], dict)


def test_the_plugin_has_the_hooks_and_the_server_that_install_writes() -> None:
    groups = {event: [group] for event, group in entries.hooks(["muniment"]).items()}
    assert read("plugin", "hooks", "hooks.json")["hooks"] == groups
    server = read("plugin", ".mcp.json")["mcpServers"]["muniment"]
    assert server == {k: v for k, v in entries.server(EDITORS["claude"], ["muniment"]).items() if k != "type"}


def test_each_hook_of_the_plugin_runs(path: dict[str, str]) -> None:
    with Memory(path["MUNIMENT_PATH"]) as memory:
        memory.remember("We keep SQLite", key="store::decision")
    said = {}
    for event, groups in read("plugin", "hooks", "hooks.json")["hooks"].items():
        (handler,) = groups[0]["hooks"]
        given = {
            "hook_event_name": event,
            "session_id": "s",
            "tool_name": "Write",
            "tool_input": {"file_path": "/x/store.py"},
        }
        ran = subprocess.run(
            [handler["command"], *handler["args"]],
            input=json.dumps(given).encode(),
            env=path,
            capture_output=True,
            timeout=60,
        )
        assert (ran.returncode, ran.stderr) == (0, b"")
        said[event] = json.loads(ran.stdout or b"{}")
    assert "We keep SQLite" in said["SessionStart"]["hookSpecificOutput"]["additionalContext"]
    assert said["PreToolUse"]["hookSpecificOutput"]["hookEventName"] == "PreToolUse"
    with Memory(path["MUNIMENT_PATH"]) as memory:
        assert memory.believe("file x/store.py::last change").value == "wrote"
        assert memory.believe("session s::ledger").value["said"] == 1


def test_the_server_of_the_plugin_answers(path: dict[str, str]) -> None:
    pytest.importorskip("mcp")
    server = read("plugin", ".mcp.json")["mcpServers"]["muniment"]
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}  # fmt: skip
    ran = subprocess.run(
        [server["command"], *server["args"]],
        input=json.dumps(hello).encode() + b"\n",
        env=path,
        capture_output=True,
        timeout=60,
    )
    assert json.loads(ran.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "muniment"


def hooks_of_pre_commit() -> list[dict[str, str]]:
    """Read the file, which uses no more of YAML than a list of members with plain values."""
    found: list[dict[str, str]] = []
    for line in (ROOT / ".pre-commit-hooks.yaml").read_text().splitlines():
        member = re.fullmatch(r"(- |  )([a-z_]+): (.+)", line)
        if member is None:
            assert line.startswith("#") or not line, line
            continue
        if member[1] == "- ":
            found.append({})
        found[-1][member[2]] = member[3]
    return found


def test_pre_commit_finds_what_it_needs() -> None:
    for hook in hooks_of_pre_commit():
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert hook["language"] == "python"
        assert hook["require_serial"] == "true"


def test_the_hook_of_pre_commit_fails_for_a_name_that_was_replaced_and_passes_otherwise(
    path: dict[str, str], tmp_path: Path
) -> None:
    pytest.importorskip("pygments")
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / ".muniment").mkdir()
    with Memory(":memory:") as memory:
        memory.code.deprecate("old_name", "new_name", reason="renamed")
        memory.code.export(repository / ".muniment" / "symbols.jsonl")
    (repository / "bad.py").write_text("x = old_name()\n")
    (repository / "good.py").write_text("x = new_name()\n")
    (repository / "README").write_text("old_name is gone\n")
    (hook,) = hooks_of_pre_commit()
    for files, code in ((["good.py", "README"], 0), (["good.py", "bad.py"], 1)):
        ran = subprocess.run(
            [*hook["entry"].split(), *files], cwd=repository, env=path, capture_output=True, timeout=60
        )
        assert ran.returncode == code, ran.stdout + ran.stderr
    assert b"bad.py:1" in ran.stdout
