"""``.muniment/symbols.jsonl``: the names that a repository replaced, beside the code that is to follow.

The first line says what the file is. Each further line is one name, and the lines stand in the order of the names::

    {"format":"muniment symbols","version":1}
    {"name":"pkg.mod.old","reason":"split in two","replacement":"pkg.mod.new"}

The same names give the same bytes, a name that is added or taken away is one line of a difference, and nothing in it
depends on when or by whom it was written: that is what version control is for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from muniment import jsontext
from muniment.code.names import read_name
from muniment.code.symbols import Symbol
from muniment.code.words import written_out
from muniment.errors import ConflictError, NotFoundError, StoreError, ValidationError

FOLDER: Final = ".muniment"
FILE: Final = "symbols.jsonl"
HEADER: Final = {"format": "muniment symbols", "version": 1}

SIZE_LIMIT: Final = 16 * 1_048_576
"""Bytes of a file: 100,000 names with a reason of a line each."""

COUNT_LIMIT: Final = 100_000
"""Names of a file. One of this size is read in half a second; a repository that large has other means."""

LINE_LIMIT: Final = 16_384
"""Bytes of a line: a name, a few replacements in dispute, and a reason."""

REASON_LIMIT: Final = 1_000
"""Characters of a reason."""

CANDIDATES_LIMIT: Final = 16
"""Replacements in dispute. More than two are rare."""

_MEMBERS: Final = frozenset({"name", "replacement", "reason", "candidates"})


def find(start: Path) -> Path | None:
    """Return the symbols file of the repository that a folder lies in, or None.

    Args:
        start: The folder. Looked for is ``.muniment/symbols.jsonl`` there and in each folder above, up to the one that
            holds ``.git``.

    Raises:
        StoreError: If what is there is no file: then the names of the repository cannot be known.
    """
    for folder in (start, *start.parents):
        file = folder / FOLDER / FILE
        if file.is_file():
            return file
        if os.path.lexists(file):
            raise StoreError(
                f"{FOLDER}/{FILE} of the repository is no file.", advice="Take away what lies in its place."
            )
        if (folder / ".git").exists():
            return None
    return None


def usual(start: Path) -> Path:
    """Return where the symbols file of the repository that a folder lies in is, or would be.

    Raises:
        NotFoundError: If the folder lies in no repository.
    """
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder / FOLDER / FILE
    raise NotFoundError("This folder lies in no git repository.", advice="Name the file: --file PATH.")


def read(file: str | os.PathLike[str]) -> tuple[Symbol, ...]:
    """Read a symbols file.

    Raises:
        NotFoundError: If there is none.
        ValidationError: If a line is not as it must be; ``line`` in the details says which one.
    """
    try:
        with open(file, "rb") as stream:
            data = stream.read(SIZE_LIMIT + 1)
    except FileNotFoundError:
        raise NotFoundError("There is no such symbols file.", advice="muniment code export writes one.") from None
    except OSError as error:
        raise StoreError(
            f"The symbols file cannot be read: {error.strerror or 'not readable'}.", advice="Check the path."
        ) from None
    return parse(data)


def parse(data: bytes) -> tuple[Symbol, ...]:
    """Read the bytes of a symbols file.

    Raises:
        ValidationError: See :func:`read`.
    """
    if len(data) > SIZE_LIMIT:
        raise _wrong("is larger than 16 MiB", "Keep the names that somebody may still use.")
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if len(lines) > COUNT_LIMIT + 2:
        raise _wrong(f"has more than {COUNT_LIMIT:,} lines", "Keep the names that somebody may still use.")
    if _object(lines[0], 1) != HEADER:
        raise _wrong("does not begin with the line that says what it is", "muniment code export writes it.", 1)
    found: dict[str, tuple[Symbol, int]] = {}
    for number, line in enumerate(lines[1:], start=2):
        if line.strip():
            symbol = _symbol(_object(line, number), number)
            known = found.setdefault(symbol.name, (symbol, number))
            if known[0] != symbol:
                raise _wrong(
                    f"says two things of one name, on lines {known[1]} and {number}",
                    "Two branches replaced the same name; keep one of the lines.", number,
                )  # fmt: skip
    return tuple(symbol for symbol, _ in found.values())


def render(symbols: Iterable[Symbol]) -> bytes:
    """Return the bytes of a symbols file: the same for the same symbols, in whatever order they come.

    Example:
        >>> print(render([Symbol("old", "new")]).decode(), end="")
        {"format":"muniment symbols","version":1}
        {"name":"old","replacement":"new"}
    """
    lines = [_line(HEADER)]
    for symbol in sorted(symbols, key=lambda one: one.name):
        lines.append(_line({name: value for name, value in symbol.to_dict().items() if value or name == "replacement"}))
    return "".join(line + "\n" for line in lines).encode()


def write(file: str | os.PathLike[str], symbols: Iterable[Symbol]) -> bool:
    """Write a symbols file, whole or not at all.

    Returns:
        Whether anything changed.

    Raises:
        ConflictError: If the file, or the folder it lies in, is a link: a repository may not lead writes elsewhere.
    """
    place = Path(file)
    if place.is_symlink() or place.parent.is_symlink():
        raise ConflictError("The symbols file is a link.", advice="Put a file in its place, or name another one.")
    import tempfile

    data = render(symbols)
    try:
        if place.is_file() and place.read_bytes() == data:
            return False
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(prefix=".symbols-", dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            os.chmod(scratch, 0o644)  # version control shares it; a temporary file is its owner's only
            os.replace(scratch, place)
        except BaseException:
            os.unlink(scratch)
            raise
    except OSError as error:
        raise StoreError(
            f"The symbols file cannot be written: {error.strerror or 'not writable'}.", advice="Check the path."
        ) from None
    return True


def _line(members: dict[str, Any]) -> str:
    return written_out(jsontext.dumps(members, option=jsontext.OPT_SORT_KEYS).decode())


def _object(line: bytes, number: int) -> dict[str, Any]:
    if len(line) > LINE_LIMIT:
        raise _wrong(f"has more than {LINE_LIMIT:,} bytes on line {number}", "Shorten its reason.", number)
    if line.startswith((b"<<<<<<<", b"=======", b">>>>>>>")):
        raise _wrong(f"has a conflict of a merge on line {number}", "Keep what is to hold of both sides.", number)
    try:
        found = jsontext.loads(line)
    except jsontext.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise _wrong(f"has no JSON object on line {number}", "A line says one name and its replacement.", number)
    return found


def _symbol(members: dict[str, Any], number: int) -> Symbol:
    if not members.keys() <= _MEMBERS:
        raise _wrong(
            f"has a member on line {number} that no name has", f"There are: {', '.join(sorted(_MEMBERS))}.", number
        )
    try:
        name = read_name(members.get("name"), "name")
        candidates = _candidates(members.get("candidates", []))
        replacement = members.get("replacement")
        if replacement is not None or not candidates:
            replacement = _replacement(replacement, name.text)
        return Symbol(name.text, replacement, checked_reason(members.get("reason")), candidates)
    except ValidationError as error:
        raise _wrong(f"has a mistake on line {number}: {error.message}", error.advice, number) from None


def _replacement(given: Any, name: str) -> str:
    if read_name(given, "replacement").text == name:
        raise ValidationError("A name cannot replace itself.", advice="Name what is to be used instead.")
    return str(given)


def _candidates(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or len(given) > CANDIDATES_LIMIT:
        raise ValidationError(f"candidates must be a list of at most {CANDIDATES_LIMIT} names.", advice="Leave it out.")
    for one in given:
        read_name(one, "A candidate")
    return tuple(given)


def checked_reason(given: Any) -> str | None:
    """Return a reason that may stand in the file: one line of limited length.

    Raises:
        ValidationError: If it is anything else.
    """
    if given is None:
        return None
    if not isinstance(given, str) or not given.strip():
        raise ValidationError("reason must be a text that is not empty.", advice="Leave it out.")
    if len(given) > REASON_LIMIT:
        raise ValidationError(
            f"reason has more than {REASON_LIMIT} characters.", advice="Say it in a sentence.", limit=REASON_LIMIT
        )
    return given


def _wrong(what: str, advice: str, line: int = 0) -> ValidationError:
    return ValidationError(f"The symbols file {what}.", advice=advice, **({"line": line} if line else {}))
