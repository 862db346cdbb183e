"""Rule and review: policies, the inbox, verdicts, the keys of reviewers, and the queue of adjudicators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from muniment.facade.terms import Handle, When, arguments
from muniment.operation import Access, operation

if TYPE_CHECKING:
    from muniment.claims.scopes import Scope
    from muniment.verbs.believing.feed import Changes
    from muniment.verbs.results import Outcome, Page, ReviewerKey
    from muniment.verbs.reviewing.adjudication import AdjudicationRequest


class Reviewing(Handle):
    """Rule and review: policies, the inbox, verdicts, the keys of reviewers, and the queue of adjudicators."""

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
        half_life_days: Mapping[str, int] | None = None,
        critical: bool | None = None,
        boundary: bool | None = None,
        echo: bool | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Lay down a policy for a key, a pattern (``subject::*``, ``*::predicate``) or the namespace (``*``).

        Args:
            pattern: What it holds for; the more specific pattern wins, the later policy among equals.
            on_conflict: auto, supersede, contest, or review (of the channels that ``review`` names).
            review: Channels whose claims wait for a person.
            writers: Channels that may write.
            cardinality: One value at a time, or many.
            aging_days, decayed_days: When an answer counts as aging, and as decayed.
            expires_after_days: Claims expire after so many days unless they say so themselves.
            half_life_days: By kind (episodic, semantic, procedural), how many days until half of what recency is worth
                to a claim in a recall is gone; 7, 180 and 3650 if nothing is laid down.
            critical: A lower confidence contests instead of superseding.
            boundary: Whether the injection boundary counts here. Switching it off is logged.
            echo: Whether the echo rule counts here. Switching it off is logged.
            reason: Why.
            idempotency_key: As for :meth:`remember`.

        Raises:
            PermissionDenied: If the caller neither speaks as a user nor is an admin.
        """
        given = arguments(locals(), "pattern")
        from muniment.verbs import legislating

        return legislating.set_policy(self._context, pattern, given)

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
        under_review, queued, proposal.

        Args:
            kind: Only items of this kind.
            key: Only items of this key.
            limit: Rows of a page, 1 to 1000.
            cursor: From the page before.
            closed: Include items that were closed.
        """
        from muniment.verbs.reviewing import reviewing

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
        from muniment.verbs.believing import changes

        return changes.changes(self._context, since, limit, content)

    @operation(profile="core", access=Access.WRITES, role="reviewer", idempotent=True, title="Decide a review item")
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
            verdict: accept (the newcomer takes its overlap and ranks as who accepted), keep (the answer stays; the
                newcomer's value gives the overlap up), reject (the newcomer's value loses everything), restore (a
                corrected value has its time back), both (the newcomer holds in a period or a narrower scope of its
                own), moot, or unknown.
            reason: Why.
            by: Who decided, in words. It is recorded and proves nothing.
            token: A verdict that a registered reviewer signed: proves a person (docs/reviewer-tokens.md).
            valid_from, valid_to: With both: when the newcomer holds.
            scope: With both: the narrower scope in which it holds, such as {"user": "ana"}.
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
        given = arguments(locals(), "item", "verdict", "reason")
        from muniment.verbs.reviewing import verdicts

        return verdicts.resolve(self._context, item, verdict, reason, given)

    @operation(profile="admin", access=Access.WRITES, role="admin", idempotent=True, title="Register a reviewer's key")
    def add_reviewer(self, key: str, *, reason: str | None = None, idempotency_key: str | None = None) -> Outcome:
        """Register a reviewer's public key: what it signs proves a person from now on.

        Args:
            key: The key as text, ``name+keyid+base64`` (``muniment reviewer-key`` makes one).
            reason: Why.
            idempotency_key: As for :meth:`remember`.

        Raises:
            ConflictError: If the key, or one of its name, is registered and stands.
        """
        given = arguments(locals(), "key")
        from muniment.verbs.reviewing import reviewers

        return reviewers.add_reviewer(self._context, key, given)

    @operation(profile="admin", access=Access.WRITES, role="admin", idempotent=True, title="Revoke a reviewer's key")
    def revoke_reviewer(self, key: str, *, reason: str | None = None, idempotency_key: str | None = None) -> Outcome:
        """Revoke a reviewer's key. What it decided stays decided.

        Args:
            key: The key as text, its name, or the entry that registered it.
            reason: Why.
            idempotency_key: As for :meth:`remember`.

        Raises:
            NotFoundError: If no such key stands.
        """
        given = arguments(locals(), "key")
        from muniment.verbs.reviewing import reviewers

        return reviewers.revoke_reviewer(self._context, key, given)

    @operation(profile="admin", access=Access.READS, role="auditor", idempotent=True, title="Reviewers' keys")
    def reviewers(self) -> tuple[ReviewerKey, ...]:
        """List the registered keys of reviewers, revoked ones too."""
        from muniment.verbs.reviewing import reviewers

        return reviewers.reviewers(self._context)

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True)
    def queue(self, *, limit: int = 100, cursor: str | None = None) -> Page:
        """List the contests that wait for an adjudicator, the oldest first.

        Args:
            limit: Rows of a page, 1 to 1000.
            cursor: From the page before.
        """
        from muniment.verbs.reviewing import adjudicating

        return adjudicating.queue(self._context, limit, cursor)

    @operation(profile="curate", access=Access.WRITES, role="reviewer", idempotent=True)
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
            verdict: affirm (the newcomer is right), deny (what was believed is right), or unknown.
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
        given = arguments(locals(), "request", "verdict")
        from muniment.verbs.reviewing import adjudicating

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
        from muniment.verbs.reviewing import adjudicating

        return adjudicating.claim_request(self._context, lease_seconds)
