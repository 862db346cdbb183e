"""The editors and agents that ``muniment install`` knows: where each keeps its servers, and where that was read.

None of this was tried in the programs themselves; what each page says was written down, and the files are written and
read back by the tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Final

from muniment.errors import CapabilityError
from muniment.quick import dataclass

READ: Final = "2026-11-30"
"""When the pages were read, in stored copies; a page that has a date of its own says so."""


@dataclass(frozen=True, slots=True)
class Editor:
    """One program.

    Args:
        name: What ``--ide`` calls it.
        title: What people call it.
        page: The documentation that its format was read from, and when.
        key: The member that holds its servers.
        files: By scope, the path of its configuration: ``user`` from the home folder, ``project`` from the project's.
        by_platform: The user's path where it differs: darwin, win32 or linux. An empty one: the program does not run
            there, as far as its documentation says.
        home: A variable that names the folder of the user's configuration, where the program has one.
        typed: Its entries say ``"type": "stdio"``.
        toml: The file is TOML, not JSON.
    """

    name: str
    title: str
    page: str
    key: str = "mcpServers"
    files: Mapping[str, str] | None = None
    by_platform: Mapping[str, str] | None = None
    home: str = ""
    typed: bool = False
    toml: bool = False

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes that it has."""
        return tuple(dict.fromkeys(["user", *(self.files or {})]))


_CODE: Final = "Code/User/mcp.json"
_DESKTOP: Final = "Claude/claude_desktop_config.json"
_SUPPORT: Final = "Library/Application Support"

EDITORS: Final = {
    editor.name: editor
    for editor in (
        Editor(
            "claude", "Claude Code", "code.claude.com/docs/en/mcp, /hooks and /settings, as of 2026-08-22",
            files={"user": ".claude.json", "project": ".mcp.json"}, typed=True,
        ),
        Editor(
            "claude-desktop", "Claude Desktop", f"modelcontextprotocol.io/quickstart/user, {READ}",
            by_platform={"darwin": f"{_SUPPORT}/{_DESKTOP}", "win32": f"%APPDATA%/{_DESKTOP}", "linux": ""},
        ),
        Editor(
            "cursor", "Cursor", f"cursor.com/docs/mcp, {READ}",
            files={"user": ".cursor/mcp.json", "project": ".cursor/mcp.json"},
        ),
        Editor(
            "windsurf", "Windsurf", f"docs.windsurf.com/windsurf/cascade/mcp, {READ}",
            files={"user": ".codeium/windsurf/mcp_config.json"},
        ),
        Editor(
            "codex", "Codex", f"developers.openai.com/codex/mcp and /config-reference, {READ}", key="mcp_servers",
            files={"user": ".codex/config.toml", "project": ".codex/config.toml"}, home="CODEX_HOME", toml=True,
        ),
        Editor(
            "cline", "Cline", f"docs.cline.bot/cli/configuration, {READ}",
            files={"user": ".cline/data/settings/cline_mcp_settings.json"},
        ),
        Editor(
            "gemini", "Gemini CLI", f"github.com/google-gemini/gemini-cli docs/tools/mcp-server.md, {READ}",
            files={"user": ".gemini/settings.json", "project": ".gemini/settings.json"},
        ),
        Editor(
            "vscode", "VS Code", f"code.visualstudio.com/docs/agents/reference/mcp-configuration, {READ}", key="servers",
            files={"project": ".vscode/mcp.json"}, typed=True,
            by_platform={"darwin": f"{_SUPPORT}/{_CODE}", "win32": f"%APPDATA%/{_CODE}", "linux": f".config/{_CODE}"},
        ),
    )
}  # fmt: skip
"""Every program, by its name."""

HOOKS: Final = {"user": ".claude/settings.json", "project": ".claude/settings.json"}
"""Where Claude Code keeps its hooks, by scope."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What a path depends on.

    Args:
        platform: As ``sys.platform`` says it.
        home: The user's folder.
        project: The project's folder.
        variables: Variables of other programs: APPDATA, CODEX_HOME.
    """

    platform: str
    home: str
    project: str
    variables: Mapping[str, str]

    def path(self, *parts: str) -> PurePath:
        """Return a path in the way of the platform."""
        return (PureWindowsPath if self.platform == "win32" else PurePosixPath)(*parts)


def place(editor: Editor, scope: str, machine: Machine) -> PurePath:
    """Return where a program keeps its servers.

    Raises:
        CapabilityError: If it has no such scope, or is not documented to run on the platform.

    Example:
        >>> machine = Machine("linux", "/home/ana", "/work/app", {})
        >>> str(place(EDITORS["cursor"], "project", machine)), str(place(EDITORS["vscode"], "user", machine))
        ('/work/app/.cursor/mcp.json', '/home/ana/.config/Code/User/mcp.json')
    """
    if scope not in editor.scopes:
        raise CapabilityError(
            f"{editor.title} has no configuration for a {scope} alone.",
            advice="Leave out --scope, or name a file with --config.",
        )
    if scope == "project":
        return machine.path(machine.project, (editor.files or {})["project"])
    own = machine.variables.get(editor.home) if editor.home else None
    if own is not None:
        return machine.path(own, PurePosixPath((editor.files or {})["user"]).name)
    system = machine.platform if machine.platform in ("darwin", "win32") else "linux"
    found = (editor.by_platform or {}).get(system) if editor.by_platform else (editor.files or {})["user"]
    if not found:
        raise CapabilityError(
            f"The documentation of {editor.title} names no file on this platform.",
            advice="Name the file with --config.",
        )
    if found.startswith("%APPDATA%/"):
        base = machine.variables.get("APPDATA") or str(machine.path(machine.home, "AppData", "Roaming"))
        return machine.path(base, found.removeprefix("%APPDATA%/"))
    return machine.path(machine.home, found)
