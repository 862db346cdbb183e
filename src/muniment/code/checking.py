"""Looking for names that were replaced: in a text, or in files. Neither a store nor a network is needed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from muniment.code import files as tree
from muniment.code.findings import Findings, Skipped, Use, told
from muniment.code.languages import Language, language_named, language_of
from muniment.code.lexing import lex
from muniment.code.matching import mentions, uses
from muniment.code.symbols import Symbol, Symbols
from muniment.code.texts import LARGEST, decoded
from muniment.errors import ValidationError

Progress = Callable[[int, int], object]


def check_text(
    text: str,
    symbols: Symbols | Iterable[Symbol],
    *,
    language: str | None = None,
    file: str | None = None,
    comments: bool = False,
    strings: bool = False,
) -> Findings:
    """Look for names that were replaced in a text.

    Args:
        text: The text.
        symbols: What was replaced.
        language: Its language, such as ``python`` or ``go``; told by ``file``, or by a first line ``#!``, if not given;
            Python if nothing tells it.
        file: What the file is called that it will stand in. It is not read.
        comments, strings: Look in comments, and in strings (docstrings too), as well.

    Raises:
        ValidationError: If it is no text, has more than 2 MiB, or there is no such language.

    Example:
        >>> print(check_text("rows = fetch(1)  # not load", [Symbol("fetch", "load")]))
        -:1:8: fetch was replaced; use load
        1 use of 1 replaced name: 1 file looked at for 1 name.
    """
    if not isinstance(text, str):
        raise ValidationError(f"code must be a text, not {type(text).__name__}.", advice="Pass a str.")
    if len(text) > LARGEST:
        raise ValidationError(
            f"code has more than {LARGEST:,} characters.", advice="Pass one file at a time.", limit=LARGEST
        )
    known = symbols if isinstance(symbols, Symbols) else Symbols(symbols)
    tongue = language_named(language) if language is not None else _guessed(file, text)
    found, allowed = _look(text, known, tongue, file, file or "", comments=comments, strings=strings)
    return Findings(tuple(found), 1, len(known), allowed)


def _guessed(file: str | None, text: str) -> Language:
    """Return the language of a text that somebody says is code."""
    return language_of(file or "", text) or language_named("python")


def check_files(
    paths: Sequence[str | os.PathLike[str]],
    symbols: Symbols | Iterable[Symbol],
    *,
    comments: bool = False,
    strings: bool = False,
    progress: Progress | None = None,
) -> Findings:
    """Look for names that were replaced in files, and in the files of folders.

    Of a folder in a git repository, what git ignores is left out; see ``files.listed``. Files that are not code are
    passed over; binary and large ones are, and the findings say so.

    Args:
        paths: Files and folders.
        symbols: What was replaced.
        comments, strings: As for :func:`check_text`.
        progress: Called with (done, total).

    Raises:
        NotFoundError: If a path does not exist.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open(f"{folder}/a.py", "w") as file:
        ...         _ = file.write("import db\\ndb.fetch()\\n")
        ...     check_files([folder], [Symbol("db.fetch", "db.load")]).uses[0].line
        2
    """
    known = symbols if isinstance(symbols, Symbols) else Symbols(symbols)
    wanted = tree.listed(paths)
    found: list[Use] = []
    skipped: list[Skipped] = list(wanted.skipped)
    looked = allowed = 0
    for done, file in enumerate(wanted.files, start=1):
        text, why = decoded(file.path)
        if text is None:
            skipped.append(Skipped(file.shown, why))
        elif mentions(text, known):
            tongue = language_of(file.path, text)
            if tongue is not None:
                fresh, on_purpose = _look(
                    text, known, tongue, file.shown, file.inside, comments=comments, strings=strings
                )
                found += fresh
                allowed += on_purpose
        looked += text is not None
        if progress is not None:
            progress(done, len(wanted.files))
    return Findings(tuple(found), looked, len(known), allowed, tuple(skipped))


def _look(
    text: str, symbols: Symbols, language: Language, file: str | None, inside: str, *, comments: bool, strings: bool
) -> tuple[list[Use], int]:
    """Return the uses in a text, and how many more are on purpose."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not mentions(text, symbols):
        return [], 0
    lexed = lex(text, language)
    found: list[Use] = []
    allowed, line = 0, 1
    start, end = 0, -1  # of the line that was last looked at
    for use in uses(lexed, language, symbols, inside, comments=comments, strings=strings):
        if use.start > end:
            line += text.count("\n", start, use.start)
            start = text.rfind("\n", 0, use.start) + 1
            end = text.find("\n", use.start)
            end = len(text) if end < 0 else end
        if line in lexed.allowed:
            allowed += 1
            continue
        advice, symbol = symbols.advice(use.name), symbols.named[use.name]
        found.append(
            Use(
                file, line, use.start - start + 1, use.end - start + 1, use.name, advice.replacement, advice.via,
                advice.candidates, symbol.reason, use.sure, use.part,
                told(use.name, advice, symbol.reason, sure=use.sure, part=use.part),
            )
        )  # fmt: skip
    return found, allowed
