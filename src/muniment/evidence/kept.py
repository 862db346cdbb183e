"""Heads of a log that somebody kept outside the store: ``SIZE:ROOT``, as ``verify`` and ``stats`` tell them."""

from __future__ import annotations

import re
from typing import Any, Final

from muniment.errors import ValidationError
from muniment.ledger.tree import MAX_SIZE
from muniment.ledger.verifier import Head
from muniment.verbs import checks

_is_head: Final = re.compile(r"(0|[1-9][0-9]{0,18}):([0-9a-f]{64})").fullmatch


def heads_of(kept: Any) -> tuple[Head, ...]:
    """Read heads.

    Args:
        kept: A list of texts, each the size of the log, a colon, and the root it had, in 64 hexadecimal digits.

    Raises:
        ValidationError: If one is not of that form.

    Example:
        >>> heads_of(["3:" + "00" * 32])[0].size
        3
    """
    return tuple([_head(text) for text in checks.words(kept, "kept")])


def _head(text: str) -> Head:
    found = _is_head(text)
    if found is None or int(found[1]) > MAX_SIZE:
        raise ValidationError(
            "A head that was kept must be SIZE:ROOT.", advice="Pass it as verify or stats told it: 12:5f0c… in full."
        )
    return Head(int(found[1]), bytes.fromhex(found[2]))
