"""The symbols file of a repository and the memory beside it: written from the memory, or brought in line with it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from muniment.code import symbolsfile
from muniment.code.deprecating import deprecate, symbols
from muniment.code.names import marked, read_name
from muniment.code.results import SyncedSymbols, WrittenSymbols
from muniment.code.roster import Roster
from muniment.code.symbols import Symbol
from muniment.errors import ConflictError, NotFoundError, ValidationError
from muniment.paths import here
from muniment.quick import dataclass, field
from muniment.transfer.files import STANDARD, check_path, standard
from muniment.verbs.believing.reading import history
from muniment.verbs.context import Context

_WAITING: Final = frozenset({"held", "quarantined", "pending_review", "low_confidence", "echo", "inferred"})
"""How a claim stands that is kept and not believed until somebody decides."""

SOURCE: Final = f"{symbolsfile.FOLDER}/{symbolsfile.FILE}"
"""The source of what was taken from a symbols file: the same in every clone."""

VOUCH: Final = "Nobody vouched for the names that wait: decide each in the review, or sync with the channel user."
"""What to do about names that were taken and are not believed."""


def export(context: Context, roster: Roster, file: Any, overwrite: bool) -> WrittenSymbols:
    """Write the names that are replaced now to a symbols file, in the place of what it held.

    Raises:
        ConflictError: If it holds names of which this memory never heard, and they may not go.
        ValidationError: If there is a file that is none of symbols.
    """
    if isinstance(file, str) and file == STANDARD:
        standing = symbols(context, roster)
        out = standard(sys.stdout, "output")
        out.write(symbolsfile.render(standing))
        out.flush()
        return WrittenSymbols(STANDARD, len(standing), True)
    place = place_of(file)
    held = _held(place)  # what is no symbols file is not written over, whatever was said
    standing = symbols(context, roster)
    if not overwrite:
        known = {one.name for one in standing}
        unheard = [one for one in held if one.name not in known and not history(context, key_of(one))]
        if unheard:
            raise ConflictError(
                f"The file holds {len(unheard)} names of which this memory never heard.",
                advice="sync keeps them; overwrite lets them go.", names=len(unheard),
            )  # fmt: skip
    return WrittenSymbols(str(place), len(standing), symbolsfile.write(place, standing))


def _held(place: Path) -> tuple[Symbol, ...]:
    """Return what a symbols file holds; nothing where there is none."""
    try:
        return symbolsfile.read(place)
    except NotFoundError:
        return ()


def key_of(symbol: Symbol) -> str:
    """Return the key of a symbol's line."""
    return read_name(symbol.name, "name").key


def place_of(file: Any) -> Path:
    """Return a file that was named, or that of the repository one is in.

    Raises:
        NotFoundError: If none was named, and one is in no repository.
        ValidationError: If it is no path.
    """
    if file is None:
        return symbolsfile.usual(Path(here()))
    return Path(check_path(file, "file"))


@dataclass(slots=True)
class _Sync:
    """What became of each name."""

    taken: list[str] = field(default_factory=list)
    waiting: dict[str, Symbol] = field(default_factory=dict)
    retired: set[str] = field(default_factory=set)


def sync(context: Context, roster: Roster, file: Any, channel: Any, dry_run: bool) -> SyncedSymbols:
    """Bring a symbols file and the memory in line. See :meth:`muniment.facade.code.Code.sync`."""
    if isinstance(file, str) and file == STANDARD:
        raise ValidationError("sync reads a file and writes it.", advice="Name a file, or none for the usual one.")
    place = place_of(file)
    spoken = context.channel("document" if channel is None else channel)
    before = {one.name: one for one in _held(place)}
    known = {one.name: one for one in symbols(context, roster)}
    found = _Sync()
    for symbol in before.values():
        if known.get(symbol.name) != symbol:
            _settle(context, symbol, known.get(symbol.name), spoken, found, dry_run)
    after = {one.name: one for one in symbols(context, roster)}
    if dry_run:
        after |= {name: before[name] for name in found.taken}
    wanted = {**{name: one for name, one in before.items() if name not in found.retired}, **after, **found.waiting}
    changed = symbolsfile.render(wanted.values()) != (symbolsfile.render(before.values()) if before else b"")
    if changed and not dry_run:
        symbolsfile.write(place, wanted.values())
    return SyncedSymbols(
        str(place), len(wanted), changed, tuple(found.taken), tuple(found.waiting),
        tuple(sorted(name for name, one in wanted.items() if before.get(name) != one)),
        tuple(sorted(before.keys() - wanted.keys())), VOUCH if found.waiting else "",
    )  # fmt: skip


def _settle(context: Context, symbol: Symbol, known: Symbol | None, channel: Any, found: _Sync, dry_run: bool) -> None:
    """Decide what becomes of a name that the file and the memory do not say the same of."""
    if symbol.replacement is None or (known is not None and known.replacement == symbol.replacement):
        return  # a dispute is no statement; of two reasons the memory's stands
    value = marked(read_name(symbol.replacement, "replacement").text)
    said = [one.standing for one in history(context, key_of(symbol)) if one.value == value]
    if any(standing in _WAITING for standing in said):
        found.waiting[symbol.name] = symbol
    elif said:
        found.retired.add(symbol.name)
    elif dry_run:
        found.taken.append(symbol.name) if channel != "document" else found.waiting.update({symbol.name: symbol})
    elif deprecate(context, symbol.name, symbol.replacement, symbol.reason, channel=channel, source=SOURCE).believed:
        found.taken.append(symbol.name)
    else:
        found.waiting[symbol.name] = symbol
