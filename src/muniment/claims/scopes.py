"""Scopes: a tuple (user, agent, session, project) inside a namespace, each part set or not.

Parts are compared one by one and whole. They are never joined, split or matched as prefixes, so ``%``, ``_``, ``*``,
``/`` and ``.`` are ordinary characters in them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar, Final
from unicodedata import normalize

from muniment.claims.text import check_characters
from muniment.errors import PermissionDenied, ValidationError
from muniment.quick import dataclass

PARTS: Final = ("user", "agent", "session", "project")
"""The names of the parts, in the order in which they are written."""

PART_LIMIT: Final = 256
"""The most characters that a part may have."""


def _check_part(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise ValidationError(
            f"The scope part {name} must be a text, not {type(value).__name__}.",
            advice="Pass a text, or leave it out.",
        )
    check_characters(value, f"The scope part {name}", allow_newlines=False)
    part = value.strip()
    if not part.isascii():
        part = normalize("NFC", part)
    if not part:
        raise ValidationError(f"The scope part {name} is empty.", advice="Leave it out to keep it unset.")
    if len(part) > PART_LIMIT:
        raise ValidationError(
            f"The scope part {name} has more than {PART_LIMIT} characters.",
            advice="Use an identifier.",
            limit=PART_LIMIT,
        )
    return part


@dataclass(frozen=True, slots=True)
class Scope:
    """Where in a namespace a claim belongs, or a reader stands.

    Parts are trimmed and brought to NFC, and otherwise kept as they are, upper and lower case apart.

    Args:
        user, agent, session, project: The parts, None where unset.

    Raises:
        ValidationError: A part is not a text, blank, longer than 256 characters or holds a control character.

    Example:
        >>> Scope(user="ana").visible_to(Scope(user="ana", project="moon"))
        True
    """

    user: str | None = None
    agent: str | None = None
    session: str | None = None
    project: str | None = None

    NONE: ClassVar[Scope]
    """The scope with no part set."""

    def __post_init__(self) -> None:
        for name in PARTS:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _check_part(value, name))

    @property
    def is_empty(self) -> bool:
        """Whether no part is set."""
        return self.user is None and self.agent is None and self.session is None and self.project is None

    def visible_to(self, reader: Scope) -> bool:
        """Say whether a reader at ``reader`` sees a claim of this scope: every part it sets equals the reader's."""
        return (
            (self.user is None or self.user == reader.user)
            and (self.agent is None or self.agent == reader.agent)
            and (self.session is None or self.session == reader.session)
            and (self.project is None or self.project == reader.project)
        )

    @property
    def narrowness(self) -> tuple[int, bool, bool, bool, bool]:
        """Sort key, narrowest first: more parts set, then session, user, agent, project.

        Example:
            >>> sorted([Scope(), Scope(user="a"), Scope(session="s")], key=lambda s: s.narrowness)[0].session
            's'
        """
        unset = (self.session is None, self.user is None, self.agent is None, self.project is None)
        return (sum(unset), *unset)

    def narrow(self, **parts: str | None) -> Scope:
        """Return this scope with more parts set.

        Args:
            **parts: Parts to set. A part that is set already may only be named with its own value.

        Raises:
            PermissionDenied: It would change or unset a part, and so show what this scope does not.
            ValidationError: No such part, or not a part's form.

        Example:
            >>> Scope(user="ana").narrow(project="moon").as_dict()
            {'user': 'ana', 'project': 'moon'}
        """
        values = self.as_dict()
        for name, value in parts.items():
            if name not in PARTS:
                raise ValidationError("There is no such scope part.", advice=f"Use {', '.join(PARTS)}.")
            checked = None if value is None else _check_part(value, name)
            if name in values and values[name] != checked:
                raise PermissionDenied(
                    f"The scope part {name} is set already and cannot be changed.",
                    advice="Open a handle with the scope you need.",
                )
            if checked is not None:
                values[name] = checked
        return Scope(**values)

    def as_dict(self) -> dict[str, str]:
        """Return the parts that are set."""
        return {name: value for name in PARTS if (value := getattr(self, name)) is not None}

    @property
    def text(self) -> str:
        """The canonical text: a JSON array of the four parts, ``null`` where unset. Equal scopes, equal texts.

        Example:
            >>> Scope(user="ana").text
            '["ana",null,null,null]'
        """
        return _text(self.user, self.agent, self.session, self.project)

    @classmethod
    def from_text(cls, text: str) -> Scope:
        """Read :attr:`text` back.

        Raises:
            ValidationError: It is not a canonical text of a scope.
        """
        from muniment import jsontext

        try:
            parts = jsontext.loads(text)
        except jsontext.JSONDecodeError:
            parts = None
        if not isinstance(parts, list) or len(parts) != len(PARTS):
            raise ValidationError("This is not the text of a scope.", advice="Use Scope.text.")
        return cls(*parts)


@lru_cache(maxsize=256)  # every read and write of a handle asks for that of its scope
def _text(*parts: str | None) -> str:
    from muniment import jsontext

    return jsontext.dumps(parts).decode()


Scope.NONE = Scope()

_MASKS: Final = sorted(
    (tuple(bool(bits >> i & 1) for i in range(4)) for bits in range(16)),
    key=lambda mask: Scope(*("x" if kept else None for kept in mask)).narrowness,
)


@lru_cache(maxsize=256)
def visible_scopes(reader: Scope) -> tuple[Scope, ...]:
    """Return every scope whose claims ``reader`` sees, narrowest first: at most 16.

    Example:
        >>> [scope.as_dict() for scope in visible_scopes(Scope(user="ana"))]
        [{'user': 'ana'}, {}]
    """
    parts = (reader.user, reader.agent, reader.session, reader.project)
    return tuple(
        Scope(*(part if kept else None for part, kept in zip(parts, mask, strict=True)))
        for mask in _MASKS
        if all(part is not None for part, kept in zip(parts, mask, strict=True) if kept)
    )
