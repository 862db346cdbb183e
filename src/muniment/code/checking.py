"""Looking for names that were replaced: in a text, or in files. Neither a store nor a network is needed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from muniment.code import files as tree
from muniment.code.findings import Findings, Skipped, Use, told
from muniment.code.languages import Language, language_named, language_of
from muniment.code.lexing import lex
from muniment.code.matching import Found, mentions, uses
from muniment.code.symbols import Symbol, Symbols
from muniment.code.texts import LARGEST, decoded
from muniment.errors import ValidationError
from muniment.quick import dataclass, field

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
        comments, strings: Look in comments (docstrings too), and in strings, as well.

    Raises:
        ValidationError: If it is no text, has more than 2 MiB, or there is no such language.

    Example:
        >>> print(check_text("rows = fetch(1)  # not load", [Symbol("fetch", "load")]))
        -:1:8: fetch was replaced; use load
        1 use of 1 replaced name: 1 file looked at for 1 name.
    """
    if not isinstance(text, str):
        raise ValidationError(f"code must be a text, not {type(text).__name__}.", advice="Pass a text.")
    if len(text) > LARGEST:
        raise ValidationError(
            f"code has more than {LARGEST:,} characters.", advice="Pass one file at a time.", limit=LARGEST
        )
    known = symbols if isinstance(symbols, Symbols) else Symbols(symbols)
    look = _Look(known, comments, strings)
    look.at(text, language_named(language) if language is not None else _guessed(file, text), file, file or "")
    return look.findings(1)


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
    look = _Look(known, comments, strings, skipped=wanted.skipped)
    looked = 0
    for done, file in enumerate(wanted.files, start=1):
        text, why = decoded(file.path)
        if text is None:
            look.skipped.append(Skipped(file.shown, why))
        elif mentions(text, known):
            tongue = language_of(file.path, text)
            if tongue is not None:
                look.at(text, tongue, file.shown, file.inside)
        looked += text is not None
        if progress is not None:
            progress(done, len(wanted.files))
    return look.findings(looked)


@dataclass(slots=True)
class _Look:
    """What is looked for, and what was found so far."""

    symbols: Symbols
    comments: bool
    strings: bool
    skipped: list[Skipped] = field(default_factory=list)
    found: list[Use] = field(default_factory=list)
    whole: list[str] = field(default_factory=list)
    allowed: int = 0

    def findings(self, files: int) -> Findings:
        """Return what was found in so many files."""
        return Findings(
            tuple(self.found), files, len(self.symbols), self.allowed, tuple(self.skipped), tuple(self.whole)
        )

    def at(self, text: str, language: Language, file: str | None, inside: str) -> None:
        """Look at a text.

        Args:
            text: The text.
            language: Its language.
            file: What to call it.
            inside: Its path, for imports that are relative to it.
        """
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if not mentions(text, self.symbols):
            return
        lexed = lex(text, language)
        if lexed.whole:
            self.whole.append(file or "-")
        line, start, end = 1, 0, -1  # of the line that was last looked at
        for use in uses(lexed, language, self.symbols, inside, comments=self.comments, strings=self.strings):
            if use.start > end:
                line += text.count("\n", start, use.start)
                start = text.rfind("\n", 0, use.start) + 1
                end = text.find("\n", use.start)
                end = len(text) if end < 0 else end
            if line in lexed.allowed:
                self.allowed += 1
            else:
                self.found.append(self._told(use, file, line, start))

    def _told(self, use: Found, file: str | None, line: int, start: int) -> Use:
        advice, reason = self.symbols.advice(use.name), self.symbols.named[use.name].reason
        return Use(
            file, line, use.start - start + 1, use.end - start + 1, use.name, advice.replacement, advice.via,
            advice.candidates, reason, use.sure, use.part,
            told(use.name, advice, reason, sure=use.sure, part=use.part),
        )  # fmt: skip
