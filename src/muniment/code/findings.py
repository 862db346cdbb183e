"""What a look at code came to: plain data, a line for each use, and nothing of the code itself."""

from __future__ import annotations

from typing import Any, Final

from muniment.code.symbols import Advice
from muniment.code.words import written_out
from muniment.quick import dataclass

WHOLE: Final = "No lexer gets through it, so comments and strings counted as code"
"""What is said of a file that was looked at whole."""


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a name that was replaced.

    Args:
        file: Where; None for text that was not read from a file.
        line: Its line, counted from 1.
        column: Where on the line its first character stands, counted from 1.
        end_column: Where what follows it stands.
        symbol: The name that was replaced.
        replacement: What to write instead, after all renames; None where there is none that stands.
        via: Replacements that were replaced themselves.
        candidates: Replacements that are in dispute.
        reason: Why it was replaced, if that was said.
        sure: False where the text alone does not tell whose the name is: a method of some value, or a name that may
            come with everything of a module.
        part: Where it stands: ``code``, ``comment`` or ``string``.
        message: What to do, in a sentence.
    """

    file: str | None
    line: int
    column: int
    end_column: int
    symbol: str
    replacement: str | None
    via: tuple[str, ...]
    candidates: tuple[str, ...]
    reason: str | None
    sure: bool
    part: str
    message: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "file": self.file, "line": self.line, "column": self.column, "end_column": self.end_column,
            "symbol": self.symbol, "replacement": self.replacement, "via": list(self.via),
            "candidates": list(self.candidates), "reason": self.reason, "sure": self.sure, "part": self.part,
            "message": self.message,
        }  # fmt: skip

    def __str__(self) -> str:
        return f"{written_out(self.file or '-')}:{self.line}:{self.column}: {self.message}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not looked at.

    Args:
        file: Which one.
        why: ``binary``, ``too large``, ``not readable``, or ``leads out of the tree``.
    """

    file: str
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"file": self.file, "why": self.why}

    def __str__(self) -> str:
        return f"{written_out(self.file)}: not looked at: {self.why}"


@dataclass(frozen=True, slots=True)
class Findings:
    """What a look at code came to.

    Args:
        uses: Where names that were replaced are used, in order.
        files: How many files were looked at.
        symbols: How many names were looked for.
        allowed: Uses that a comment on their line says are on purpose.
        skipped: Files that were not looked at.
        whole: Files in which comments and strings counted as code, since they are written so that no lexer gets through.
    """

    uses: tuple[Use, ...]
    files: int = 1
    symbols: int = 0
    allowed: int = 0
    skipped: tuple[Skipped, ...] = ()
    whole: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no name that was replaced is used."""
        return not self.uses

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "ok": self.ok, "uses": [use.to_dict() for use in self.uses], "files": self.files, "symbols": self.symbols,
            "allowed": self.allowed, "skipped": [one.to_dict() for one in self.skipped],
            "whole": list(self.whole),
        }  # fmt: skip

    def __str__(self) -> str:
        return "\n".join([*map(str, self.uses), self.summary])

    @property
    def summary(self) -> str:
        """What was found, in a sentence."""
        names = len({use.symbol for use in self.uses})
        what = f"{_count(len(self.uses), 'use')} of {_count(names, 'replaced name')}" if names else "Nothing found"
        also = [f"{self.allowed} on purpose"] if self.allowed else []
        also += [f"{_count(len(self.skipped), 'file')} not looked at"] if self.skipped else []
        looked = f"{_count(self.files, 'file')} looked at for {_count(self.symbols, 'name')}"
        return "; ".join([f"{what}: {looked}", *also]) + "."


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def told(symbol: str, advice: Advice, reason: str | None, *, sure: bool, part: str) -> str:
    """Return what to do about a use, in a sentence that nobody can steer a terminal with."""
    which = symbol if sure else f"this may be {symbol}, which"
    where = "" if part == "code" else f" (in a {part})"
    why = f": {' '.join(reason.split())}" if reason else ""
    return written_out(f"{which} was replaced; {advice}{where}{why}")
