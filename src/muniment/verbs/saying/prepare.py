"""Preparing a statement: everything about it that can be checked and computed without the store.

What comes out is well-formed and complete; only the store's state can still refuse it. Nothing here reads a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from muniment import jsontext
from muniment.beliefs.state import Identity
from muniment.claims.keys import Key, key_skeleton, parse_key
from muniment.claims.text import check_text
from muniment.claims.values import Value, text_value_equality, text_value_lookalike
from muniment.errors import ValidationError
from muniment.quick import dataclass, replace
from muniment.store.records import ClaimRow, LineRow, SearchTerms
from muniment.verbs.context import Context
from muniment.verbs.identities import identity, line_identity, scoped, value_identity
from muniment.verbs.requests import Request, request_of
from muniment.verbs.saying.manner import Manner, manner_of
from muniment.verbs.views import key_text, listed


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement, checked and reduced to what the transaction needs: what is said, and ``how``."""

    how: Manner
    text: str
    text_is_value: bool
    value_text: str
    key: Key | None
    label: str
    line_identity: Identity
    line_lookalike: Identity | None
    value_identity: Identity
    lookalike: Identity
    request: Request | None
    terms: SearchTerms


def prepare(context: Context, text: Any, given: Mapping[str, Any], usual: Manner | None = None) -> Prepared:
    """Check a statement and compute everything that does not need the store.

    Args:
        context: Who speaks.
        text: The statement's wording; may be None when a value is given.
        given: The keyword arguments of ``remember``.
        usual: How it is made, where ``given`` says nothing of that: as :func:`manner_of` returns it for no arguments.

    Raises:
        ValidationError: If any argument is malformed.
        PermissionDenied: If the channel lies above the caller's ceiling.
    """
    pepper = context.pepper
    wording, value, text_is_value = _said(text, given.get("value"))
    key = None if given.get("key") is None else parse_key(given["key"])
    how = usual or manner_of(context, given, keyed=key is not None)
    equality = text_value_equality(wording) if text_is_value else value.equality
    look = text_value_lookalike(wording) if text_is_value else value.lookalike
    scope_text = how.scope_text
    lookalike = identity(pepper, b"look", look)
    key_text = None if key is None else key.text
    note = None if key is not None else (look if text_is_value else text_value_lookalike(wording))
    said = Prepared(
        how,
        wording,
        text_is_value,
        "" if text_is_value else value.to_json_text(),
        key,
        label_of(scope_text, key),
        line_identity(pepper, scope_text, key_text, note),
        None if key is None else scoped(pepper, b"look", scope_text, key_skeleton(key)),
        value_identity(pepper, equality, lookalike),
        lookalike,
        None,
        terms_of(key_text or "", wording, value_words(value, text_is_value), how.tags),
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


def label_of(scope_text: str, key: Key | None) -> str:
    """Return what every claim of a line commits to: its scope and its key, as canonical JSON."""
    return jsontext.dumps([scope_text] if key is None else [scope_text, key.subject, key.predicate]).decode()


def value_words(value: Value, text_is_value: bool) -> str:
    """Return what of a value is worth searching beside the text."""
    return "" if text_is_value else value.display


def terms_of(key: str, text: str, value: str, tags: tuple[str, ...]) -> SearchTerms:
    """Analyse a statement for search; the terms are stored, so that exactly they can be removed again."""
    of_key, of_text, of_tags = analysed(key, text, value, tags)
    return SearchTerms(" ".join(of_key), " ".join(of_text), " ".join(of_tags))


def terms_as(row: ClaimRow, line: LineRow, text: str) -> SearchTerms:
    """Analyse a stored claim for search under some wording of it."""
    value = "" if row.text_is_value else Value.from_json_text(row.value).display
    return terms_of(key_text(line) or "", text, value, listed(row.tags))


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
    how = said.how
    read = {
        "tags": how.tags, "about": how.about, "derived_from": how.derived_from, "correct": how.correct,
        "reaffirm": how.reaffirm, "opinion": how.opinion,
    }  # fmt: skip
    asked = ("remember", said.text, {**given, **read, "channel": how.channel.value})
    return replace(said, request=request_of(context, how.author, given["idempotency_key"], *asked))
