"""What the operations on names return."""

from __future__ import annotations

from muniment.quick import dataclass
from muniment.verbs.plain import Result
from muniment.verbs.results import CandidateView


@dataclass(frozen=True, slots=True)
class SymbolStatus(Result):
    """Whether a name may be used.

    Args:
        name: The name.
        status: ``active`` (nothing replaced it), ``replaced``, or ``disputed`` (it was replaced, by more than one).
        replacement: What to use now, after all renames; None where there is none that stands.
        via: Replacements that were replaced themselves, in order.
        candidates: Replacements that are in dispute.
        reason: Why it was replaced, if that was said.
        since: Since when.
        key: The key of its line: for ``history``, ``revert`` and the like.
        waiting: What was said of it and is not believed, such as a replacement that a page named.
        message: The same in words.
    """

    name: str
    status: str
    replacement: str | None
    via: tuple[str, ...]
    candidates: tuple[str, ...]
    reason: str | None
    since: str | None
    key: str
    waiting: tuple[CandidateView, ...]
    message: str

    def __str__(self) -> str:
        return f"{self.name} {self.message}"


@dataclass(frozen=True, slots=True)
class WrittenSymbols(Result):
    """What became of a symbols file.

    Args:
        path: The file.
        symbols: How many names it holds.
        changed: Whether its bytes are others than before.
    """

    path: str
    symbols: int
    changed: bool

    def __str__(self) -> str:
        return f"{self.path}: {self.symbols} names, {'written' if self.changed else 'as it was'}"


@dataclass(frozen=True, slots=True)
class SyncedSymbols(Result):
    """What became of a symbols file and the memory beside it.

    Args:
        path: The file.
        symbols: How many names it holds now.
        changed: Whether its bytes are others than before.
        taken: Names that the memory took from the file and believes.
        waiting: Names that it took and does not believe until a person looks at them: nobody vouched for the file.
        added: Names that the file took from the memory, or takes otherwise than before.
        removed: Names that the file had and that the memory says may be used again.
        next: What to do next, or empty.
    """

    path: str
    symbols: int
    changed: bool
    taken: tuple[str, ...]
    waiting: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    next: str = ""

    def __str__(self) -> str:
        counts = (("taken", self.taken), ("waiting", self.waiting), ("added", self.added), ("removed", self.removed))
        return f"{self.path}: {self.symbols} names; " + ", ".join(f"{len(names)} {word}" for word, names in counts)
