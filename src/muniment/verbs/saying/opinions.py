"""The opinion argument: what a caller, judge or model thinks of a statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from muniment.beliefs.gate import Opinion, Relation
from muniment.claims.text import check_text
from muniment.errors import ValidationError
from muniment.verbs import checks

MEMBERS: Final = ("relation", "related", "unconfirmed", "cross_subject", "reason", "by")

MAX_REASON: Final = 65_536
"""Bytes of its reason."""


def opinion_of(value: Any) -> Opinion | None:
    """Read the opinion argument.

    Args:
        value: A dict with ``relation`` and any of the other members, an Opinion, or None.

    Raises:
        ValidationError: It is none of these, or a member is malformed.

    Example:
        >>> opinion_of({"relation": "coexists"}).relation.value
        'coexists'
    """
    if value is None:
        return None
    if isinstance(value, Opinion):
        value = {name: getattr(value, name) for name in MEMBERS if getattr(value, name)}
    if not isinstance(value, Mapping):
        raise ValidationError(
            f"opinion must be a mapping, not {type(value).__name__}.", advice='Pass {"relation": "coexists"}, say.'
        )
    if not all(name in MEMBERS for name in value):
        raise ValidationError("opinion has an unknown member.", advice=f"Known: {', '.join(MEMBERS)}.")
    if value.get("relation") is None:
        raise ValidationError("opinion has no relation.", advice=f"Use one of: {', '.join(Relation)}.")
    related = value.get("related")
    reason, by = value.get("reason"), value.get("by")
    return Opinion(
        Relation(checks.one_of(value["relation"], "relation", Relation)),
        checks.words((related,) if isinstance(related, str) else related, "related"),
        checks.flag(value.get("unconfirmed", False), "unconfirmed"),
        checks.flag(value.get("cross_subject", False), "cross_subject"),
        "" if reason is None else check_text(reason, "An opinion's reason", limit_bytes=MAX_REASON),
        "" if by is None else checks.short(by, "An opinion's by"),
    )
