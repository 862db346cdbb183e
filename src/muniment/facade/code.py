"""memory.code: names in source code that were replaced, and where they are still used."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from muniment.code.roster import Roster
from muniment.facade.terms import ChannelName, arguments
from muniment.operation import Access, operation

if TYPE_CHECKING:
    from muniment.claims.channels import Channel
    from muniment.claims.sources import Source
    from muniment.code.findings import Findings
    from muniment.code.results import SymbolStatus, SyncedSymbols, WrittenSymbols
    from muniment.code.symbols import Symbol
    from muniment.verbs.context import Context
    from muniment.verbs.results import Outcome


class Code:
    """Names in source code that were replaced: said once, remembered with the reason, found wherever they are used."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._roster = Roster()

    @operation(profile="code", access=Access.WRITES, role="writer", group="code", title="Replace a name")
    def deprecate(
        self,
        old: str,
        new: str,
        reason: str | None = None,
        *,
        channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Say that a name in source code was replaced. It is a claim like any other, on the key of the name.

        Args:
            old: The name that is not to be used any more: ``old``, ``pkg.mod.old``, ``Class::method``. The more of it is
                given, the fewer other names are taken for it.
            new: What to use instead.
            reason: Why, in a line of at most 1,000 characters.
            channel, source, expect, idempotency_key: As for :meth:`remember`.

        Raises:
            ConflictError: If the new name was itself replaced and leads back to the old one.
            ValidationError: If one of them is no name in code, or they are the same.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.code.deprecate("db.fetch", "db.load", "one call for both back ends")
            ...     print(memory.code.check("import db as d\\nrows = d.fetch(1)  # not db.load").uses[0])
            -:2:10: db.fetch was replaced; use db.load: one call for both back ends
        """
        given = arguments(locals(), "old", "new", "reason")
        from muniment.code import deprecating

        return deprecating.deprecate(self._context, old, new, reason, **given)

    @operation(
        profile="code", access=Access.WRITES, role="writer", idempotent=True, group="code", title="Allow a name again"
    )
    def undeprecate(
        self,
        name: str,
        *,
        reason: str | None = None,
        channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Say that a name may be used again from now on. ``revert`` on its key goes back to what replaced it before.

        Args:
            name: The name.
            reason, channel, source, expect, idempotency_key: As for :meth:`end`.

        Returns:
            ``ended``, or ``unchanged`` where nothing replaced it.

        Raises:
            ConflictError: If its replacement is in dispute: resolve that first.
        """
        given = arguments(locals(), "name")
        from muniment.code import deprecating

        return deprecating.undeprecate(self._context, name, **given)

    @operation(
        profile="code", access=Access.READS, role="reader", idempotent=True, group="code", title="Status of a name"
    )
    def symbol_status(self, name: str) -> SymbolStatus:
        """Say whether a name may be used, and what to use instead, through every rename since.

        Args:
            name: The name.

        Returns:
            ``active``, ``replaced`` or ``disputed``, with the replacement, the reason and the key. A name of which
            nothing was ever said is active.
        """
        from muniment.code import deprecating

        return deprecating.symbol_status(self._context, name)

    @operation(
        profile="code", access=Access.READS, role="reader", idempotent=True, group="code", title="Replaced names"
    )
    def symbols(self) -> tuple[Symbol, ...]:
        """List the names that are replaced now, in alphabetical order."""
        from muniment.code import deprecating

        return deprecating.symbols(self._context, self._roster)

    @operation(
        profile="code", access=Access.READS, role="reader", idempotent=True, group="code", title="Check a code text"
    )
    def check(
        self,
        code: str,
        *,
        language: str | None = None,
        file: str | None = None,
        comments: bool = False,
        strings: bool = False,
    ) -> Findings:
        """Look for names that were replaced in a text of code. Comments and strings do not count unless asked for.

        Args:
            code: The text, at most 2 MiB.
            language: Its language, such as ``python`` or ``go``; Python if neither this nor ``file`` tells it.
            file: What the file is called that it will stand in; it is not read.
            comments: Look in comments as well, docstrings too.
            strings: Look in strings as well.

        Returns:
            The uses, each with line, column and what to write instead; ``ok`` if there is none. Nothing of the text is
            given back.
        """
        from muniment.code import deprecating

        return deprecating.check(
            self._context, self._roster, code, language=language, file=file, comments=comments, strings=strings
        )

    @operation(
        profile="code", access=Access.READS, role="reader", idempotent=True, group="code", open_world=True,
        title="Write the symbols file",
    )  # fmt: skip
    def export(self, file: str | os.PathLike[str] | None = None, *, overwrite: bool = False) -> WrittenSymbols:
        """Write the names that are replaced now to a repository's symbols file, in the place of what it held.

        Args:
            file: The file, or ``-`` for standard output; ``.muniment/symbols.jsonl`` of the repository one is in if not
                given.
            overwrite: Names in it of which this memory never heard may go; :meth:`sync` keeps them.

        Returns:
            How many names it holds, and whether its bytes changed. The same names give the same bytes.

        Raises:
            ConflictError: If the file holds names of which this memory never heard, or is a link.
            NotFoundError: If no file is given, and one is in no repository.
        """
        from muniment.code import syncing
        from muniment.verbs import checks

        return syncing.export(self._context, self._roster, file, checks.flag(overwrite, "overwrite"))

    @operation(
        profile="code", access=Access.WRITES, role="writer", idempotent=True, group="code", open_world=True,
        title="Bring the symbols file in line",
    )  # fmt: skip
    def sync(
        self,
        file: str | os.PathLike[str] | None = None,
        *,
        channel: ChannelName | Channel | None = None,
        dry_run: bool = False,
    ) -> SyncedSymbols:
        """Bring a repository's symbols file and the memory in line: each takes what the other has.

        A file is a page like any other: what it says is kept and not believed until a person looks at it, unless the
        caller vouches for it with ``channel``. It stays in the file all the same. Where the memory knows a replacement
        of the file as one that no longer holds, the memory's word goes into the file.

        Args:
            file: The file; ``.muniment/symbols.jsonl`` of the repository one is in if not given.
            channel: As whom to take what the file says; ``document`` if not given.
            dry_run: Say what would be done, and do nothing.

        Raises:
            ValidationError: If a line of the file is not as it must be; ``line`` in the details says which one.
        """
        from muniment.code import syncing
        from muniment.verbs import checks

        return syncing.sync(self._context, self._roster, file, channel, checks.flag(dry_run, "dry_run"))
