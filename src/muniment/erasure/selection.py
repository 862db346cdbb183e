"""What an erasure is to take: the selector as it was given, and the rows that it comes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from muniment.claims.keys import Key, parse_key
from muniment.claims.scopes import Scope
from muniment.errors import NotFoundError, ValidationError
from muniment.ledger.entries import EntryType
from muniment.quick import dataclass
from muniment.recall.where import Where
from muniment.store.records import ClaimRow, EntryRow, LineRow
from muniment.verbs import checks
from muniment.verbs.believing.reading import filter_of
from muniment.verbs.context import Context, present
from muniment.verbs.correcting.descending import descendants
from muniment.verbs.identities import identity, line_identity
from muniment.verbs.views import record_of

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

_BATCH: Final = 256
_BESIDE: Final = frozenset({EntryType.ERASE, EntryType.POLICY})
"""Entries whose texts can go alone. Those of any other go with the claims of its line: guards rest on them."""


@dataclass(frozen=True, slots=True)
class Selector:
    """One way of saying what is to go; exactly one member is set.

    Args:
        ids: Ids of claims.
        key: A key; every claim of it in the caller's own scope.
        where: A filter, over the claims of the caller's own scope. ``spelled`` is how it was given.
        reasons: Ids of erasures and policies, whose free texts are to go.
    """

    ids: tuple[str, ...] = ()
    key: Key | None = None
    where: Where | None = None
    spelled: str = ""
    reasons: tuple[str, ...] = ()

    @classmethod
    def read(cls, ids: Any, key: Any, where: Any, reasons: Any) -> Selector:
        """Check a selector.

        Raises:
            ValidationError: If not exactly one is given, or it is blank.
        """
        given = [name for name, one in (("ids", ids), ("key", key), ("where", where), ("reasons", reasons))
                 if one is not None]  # fmt: skip
        if len(given) != 1:
            raise ValidationError(
                "Say what is to be forgotten in exactly one way: ids, key, where or reasons.",
                advice="Pass ids= for claims, key= for a whole line, where= for what a filter finds, or reasons= for the "
                "texts of an erasure.",
            )
        if key is not None:
            return cls(key=parse_key(key))
        if where is not None:
            if isinstance(where, Mapping) and not where:
                raise ValidationError("where is empty, so it would be everything.", advice="Name what is to go.")
            return cls(where=filter_of(where), spelled=checks.spelled(where))
        name = given[0]
        one = ids if ids is not None else reasons
        named = checks.words((one,) if isinstance(one, str) else one, name)
        if not named:
            raise ValidationError(f"{name} is empty, so nothing was named.", advice="Pass at least one id.")
        return cls(ids=named) if name == "ids" else cls(reasons=named)

    @property
    def asked(self) -> tuple[Any, ...]:
        """The selector as plain data, for telling two requests apart."""
        return (self.ids, None if self.key is None else self.key.text, self.spelled, self.reasons)


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows that an erasure takes.

    Args:
        direct: The claims that were named, or that the selector comes to.
        derived: The claims that derive from them, at any remove.
        texts: Erasures and policies whose free texts go.
    """

    direct: tuple[ClaimRow, ...]
    derived: tuple[ClaimRow, ...] = ()
    texts: tuple[EntryRow, ...] = ()

    @property
    def rows(self) -> tuple[ClaimRow, ...]:
        """Every claim that goes."""
        return (*self.direct, *self.derived)


def select(context: Context, reader: Reader, selector: Selector) -> Selection:
    """Return what a selector comes to.

    Raises:
        NotFoundError: If it comes to nothing, or a named claim or entry does not exist here.
        PermissionDenied: If it reaches beyond the caller's own scope, without the role admin.
    """
    if selector.reasons:
        return Selection((), (), tuple(_texts(context, reader, selector.reasons)))
    direct, texts = _direct(context, reader, selector)
    if not direct and not texts:
        raise NotFoundError(
            "Nothing is stored that matches, so there is nothing to erase.",
            advice="Check what was named, and the scope.",
        )
    derived = _derived(reader, direct)
    if any(reader.line_by_id(row.line).scope != context.scope.text for row in (*direct, *derived)):
        context.require("admin")  # erasing reaches beyond the handle's own scope
    return Selection(tuple(direct), tuple(derived), texts)


def plan_hash(context: Context, selection: Selection) -> str:
    """Return the hash of what goes: another one as soon as anything else would go.

    It is keyed by the namespace's pepper, so that only whoever was shown the plan knows it.
    """
    parts = [",".join(sorted(row.head.id for row in rows)) for rows in (selection.direct, selection.derived)]
    texts = ",".join(sorted(entry.id for entry in selection.texts))
    return identity(context.pepper, b"plan", context.scope.text, *parts, texts).hex()


def _direct(context: Context, reader: Reader, selector: Selector) -> tuple[list[ClaimRow], tuple[EntryRow, ...]]:
    """Return the claims that a selector names; of a key without any, the erasures whose texts are left."""
    if selector.ids:
        return list(_named(context, reader, selector.ids)), ()
    if selector.where is not None:
        return list(_matching(context, reader, selector.where)), ()
    assert selector.key is not None
    line = reader.line(line_identity(context.pepper, context.scope.text, selector.key.text))
    if line is None:
        return [], ()
    rows = reader.claims_of(line.id)
    if rows:
        return rows, ()
    left = (entry for entry in reader.decisions(line.id) if entry.type == EntryType.ERASE)
    return [], tuple(entry for entry in left if reader.reason(entry.id) is not None)


def _named(context: Context, reader: Reader, ids: Sequence[str]) -> Iterator[ClaimRow]:
    for id_ in ids:
        row = reader.claim(id_) if checks.is_id(id_) else None
        scope = None if row is None else reader.line_by_id(row.line).scope
        if row is None or scope is None or not Scope.from_text(scope).visible_to(context.scope):
            raise NotFoundError("A named claim does not exist here, so nothing was erased.", advice="Check the ids.")
        yield row


def _matching(context: Context, reader: Reader, where: Where) -> Iterator[ClaimRow]:
    """Yield the claims of the caller's own scope, whatever their standing, that a filter accepts."""
    after, now = -1, present(context, reader.ns)
    lines: dict[int, LineRow] = {}
    while batch := reader.scan(after, _BATCH):
        for row in batch:
            after = row.idx
            line = lines.get(row.line) or lines.setdefault(row.line, reader.line_by_id(row.line))
            if line.scope == context.scope.text and where(record_of(reader, row, line, now)):
                yield row


def _derived(reader: Reader, direct: Sequence[ClaimRow]) -> list[ClaimRow]:
    """Return everything that derives from the claims, at any remove."""
    rows = (reader.claim(id_) for id_ in descendants(reader, [row.head.id for row in direct]))
    return [row for row in rows if row is not None]


def _texts(context: Context, reader: Reader, ids: Sequence[str]) -> Iterator[EntryRow]:
    """Yield the erasures and policies of some ids that have texts left, where the caller may see them."""
    policies = {row.entry for row in reader.policies()}
    for id_ in ids:
        entry = reader.entry(id_) if checks.is_id(id_) else None
        if entry is None or not _sees(context, reader, entry) or entry.type not in _BESIDE:
            raise NotFoundError(
                "A named entry does not exist here or has no text of its own, so nothing was erased.",
                advice="Name erasures and policies by their entry_id; any other reason goes with the claims of its key.",
            )
        if entry.id not in policies and reader.reason(entry.id) is None:
            raise NotFoundError("The texts of a named entry are gone already.", advice="Check the ids.")
        yield entry


def _sees(context: Context, reader: Reader, entry: EntryRow) -> bool:
    if "admin" in context.roles:
        return True
    if entry.line is None:  # a policy holds in every scope of the namespace
        return context.scope.is_empty
    line = reader.line_by_id(entry.line)
    return bool(line.label) and line.scope == context.scope.text  # an erased line has no scope left to tell by
