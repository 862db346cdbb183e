"""Memory: every public operation, named once, typed and documented. No logic lives here.

The methods hand over to the verbs; the doors (command line, MCP, HTTP) are derived from the declarations.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from types import TracebackType
from typing import Any, Literal, Self

from muniment.claims.channels import Channel
from muniment.claims.scopes import Scope
from muniment.claims.sources import Source
from muniment.erasure.results import Erasure, Plan
from muniment.facade.changes import Subscription, check_callback
from muniment.facade.log import Log
from muniment.facade.opening import Caller, Host, registered
from muniment.facade.transfer import Transfer
from muniment.operation import Access, operation
from muniment.protocols import Adjudicator, Clock, Entropy, Ids
from muniment.verbs.adjudication import Adjudication, AdjudicationRequest
from muniment.verbs.charts import Chart
from muniment.verbs.feed import Change, Changes
from muniment.verbs.hits import Explanation, Hits
from muniment.verbs.opening import check_namespace
from muniment.verbs.plans import RoutePlan
from muniment.verbs.proposals import Proposals, Rewriting
from muniment.verbs.results import Belief, Outcome, Page, ReviewerKey, Statement

When = str | date | datetime
"""An instant or a date: RFC 3339 text, ``YYYY``, ``YYYY-MM``, ``YYYY-MM-DD``, ``date`` or ``datetime``."""

ChannelName = Literal["user", "tool", "agent", "model", "document", "recall"]


class Memory:
    """A memory that can be held to what it says.

    Args:
        path: The store's file; ``:memory:`` for RAM. If not given: the variable MUNIMENT_PATH, the ``.muniment``
            folder of the repository, or the platform's data folder.
        namespace: The unit of isolation: an agent, a tenant. Nothing crosses it.
        scope: Narrows the handle inside the namespace: a ``Scope`` or a dict of user, agent, session, project.
        channel: The highest channel of this handle, and the default of its writes.
        author: Who writes, as recorded with every claim.
        session: Provenance of what is said through the handle; one is made if not given.
        roles: What the handle may do. Whoever opens a store holds every role unless told otherwise.
        clock, ids, entropy: Injected, so that a run can be repeated to the byte.
        busy_seconds: How long a writer waits for another one before it gives up with BusyError.
        on_change: Called with each :class:`Change` after its commit, as by :meth:`subscribe`.
        adjudicator: Who decides contests in a person's place: a function, ``"queue"`` for one that polls
            (:meth:`claim_request`), or an :class:`Adjudication` with a rank and a lifetime of requests.

    Example:
        >>> with Memory(":memory:") as memory:
        ...     _ = memory.remember("The rate limit is 100/min", key="api::rate limit", value="100/min")
        ...     _ = memory.remember("It was raised to 250/min", key="api::rate limit", value="250/min")
        ...     memory.believe("api::rate limit").value
        '250/min'
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        namespace: str | None = None,
        *,
        scope: Scope | Mapping[str, str] | None = None,
        channel: ChannelName | Channel = "user",
        author: str | None = None,
        session: str | None = None,
        roles: Iterable[str] | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        entropy: Entropy | None = None,
        busy_seconds: float | None = None,
        on_change: Callable[[Change], Any] | None = None,
        adjudicator: Adjudicator | Adjudication | Literal["queue"] | None = None,
        _host: Host | None = None,
        _context: Any = None,
        _create: bool = True,
        _door: str | None = None,
    ) -> None:
        if _host is not None:
            self._host, self._context, self._owner = _host, _context, False
        else:
            caller = Caller.read(namespace, scope, channel, author, session, roles)
            if on_change is not None:
                check_callback(on_change, "on_change")
            adjudication = None if adjudicator is None else registered(adjudicator)
            self._host = Host.open(path, clock=clock, ids=ids, entropy=entropy, busy_seconds=busy_seconds)
            self._owner = True
            try:
                if adjudication is not None:
                    self._host.register(adjudication)
                self._context = replace(self._host.admit(caller, create=_create), door=_door)
                if on_change is not None:
                    self.subscribe(on_change)
            except BaseException:
                self._host.close()
                raise
        self.log = Log(self._context)
        self.transfer = Transfer(self._context, self._host)

    # Handles -----------------------------------------------------------------------------------------------------

    def scoped(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        project: str | None = None,
    ) -> Memory:
        """Return a handle narrowed to a scope; it shares this one's store.

        Args:
            user, agent, session, project: Parts to set. A part that is set already cannot be changed.

        Raises:
            PermissionDenied: If a part would be widened or changed.
        """
        parts = {"user": user, "agent": agent, "session": session, "project": project}
        given = {name: value for name, value in parts.items() if value is not None}
        return Memory(_host=self._host, _context=self._context.narrowed(given))

    def namespace(self, name: str) -> Memory:
        """Return a handle on another namespace of the same store, with the same caller and no scope.

        Args:
            name: The namespace. A handle with a scope keeps it in its own namespace, and needs the role admin for
                another one: a scope is what its caller is bound to.

        Raises:
            PermissionDenied: If a handle with a scope asks for another namespace without the role admin.
        """
        context = self._context
        if not context.scope.is_empty:
            if name == context.namespace:
                return Memory(_host=self._host, _context=context)
            context.require("admin")
        fresh = self._host.context(check_namespace(name), None, context.ceiling, context.author, None, context.roles)
        return Memory(_host=self._host, _context=replace(fresh, door=context.door))

    def subscribe(self, callback: Callable[[Change], Any], *, content: bool = False) -> Subscription:
        """Have a function called with every change of the namespace that this handle sees, after its commit.

        Args:
            callback: What it does, and whether it fails, does not touch the write. It is called in the writer's
                thread, so a slow one slows its writers.
            content: Also tell the key, and what was said.

        Returns:
            The subscription; close it to hear no more.
        """
        self._context.require("reader")
        return Subscription(self._context, callback, content=content)

    @property
    def location(self) -> str:
        """Where the store lies."""
        return self._host.store.location

    @property
    def scope(self) -> Scope:
        """The handle's scope."""
        scope: Scope = self._context.scope
        return scope

    def close(self) -> None:
        """Close the store. Handles made from this one are closed with it; closing twice is fine."""
        if self._owner:
            self._host.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Say ---------------------------------------------------------------------------------------------------------

    @operation(profile="core", access=Access.WRITES, role="writer", title="Say something")
    def remember(
        self,
        text: str | None,
        *,
        key: str | None = None,
        value: Any = None,
        channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None,
        author: str | None = None,
        about: Sequence[str] | None = None,
        kind: Literal["episodic", "semantic", "procedural"] | None = None,
        valid_from: When | None = None,
        valid_to: When | None = None,
        confidence: float | None = None,
        valid_confidence: float | None = None,
        cardinality: Literal["one", "many"] | None = None,
        expires_at: When | None = None,
        derived_from: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        meta: Mapping[str, Any] | None = None,
        criticality: Literal["low", "medium", "high", "critical"] | None = None,
        priority: int | None = None,
        session: str | None = None,
        reason: str | None = None,
        reaffirm: bool = False,
        correct: bool = False,
        opinion: Mapping[str, Any] | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Say something. It becomes an immutable claim, or a log entry that says why not.

        Args:
            text: The statement. May be None when a value is given.
            key: The line it lies on, ``subject::predicate``. Without one it is a note: no key is guessed.
            value: The typed value; the text stands for it if not given.
            channel: How it reached you; the handle's ceiling if not given.
            source: Where it came from: a locator, or a ``Source``.
            author: Who said it; only an admin may name somebody else.
            about: The people it is about.
            kind: Sets how fast it goes stale, and nothing else. Default semantic.
            valid_from, valid_to: When it holds. A date as valid_to is inclusive.
            confidence: 0 to 1. Below 0.2 it is kept but not believed.
            valid_confidence: 0 to 1: how sure the dates are. Default: the confidence.
            cardinality: Whether the line holds one value at a time, or many.
            expires_at: Nothing is served from the claim after this instant of transaction time.
            derived_from: Ids of the claims it was made from.
            tags, meta: Yours; searchable and filterable.
            criticality: Counts only from users and tools: on a critical line a lower confidence contests.
            priority: 0 to 10, a wish for ranking; buys neither trust nor retention. Default 5.
            session: Provenance; the handle's session if not given.
            reason: Why it is said.
            reaffirm: It is true again, although it was corrected or ended.
            correct: The present value was never so; takes that value's whole period.
            opinion: What somebody thinks of it: relation, related, unconfirmed, cross_subject, reason, by.
            expect: Line version that must still be the last one, or ``none``.
            idempotency_key: The same request under the same key is done once and answered the same.

        Returns:
            What became of it.

        Raises:
            ValidationError: If an argument is malformed; nothing is stored.
            ConflictError: If ``expect`` is not met, the key was used for another request, or the cardinality differs.
            PermissionDenied: If the channel lies above the ceiling, or the line's policy does not admit it.
            NotFoundError: If a parent does not exist.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     memory.remember("Ana moved to Porto", key="ana::city", value="Porto").disposition.value
            'accepted'
        """
        given = _given(locals(), "text")
        from muniment.verbs import prepare, remember

        return remember.remember(self._context, prepare.prepare(self._context, text, given))

    @operation(profile="admin", access=Access.WRITES, role="writer", title="Say many things")
    def remember_many(self, statements: Iterable[Mapping[str, Any]], *, progress: Any = None) -> list[Outcome]:
        """Say many things, in order, a few hundred to a transaction.

        Args:
            statements: Dicts with ``text`` and the arguments of :meth:`remember`. All are checked before the
                first is stored.
            progress: Called with (done, total) after each transaction.

        Returns:
            One outcome for each statement, in order.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     [o.disposition.value for o in memory.remember_many([{"text": "tea"}, {"text": "milk"}])]
            ['accepted', 'accepted']
        """
        from muniment.verbs import bulk

        return bulk.remember_many(self._context, statements, progress)

    # Believe -----------------------------------------------------------------------------------------------------

    @operation(profile="core", access=Access.READS, role="reader", idempotent=True, title="What is believed")
    def believe(self, key: str, *, valid_at: When | None = None, as_of: When | None = None) -> Belief:
        """Return what is believed of a key.

        Args:
            key: ``subject::predicate``.
            valid_at: The instant the answer is about; now if not given, whatever ``as_of`` is.
            as_of: What was known by then; now if not given.

        Returns:
            The answer with status resolved, contested or none, its candidates, and why.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("Berlin", key="ana::city", valid_to="2024-12-31")
            ...     _ = memory.remember("Munich", key="ana::city", valid_from="2025-01-01")
            ...     memory.believe("ana::city", valid_at="2024-06-01").value
            'Berlin'
        """
        from muniment.verbs import believe

        return believe.believe(self._context, key, valid_at, as_of)

    @operation(profile="core", access=Access.READS, role="reader", idempotent=True, title="Find what is believed")
    def recall(
        self,
        query: str,
        *,
        k: int = 6,
        where: Mapping[str, Any] | None = None,
        prefer: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        valid_at: When | None = None,
        as_of: When | None = None,
        trusted_only: bool = False,
        min_relevance: float = 0.0,
        include: Sequence[str] = (),
        cursor: str | None = None,
    ) -> Hits:
        """Find what is believed about something, best first, with disputes visible.

        Args:
            query: What to look for, 64 KiB at most. It is data: no text in it is query syntax.
            k: How many hits, at least 1.
            where: A filter: ``{"meta.team": "core", "confidence": {"$gte": 0.5}}``.
            prefer: Soft boosts: filters whose matches rank higher.
            valid_at, as_of: Time travel, as for :meth:`believe`.
            trusted_only: Only what users and tools said, or a person accepted.
            min_relevance: 0 to 1; weaker hits are left out.
            include: Standings to show beside beliefs: superseded, held, ended, echo … or all.
            cursor: From the result before, for the next hits.

        Returns:
            Hits: a sequence with ``suppressed_retired``, ``truncated``, ``degraded`` and ``cursor``.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("The staging database runs on port 5433")
            ...     memory.recall("staging port")[0].text
            'The staging database runs on port 5433'
        """
        from muniment.verbs import recalling

        return recalling.recall(
            self._context, query, k=k, where=where, prefer=prefer, valid_at=valid_at, as_of=as_of,
            trusted_only=trusted_only, min_relevance=min_relevance, include=include, cursor=cursor,
        )  # fmt: skip

    @operation(
        profile="curate", access=Access.READS, role="reader", idempotent=True, title="Why a claim is found or not"
    )
    def explain(self, query: str, id: str, *, valid_at: When | None = None, as_of: When | None = None) -> Explanation:
        """Say why a claim is, or is not, found by a query: each factor of its score, or what keeps it out.

        Args:
            query: The query.
            id: The claim.
            valid_at, as_of: As for :meth:`recall`.
        """
        from muniment.verbs import recalling

        return recalling.explain(self._context, query, id, valid_at=valid_at, as_of=as_of)

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True, title="One claim")
    def get(self, id: str, *, as_of: When | None = None) -> Statement:
        """Return one claim by id, with its standing.

        Args:
            id: The claim's id.
            as_of: As known by then; now if not given.

        Raises:
            NotFoundError: If it does not exist, was erased, or is not visible.
        """
        from muniment.verbs import reading

        return reading.get(self._context, id, as_of)

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True, title="List claims")
    def list(
        self,
        *,
        where: Mapping[str, Any] | None = None,
        limit: int = 100,
        cursor: str | None = None,
        include: Sequence[str] = (),
    ) -> Page:
        """List claims in the order they were recorded, a page at a time.

        Args:
            where: A filter, as for :meth:`recall`.
            limit: Rows of a page; more than 1000 are given in pages of 1000, and ``truncated`` says so.
            cursor: From the page before.
            include: Standings to list beside what is believed: superseded, held, ended … or all.
        """
        from muniment.verbs import reading

        return reading.list_claims(self._context, where, limit, cursor, include)

    @operation(profile="core", access=Access.READS, role="reader", idempotent=True, title="History of a key")
    def history(self, key: str, *, as_of: When | None = None) -> tuple[Statement, ...]:
        """Return every claim of a key in the order they were recorded, each with its standing.

        Of a claim that was erased, nothing is told but when and by which log entry.

        Args:
            key: ``subject::predicate``.
            as_of: As known by then; now if not given.
        """
        from muniment.verbs import reading

        return reading.history(self._context, key, as_of)

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True, title="Draw a key in time")
    def chart(self, key: str, *, as_of: When | None = None) -> Chart:
        """Draw a key in both kinds of time: what was held true, for when, and as known when.

        Args:
            key: ``subject::predicate``.
            as_of: As known by then; now if not given.

        Returns:
            The rectangles, with ``to_text()`` and ``to_svg()``.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("Berlin", key="ana::city", valid_from="2023", valid_to="2023")
            ...     _ = memory.remember("Munich", key="ana::city", valid_from="2024")
            ...     [(one.value, one.since[:4]) for one in memory.chart("ana::city").stretches]
            [('Berlin', '2023'), ('Munich', '2024')]
        """
        from muniment.verbs import charting

        return charting.chart(self._context, key, as_of)

    # Correct -----------------------------------------------------------------------------------------------------

    @operation(profile="core", access=Access.WRITES, role="writer", title="Undo a step")
    def revert(
        self,
        key: str,
        *,
        to: Any = None,
        reason: str | None = None,
        channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Undo the latest step of a line; again undoes the step before.

        Args:
            key: ``subject::predicate``, or the id of a claim of the line.
            to: Go back to when this was the answer: a claim's id, a value, or a ``datetime``.
            reason: Why.
            channel, source, expect, idempotency_key: As for :meth:`remember`.

        Returns:
            ``reverted``, or ``unchanged`` where only the first statement is left.
        """
        given = _given(locals(), "key", "to")
        from muniment.verbs import reverting

        return reverting.revert(self._context, key, to, **given)

    @operation(profile="curate", access=Access.WRITES, role="writer", title="Redo a step")
    def redo(
        self,
        key: str,
        *,
        reason: str | None = None,
        channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Undo the last revert of a line, if no step followed it.

        Args:
            key: ``subject::predicate``, or the id of a claim of the line.
            reason, channel, source, expect, idempotency_key: As for :meth:`revert`.
        """
        given = _given(locals(), "key")
        from muniment.verbs import reverting

        return reverting.redo(self._context, key, **given)

    @operation(profile="curate", access=Access.WRITES, role="writer", title="End a fact")
    def end(
        self,
        key: str,
        at: When,
        *,
        value: Any = None,
        reason: str | None = None,
        channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Say that what holds at an instant holds until then and no longer.

        Args:
            key: ``subject::predicate``, or the id of a claim.
            at: The instant; of a date its first one. May lie in the future.
            value: Which value, on a contested line or one of many.
            reason, channel, source, expect, idempotency_key: As for :meth:`revert`.

        Raises:
            ConflictError: If it is not clear what to end, or it was ended at another date before.
            ValidationError: If nothing had begun by then.
        """
        given = _given(locals(), "key", "at", "value")
        from muniment.verbs import closing

        return closing.end(self._context, key, at, value, **given)

    @operation(profile="curate", access=Access.WRITES, role="writer", title="Retract a value")
    def retract(
        self,
        key_or_id: str,
        reason: str,
        *,
        value: Any = None,
        channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Say that a value was never so. It loses all that is left of it, and what derives from it is withdrawn.

        Args:
            key_or_id: A key (its present value), or the id of a claim.
            reason: Why.
            value: Which value, on a contested line or one of many.
            channel, source, expect, idempotency_key: As for :meth:`revert`.
        """
        given = _given(locals(), "key_or_id", "reason", "value")
        from muniment.verbs import closing

        return closing.retract(self._context, key_or_id, reason, value, **given)

    @operation(profile="curate", access=Access.WRITES, role="writer", title="Reopen what ended")
    def reopen(
        self,
        key: str,
        *,
        reason: str | None = None,
        channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Give back what the last end or release of a line took.

        Args:
            key: ``subject::predicate``, or the id of a claim of the line.
            reason, channel, source, expect, idempotency_key: As for :meth:`revert`.
        """
        given = _given(locals(), "key")
        from muniment.verbs import closing

        return closing.reopen(self._context, key, **given)

    @operation(profile="curate", access=Access.WRITES, role="writer", title="Let a claim go")
    def release(
        self,
        id: str,
        reason: str | None = None,
        *,
        channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Let a claim go: it is no longer kept in mind, and nothing is said of its truth.

        Args:
            id: The claim.
            reason: Why, if there is something to say.
            channel, source, expect, idempotency_key: As for :meth:`revert`.
        """
        given = _given(locals(), "id", "reason")
        from muniment.verbs import closing

        return closing.release(self._context, id, reason, **given)

    @operation(profile="curate", access=Access.WRITES, role="writer", title="Fix a wording")
    def correct_text(
        self,
        id: str,
        text: str,
        *,
        meta: Mapping[str, Any] | None = None,
        reason: str | None = None,
        channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Fix the wording of a claim and merge its meta. The value never changes.

        Args:
            id: The claim.
            text: The new wording.
            meta: Names to set; None removes a name; what is not named stays.
            reason, channel, source, expect, idempotency_key: As for :meth:`revert`.

        Raises:
            ValidationError: If the text is the value and would become another one.
        """
        given = _given(locals(), "id", "text", "meta")
        from muniment.verbs import amending

        return amending.correct_text(self._context, id, text, meta, **given)

    @operation(profile="curate", access=Access.WRITES, role="writer", title="Report evidence")
    def observe(
        self,
        key: str,
        value: Any,
        *,
        support: str | Source | Mapping[str, Any] | None = None,
        reason: str | None = None,
        channel: ChannelName | Channel | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Report evidence about a line without writing a value: the answer stays what it is.

        Two distinct supports that somebody vouches for (a user counts per author, a tool per source, the agent once)
        put a settled answer ``under_review``, until a person says again what is so, or resolves the item.

        Args:
            key: ``subject::predicate``, or the id of a claim of the line.
            value: What was observed.
            support: Where the evidence comes from: a locator, or a ``Source``.
            reason: Why it is reported.
            channel, expect, idempotency_key: As for :meth:`remember`.

        Returns:
            ``observed``, or ``unchanged`` where the line has no one answer.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("Porto", key="ana::city")
            ...     for place in ("crm://ana", "https://example.org/ana"):
            ...         _ = memory.observe("ana::city", "Lisbon", support=place, channel="tool")
            ...     memory.believe("ana::city").value, memory.believe("ana::city").markers
            ('Porto', ('under_review',))
        """
        given = _given(locals(), "key", "value", "support")
        from muniment.verbs import observing

        return observing.observe(self._context, key, value, support, **given)

    @operation(profile="curate", access=Access.WRITES, role="writer", title="Recognise an instruction")
    def route(
        self,
        utterance: str,
        *,
        key: str | None = None,
        execute: bool = False,
        channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> RoutePlan:
        """Say what an utterance asks for: to set a fact, to go back, to delete, or what a fact is; and do it if told.

        The whole utterance must be one instruction about one fact. What is negated, asked, supposed, reported or
        quoted changes nothing, and what goes back or deletes has to name the fact.

        Args:
            utterance: What was said.
            key: The fact it is about, where it only points at it ("undo that").
            execute: Make the call that the plan names. Without it nothing is written.
            channel, source, idempotency_key: As for :meth:`remember`, for the call that is made.

        Returns:
            The plan: action, key, value, the call, what is missing, why; with ``executed`` and ``result`` if run.

        Raises:
            PermissionDenied: If it deletes and the handle is not a person's, or has not the role eraser.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     plan = memory.route("Set Ana's city to Porto")
            ...     plan.call.operation, plan.key, plan.value, memory.believe("ana::city").value
            ('remember', 'ana::city', 'Porto', None)
        """
        given = _given(locals(), "utterance", "execute")
        from muniment.verbs import checks, routing

        wanted = checks.flag(execute, "execute")
        planned = routing.plan(self._context, utterance, **given)
        return routing.run(planned, self) if wanted else planned

    @operation(profile="curate", access=Access.WRITES, role="writer", title="Rewrite what was derived")
    def rederive(
        self,
        key_or_id: str,
        *,
        rewrite: Callable[[Rewriting], Any] | None = None,
        execute: bool = False,
        reason: str | None = None,
        channel: ChannelName | Channel | None = None,
    ) -> Proposals:
        """Propose what the descendants of a claim should say, now that it no longer holds; say it if told.

        Args:
            key_or_id: The claim that was withdrawn, ended or superseded; or a key, for every such claim of it.
            rewrite: Called with each descendant; returns a text, a dict of text and value, or None to leave it.
                Without one, a descendant whose value quotes the old value gets the new one in its place.
            execute: Say the proposals, in one transaction, as this handle. Without it nothing is written.
            reason, channel: As for :meth:`remember`.

        Returns:
            The proposals, parents first; those without a ``new_text`` say why they were left.

        Raises:
            NotFoundError: If there is no such claim or key here.
            ConflictError: If a descendant's line changed meanwhile.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     city = memory.remember("Berlin", key="ana::city").claim_id
            ...     _ = memory.remember("Ana pays rent in Berlin", derived_from=[city])
            ...     _ = memory.remember("Porto", key="ana::city")
            ...     memory.rederive("ana::city")[0].new_text
            'Ana pays rent in Porto'
        """
        given = _given(locals(), "key_or_id", "rewrite", "execute")
        from muniment.verbs import rederiving

        return rederiving.rederive(self._context, key_or_id, rewrite, execute, **given)

    # Rule and review ---------------------------------------------------------------------------------------------

    @operation(profile="admin", access=Access.WRITES, role="writer", title="Lay down a policy")
    def policy(
        self,
        pattern: str,
        *,
        on_conflict: Literal["auto", "supersede", "contest", "review"] | None = None,
        review: Sequence[str] | None = None,
        writers: Sequence[str] | None = None,
        cardinality: Literal["one", "many"] | None = None,
        aging_days: int | None = None,
        decayed_days: int | None = None,
        expires_after_days: int | None = None,
        critical: bool | None = None,
        boundary: bool | None = None,
        echo: bool | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Lay down a policy for a key, a pattern (``subject::*``, ``*::predicate``) or the namespace (``*``).

        Args:
            pattern: What it holds for; the more specific pattern wins, the later policy among equals.
            on_conflict: auto, supersede, contest, or review (with ``review=``).
            review: Channels whose claims wait for a person.
            writers: Channels that may write.
            cardinality: One value at a time, or many.
            aging_days, decayed_days: When an answer counts as aging, and as decayed.
            expires_after_days: Claims expire after so many days unless they say so themselves.
            critical: A lower confidence contests instead of superseding.
            boundary: False switches the injection boundary off. Logged.
            echo: False switches the echo rule off. Logged.
            reason: Why.
            idempotency_key: As for :meth:`remember`.

        Raises:
            PermissionDenied: If the caller neither speaks as a user nor is an admin.
        """
        given = _given(locals(), "pattern")
        from muniment.verbs import policies

        return policies.set_policy(self._context, pattern, given)

    @operation(profile="core", access=Access.READS, role="reader", idempotent=True, title="What waits for a person")
    def review(
        self,
        *,
        kind: str | None = None,
        key: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
        closed: bool = False,
    ) -> Page:
        """List what waits for a person: contested, held, echo, pending_review, low_confidence, quarantined,
        under_review.

        Args:
            kind: Only items of this kind.
            key: Only items of this key.
            limit: Rows of a page, 1 to 1000.
            cursor: From the page before.
            closed: Include items that were closed.
        """
        from muniment.verbs import reviewing

        return reviewing.review(self._context, kind, key, limit, cursor, closed)

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True, title="What changed")
    def changes(self, *, since: str | None = None, limit: int = 100, content: bool = False) -> Changes:
        """Return what was appended to the log after an entry, oldest first, without what was said unless asked for.

        Args:
            since: The cursor of the call before, or the id of an entry; ``now`` for the end of the log.
            limit: Events at most, 1 to 1000.
            content: Also tell the key, and what was said, as this handle may read it.

        Returns:
            Events with ``cursor``, and ``more`` if there is more already.

        Raises:
            NotFoundError: If ``since`` names no entry of this log.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     seen = memory.changes(since="now").cursor
            ...     _ = memory.remember("Ana moved to Porto", key="ana::city", value="Porto")
            ...     [change.disposition for change in memory.changes(since=seen)]
            ['accepted']
        """
        from muniment.verbs import changes

        return changes.changes(self._context, since, limit, content)

    @operation(profile="core", access=Access.WRITES, role="reviewer", title="Decide a review item")
    def resolve(
        self,
        item: str,
        verdict: Literal["accept", "keep", "reject", "restore", "both", "moot", "unknown"],
        reason: str,
        *,
        by: str | None = None,
        token: str | None = None,
        valid_from: When | None = None,
        valid_to: When | None = None,
        scope: Scope | Mapping[str, str] | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Decide a review item. A later verdict undoes the one before.

        Args:
            item: The item's id, from :meth:`review` or an outcome.
            verdict: accept (the newcomer takes its overlap and ranks as who accepted), keep (its value gives the
                overlap up), reject (its value loses everything), restore (a corrected value has its time back),
                both (the newcomer holds in a period or a narrower scope of its own), moot, or unknown.
            reason: Why.
            by: Who decided, in words. It is recorded and proves nothing.
            token: A verdict that a registered reviewer signed: proves a person (docs/reviewer-tokens.md).
            valid_from, valid_to: With both: when the newcomer holds.
            scope: With both: the narrower scope in which it holds, a ``Scope`` or a dict.
            expect: The line version that the item showed. Default: that of the last :meth:`review` of this store.
            idempotency_key: As for :meth:`remember`.

        Returns:
            ``resolved``, or ``unchanged`` if the verdict stands already.

        Raises:
            ConflictError: If the answer over the item's period changed since it was shown, or the verdict does not
                fit the item.
            NotFoundError: If there is no such item.
            PermissionDenied: If only a person may decide it, or the token proves nothing.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("5433", key="db::port", channel="tool", source="config:a")
            ...     said = memory.remember("5432", key="db::port", channel="tool", source="config:b")
            ...     _ = memory.resolve(said.item, "accept", "config:b is the live one")
            ...     memory.believe("db::port").value
            '5432'
        """
        given = _given(locals(), "item", "verdict", "reason")
        from muniment.verbs import verdicts

        return verdicts.resolve(self._context, item, verdict, reason, given)

    @operation(profile="admin", access=Access.WRITES, role="admin", title="Register a reviewer's key")
    def add_reviewer(self, key: str, *, reason: str | None = None, idempotency_key: str | None = None) -> Outcome:
        """Register a reviewer's public key: what it signs proves a person from now on.

        Args:
            key: The key as text, ``name+keyid+base64`` (``muniment reviewer-key`` makes one).
            reason: Why.
            idempotency_key: As for :meth:`remember`.

        Raises:
            ConflictError: If the key, or one of its name, is registered and stands.
        """
        given = _given(locals(), "key")
        from muniment.verbs import reviewers

        return reviewers.add_reviewer(self._context, key, given)

    @operation(profile="admin", access=Access.WRITES, role="admin", title="Revoke a reviewer's key")
    def revoke_reviewer(self, key: str, *, reason: str | None = None, idempotency_key: str | None = None) -> Outcome:
        """Revoke a reviewer's key. What it decided stays decided.

        Args:
            key: The key as text, its name, or the entry that registered it.
            reason: Why.
            idempotency_key: As for :meth:`remember`.

        Raises:
            NotFoundError: If no such key stands.
        """
        given = _given(locals(), "key")
        from muniment.verbs import reviewers

        return reviewers.revoke_reviewer(self._context, key, given)

    @operation(profile="admin", access=Access.READS, role="auditor", idempotent=True, title="Reviewers' keys")
    def reviewers(self) -> tuple[ReviewerKey, ...]:
        """List the registered keys of reviewers, revoked ones too."""
        from muniment.verbs import reviewers

        return reviewers.reviewers(self._context)

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True)
    def queue(self, *, limit: int = 100, cursor: str | None = None) -> Page:
        """List the contests that wait for an adjudicator, the oldest first.

        Args:
            limit: Rows of a page, 1 to 1000.
            cursor: From the page before.
        """
        from muniment.verbs import adjudicating

        return adjudicating.queue(self._context, limit, cursor)

    @operation(profile="curate", access=Access.WRITES, role="reviewer")
    def answer(
        self,
        request: str,
        verdict: Literal["affirm", "deny", "unknown"],
        *,
        evidence: Sequence[Mapping[str, Any]] | None = None,
        reason: str | None = None,
        ticket: str | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Answer a request as the adjudicator that is registered on the handle.

        Args:
            request: Id of the request.
            verdict: affirm (the newcomer is right), deny (what held is right), or unknown.
            evidence: What the answer rests on: dicts with a ``channel``, and perhaps a ``source`` and a ``text``. What
                only a model, a document or this memory gave decides nothing. Default: the adjudicator's own word.
            reason: Why.
            ticket: From :meth:`claim_request`; needed while somebody has claimed it.
            expect: The line version that the request showed. Default: the one it last showed in this process.
            idempotency_key: As for :meth:`remember`.

        Raises:
            ConflictError: If it was decided or has expired, is claimed by somebody else, or what is contested changed.
            PermissionDenied: If no adjudicator is registered, or only a person decides.
            NotFoundError: If there is no such request.

        Example:
            >>> with Memory(":memory:", adjudicator="queue") as memory:
            ...     for value, source in (("Porto", "crm://ana"), ("Faro", "hr://ana")):
            ...         _ = memory.remember(value, key="ana::city", channel="tool", source=source)
            ...     request = memory.claim_request()
            ...     _ = memory.answer(request.id, "affirm", ticket=request.ticket)
            ...     memory.believe("ana::city").value
            'Faro'
        """
        given = _given(locals(), "request", "verdict")
        from muniment.verbs import adjudicating

        return adjudicating.answer(self._context, request, verdict, given)

    @operation(profile="curate", access=Access.WRITES, role="reviewer")
    def claim_request(self, *, lease_seconds: int = 300) -> AdjudicationRequest | None:
        """Claim the oldest contest that waits for an adjudicator and that nobody else works on.

        Args:
            lease_seconds: How long nobody else is given it.

        Returns:
            The request with its ``ticket``, or None if there is none.

        Raises:
            PermissionDenied: If no adjudicator is registered on the handle.
        """
        from muniment.verbs import adjudicating

        return adjudicating.claim_request(self._context, lease_seconds)

    # Forget ------------------------------------------------------------------------------------------------------

    @operation(profile="core", access=Access.READS, role="reader", idempotent=True, title="What forgetting would take")
    def plan_forget(
        self,
        *,
        ids: Sequence[str] | None = None,
        key: str | None = None,
        where: Mapping[str, Any] | None = None,
        reasons: Sequence[str] | None = None,
    ) -> Plan:
        """Show what :meth:`forget` would take, and what it would leave. Nothing is erased.

        Args:
            ids, key, where, reasons: As for :meth:`forget`.

        Returns:
            The claims that go, those that derive from them, the texts that go, claims that stay although they hold
            the same words, and a hash to pass as ``plan=``.

        Raises:
            NotFoundError: If nothing matches.
            PermissionDenied: If it reaches beyond the handle's scope, without the role admin.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("Ana lives in Porto", key="ana::city")
            ...     plan = memory.plan_forget(key="ana::city")
            ...     len(memory.forget(key="ana::city", plan=plan.hash).erased)
            1
        """
        from muniment.erasure import plan, selection

        return plan.plan_forget(self._context, selection.Selector.read(ids, key, where, reasons))

    @operation(profile="core", access=Access.DESTROYS, role="eraser", title="Forget")
    def forget(
        self,
        *,
        ids: Sequence[str] | None = None,
        key: str | None = None,
        where: Mapping[str, Any] | None = None,
        reasons: Sequence[str] | None = None,
        basis: str | None = None,
        request_id: str | None = None,
        plan: str | None = None,
        idempotency_key: str | None = None,
    ) -> Erasure:
        """Erase claims with everything derived from them, or the texts that an erasure or a policy left.

        Args:
            ids: Ids of claims.
            key: ``subject::predicate``: every claim of it in the handle's scope. Where they are gone already, the
                bases and request ids of their erasures.
            where: A filter, as for :meth:`recall`, over every claim of the handle's scope.
            reasons: Ids of erasures (their basis and request id go) and of policies (they go whole, and no longer
                hold).
            basis: Why. Kept beside the log, committed to in it.
            request_id: A reference of the request, treated the same.
            plan: Hash from :meth:`plan_forget`: erase exactly what it showed, or nothing.
            idempotency_key: As for :meth:`remember`.

        Returns:
            What went, the log entries that show it, and whether the file is clean.

        Raises:
            ConflictError: If something else than the plan showed would go now.
            NotFoundError: If nothing matches.
        """
        from muniment.erasure import forget, selection

        selector = selection.Selector.read(ids, key, where, reasons)
        done = forget.forget(self._context, selector, basis, request_id, plan, idempotency_key)
        return self._host.erased(self._context, done)

    # Look after --------------------------------------------------------------------------------------------------

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True, title="Counts and the log's root")
    def stats(self) -> dict[str, Any]:
        """Return counts of the namespace: entries, claims, lines, open items, erased claims, and the log's root."""
        from muniment.verbs import stats

        return stats.stats(self._context)

    @operation(profile="admin", access=Access.WRITES, role="admin", idempotent=True, title="Rebuild what is derived")
    def reindex(self, *, progress: Any = None) -> dict[str, int]:
        """Rebuild everything derived (stretches, guards, search terms) from what was said, and clean the file.

        Args:
            progress: Called with (done, total).
        """
        from muniment.evidence import rebuild

        return rebuild.reindex(self._context, progress)


def _given(arguments: dict[str, Any], *named: str) -> dict[str, Any]:
    """Return a call's keyword arguments, without those that were left at None."""
    skip = {"self", *named}
    return {name: value for name, value in arguments.items() if name not in skip and value is not None}
