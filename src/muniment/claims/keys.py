"""Keys: ``subject::predicate``, the name of a line inside a scope."""

from __future__ import annotations

from typing import Final
from unicodedata import normalize

from muniment.claims.text import check_characters, is_visible, skeleton
from muniment.errors import ValidationError
from muniment.quick import dataclass, field

PART_LIMIT: Final = 1024
"""The most characters that a subject or a predicate may have."""

DEFAULT_PREDICATE: Final = "value"
"""The predicate of a key that names only a subject."""

_SEPARATOR: Final = "::"


@dataclass(frozen=True, slots=True)
class Key:
    """The name of a line. Two keys are equal when subject and predicate are.

    Args:
        subject: Who or what it is about, in normal form.
        predicate: What is said of it, in normal form.
        display: The key as it was typed.
    """

    subject: str
    predicate: str
    display: str = field(default="", compare=False)

    @property
    def text(self) -> str:
        """The normal form ``subject::predicate``; ``parse_key(key.text) == key``."""
        return f"{self.subject}::{self.predicate}"

    def __str__(self) -> str:
        return self.display or self.text


def parse_key(text: str) -> Key:
    """Read a key.

    It is split at the first ``::``; without one it is a subject whose predicate is ``value``. Each part is brought
    to NFKC, lower case (not case-folded), trimmed, inner white space collapsed. Nothing else is removed: ``C``,
    ``C++``, ``.NET`` and ``a.b`` are four subjects.

    Args:
        text: The key as typed.

    Raises:
        ValidationError: Not a text, an empty part, a part of more than 1024 characters, a control character, half
            a surrogate pair, or a subject that ends with a colon (``a:::b`` would have two readings).

    Example:
        >>> parse_key("Deploy Region::Name").text
        'deploy region::name'
    """
    if type(text) is not str:
        if text is None:
            raise ValidationError("The key is missing.", advice="Pass subject::predicate.")
        if not isinstance(text, str):
            raise ValidationError(
                f"A key must be a text, not {type(text).__name__}.", advice="Pass subject::predicate."
            )
        text = str.__str__(text)
    plain = text.isascii()
    if not text.isprintable():
        check_characters(text, "A key", allow_newlines=False)
    # Normalised before it is split, so that full-width colons separate too and the normal form reads back.
    subject, separator, predicate = (text if plain else normalize("NFKC", text)).partition(_SEPARATOR)
    if plain:
        subject = " ".join(subject.lower().split())
        predicate = " ".join(predicate.lower().split())
    else:
        subject, predicate = _fold(subject), _fold(predicate)
        subject = subject if is_visible(subject) else ""
        predicate = predicate if is_visible(predicate) else ""
    if not separator:
        predicate = DEFAULT_PREDICATE
    if not subject or not predicate or subject[-1] == ":" or len(subject) + len(predicate) > PART_LIMIT:
        _check_parts(subject, predicate)
    return Key(subject, predicate, text)


def _fold(part: str) -> str:
    """Return the normal form; lower-casing can leave letters that NFKC would join or change once more."""
    return " ".join(normalize("NFKC", part.lower()).split())


def _check_parts(subject: str, predicate: str) -> None:
    for part, name in ((subject, "subject"), (predicate, "predicate")):
        if not part:
            raise ValidationError(
                f"The {name} of a key is empty.",
                advice="Write subject::predicate, or a subject alone.",
            )
        if len(part) > PART_LIMIT:
            raise ValidationError(
                f"The {name} of a key has more than {PART_LIMIT} characters.",
                advice="Name the fact briefly and put the rest into the text.",
                limit=PART_LIMIT,
            )
    if subject[-1] == ":":
        raise ValidationError(
            "The subject of a key ends with a colon.", advice="Leave the colon out, or put a word after it."
        )


def key_skeleton(key: Key) -> str:
    """Return what a reader sees of a key: keys that look alike have the same one.

    Example:
        >>> key_skeleton(parse_key("p\u0430ris::mayor"))
        'paris::mayor'
    """
    return f"{skeleton(key.subject)}::{skeleton(key.predicate)}"


@dataclass(frozen=True, slots=True)
class KeyPattern:
    """Which lines a policy is for; None stands for any.

    Args:
        subject: The subject in normal form, or None.
        predicate: The predicate in normal form, or None.
    """

    subject: str | None
    predicate: str | None

    @property
    def text(self) -> str:
        """The pattern as :func:`parse_pattern` reads it."""
        if self.subject is None and self.predicate is None:
            return "*"
        return f"{self.subject or '*'}::{self.predicate or '*'}"

    @property
    def specificity(self) -> int:
        """Which of several matching patterns wins: exact key 3, a subject 2, a predicate 1, everything 0."""
        return 2 * (self.subject is not None) + (self.predicate is not None)

    def matches(self, key: Key) -> bool:
        """Say whether the pattern is for that key."""
        return self.subject in (None, key.subject) and self.predicate in (None, key.predicate)


def parse_pattern(text: str) -> KeyPattern:
    """Read a pattern: a key, ``subject::*``, ``*::predicate`` or ``*``.

    Raises:
        ValidationError: As :func:`parse_key`, or a star that is only a piece of a part.

    Example:
        >>> parse_pattern("Berlin::*").matches(parse_key("berlin::mayor"))
        True
    """
    key = parse_key(text)
    if "::" not in normalize("NFKC", key.display):
        key = Key(key.subject, "*" if key.subject == "*" else key.predicate)
    for part in (key.subject, key.predicate):
        if "*" in part and part != "*":
            raise ValidationError(
                "A star in a pattern stands for a whole part.", advice="Write subject::*, *::predicate or *."
            )
    return KeyPattern(None if key.subject == "*" else key.subject, None if key.predicate == "*" else key.predicate)
