"""What an erasure would do, and what it did."""

from __future__ import annotations

from typing import Final

from muniment.quick import dataclass, replace
from muniment.verbs.plain import Result


@dataclass(frozen=True, slots=True)
class Plan(Result):
    """What an erasure would take, and what it would leave.

    Args:
        direct: Ids of the claims that are named, or that the selector comes to.
        inherited: Ids of the claims that derive from them, at any remove; they go with them.
        texts: Ids of the erasures and policies whose free texts go. A policy that goes no longer holds.
        carrying: Ids of claims that stay, although their text holds a value or a wording that goes: found by
            comparing characters, so this is a hint and no proof. At most 100 are listed.
        hash: Pass it as ``plan=`` to erase exactly this.
    """

    direct: tuple[str, ...]
    inherited: tuple[str, ...]
    texts: tuple[str, ...]
    carrying: tuple[str, ...]
    hash: str

    def __str__(self) -> str:
        parts = [f"Would erase {_counted(len(self.direct), 'claim')} and {len(self.inherited)} derived from them"]
        if self.texts:
            parts = [f"Would erase the texts of {_counted(len(self.texts), 'entry', 'entries')}"]
        if self.carrying:
            parts.append(f"{_counted(len(self.carrying), 'other')} with the same words would stay")
        return "; ".join(parts) + f". Plan {self.hash}"


@dataclass(frozen=True, slots=True)
class Erasure(Result):
    """What an erasure did.

    Args:
        erased: Ids of the claims that were named or lay on the named key.
        derived: Ids of the claims that went with them because they derive from them.
        entries: The log entries that show it.
        state: ``clean`` when the file itself was cleaned; ``pending`` while a reader still holds old pages, or
            another writer or want of space kept it from being rewritten (call ``reindex`` or ``doctor`` later).
        why: One sentence.
        texts: Ids of the erasures and policies whose free texts went.
        noted: False if the note beside the log keys could not be kept that has a restore of an older backup erase it
            again. A store in RAM keeps none.
    """

    erased: tuple[str, ...]
    derived: tuple[str, ...]
    entries: tuple[str, ...]
    state: str
    why: str
    texts: tuple[str, ...] = ()
    noted: bool = True

    def without_note(self) -> Erasure:
        """Return the same, of which no note could be kept; ``why`` says what follows from that and what to do."""
        return replace(self, noted=False, why=f"{self.why} {_UNNOTED}")

    def __str__(self) -> str:
        what = f"{len(self.erased)} erased, {len(self.derived)} derived from them"
        if self.texts:
            what = f"The texts of {len(self.texts)} erased"
        return f"{what}; the file is {self.state}{'' if self.noted else ', but no note of it could be kept'}."


_UNNOTED: Final = (
    "No note of it could be kept beside the log keys, so a backup that was made before would bring it back if it were "
    "restored: set MUNIMENT_KEY_HOME to a folder outside the store's that can be written, and make a backup, which notes "
    "it; or destroy the older backups."
)


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"
