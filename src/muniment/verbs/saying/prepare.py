"""Preparing a statement: everything about it that can be checked and computed without the store.

What comes out is well-formed and complete; only the store's state can still refuse it. Nothing here reads a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from muniment import jsontext
from muniment.beliefs.gate import Opinion
from muniment.beliefs.state import Cardinality, Identity
from muniment.claims.channels import Channel
from muniment.claims.keys import Key, key_skeleton, parse_key
from muniment.claims.moments import Moment, parse_moment, point, resolve_period
from muniment.claims.sources import Source, parse_source
from muniment.claims.text import check_text
from muniment.claims.values import Value, text_value_equality, text_value_lookalike
from muniment.errors import ValidationError
from muniment.ledger.canonical import canonical
from muniment.quick import dataclass, replace
from muniment.store.records import SearchTerms
from muniment.verbs import checks
from muniment.verbs.context import Context
from muniment.verbs.expectations import expectation
from muniment.verbs.identities import familiar, identity, line_identity, value_identity
from muniment.verbs.requests import Request, request_of
from muniment.verbs.saying.meta import meta_text, metadata
from muniment.verbs.saying.opinions import opinion_of


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement, checked and reduced to what the transaction needs."""

    text: str
    value: Value
    text_is_value: bool
    value_text: str
    key: Key | None
    label: str
    scope_text: str
    line_identity: Identity
    line_lookalike: Identity | None
    scope_identity: Identity
    value_identity: Identity
    lookalike: Identity
    source_identity: Identity
    author_identity: Identity
    by_identity: Identity
    channel: Channel
    explicit_channel: bool
    source: Source | None
    source_text: str | None
    author: str
    session: str
    about: tuple[str, ...]
    kind: str
    valid_from: Moment | None
    valid_to: Moment | None
    confidence: int
    valid_confidence: int
    cardinality: Cardinality | None
    expires_at: int | None
    derived_from: tuple[str, ...]
    tags: tuple[str, ...]
    meta: dict[str, Any]
    meta_text: str | None
    criticality: str
    priority: int
    reason: str | None
    reaffirm: bool
    correct: bool
    opinion: Opinion | None
    expect: str | None
    request: Request | None
    terms: SearchTerms


def prepare(context: Context, text: Any, given: Mapping[str, Any]) -> Prepared:
    """Check a statement and compute everything that does not need the store.

    Args:
        context: Who speaks.
        text: The statement's wording; may be None when a value is given.
        given: The keyword arguments of ``remember``.

    Raises:
        ValidationError: If any argument is malformed.
        PermissionDenied: If the channel lies above the caller's ceiling.
    """
    pepper = context.pepper
    wording, value, text_is_value = _said(text, given.get("value"))
    key = None if given.get("key") is None else parse_key(given["key"])
    channel = context.channel(given.get("channel"))
    author = context.author if given.get("author") is None else checks.short(given["author"], "author")
    if author != context.author:
        context.require("admin")
    session = context.session if given.get("session") is None else checks.short(given["session"], "session")
    source = None if given.get("source") is None else parse_source(given["source"])
    equality = text_value_equality(wording) if text_is_value else value.equality
    look = text_value_lookalike(wording) if text_is_value else value.lookalike
    scope_text = context.scope.text
    valid_from, valid_to, confidence, valid_confidence = _timing(given)
    tags, about = checks.words(given.get("tags"), "tags"), checks.words(given.get("about"), "about")
    meta = metadata(given.get("meta"))
    reason = None if given.get("reason") is None else check_text(given["reason"], "reason", limit_bytes=65_536)
    correct = checks.flag(given.get("correct", False), "correct")
    _consistent(key, correct, given, valid_from, valid_to)
    label = label_of(scope_text, key)
    lookalike = identity(pepper, b"look", look)
    note = None if key is not None else (look if text_is_value else text_value_lookalike(wording))
    parents = checks.words(given.get("derived_from"), "derived_from")
    reaffirm = checks.flag(given.get("reaffirm", False), "reaffirm")
    said = Prepared(
        text=wording,
        value=value,
        text_is_value=text_is_value,
        value_text="" if text_is_value else value.to_json_text(),
        key=key,
        label=label,
        scope_text=scope_text,
        line_identity=line_identity(pepper, scope_text, key.text if key else None, note),
        line_lookalike=None if key is None else identity(pepper, b"look", scope_text, key_skeleton(key)),
        scope_identity=familiar(pepper, b"scope", scope_text),
        value_identity=value_identity(pepper, equality, lookalike),
        lookalike=lookalike,
        source_identity=source_identity(pepper, source, author),
        author_identity=familiar(pepper, b"author", author),
        by_identity=source_identity(pepper, None, author),
        channel=channel,
        explicit_channel=given.get("channel") is not None,
        source=source,
        source_text=None if source is None else canonical(source.as_dict()).decode(),
        author=author,
        session=session,
        about=about,
        kind=checks.one_of(given.get("kind", "semantic"), "kind", checks.KINDS),
        valid_from=valid_from,
        valid_to=valid_to,
        confidence=confidence,
        valid_confidence=valid_confidence,
        cardinality=_cardinality(given.get("cardinality")),
        expires_at=None if given.get("expires_at") is None else point(given["expires_at"], "expires_at"),
        derived_from=parents,
        tags=tags,
        meta=meta,
        meta_text=meta_text(meta),
        criticality=checks.one_of(given.get("criticality", "medium"), "criticality", checks.CRITICALITIES),
        priority=5 if given.get("priority") is None else checks.whole(given["priority"], "priority", 0, 10),
        reason=reason,
        reaffirm=reaffirm,
        correct=correct,
        opinion=opinion_of(given.get("opinion")),
        expect=expectation(given.get("expect")),
        request=None,
        terms=terms_of(key.text if key else "", wording, value_words(value, text_is_value), tags),
    )
    return said if given.get("idempotency_key") is None else _as_request(context, said, given)


def _said(text: Any, value: Any) -> tuple[str, Value, bool]:
    if value is None:
        wording = check_text(text, "text")
        return wording, Value.parse(wording), True
    parsed = Value.parse(value)
    if text is not None:
        return check_text(text, "text"), parsed, False
    wording = parsed.display
    if not wording or wording.isspace():
        raise ValidationError("value is empty.", advice="Pass a text too, if that it is empty says something.")
    return wording, parsed, False


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
    key: Key | None, correct: bool, given: Mapping[str, Any], valid_from: Moment | None, valid_to: Moment | None
) -> None:
    if correct and key is None:
        raise ValidationError("correct=True needs a key.", advice="Use correct_text or retract for a note.")
    if correct and (valid_from is not None or valid_to is not None):
        raise ValidationError(
            "correct=True takes the period of the value it corrects, so it has no dates of its own.",
            advice="Leave the dates out, or write without correct=True.",
        )
    if key is None and given.get("cardinality") is not None:
        raise ValidationError("cardinality belongs to a key.", advice="Pass key= too.")


def _cardinality(value: Any) -> Cardinality | None:
    return None if value is None else Cardinality(checks.one_of(value, "cardinality", ("one", "many")))


def label_of(scope_text: str, key: Key | None) -> str:
    """Return what every claim of a line commits to: its scope and its key, as canonical JSON."""
    return jsontext.dumps([scope_text] if key is None else [scope_text, key.subject, key.predicate]).decode()


def source_identity(pepper: bytes, source: Source | None, author: str) -> Identity:
    """Return what "same source" compares: the full locator, or the author where none was given."""
    if source is None:
        return familiar(pepper, b"by", author)
    return identity(pepper, b"source", source.canonical)


def value_words(value: Value, text_is_value: bool) -> str:
    """Return what of a value is worth searching beside the text."""
    return "" if text_is_value else value.display


def terms_of(key: str, text: str, value: str, tags: tuple[str, ...]) -> SearchTerms:
    """Analyse a statement for search; the terms are stored, so that exactly they can be removed again."""
    of_key, of_text, of_tags = analysed(key, text, value, tags)
    return SearchTerms(" ".join(of_key), " ".join(of_text), " ".join(of_tags))


@cache
def _analyser() -> Callable[[str], list[str]]:
    """Return the analyser; it is loaded by the first statement, and asked for by every one."""
    from muniment.lexical.analyser import analyse

    return analyse


def analysed(key: str, text: str, value: str, tags: tuple[str, ...]) -> tuple[list[str], list[str], list[str]]:
    """Return the terms of a statement: of its key, of its text (with its value), of its tags."""
    analyse = _analyser()
    body = f"{text} {value}" if value and value not in text else text
    return (
        analyse(key.replace("::", " ")) if key else [],
        analyse(body),
        analyse(" ".join(tags)) if tags else [],
    )


def _as_request(context: Context, said: Prepared, given: Mapping[str, Any]) -> Prepared:
    """Return the statement with the request that its idempotency key stands for.

    Everything was checked before. What was read from an iterator is taken as it was read: the iterator is used up.
    """
    read = {
        "tags": said.tags, "about": said.about, "derived_from": said.derived_from, "correct": said.correct,
        "reaffirm": said.reaffirm, "opinion": said.opinion,
    }  # fmt: skip
    asked = ("remember", said.text, {**given, **read, "channel": said.channel.value})
    return replace(said, request=request_of(context, said.author, given["idempotency_key"], *asked))
