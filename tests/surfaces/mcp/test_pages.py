"""What the pages say of the server is so: what each profile costs, and how a conversation goes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from muniment.surfaces.mcp import tools

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import make_mcp  # noqa: E402

MOST = 2_500
"""Tokens that a model reads of the profile that every server has."""


def test_the_core_is_ten_tools_at_most_and_costs_little() -> None:
    count, read, _ = make_mcp.cost(tools.CORE)
    assert count <= 10 and read <= MOST


def test_the_table_and_the_conversation_are_what_a_run_gives() -> None:
    """Each step of the conversation is asserted where it is made: a correction, an echo, a contest, a verdict, an erasure."""
    tool = [sys.executable, str(ROOT / "tools" / "make_mcp.py"), "--check"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(tool, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run: PYTHONPATH=src python tools/generate.py\n{done.stdout}{done.stderr}"


def test_the_registry_file_names_what_is_installed_and_the_readme_the_server() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    entry = json.loads((ROOT / "server.json").read_text("utf-8"))
    (package,) = entry["packages"]
    assert entry["version"] == package["version"] == project["version"]
    assert package["identifier"] == project["name"] and package["transport"] == {"type": "stdio"}
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text("utf-8")
    assert len(entry["description"]) <= 100
    # A client composes hint, these, the name (perhaps with its version), the arguments: an extra has no place in a name.
    assert [(one["name"], one["value"]) for one in package["runtimeArguments"]] == [
        ("--with", *project["optional-dependencies"]["mcp"])
    ]
    arguments = [one["value"] for one in package["packageArguments"]]
    assert arguments == ["mcp"]
    from muniment.settings import PREFIX, SETTINGS

    assert all(one["name"].removeprefix(PREFIX) in SETTINGS for one in package["environmentVariables"])
