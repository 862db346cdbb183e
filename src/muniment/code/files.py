"""Which files a look at a folder takes in."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from muniment.code.findings import Skipped
from muniment.code.words import written_out
from muniment.errors import NotFoundError, ValidationError
from muniment.quick import dataclass, field

GIT_SECONDS: Final = 60
"""After which git is given up and every file is taken."""

_LEFT_OUT: Final = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
"""Folders of other people's code, where no git says what is one's own; those whose name begins with a point as well."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to look at.

    Args:
        path: Where it lies.
        shown: What to call it: as the caller's path leads to it.
        inside: Its path from the root of what was asked for, which imports may be relative to.
    """

    path: str
    shown: str
    inside: str


@dataclass(slots=True)
class Listing:
    """The files to look at, each once, and those that were left out for a reason that somebody should know."""

    files: list[File] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)

    def add(self, path: str, shown: str, inside: str, root: str) -> None:
        """Add a file, unless it is one already, or a link that leads out of the tree."""
        real = os.path.realpath(path)
        if os.path.islink(path) and not _within(real, root):
            self.skipped.append(Skipped(shown, "leads out of the tree"))
        elif real not in self._known and os.path.isfile(real):
            self._known.add(real)
            self.files.append(File(path, shown, inside))


def listed(paths: Iterable[str | os.PathLike[str]]) -> Listing:
    """Return the files of some paths, in order.

    A file that is named is taken as it is, and a link that is named is followed: whoever names it means it. Of a folder
    in a git repository, the files are those that git tracks or would take (``.gitignore`` and its like hold); of any
    other folder, all but those in hidden folders and in those of other people's code. Links to files are followed
    inside the folder; links to folders are not.

    Args:
        paths: Files and folders.

    Raises:
        NotFoundError: If a path does not exist.
        ValidationError: If there is none.
    """
    found = Listing()
    none = True
    for given in paths:
        none = False
        path = os.fspath(given)
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError):
            raise NotFoundError(
                f"{written_out(path)} does not exist or cannot be read.", advice="Check its spelling."
            ) from None
        if stat.S_ISDIR(mode):
            root = os.path.realpath(path)
            for inside in sorted(_of_git(path) or _of_folder(path)):
                found.add(os.path.join(path, inside), os.path.normpath(os.path.join(path, inside)), inside, root)
        elif stat.S_ISREG(mode):
            found.add(path, path, path, os.path.dirname(os.path.realpath(path)) if not os.path.islink(path) else "/")
        else:
            found.skipped.append(Skipped(path, "not readable"))  # a pipe or a device might never end
    if none:
        raise ValidationError("There is no path.", advice="Name a file or a folder, or - for standard input.")
    return found


def _within(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _of_git(folder: str) -> list[str] | None:
    """Return the files of a folder as git sees it; None where there is no git, or no repository."""
    import subprocess

    # No hook, no pager and no program that a repository's own settings name is run by this.
    asked = ["git", "-c", "core.fsmonitor=false", "-C", folder, "ls-files", "-z", "--cached", "--others",
             "--exclude-standard", "--deduplicate", "--", "."]  # fmt: skip
    try:
        done = subprocess.run(asked, capture_output=True, stdin=subprocess.DEVNULL, timeout=GIT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


def _of_folder(folder: str) -> Iterator[str]:
    for at, inner, names in os.walk(folder):
        inner[:] = [one for one in inner if not one.startswith(".") and one not in _LEFT_OUT]
        for name in names:
            yield str(Path(at, name).relative_to(folder))
