"""Names of symbols: how they are written, when two are the same, and how one is written as a key.

A name is one or more parts, from the outside in: ``old``, ``pkg.mod.old``, ``Class::method``. What stands between the
parts differs from language to language and says nothing here: ``a::b`` and ``a.b`` are one name.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import normalize

from muniment.errors import ValidationError
from muniment.quick import dataclass

NAME_LIMIT: Final = 256
"""Characters of a name. The longest that CPython's standard library has, with its module, are below 100."""

SUBJECT: Final = "symbol"
"""The subject of the keys under which names are claimed; the name is the predicate."""

_PART: Final = r"\$?[^\W\d][\w$]*(?:-[\w$]+)*[!?]?"
_NAME: Final = re.compile(rf"@?{_PART}(?:(?:::|->|[.#/\\:]){_PART})*")
_PARTS: Final = re.compile(_PART)
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a symbol.

    Args:
        parts: Its parts, the outermost first.

    Example:
        >>> read_name("Class::method", "old") == read_name("Class.method", "old")
        True
    """

    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The one way it is written here: its parts, with points between them."""
        return ".".join(self.parts)

    @property
    def tail(self) -> str:
        """Its last part."""
        return self.parts[-1]

    @property
    def word(self) -> str:
        """The word that stands in every text which uses it: its last part, up to what not every language calls a letter."""
        found = _WORD.search(self.tail)
        return found.group() if found else self.tail

    @property
    def key(self) -> str:
        """The key of the line on which its replacement is claimed."""
        return f"{SUBJECT}::{marked(self.text)}"

    def __str__(self) -> str:
        return self.text


def read_name(given: object, what: str) -> Name:
    """Read a name.

    Args:
        given: As somebody writes it in code: ``old``, ``pkg.mod.old``, ``Class::method``, ``ns/old-fn``.
        what: The argument's name, for the error.

    Raises:
        ValidationError: If no language could have such a name.

    Example:
        >>> read_name("pkg/mod.old", "old").parts
        ('pkg', 'mod', 'old')
    """
    if not isinstance(given, str):
        kind = "missing" if given is None else f"not a {type(given).__name__}"
        raise ValidationError(
            f"{what} must be a name in code; it is {kind}.", advice="Pass a name such as pkg.mod.old."
        )
    if len(given) > NAME_LIMIT:
        raise ValidationError(
            f"{what} has more than {NAME_LIMIT} characters.", advice="Leave out the outer parts.", limit=NAME_LIMIT
        )
    text = given if given.isascii() else normalize("NFKC", given)
    if not _NAME.fullmatch(text) or any(_without_small_form(char) for char in text):
        raise ValidationError(
            f"{what} is not a name as code has them.",
            advice="Write letters, digits and _ in parts such as old, pkg.mod.old, Class::method; nothing around them.",
        )
    return Name(tuple(_PARTS.findall(text)))


def marked(text: str) -> str:
    """Return a name for a key or a value, which do not tell capital letters from small ones: a caret before a capital.

    Example:
        >>> marked("HttpServer.run_once"), unmarked("^http^server.run_once")
        ('^http^server.run_once', 'HttpServer.run_once')
    """
    return "".join(f"^{char.lower()}" if char != char.lower() else char for char in text)


def unmarked(text: str) -> str:
    """Return what :func:`marked` was given."""
    head, *rest = text.split("^")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def _without_small_form(char: str) -> bool:
    """Say whether a letter cannot be told from its small form and back, such as the dotted capital I."""
    small = char.lower()
    return small != char and (len(small) != 1 or small.upper() != char)
