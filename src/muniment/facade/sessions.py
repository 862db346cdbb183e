"""memory.sessions: from one session to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muniment.operation import Access, operation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muniment.facade.terms import When
    from muniment.sessions.diffs import Ledger, Opened
    from muniment.sessions.results import Decisions, Digest, FoundSessions
    from muniment.verbs.context import Context


class Sessions:
    """What a session did, and what the next one should know."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @operation(
        profile="curate", access=Access.READS, role="reader", idempotent=True, group="sessions",
        title="Begin a session",
    )  # fmt: skip
    def open(self, *, session: str | None = None) -> Opened:
        """Say where a session begins: how long the log is now. Nothing is written.

        Args:
            session: The session's name; that of the handle if not given.

        Returns:
            The place in the log; :meth:`close` and :meth:`diff` take its ``size``.
        """
        from muniment.sessions import ledgers

        return ledgers.opened(self._context, session)

    @operation(
        profile="curate", access=Access.READS, role="reader", idempotent=True, group="sessions",
        title="What changed between two sizes of the log",
    )  # fmt: skip
    def diff(self, *, since: int, until: int | None = None, session: str | None = None, limit: int = 100) -> Ledger:
        """Say what was said, changed, contested, held and erased between two sizes of the log.

        Of what is held or was erased, it tells which claim it is, and nothing of what it says.

        Args:
            since: Size of the log when the session began, as :meth:`open` told it.
            until: Size of the log at its end; now if not given.
            session: The session's name; that of the handle if not given.
            limit: Rows at most, 1 to 1000; the counts are of everything.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     begin = memory.sessions.open()
            ...     _ = memory.remember("Tea at four", key="tea::time", value="16:00")
            ...     _ = memory.remember("Tea at five", key="tea::time", value="17:00")
            ...     memory.sessions.diff(since=begin.size).counts["changed"]
            1
        """
        from muniment.sessions import ledgers

        return ledgers.ledger(self._context, since, until, session, limit)

    @operation(
        profile="curate", access=Access.WRITES, role="writer", group="sessions",
        title="Close a session",
    )  # fmt: skip
    def close(self, *, since: int, session: str | None = None, limit: int = 100) -> Ledger:
        """Say what changed since a session began, and write it down as one claim of numbers.

        The claim lies under ``session NAME::ledger`` and copies nothing of what was said, so that an erasure has nothing
        more to find. Where nothing happened, nothing is written.

        Args:
            since, session, limit: As for :meth:`diff`.

        Example:
            >>> with Memory(":memory:", session="monday") as memory:
            ...     begin = memory.sessions.open()
            ...     _ = memory.remember("Tea at four", key="tea::time", value="16:00")
            ...     _ = memory.sessions.close(since=begin.size)
            ...     memory.believe("session monday::ledger").value["said"]
            1
        """
        from muniment.sessions import ledgers

        return ledgers.closed(self._context, since, session, limit)

    @operation(
        profile="curate", access=Access.READS, role="reader", idempotent=True, group="sessions",
        title="What a new session should know",
    )  # fmt: skip
    def digest(
        self,
        *,
        budget_tokens: int = 600,
        since: int | None = None,
        valid_at: When | None = None,
        as_of: When | None = None,
    ) -> Digest:
        """Tell a new session what it should know: decisions in force, open disputes, what was corrected, what a person said.

        Everything is looked up anew, so nothing that was reversed, held or erased is told. For the same store and the
        same instants the text is the same to the byte.

        Args:
            budget_tokens: What the text may cost at most, 100 to 8000.
            since: Size of the log when the reader was last here: what was recorded after it counts for more.
            valid_at, as_of: As for :meth:`recall`.

        Returns:
            The text, with what was stored inside a fence that it cannot close, and the same as rows with their points.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("We keep SQLite", key="store::decision", reason="one file, no server")
            ...     memory.sessions.digest().rows[0].reasons["decision"]
            6
        """
        from muniment.sessions import digesting

        return digesting.digest(self._context, budget_tokens, since, valid_at, as_of)

    @operation(
        profile="curate", access=Access.READS, role="reader", idempotent=True, group="sessions",
        title="Decisions in force",
    )  # fmt: skip
    def decisions(
        self,
        *,
        about: str | None = None,
        limit: int = 100,
        valid_at: When | None = None,
        as_of: When | None = None,
    ) -> Decisions:
        """List the decisions in force: claims whose predicate is ``decision``, or with that tag, that hold.

        Args:
            about: Words that must all stand in the key or the text.
            limit: At most so many, 1 to 500.
            valid_at, as_of: As for :meth:`recall`.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("Tabs", key="style::decision")
            ...     _ = memory.remember("Spaces", key="style::decision")
            ...     [one.text for one in memory.sessions.decisions()]
            ['Spaces']
        """
        from muniment.sessions import digesting

        return digesting.decisions(self._context, about, limit, valid_at, as_of)

    @operation(
        profile="curate", access=Access.READS, role="reader", idempotent=True, group="sessions",
        title="Sessions in which something was spoken of",
    )  # fmt: skip
    def find(
        self,
        query: str,
        *,
        k: int = 5,
        each: int = 3,
        where: Mapping[str, Any] | None = None,
        valid_at: When | None = None,
        as_of: When | None = None,
        trusted_only: bool = False,
        min_relevance: float = 0.0,
    ) -> FoundSessions:
        """Find the sessions in which something was spoken of, best first, each with its best hits.

        Args:
            query: What to look for, as for :meth:`recall`.
            k: How many sessions, 1 to 100.
            each: How many hits of each session, 1 to 20.
            where, valid_at, as_of, trusted_only, min_relevance: As for :meth:`recall`.

        Returns:
            Sessions, ranked by their best hit and, a fifth as much each, by the further ones. No reranker takes part.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("The port of staging is 5433", session="monday")
            ...     _ = memory.remember("Lunch is at noon", session="tuesday")
            ...     [found.session for found in memory.sessions.find("staging port")]
            ['monday']
        """
        from muniment.sessions import finding

        return finding.find(
            self._context, query, k=k, each=each, where=where, valid_at=valid_at, as_of=as_of,
            trusted_only=trusted_only, min_relevance=min_relevance,
        )  # fmt: skip
