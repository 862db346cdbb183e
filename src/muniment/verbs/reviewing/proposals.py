"""What rederive proposes, as data, and the rewording that follows from the words alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from muniment.quick import dataclass
from muniment.verbs.plain import Result, Rows
from muniment.verbs.results import Outcome


@dataclass(frozen=True, slots=True)
class Change:
    """What a claim that no longer holds is replaced by.

    Args:
        old, new: The values, as a text would quote them.
        to: The claim that holds instead; of a descendant, its own id until it is said anew.
        inherited: It follows from another change.
        since: From when the new value holds, as stated; None if it was not stated.
    """

    old: str
    new: str
    to: str
    inherited: bool = False
    since: str | None = None


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What is handed to a caller's ``rewrite``.

    Args:
        claim_id: The descendant.
        key: Its line, or None for a note.
        text: Its wording.
        value: Its value.
        changes: (old, new) value of each of its parents that changed.
    """

    claim_id: str
    key: str | None
    text: str
    value: Any
    changes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Proposal(Result):
    """What a descendant should say now.

    Args:
        claim_id: The descendant.
        key: Its line, or None for a note.
        text, value: What it says.
        new_text, new_value: What it should say; ``new_text`` is None where nothing can be proposed, and
            ``new_value`` where the text stands for the value.
        derived_from: The parents it would have.
        valid_from: From when it would hold, where that is known.
        withdrawn: It was withdrawn with its parent; else it holds, under review.
        how: ``quoted``, ``rewritten`` (by the caller's function) or ``worded`` (by a model).
        why: One sentence.
        outcome: What became of it, once it was said or put into the inbox.
    """

    claim_id: str
    key: str | None
    text: str
    value: Any
    new_text: str | None = None
    new_value: Any = None
    derived_from: tuple[str, ...] = ()
    valid_from: str | None = None
    withdrawn: bool = False
    how: str = ""
    why: str = ""
    outcome: Outcome | None = None

    @property
    def ready(self) -> bool:
        """Whether there is something to say."""
        return self.new_text is not None

    def __str__(self) -> str:
        if self.new_text is None:
            return f"{self.key or 'note'}: {self.text} (left: {self.why})"
        return f"{self.key or 'note'}: {self.text} -> {self.new_text}"


@dataclass(frozen=True, slots=True)
class Proposals(Rows[Proposal]):
    """What the descendants of a claim should say.

    Args:
        rows: A proposal for each descendant, parents first.
        why: One sentence where there is nothing to propose.
        executed: Whether they were said, or put into the inbox.
    """

    rows: tuple[Proposal, ...] = ()
    why: str = ""
    executed: bool = False

    def __str__(self) -> str:
        return "\n".join(str(row) for row in self.rows) or self.why or "Nothing derives from it that is in doubt."


def reworded(text: str, changes: Sequence[Change]) -> str | None:
    """Return a text with the new values where it quotes old ones as whole words; None if it quotes none.

    All are replaced at once, so that a new value that contains an old one is not replaced again; the longest first.

    Example:
        >>> reworded("Ana's zone is that of Berlin", [Change("Berlin", "Porto", "x")])
        "Ana's zone is that of Porto"
        >>> reworded("Ana likes Berliner", [Change("Berlin", "Porto", "x")]) is None
        True
    """
    by = {change.old: change.new for change in changes if change.old.strip()}
    if not by:
        return None
    olds = "|".join(re.escape(old) for old in sorted(by, key=len, reverse=True))
    out, count = re.subn(rf"(?<!\w)(?:{olds})(?!\w)", lambda match: by[match[0]], text)
    return out if count else None
