"""Replacing a name, taking that back, and what is replaced now: claims on the keys ``symbol::…``, like any others.

A key does not tell capital letters from small ones and code does, so key and value are written with a caret before each
capital (``names.marked``). Only what somebody vouches for guards: a name that a model guessed, or a page, waits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from muniment.beliefs.fold import Status
from muniment.beliefs.state import Disposition
from muniment.claims.keys import parse_key
from muniment.claims.scopes import visible_scopes
from muniment.code.checking import check_text
from muniment.code.findings import Findings
from muniment.code.names import SUBJECT, Name, marked, read_name, unmarked
from muniment.code.results import SymbolStatus
from muniment.code.roster import Roster
from muniment.code.symbols import Advice, Symbol, follow
from muniment.code.symbolsfile import checked_reason
from muniment.errors import ConflictError, ValidationError
from muniment.quick import replace
from muniment.store.records import LineRow
from muniment.verbs import checks
from muniment.verbs.believing import believe
from muniment.verbs.believing.folding import Folded, fold_line, fold_rows
from muniment.verbs.context import Context, present
from muniment.verbs.correcting import closing
from muniment.verbs.identities import line_identity
from muniment.verbs.requests import Request
from muniment.verbs.results import Outcome
from muniment.verbs.saying import prepare, remember
from muniment.verbs.tables import Rows
from muniment.verbs.views import scope_of, value_of, verified

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

_BATCH = 1000
"""Lines that are read together."""


def deprecate(context: Context, old: Any, new: Any, reason: Any, **given: Any) -> Outcome:
    """Say that a name was replaced.

    Raises:
        ConflictError: If that would close a circle: the replacement leads back to the name.
        ValidationError: If one of them is no name, or they are the same.
    """
    name, replacement = read_name(old, "old"), read_name(new, "new")
    if name == replacement:
        raise ValidationError("old and new are the same name.", advice="Name what is to be used instead.")
    why = checked_reason(reason)
    text = f"{name} was replaced by {replacement}" + (f": {why}" if why else "")
    # A replacement holds until it is taken back: it ages as slowly as the way to do something.
    stated = {"key": name.key, "value": marked(replacement.text), "kind": "procedural", "tags": ["code"], "reason": why}
    said = prepare.prepare(context, text, {**stated, **given})
    if _leads_to(context, replacement, name) and not _done(context, said.request):
        raise ConflictError(
            "The new name was itself replaced, and leads back to the old one.",
            advice="Take that back first: undeprecate the new name.",
        )
    return _followed(remember.remember(context, said))


def undeprecate(context: Context, name: Any, **given: Any) -> Outcome:
    """Say that a name may be used again from now on. What replaced it until now stays in its history."""
    key = read_name(name, "name").key
    # In a wider scope it may have been replaced: then it is not here that this is taken back.
    here = believe.believe(context, key).status is Status.NONE
    absent = Outcome(Disposition.UNCHANGED, None, False, why="Nothing holds now in this scope.") if here else None
    return _followed(closing.end_now(context, "code.undeprecate", key, absent, **given))


def _followed(outcome: Outcome) -> Outcome:
    """Say of what changed a name that a repository's file has to follow: checks go by the file where there is one."""
    changed = outcome.believed or outcome.disposition is Disposition.ENDED
    return replace(outcome, next=" ".join(filter(None, (outcome.next, _FOLLOWS)))) if changed else outcome


_FOLLOWS: Final = "Where a repository has a symbols file, checks go by that: code.sync() brings it in line."


def symbol_status(context: Context, name: Any) -> SymbolStatus:
    """Return whether a name may be used, and what to use instead."""
    asked = read_name(name, "name")
    belief = believe.believe(context, asked.key)

    def work(reader: Reader) -> tuple[Symbol | None, Advice]:
        named: dict[str, Symbol] = {}
        found = _follow(context, reader, asked, named)
        return found, Advice(None) if found is None else follow(asked.text, named)

    symbol, advice = context.store.read(context.namespace, work)
    if symbol is None:
        status = "active"
    else:
        status = "disputed" if symbol.replacement is None else "replaced"
    return SymbolStatus(
        asked.text, status, advice.replacement, advice.via, () if symbol is None else advice.candidates,
        None if symbol is None else symbol.reason, belief.since if symbol else None, asked.key, belief.beside,
        f"was replaced; {advice}" if symbol is not None else "may be used; what was said of it waits for a person"
        if belief.beside else "may be used",
    )  # fmt: skip


def _done(context: Context, request: Request | None) -> bool:
    """Say whether something was done under a request's key before: then that is answered, whatever holds now."""
    if request is None:
        return False
    return context.store.read(context.namespace, lambda reader: reader.recalled(request.name) is not None)


def _leads_to(context: Context, start: Name, end: Name) -> bool:
    """Say whether the renames lead from one name to another."""

    def work(reader: Reader) -> bool:
        named: dict[str, Symbol] = {}
        _follow(context, reader, start, named)
        return any(read_name(one.replacement, "new") == end for one in named.values() if one.replacement)

    return context.store.read(context.namespace, work)


def _follow(context: Context, reader: Reader, name: Name, named: dict[str, Symbol]) -> Symbol | None:
    """Read the symbols that the renames of a name lead through into ``named``, and return that of the name."""
    first = at = _standing(context, reader, name)
    while at is not None and at.name not in named:
        named[at.name] = at
        at = None if at.replacement is None else _standing(context, reader, read_name(at.replacement, "new"))
    return first


def _standing(context: Context, reader: Reader, name: Name) -> Symbol | None:
    """Return what replaces a name now, from the narrowest line that has an answer."""
    now, key = present(context, reader.ns), parse_key(name.key).text
    for scope in visible_scopes(context.scope):
        line = reader.line(line_identity(context.pepper, scope.text, key))
        if line is not None:
            folded = fold_line(context, reader, line, now, now)
            if folded.answer.status is not Status.NONE:
                return _symbol(reader, line, folded)
    return None


def _symbol(reader: Reader, line: LineRow, folded: Folded) -> Symbol | None:
    """Return what a line says of its name; None where nobody vouches for it, or what is said is no name."""
    name = _as_name(unmarked(line.predicate or ""))
    found: list[tuple[Name, str | None]] = []
    for group in folded.answer.groups:
        row = verified(reader, folded.rows[group.primary.id].claim, line.label)
        replacement = _as_name(unmarked(str(value_of(row, row.text)))) if group.vouched else None
        if replacement is not None and replacement != name:
            found.append((replacement, row.reason))
    if name is None or not found:
        return None
    if len(found) == 1:
        return Symbol(name.text, found[0][0].text, found[0][1])
    return Symbol(name.text, None, None, tuple(sorted(one.text for one, _ in found)))


def _as_name(text: str) -> Name | None:
    """Return a name, or None for a text that is none: anybody may write to such a key."""
    try:
        return read_name(text, "name")
    except ValidationError:
        return None


def symbols(context: Context, roster: Roster) -> Rows[Symbol]:
    """Return every name that is replaced now, in order.

    Args:
        context: Who asks.
        roster: What was found before; it is added to.
    """

    def work(reader: Reader) -> Rows[Symbol]:
        present(context, reader.ns)  # refuses a namespace that was replaced meanwhile
        if roster.pepper != context.pepper:
            roster.pepper, roster.upto, roster.lines = context.pepper, 0, []
        while found := reader.lines(roster.upto, _BATCH):
            roster.lines += [line.id for line in found if not line.note and line.subject in (SUBJECT, None)]
            roster.upto = found[-1].id
        return Rows(_standing_all(context, reader, roster.lines))

    return context.store.read(context.namespace, work)


def _standing_all(context: Context, reader: Reader, ids: list[int]) -> Iterable[Symbol]:
    now = present(context, reader.ns)
    order = {scope.text: place for place, scope in enumerate(visible_scopes(context.scope))}
    found: dict[str, tuple[int, Symbol | None]] = {}
    for start in range(0, len(ids), _BATCH):
        lines = reader.lines_by_id(ids[start : start + _BATCH])
        held = reader.at_lines(list(lines), now, now)
        for line in lines.values():
            place = order.get(scope_of(line.scope).text)
            if place is None or line.subject != SUBJECT or line.predicate is None:
                continue
            folded = fold_rows(context, reader, line, held.get(line.id, ()), now)
            if folded.answer.status is Status.NONE or place > found.get(line.predicate, (place, None))[0]:
                continue
            found[line.predicate] = (place, _symbol(reader, line, folded))
    return sorted((one for _, one in found.values() if one is not None), key=lambda one: one.name)


def check(context: Context, roster: Roster, code: Any, **how: Any) -> Findings:
    """Look for names that are replaced now in a text of code. See :func:`muniment.code.checking.check_text`."""
    language, file = how["language"], how["file"]
    return check_text(
        code, symbols(context, roster),
        language=None if language is None else checks.short(language, "language"),
        file=None if file is None else checks.short(file, "file"),
        comments=checks.flag(how["comments"], "comments"), strings=checks.flag(how["strings"], "strings"),
    )  # fmt: skip
