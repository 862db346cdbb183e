"""AsyncMemory: every operation of Memory, awaited. Written by tools/make_async.py; do not edit.

The names, arguments, results and errors are those of :class:`muniment.Memory`, which documents them.
"""

# fmt: off
from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from muniment.claims.channels import Channel
from muniment.claims.scopes import Scope
from muniment.claims.sources import Source
from muniment.code.findings import Findings
from muniment.code.results import SymbolStatus, SyncedSymbols, WrittenSymbols
from muniment.code.symbols import Symbol
from muniment.erasure.results import Erasure, Plan
from muniment.evidence.report import Report
from muniment.facade.asynchandle import AsyncHandle, Parts
from muniment.facade.code import Code
from muniment.facade.log import Log
from muniment.facade.memory import Memory
from muniment.facade.models import Models
from muniment.facade.offloading import Calls
from muniment.facade.sessions import Sessions
from muniment.facade.terms import ChannelName, When
from muniment.facade.transfer import Transfer
from muniment.protocols import Adjudicator, Chat, Clock, Embedder, Entropy, Ids
from muniment.sessions.diffs import Ledger, Opened
from muniment.sessions.results import Decisions, Digest, FoundSessions
from muniment.transfer.results import BackedUp, Exported, Imported, Migrated, Replacement, Restored
from muniment.verbs.believing.charts import Chart
from muniment.verbs.believing.feed import Change, Changes
from muniment.verbs.correcting.plans import RoutePlan
from muniment.verbs.finding.companions import IndexLines, Neighbors, PromptContext, Verification
from muniment.verbs.finding.hits import Explanation, Hits
from muniment.verbs.results import Belief, Outcome, Page, ReviewerKey, Statement
from muniment.verbs.reviewing.adjudication import Adjudication, AdjudicationRequest
from muniment.verbs.reviewing.proposals import Proposals, Rewriting


class AsyncMemory(AsyncHandle):
    """A memory whose calls are awaited and never block the event loop.

    It takes the arguments of :class:`muniment.Memory`. The store is opened by the first call, or by ``async with``.
    Calls run in a few threads of the store's own: reads beside each other, writes that are under way together in one
    commit. It may be used from several event loops and threads at once, but not across a fork.

    Cancelling a call is safe: a write either happened as a whole or not at all, and none is under way any more when
    the cancellation is seen, so a write that has begun delays it. Give an ``idempotency_key`` to learn which by
    asking again.

    ``progress=`` is called on the event loop, and may be a coroutine function. ``on_change=`` is called in the thread of
    the write; to follow changes on the loop there is :meth:`watch`.

    Example:
        >>> import asyncio
        >>> async def main() -> str:
        ...     async with AsyncMemory(":memory:") as memory:
        ...         await memory.remember("The office is in Berlin", key="office::city", value="Berlin")
        ...         return (await memory.believe("office::city")).value
        >>> asyncio.run(main())
        'Berlin'
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, namespace: str | None = None, *,
        scope: Scope | Mapping[str, str] | None = None, channel: ChannelName | Channel = "user",
        author: str | None = None, session: str | None = None, roles: Iterable[str] | None = None,
        clock: Clock | None = None, ids: Ids | None = None, entropy: Entropy | None = None,
        busy_seconds: float | None = None, on_change: Callable[[Change], Any] | None = None,
        adjudicator: Adjudicator | Adjudication | Literal["queue"] | None = None,
        embedder: Embedder | Callable[[list[str]], Any] | str | None = None,
        reranker: Callable[[str, Sequence[str]], Iterable[float]] | str | os.PathLike[str] | None = None,
        _parts: Parts | None = None,
    ) -> None:
        super().__init__(lambda: Memory(
            path, namespace, scope=scope, channel=channel, author=author, session=session, roles=roles, clock=clock,
            ids=ids, entropy=entropy, busy_seconds=busy_seconds, on_change=on_change, adjudicator=adjudicator,
            embedder=embedder, reranker=reranker,
        ), _parts)
        self.code = AsyncCode(self._offload, lambda: self._target().code)
        self.log = AsyncLog(self._offload, lambda: self._target().log)
        self.models = AsyncModels(self._offload, lambda: self._target().models)
        self.sessions = AsyncSessions(self._offload, lambda: self._target().sessions)
        self.transfer = AsyncTransfer(self._offload, lambda: self._target().transfer)

    async def remember(
        self, text: str | None, *, key: str | None = None, value: Any = None,
        channel: ChannelName | Channel | None = None, source: str | Source | Mapping[str, Any] | None = None,
        author: str | None = None, about: Sequence[str] | None = None,
        kind: Literal["episodic", "semantic", "procedural"] | None = None, valid_from: When | None = None,
        valid_to: When | None = None, confidence: float | None = None, valid_confidence: float | None = None,
        cardinality: Literal["one", "many"] | None = None, expires_at: When | None = None,
        derived_from: Sequence[str] | None = None, tags: Sequence[str] | None = None,
        meta: Mapping[str, Any] | None = None, criticality: Literal["low", "medium", "high", "critical"] | None = None,
        priority: int | None = None, session: str | None = None, reason: str | None = None, reaffirm: bool = False,
        correct: bool = False, opinion: Mapping[str, Any] | None = None, expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Say something. It becomes an immutable claim, or a log entry that says why not.

        See :meth:`muniment.Memory.remember`.
        """
        return await self._write(
            Memory.remember, text, key=key, value=value, channel=channel, source=source, author=author, about=about,
            kind=kind, valid_from=valid_from, valid_to=valid_to, confidence=confidence,
            valid_confidence=valid_confidence, cardinality=cardinality, expires_at=expires_at,
            derived_from=derived_from, tags=tags, meta=meta, criticality=criticality, priority=priority,
            session=session, reason=reason, reaffirm=reaffirm, correct=correct, opinion=opinion, expect=expect,
            idempotency_key=idempotency_key,
        )

    async def remember_many(self, statements: Iterable[Mapping[str, Any]], *, progress: Any = None) -> list[Outcome]:
        """Say many things, in order, a few hundred to a transaction. See :meth:`muniment.Memory.remember_many`."""
        return await self._write(Memory.remember_many, statements, progress=progress)

    async def believe(self, key: str, *, valid_at: When | None = None, as_of: When | None = None) -> Belief:
        """Return what is believed of a key. See :meth:`muniment.Memory.believe`."""
        return await self._read(Memory.believe, key, valid_at=valid_at, as_of=as_of)

    async def recall(
        self, query: str, *, k: int = 6, where: Mapping[str, Any] | None = None,
        prefer: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None, valid_at: When | None = None,
        as_of: When | None = None, trusted_only: bool = False, min_relevance: float = 0.0, include: Sequence[str] = (),
        diversity: float = 0.0, reinforce: bool = False, cursor: str | None = None,
    ) -> Hits:
        """Find what is believed about something, best first, with disputes visible.

        See :meth:`muniment.Memory.recall`.
        """
        return await self._read(
            Memory.recall, query, k=k, where=where, prefer=prefer, valid_at=valid_at, as_of=as_of,
            trusted_only=trusted_only, min_relevance=min_relevance, include=include, diversity=diversity,
            reinforce=reinforce, cursor=cursor,
        )

    async def context(
        self, query: str, *, budget_tokens: int = 1000, k: int = 20, where: Mapping[str, Any] | None = None,
        prefer: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None, valid_at: When | None = None,
        as_of: When | None = None, trusted_only: bool = False, min_relevance: float = 0.0, diversity: float = 0.0,
        count_tokens: Callable[[str], int] | None = None,
    ) -> PromptContext:
        """Put the most useful beliefs about something into a text for a prompt, within a budget of tokens.

        See :meth:`muniment.Memory.context`.
        """
        return await self._read(
            Memory.context, query, budget_tokens=budget_tokens, k=k, where=where, prefer=prefer, valid_at=valid_at,
            as_of=as_of, trusted_only=trusted_only, min_relevance=min_relevance, diversity=diversity,
            count_tokens=count_tokens,
        )

    async def explain(
        self, query: str, id: str, *, valid_at: When | None = None, as_of: When | None = None,
    ) -> Explanation:
        """Say why a claim is, or is not, found by a query: each factor of its score, or what keeps it out.

        See :meth:`muniment.Memory.explain`.
        """
        return await self._read(Memory.explain, query, id, valid_at=valid_at, as_of=as_of)

    async def recall_iterative(
        self, query: str, *, follow_ups: Sequence[str] = (),
        follow_up: Callable[[str, Hits], Sequence[str]] | None = None, rounds: int = 1, k: int = 12,
        where: Mapping[str, Any] | None = None, valid_at: When | None = None, as_of: When | None = None,
        trusted_only: bool = False, min_relevance: float = 0.0,
    ) -> Hits:
        """Find something, then what that leaves open, as one answer: what stands first for any query comes first.

        See :meth:`muniment.Memory.recall_iterative`.
        """
        return await self._read(
            Memory.recall_iterative, query, follow_ups=follow_ups, follow_up=follow_up, rounds=rounds, k=k, where=where,
            valid_at=valid_at, as_of=as_of, trusted_only=trusted_only, min_relevance=min_relevance,
        )

    async def verify_claim(
        self, text: str, *, key: str | None = None, value: Any = None, valid_at: When | None = None,
        as_of: When | None = None, trusted_only: bool = False,
    ) -> Verification:
        """Say whether what is believed supports a statement. It goes by the words, without a model.

        See :meth:`muniment.Memory.verify_claim`.
        """
        return await self._read(
            Memory.verify_claim, text, key=key, value=value, valid_at=valid_at, as_of=as_of, trusted_only=trusted_only,
        )

    async def neighbors(
        self, id: str, *, k: int = 12, include: Sequence[str] = (), as_of: When | None = None,
    ) -> Neighbors:
        """Return what stands near a claim: on its line, what it was derived from and what from it, what was said just
        before and after in its session, and what is about the same subject or people.

        See :meth:`muniment.Memory.neighbors`.
        """
        return await self._read(Memory.neighbors, id, k=k, include=include, as_of=as_of)

    async def index_lines(
        self, *, budget_tokens: int = 2000, limit: int = 200, where: Mapping[str, Any] | None = None,
        cursor: str | None = None, count_tokens: Callable[[str], int] | None = None,
    ) -> IndexLines:
        """List what is believed in one line for each belief: key and value, or the beginning of a note; for a prompt
        that should know what there is to ask for.

        See :meth:`muniment.Memory.index_lines`.
        """
        return await self._read(
            Memory.index_lines, budget_tokens=budget_tokens, limit=limit, where=where, cursor=cursor,
            count_tokens=count_tokens,
        )

    async def get(self, id: str, *, as_of: When | None = None) -> Statement:
        """Return one claim by id, with its standing. See :meth:`muniment.Memory.get`."""
        return await self._read(Memory.get, id, as_of=as_of)

    async def list(
        self, *, where: Mapping[str, Any] | None = None, limit: int = 100, cursor: str | None = None,
        include: Sequence[str] = (),
    ) -> Page:
        """List claims in the order they were recorded, a page at a time. See :meth:`muniment.Memory.list`."""
        return await self._read(Memory.list, where=where, limit=limit, cursor=cursor, include=include)

    async def history(self, key: str, *, as_of: When | None = None) -> tuple[Statement, ...]:
        """Return every claim of a key in the order they were recorded, each with its standing.

        See :meth:`muniment.Memory.history`.
        """
        return await self._read(Memory.history, key, as_of=as_of)

    async def chart(self, key: str, *, as_of: When | None = None) -> Chart:
        """Draw a key in both kinds of time: what was believed, for when, and as known when.

        See :meth:`muniment.Memory.chart`.
        """
        return await self._read(Memory.chart, key, as_of=as_of)

    async def revert(
        self, key: str, *, to: Any = None, reason: str | None = None, channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None, expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Undo the latest change of what a key answers; called again, the one before.

        See :meth:`muniment.Memory.revert`.
        """
        return await self._write(
            Memory.revert, key, to=to, reason=reason, channel=channel, source=source, expect=expect,
            idempotency_key=idempotency_key,
        )

    async def redo(
        self, key: str, *, reason: str | None = None, channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None, expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Undo the last revert of a key, if nothing changed its answer since. See :meth:`muniment.Memory.redo`."""
        return await self._write(
            Memory.redo, key, reason=reason, channel=channel, source=source, expect=expect,
            idempotency_key=idempotency_key,
        )

    async def end(
        self, key: str, at: When, *, value: Any = None, reason: str | None = None,
        channel: ChannelName | Channel | None = None, source: str | Source | Mapping[str, Any] | None = None,
        expect: str | None = None, idempotency_key: str | None = None,
    ) -> Outcome:
        """Say that what holds at an instant holds until then and no longer. See :meth:`muniment.Memory.end`."""
        return await self._write(
            Memory.end, key, at, value=value, reason=reason, channel=channel, source=source, expect=expect,
            idempotency_key=idempotency_key,
        )

    async def retract(
        self, key_or_id: str, reason: str, *, value: Any = None, channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None, expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Say that a value was never so. It loses all that is left of it, and what derives from it is withdrawn.

        See :meth:`muniment.Memory.retract`.
        """
        return await self._write(
            Memory.retract, key_or_id, reason, value=value, channel=channel, source=source, expect=expect,
            idempotency_key=idempotency_key,
        )

    async def reopen(
        self, key: str, *, reason: str | None = None, channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None, expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Give back what the last end or release of a line took. See :meth:`muniment.Memory.reopen`."""
        return await self._write(
            Memory.reopen, key, reason=reason, channel=channel, source=source, expect=expect,
            idempotency_key=idempotency_key,
        )

    async def release(
        self, id: str, reason: str | None = None, *, channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None, expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Let a claim go: it is no longer kept in mind, and nothing is said of its truth.

        See :meth:`muniment.Memory.release`.
        """
        return await self._write(
            Memory.release, id, reason, channel=channel, source=source, expect=expect, idempotency_key=idempotency_key,
        )

    async def correct_text(
        self, id: str, text: str, *, meta: Mapping[str, Any] | None = None, reason: str | None = None,
        channel: ChannelName | Channel | None = None, source: str | Source | Mapping[str, Any] | None = None,
        expect: str | None = None, idempotency_key: str | None = None,
    ) -> Outcome:
        """Fix the wording of a claim and merge its meta. The value never changes.

        See :meth:`muniment.Memory.correct_text`.
        """
        return await self._write(
            Memory.correct_text, id, text, meta=meta, reason=reason, channel=channel, source=source, expect=expect,
            idempotency_key=idempotency_key,
        )

    async def observe(
        self, key: str, value: Any, *, support: str | Source | Mapping[str, Any] | None = None,
        reason: str | None = None, channel: ChannelName | Channel | None = None, expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Report evidence about a line without writing a value: the answer stays what it is.

        See :meth:`muniment.Memory.observe`.
        """
        return await self._write(
            Memory.observe, key, value, support=support, reason=reason, channel=channel, expect=expect,
            idempotency_key=idempotency_key,
        )

    async def route(
        self, utterance: str, *, key: str | None = None, execute: bool = False,
        channel: ChannelName | Channel | None = None, source: str | Source | Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> RoutePlan:
        """Say what an utterance asks for: to set a fact, to go back, to delete, or what a fact is; and do it if told.

        See :meth:`muniment.Memory.route`.
        """
        return await self._write(
            Memory.route, utterance, key=key, execute=execute, channel=channel, source=source,
            idempotency_key=idempotency_key,
        )

    async def rederive(
        self, key_or_id: str, *, rewrite: Callable[[Rewriting], Any] | None = None, execute: bool = False,
        propose: bool = False, chat: Chat | None = None, reason: str | None = None,
        channel: ChannelName | Channel | None = None,
    ) -> Proposals:
        """Propose what the descendants of a claim should say, now that it no longer holds; say it if told.

        See :meth:`muniment.Memory.rederive`.
        """
        return await self._write(
            Memory.rederive, key_or_id, rewrite=rewrite, execute=execute, propose=propose, chat=chat, reason=reason,
            channel=channel,
        )

    async def policy(
        self, pattern: str, *, on_conflict: Literal["auto", "supersede", "contest", "review"] | None = None,
        review: Sequence[str] | None = None, writers: Sequence[str] | None = None,
        cardinality: Literal["one", "many"] | None = None, aging_days: int | None = None,
        decayed_days: int | None = None, expires_after_days: int | None = None,
        half_life_days: Mapping[str, int] | None = None, critical: bool | None = None, boundary: bool | None = None,
        echo: bool | None = None, reason: str | None = None, idempotency_key: str | None = None,
    ) -> Outcome:
        """Lay down a policy for a key, a pattern (subject::*, *::predicate) or the namespace (*).

        See :meth:`muniment.Memory.policy`.
        """
        return await self._write(
            Memory.policy, pattern, on_conflict=on_conflict, review=review, writers=writers, cardinality=cardinality,
            aging_days=aging_days, decayed_days=decayed_days, expires_after_days=expires_after_days,
            half_life_days=half_life_days, critical=critical, boundary=boundary, echo=echo, reason=reason,
            idempotency_key=idempotency_key,
        )

    async def review(
        self, *, kind: str | None = None, key: str | None = None, limit: int = 100, cursor: str | None = None,
        closed: bool = False,
    ) -> Page:
        """List what waits for a person: contested, held, echo, pending_review, low_confidence, quarantined,
        under_review, queued, proposal.

        See :meth:`muniment.Memory.review`.
        """
        return await self._read(Memory.review, kind=kind, key=key, limit=limit, cursor=cursor, closed=closed)

    async def changes(self, *, since: str | None = None, limit: int = 100, content: bool = False) -> Changes:
        """Return what was appended to the log after an entry, oldest first, without what was said unless asked for.

        See :meth:`muniment.Memory.changes`.
        """
        return await self._read(Memory.changes, since=since, limit=limit, content=content)

    async def resolve(
        self, item: str, verdict: Literal['accept', 'keep', 'reject', 'restore', 'both', 'moot', 'unknown'],
        reason: str, *, by: str | None = None, token: str | None = None, valid_from: When | None = None,
        valid_to: When | None = None, scope: Scope | Mapping[str, str] | None = None, expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Decide a review item. A later verdict undoes the one before. See :meth:`muniment.Memory.resolve`."""
        return await self._write(
            Memory.resolve, item, verdict, reason, by=by, token=token, valid_from=valid_from, valid_to=valid_to,
            scope=scope, expect=expect, idempotency_key=idempotency_key,
        )

    async def add_reviewer(self, key: str, *, reason: str | None = None, idempotency_key: str | None = None) -> Outcome:
        """Register a reviewer's public key: what it signs proves a person from now on.

        See :meth:`muniment.Memory.add_reviewer`.
        """
        return await self._write(Memory.add_reviewer, key, reason=reason, idempotency_key=idempotency_key)

    async def revoke_reviewer(
        self, key: str, *, reason: str | None = None, idempotency_key: str | None = None,
    ) -> Outcome:
        """Revoke a reviewer's key. What it decided stays decided. See :meth:`muniment.Memory.revoke_reviewer`."""
        return await self._write(Memory.revoke_reviewer, key, reason=reason, idempotency_key=idempotency_key)

    async def reviewers(self) -> tuple[ReviewerKey, ...]:
        """List the registered keys of reviewers, revoked ones too. See :meth:`muniment.Memory.reviewers`."""
        return await self._read(Memory.reviewers)

    async def queue(self, *, limit: int = 100, cursor: str | None = None) -> Page:
        """List the contests that wait for an adjudicator, the oldest first. See :meth:`muniment.Memory.queue`."""
        return await self._read(Memory.queue, limit=limit, cursor=cursor)

    async def answer(
        self, request: str, verdict: Literal['affirm', 'deny', 'unknown'], *,
        evidence: Sequence[Mapping[str, Any]] | None = None, reason: str | None = None, ticket: str | None = None,
        expect: str | None = None, idempotency_key: str | None = None,
    ) -> Outcome:
        """Answer a request as the adjudicator that is registered on the handle. See :meth:`muniment.Memory.answer`."""
        return await self._write(
            Memory.answer, request, verdict, evidence=evidence, reason=reason, ticket=ticket, expect=expect,
            idempotency_key=idempotency_key,
        )

    async def claim_request(self, *, lease_seconds: int = 300) -> AdjudicationRequest | None:
        """Claim the oldest contest that waits for an adjudicator and that nobody else works on.

        See :meth:`muniment.Memory.claim_request`.
        """
        return await self._write(Memory.claim_request, lease_seconds=lease_seconds)

    async def plan_forget(
        self, *, ids: Sequence[str] | None = None, key: str | None = None, where: Mapping[str, Any] | None = None,
        reasons: Sequence[str] | None = None,
    ) -> Plan:
        """Show what forget would take, and what it would leave. Nothing is erased.

        See :meth:`muniment.Memory.plan_forget`.
        """
        return await self._read(Memory.plan_forget, ids=ids, key=key, where=where, reasons=reasons)

    async def forget(
        self, *, ids: Sequence[str] | None = None, key: str | None = None, where: Mapping[str, Any] | None = None,
        reasons: Sequence[str] | None = None, basis: str | None = None, request_id: str | None = None,
        plan: str | None = None, idempotency_key: str | None = None,
    ) -> Erasure:
        """Erase claims with everything derived from them, or the texts that an erasure or a policy left.

        See :meth:`muniment.Memory.forget`.
        """
        return await self._write(
            Memory.forget, ids=ids, key=key, where=where, reasons=reasons, basis=basis, request_id=request_id,
            plan=plan, idempotency_key=idempotency_key,
        )

    async def stats(self) -> dict[str, Any]:
        """Return counts of the namespace: entries, claims, lines, open items, erased claims, and the head of its log.

        See :meth:`muniment.Memory.stats`.
        """
        return await self._read(Memory.stats)

    async def reindex(self, *, progress: Any = None) -> dict[str, int]:
        """Rebuild everything derived (stretches, guards, search terms) from what was said, and clean the file.

        See :meth:`muniment.Memory.reindex`.
        """
        return await self._write(Memory.reindex, progress=progress)


class AsyncCode(Calls):
    """``memory.code`` of an asynchronous memory."""

    async def deprecate(
        self, old: str, new: str, reason: str | None = None, *, channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None, expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Say that a name in source code was replaced. It is a claim like any other, on the key of the name.

        See :meth:`muniment.facade.code.Code.deprecate`.
        """
        return await self._write(
            Code.deprecate, old, new, reason, channel=channel, source=source, expect=expect,
            idempotency_key=idempotency_key,
        )

    async def undeprecate(
        self, name: str, *, reason: str | None = None, channel: ChannelName | Channel | None = None,
        source: str | Source | Mapping[str, Any] | None = None, expect: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Say that a name may be used again from now on. revert on its key goes back to what replaced it before.

        See :meth:`muniment.facade.code.Code.undeprecate`.
        """
        return await self._write(
            Code.undeprecate, name, reason=reason, channel=channel, source=source, expect=expect,
            idempotency_key=idempotency_key,
        )

    async def symbol_status(self, name: str) -> SymbolStatus:
        """Say whether a name may be used, and what to use instead, through every rename since.

        See :meth:`muniment.facade.code.Code.symbol_status`.
        """
        return await self._read(Code.symbol_status, name)

    async def symbols(self) -> tuple[Symbol, ...]:
        """List the names that are replaced now, in alphabetical order.

        See :meth:`muniment.facade.code.Code.symbols`.
        """
        return await self._read(Code.symbols)

    async def check(
        self, code: str, *, language: str | None = None, file: str | None = None, comments: bool = False,
        strings: bool = False,
    ) -> Findings:
        """Look for names that were replaced in a text of code. Comments and strings do not count unless asked for.

        See :meth:`muniment.facade.code.Code.check`.
        """
        return await self._read(Code.check, code, language=language, file=file, comments=comments, strings=strings)

    async def export(self, file: str | os.PathLike[str] | None = None, *, overwrite: bool = False) -> WrittenSymbols:
        """Write the names that are replaced now to a repository's symbols file, in the place of what it held.

        See :meth:`muniment.facade.code.Code.export`.
        """
        return await self._read(Code.export, file, overwrite=overwrite)

    async def sync(
        self, file: str | os.PathLike[str] | None = None, *, channel: ChannelName | Channel | None = None,
        dry_run: bool = False,
    ) -> SyncedSymbols:
        """Bring a repository's symbols file and the memory in line: each takes what the other has.

        See :meth:`muniment.facade.code.Code.sync`.
        """
        return await self._write(Code.sync, file, channel=channel, dry_run=dry_run)


class AsyncLog(Calls):
    """``memory.log`` of an asynchronous memory."""

    async def verify(self, *, full: bool = True, kept: Sequence[str] = (), progress: Any = None) -> Report:
        """Check the log and everything that rests on it, and name each difference.

        See :meth:`muniment.facade.log.Log.verify`.
        """
        return await self._read(Log.verify, full=full, kept=kept, progress=progress)


class AsyncModels(Calls):
    """``memory.models`` of an asynchronous memory."""

    async def status(self) -> dict[str, Any]:
        """Return which embedder is configured, and how far the vectors of the namespace are.

        See :meth:`muniment.facade.models.Models.status`.
        """
        return await self._read(Models.status)

    async def embed(self, *, progress: Any = None) -> dict[str, int]:
        """Make the vectors that are missing; all of them, if they are of another model than the configured one.

        See :meth:`muniment.facade.models.Models.embed`.
        """
        return await self._write(Models.embed, progress=progress)


class AsyncSessions(Calls):
    """``memory.sessions`` of an asynchronous memory."""

    async def open(self, *, session: str | None = None) -> Opened:
        """Say where a session begins: how long the log is now. Nothing is written.

        See :meth:`muniment.facade.sessions.Sessions.open`.
        """
        return await self._read(Sessions.open, session=session)

    async def diff(
        self, *, since: int, until: int | None = None, session: str | None = None, limit: int = 100,
    ) -> Ledger:
        """Say what was said, changed, contested, held and erased between two sizes of the log.

        See :meth:`muniment.facade.sessions.Sessions.diff`.
        """
        return await self._read(Sessions.diff, since=since, until=until, session=session, limit=limit)

    async def close(self, *, since: int, session: str | None = None, limit: int = 100) -> Ledger:
        """Say what changed since a session began, and write it down as one claim of numbers.

        See :meth:`muniment.facade.sessions.Sessions.close`.
        """
        return await self._write(Sessions.close, since=since, session=session, limit=limit)

    async def digest(
        self, *, budget_tokens: int = 600, since: int | None = None, valid_at: When | None = None,
        as_of: When | None = None,
    ) -> Digest:
        """Tell a new session what it should know: decisions in force, open disputes, what was corrected, what a person
        said.

        See :meth:`muniment.facade.sessions.Sessions.digest`.
        """
        return await self._read(
            Sessions.digest, budget_tokens=budget_tokens, since=since, valid_at=valid_at, as_of=as_of,
        )

    async def decisions(
        self, *, about: str | None = None, limit: int = 100, valid_at: When | None = None, as_of: When | None = None,
    ) -> Decisions:
        """List the decisions in force: claims whose predicate is decision, or with that tag, that hold.

        See :meth:`muniment.facade.sessions.Sessions.decisions`.
        """
        return await self._read(Sessions.decisions, about=about, limit=limit, valid_at=valid_at, as_of=as_of)

    async def find(
        self, query: str, *, k: int = 5, each: int = 3, where: Mapping[str, Any] | None = None,
        valid_at: When | None = None, as_of: When | None = None, trusted_only: bool = False, min_relevance: float = 0.0,
    ) -> FoundSessions:
        """Find the sessions in which something was spoken of, best first, each with its best hits.

        See :meth:`muniment.facade.sessions.Sessions.find`.
        """
        return await self._read(
            Sessions.find, query, k=k, each=each, where=where, valid_at=valid_at, as_of=as_of,
            trusted_only=trusted_only, min_relevance=min_relevance,
        )


class AsyncTransfer(Calls):
    """``memory.transfer`` of an asynchronous memory."""

    async def export(self, file: str | os.PathLike[str], *, overwrite: bool = False, progress: Any = None) -> Exported:
        """Write the namespace to a file that says everything of it: every scope, every opening, the whole log.

        See :meth:`muniment.facade.transfer.Transfer.export`.
        """
        return await self._read(Transfer.export, file, overwrite=overwrite, progress=progress)

    async def import_(
        self, file: str | os.PathLike[str], *, into: str | None = None, root: str | None = None, dry_run: bool = False,
        progress: Any = None,
    ) -> Imported:
        """Take a namespace in from an export: all of it, once all of it is checked, or nothing.

        See :meth:`muniment.facade.transfer.Transfer.import_`.
        """
        return await self._write(Transfer.import_, file, into=into, root=root, dry_run=dry_run, progress=progress)

    async def backup(self, file: str | os.PathLike[str], *, overwrite: bool = False, progress: Any = None) -> BackedUp:
        """Copy the whole store, every namespace, while it is written to; the copy is checked before it appears.

        See :meth:`muniment.facade.transfer.Transfer.backup`.
        """
        return await self._read(Transfer.backup, file, overwrite=overwrite, progress=progress)

    async def migrate(self, to: str | os.PathLike[str] | None = None, *, progress: Any = None) -> Migrated:
        """Move every namespace to a new store, with the same heads; or tell which schema this one has.

        See :meth:`muniment.facade.transfer.Transfer.migrate`.
        """
        return await self._read(Transfer.migrate, to, progress=progress)

    async def restore(
        self, backup: str | os.PathLike[str], path: str | os.PathLike[str] | None = None, *, replace: bool = False,
        plan: str | None = None, replay_erasures: bool = True, progress: Any = None,
    ) -> Restored:
        """Put a backup where a store is to be. It belongs to no handle: nobody may have that store open.

        See :meth:`muniment.facade.transfer.Transfer.restore`.
        """
        return await self._aside(
            Transfer.restore, backup, path, replace=replace, plan=plan, replay_erasures=replay_erasures,
            progress=progress,
        )

    async def plan_restore(
        self, backup: str | os.PathLike[str], path: str | os.PathLike[str] | None = None,
    ) -> Replacement:
        """Return what restore would put in the place of what, and do nothing.

        See :meth:`muniment.facade.transfer.Transfer.plan_restore`.
        """
        return await self._aside(Transfer.plan_restore, backup, path)
