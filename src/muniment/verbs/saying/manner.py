"""How a statement is made: everything of it but what is said. Who says it, through what, and for when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from muniment import jsontext
from muniment.beliefs.gate import Opinion
from muniment.beliefs.state import Cardinality, Identity
from muniment.claims.channels import Channel
from muniment.claims.moments import Moment, parse_moment, point, resolve_period
from muniment.claims.sources import Source, parse_source
from muniment.claims.text import check_text
from muniment.errors import ValidationError
from muniment.ledger.canonical import canonical
from muniment.quick import dataclass
from muniment.store.records import USUAL_PRIORITY
from muniment.verbs import checks
from muniment.verbs.context import Context
from muniment.verbs.expectations import expectation
from muniment.verbs.identities import familiar, identity
from muniment.verbs.saying.meta import meta_text, metadata
from muniment.verbs.saying.opinions import opinion_of

PARTICULARS: Final = (
    "expires_at", "about", "tags", "meta", "kind", "criticality", "priority", "confidence", "valid_confidence", "reason",
)  # fmt: skip
"""Arguments of ``remember`` that a claim keeps for good when it is made, and nothing keeps where none is made."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a statement is made, checked. Many statements that are made in the usual manner share one."""

    scope_text: str
    scope_identity: Identity
    channel: Channel
    explicit_channel: bool
    source: Source | None
    source_text: str | None
    source_identity: Identity
    author: str
    author_identity: Identity
    by_identity: Identity
    session: str
    valid_from: Moment | None
    valid_to: Moment | None
    confidence: int
    valid_confidence: int
    cardinality: Cardinality | None
    expires_at: int | None
    kind: str
    criticality: str
    priority: int
    reason: str | None
    about: tuple[str, ...]
    about_text: str | None
    tags: tuple[str, ...]
    tags_text: str | None
    meta_text: str | None
    derived_from: tuple[str, ...]
    reaffirm: bool
    correct: bool
    opinion: Opinion | None
    expect: str | None
    particulars: tuple[str, ...]
    """Those of ``PARTICULARS`` that were given."""


def manner_of(context: Context, given: Mapping[str, Any], *, keyed: bool) -> Manner:
    """Read how a statement is made.

    Args:
        context: Who speaks.
        given: The keyword arguments of ``remember``.
        keyed: Whether it has a key.

    Raises:
        ValidationError: If an argument is malformed.
        PermissionDenied: If the channel lies above the caller's ceiling, or only an admin may name the author.
    """
    pepper = context.pepper
    channel = context.channel(given.get("channel"))
    author = context.author if given.get("author") is None else checks.short(given["author"], "author")
    if author != context.author:
        context.require("admin")
    session = context.session if given.get("session") is None else checks.short(given["session"], "session")
    source = None if given.get("source") is None else parse_source(given["source"])
    valid_from, valid_to, confidence, valid_confidence = _timing(given)
    tags, about = checks.words(given.get("tags"), "tags"), checks.words(given.get("about"), "about")
    meta = metadata(given.get("meta"))
    reason = None if given.get("reason") is None else check_text(given["reason"], "reason", limit_bytes=65_536)
    correct = checks.flag(given.get("correct", False), "correct")
    _consistent(keyed, correct, given, valid_from, valid_to)
    derived_from = checks.words(given.get("derived_from"), "derived_from")
    return Manner(
        scope_text=context.scope.text,
        scope_identity=familiar(pepper, b"scope", context.scope.text),
        reaffirm=checks.flag(given.get("reaffirm", False), "reaffirm"),
        channel=channel,
        explicit_channel=given.get("channel") is not None,
        source=source,
        source_text=None if source is None else canonical(source.as_dict()).decode(),
        source_identity=source_identity(pepper, source, author),
        author=author,
        author_identity=familiar(pepper, b"author", author),
        by_identity=source_identity(pepper, None, author),
        session=session,
        about=about,
        about_text=jsontext.dumps(about).decode() if about else None,
        kind=checks.one_of(given.get("kind", "semantic"), "kind", checks.KINDS),
        valid_from=valid_from,
        valid_to=valid_to,
        confidence=confidence,
        valid_confidence=valid_confidence,
        cardinality=_cardinality(given.get("cardinality")),
        expires_at=None if given.get("expires_at") is None else point(given["expires_at"], "expires_at"),
        derived_from=derived_from,
        tags=tags,
        tags_text=jsontext.dumps(tags).decode() if tags else None,
        meta_text=meta_text(meta),
        criticality=checks.one_of(given.get("criticality", "medium"), "criticality", checks.CRITICALITIES),
        priority=(
            USUAL_PRIORITY if given.get("priority") is None else checks.whole(given["priority"], "priority", 0, 10)
        ),
        reason=reason,
        correct=correct,
        opinion=opinion_of(given.get("opinion")),
        expect=expectation(given.get("expect")),
        particulars=tuple([name for name in PARTICULARS if given.get(name) is not None]) if given else (),
    )


_WHAT: Final = frozenset({"key", "value"})
"""The arguments that say what is said, and nothing of how."""
_UNSET: Final = frozenset({"reaffirm", "correct"})
"""Arguments that say nothing as long as they are False."""


class Usual:
    """The manner of whatever a caller says without a word of how; made once, when it is first needed.

    Args:
        context: Who speaks.
    """

    __slots__ = ("_context", "_manner")

    def __init__(self, context: Context) -> None:
        self._context = context
        self._manner: Manner | None = None

    def of(self, given: Mapping[str, Any]) -> Manner | None:
        """Return the manner of a statement, or None if its arguments say something of it.

        Args:
            given: The keyword arguments of ``remember``; flags that are not set may be among them.
        """
        how = given.keys() - _WHAT
        if how and (not how <= _UNSET or any(given[name] is not False for name in how)):
            return None
        if self._manner is None:
            self._manner = manner_of(self._context, {}, keyed=True)
        return self._manner


def source_identity(pepper: bytes, source: Source | None, author: str) -> Identity:
    """Return what "same source" compares: the full locator, or the author where none was given."""
    if source is None:
        return familiar(pepper, b"by", author)
    return identity(pepper, b"source", source.canonical)


def _timing(given: Mapping[str, Any]) -> tuple[Moment | None, Moment | None, int, int]:
    valid_from = None if given.get("valid_from") is None else parse_moment(given["valid_from"], "valid_from")
    valid_to = None if given.get("valid_to") is None else parse_moment(given["valid_to"], "valid_to")
    if valid_from is not None:
        resolve_period(valid_from, valid_to, valid_from.start)  # refused before a transaction begins
    confidence = checks.MILLION
    if given.get("confidence") is not None:
        confidence = checks.fraction(given["confidence"], "confidence")
    timing = confidence
    if given.get("valid_confidence") is not None:
        timing = checks.fraction(given["valid_confidence"], "valid_confidence")
    return valid_from, valid_to, confidence, timing


def _consistent(
    keyed: bool, correct: bool, given: Mapping[str, Any], valid_from: Moment | None, valid_to: Moment | None
) -> None:
    if correct and not keyed:
        raise ValidationError("correct=True needs a key.", advice="Use correct_text or retract for a note.")
    if correct and (valid_from is not None or valid_to is not None):
        raise ValidationError(
            "correct=True takes the period of the value it corrects, so it has no dates of its own.",
            advice="Leave the dates out, or write without correct=True.",
        )
    if not keyed and given.get("cardinality") is not None:
        raise ValidationError("cardinality belongs to a key.", advice="Pass key= too.")


def _cardinality(value: Any) -> Cardinality | None:
    return None if value is None else Cardinality(checks.one_of(value, "cardinality", ("one", "many")))
