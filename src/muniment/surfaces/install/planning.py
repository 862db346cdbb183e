"""What installing would change: bytes before and after of each file, and nothing else. Nothing is written here."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from muniment.errors import ConflictError, MunimentError, ValidationError
from muniment.quick import dataclass
from muniment.surfaces.install import entries, jsonc, splicing, tomlblock
from muniment.surfaces.install.editors import Editor

MAX_SIZE: Final = 64 * 1_048_576
"""Bytes of a configuration that is read. Claude Code keeps more than settings in its file."""

BACKUP: Final = ".before-muniment"
"""How the copy of a file ends, as it was before anything was written into it."""

_MARK: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file.

    Args:
        path: The file; of a link, what it leads to.
        before: Its bytes; None where there is no file.
        after: Its bytes then; None where it is to go.
    """

    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = (_shown(data).splitlines() for data in (self.before, self.after))
        lines = difflib.unified_diff(old, new, str(self.path), str(self.path), lineterm="", n=2)
        return "\n".join(lines)


def _shown(data: bytes | None) -> str:
    return (data or b"").removeprefix(_MARK).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Plan:
    """What installing, or taking out, would change.

    Args:
        editor: The program.
        changes: The files that would change; none if everything is as it should be.
        uninstall: It is taken out.
        cautions: What to know before and afterwards, as sentences.
    """

    editor: Editor
    changes: tuple[Change, ...]
    uninstall: bool = False
    cautions: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """What consents to exactly this: a hash of every byte before and after."""
        seen = hashlib.sha256()
        for change in self.changes:
            for part in (str(change.path).encode("utf-8", "surrogatepass"), change.before, change.after):
                seen.update(b"-" if part is None else len(part).to_bytes(8, "big") + part)
        return seen.hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        changes = [{"path": str(one.path), "diff": one.diff} for one in self.changes]
        return {"ide": self.editor.name, "uninstall": self.uninstall, "changes": changes, "hash": self.hash,
                "cautions": list(self.cautions)}  # fmt: skip


Edit = Callable[[str], str]


def plan(editor: Editor, wanted: Mapping[Path, tuple[Edit, Edit]], *, uninstall: bool = False) -> Plan:
    """Return what would change.

    Args:
        editor: The program.
        wanted: By file, what puts into its text what is to be in it, and what takes that out.
        uninstall: It is taken out: a file that is only what was written into it goes back to what it was before.

    Raises:
        ValidationError: If a file cannot be read.
        ConflictError: If it is not what it should be, or something else stands where this would go. It names the file.
    """
    changes: list[Change] = []
    for path, (put, take) in wanted.items():
        real = path.resolve()
        before = _read(real)
        try:
            after = _restored(real, before, put, take) if uninstall else _edited(before, put)
        except MunimentError as error:  # of two files, which one it is about
            raise ConflictError(f"{real}: {error.message}", advice=error.advice) from None
        change = Change(real, before, after)
        if change.before != change.after:
            changes.append(change)
    return Plan(editor, tuple(changes), uninstall)


def _read(path: Path) -> bytes | None:
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_SIZE + 1)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise ValidationError(
            f"{path} cannot be read.", advice="Look at the file, or name another with --config."
        ) from None
    if len(data) > MAX_SIZE:
        raise ValidationError(f"{path} is too large for a configuration.", advice="Name another with --config.")
    return data


def _edited(before: bytes | None, edit: Edit) -> bytes:
    """Return bytes with their text edited; a byte order mark stays."""
    mark = _MARK if before is not None and before.startswith(_MARK) else b""
    try:
        text = (before or b"").removeprefix(mark).decode("utf-8")
    except UnicodeDecodeError:
        raise ValidationError(
            "The configuration is not UTF-8 text; it was left alone.", advice="Convert it, then try again."
        ) from None
    return mark + edit(text).encode("utf-8")


def _restored(path: Path, before: bytes | None, put: Edit, take: Edit) -> bytes | None:
    """Return what a file was before the installation, byte for byte, where nobody else has changed it since.

    The copy that was made then says what it was. Where there was no file, one that says nothing any more goes.
    """
    if before is None:
        return None
    after = _edited(before, take)
    if after == before:
        return before
    copy = _read(path.with_name(path.name + BACKUP))
    if copy is None:
        return after if _says(after) else None
    try:
        untouched = _edited(copy, put) == before
    except (ValidationError, ConflictError):
        untouched = False
    return copy if untouched or _same(copy, after) else after


def _says(data: bytes) -> bool:
    """Say whether a configuration says anything."""
    return bool(data.removeprefix(_MARK).strip(b" \t\r\n{}"))


def _same(one: bytes, other: bytes) -> bool:
    """Say whether two configurations say the same, whatever their white space is."""
    return b"".join(one.split()) == b"".join(other.split())


def adding(editor: Editor, name: str, entry: Mapping[str, Any]) -> Edit:
    """Return the edit that puts the server's entry in. An equal one is left as it is; another one is refused."""

    def edit(text: str) -> str:
        known = _entry(editor, name, text)
        if known == dict(entry):
            return text
        if known is not None:
            whose = "Another Muniment" if entries.is_server(known) else "Something else"
            raise ConflictError(
                f"{whose} is configured under this name already; it was left alone.",
                advice="Take it out first (--uninstall, or by hand), or choose another --name.",
            )
        if editor.toml:
            return tomlblock.put(text, editor.key, name, entry)
        return splicing.put(text, [editor.key, name], dict(entry))

    return edit


def removing(editor: Editor, name: str, entry: Mapping[str, Any]) -> Edit:
    """Return the edit that takes the server's entry out, if it is this one, or looks like one of ours."""

    def edit(text: str) -> str:
        known = _entry(editor, name, text)
        if known is None:
            return text
        if known != dict(entry) and not entries.is_server(known):
            raise ConflictError(
                "What is configured under this name is not Muniment; it was left alone.",
                advice="Choose another --name.",
            )
        return tomlblock.take(text) if editor.toml else splicing.take(text, [editor.key, name])

    return edit


def _entry(editor: Editor, name: str, text: str) -> Any:
    if editor.toml:
        document = tomlblock.parse(text)
    else:
        document = jsonc.parse(text).value if text.strip() else {}
    servers = document.get(editor.key) if isinstance(document, dict) else None
    return servers.get(name) if isinstance(servers, dict) else None


def adding_hooks(groups: Mapping[str, Mapping[str, Any]]) -> Edit:
    """Return the edit that puts in the hooks that are not there. Another Muniment's are refused."""

    def edit(text: str) -> str:
        for event, group in groups.items():
            known = [one for one in _groups(text, event) if one == group or entries.is_hook(one)]
            if known == [group]:
                continue
            if known:
                raise ConflictError(
                    "Hooks of another Muniment are configured already; they were left alone.",
                    advice="Take them out first, with --uninstall.",
                )
            text = splicing.put(text, ["hooks", event], dict(group), item=True)
        return text

    return edit


def removing_hooks(groups: Mapping[str, Mapping[str, Any]]) -> Edit:
    """Return the edit that takes the hooks out that are these, or look like ours."""

    def edit(text: str) -> str:
        for event, group in reversed(list(groups.items())):
            known = _groups(text, event)
            while ours := [n for n, one in enumerate(known) if one == group or entries.is_hook(one)]:
                text = splicing.take(text, ["hooks", event, ours[-1]])
                known = _groups(text, event)
        return text

    return edit


def _groups(text: str, event: str) -> list[Any]:
    document = jsonc.parse(text).value if text.strip() else {}
    hooks = document.get("hooks") if isinstance(document, dict) else None
    groups = hooks.get(event) if isinstance(hooks, dict) else None
    return groups if isinstance(groups, list) else []
