"""Correct: go back, end, retract, reopen, let go, put right, and what follows for what was derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from muniment.facade.terms import ChannelName, Handle, When, arguments
from muniment.operation import Access, operation

if TYPE_CHECKING:
    from muniment.claims.channels import Channel
    from muniment.claims.sources import Source
    from muniment.protocols import Chat
    from muniment.verbs.correcting.plans import RoutePlan
    from muniment.verbs.results import Outcome
    from muniment.verbs.reviewing.proposals import Proposals, Rewriting


class Correcting(Handle):
    """Correct: go back, end, retract, reopen, let go, put right, and what follows for what was derived."""

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
        """Undo the latest change of what a key answers; called again, the one before.

        Args:
            key: ``subject::predicate``, or the id of a claim of the line.
            to: Go back to when this was the answer: a claim's id, a value, or a ``datetime``. A revert that went back
                over it since is undone with what was said since; an error says why, where that cannot be had.
            reason: Why.
            channel, source, expect, idempotency_key: As for :meth:`remember`.

        Returns:
            ``reverted``, or ``unchanged`` where only the first statement is left; ``pending_review`` where somebody of
            higher standing said it: then nothing was done, and a person has to.
        """
        given = arguments(locals(), "key", "to")
        from muniment.verbs.correcting import reverting

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
        """Undo the last revert of a key, if nothing changed its answer since.

        Args:
            key: ``subject::predicate``, or the id of a claim of the line.
            reason, channel, source, expect, idempotency_key: As for :meth:`revert`.
        """
        given = arguments(locals(), "key")
        from muniment.verbs.correcting import reverting

        return reverting.redo(self._context, key, **given)

    @operation(profile="curate", access=Access.WRITES, role="writer", idempotent=True, title="End a fact")
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
        given = arguments(locals(), "key", "at", "value")
        from muniment.verbs.correcting import closing

        return closing.end(self._context, key, at, value, **given)

    @operation(profile="curate", access=Access.WRITES, role="writer", idempotent=True, title="Retract a value")
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
        given = arguments(locals(), "key_or_id", "reason", "value")
        from muniment.verbs.correcting import closing

        return closing.retract(self._context, key_or_id, reason, value, **given)

    @operation(profile="curate", access=Access.WRITES, role="writer", idempotent=True, title="Reopen what ended")
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
            key: ``subject::predicate``, or the id of a claim of the line: then the last that concerns the claim.
            reason, channel, source, expect, idempotency_key: As for :meth:`revert`.
        """
        given = arguments(locals(), "key")
        from muniment.verbs.correcting import closing

        return closing.reopen(self._context, key, **given)

    @operation(profile="curate", access=Access.WRITES, role="writer", idempotent=True, title="Let a claim go")
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
        given = arguments(locals(), "id", "reason")
        from muniment.verbs.correcting import closing

        return closing.release(self._context, id, reason, **given)

    @operation(profile="curate", access=Access.WRITES, role="writer", idempotent=True, title="Fix a wording")
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
            meta: Names to set; one without a value (null in JSON) is removed; what is not named stays.
            reason, channel, source, expect, idempotency_key: As for :meth:`revert`.

        Raises:
            ValidationError: If the text is the value and would become another one.
        """
        given = arguments(locals(), "id", "text", "meta")
        from muniment.verbs.correcting import amending

        return amending.correct_text(self._context, id, text, meta, **given)

    @operation(profile="curate", access=Access.WRITES, role="writer", idempotent=True, title="Report evidence")
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
        given = arguments(locals(), "key", "value", "support")
        from muniment.verbs.correcting import observing

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
        given = arguments(locals(), "utterance", "execute")
        from muniment.verbs import checks
        from muniment.verbs.correcting import routing

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
        propose: bool = False,
        chat: Chat | None = None,
        reason: str | None = None,
        channel: ChannelName | Channel | None = None,
    ) -> Proposals:
        """Propose what the descendants of a claim should say, now that it no longer holds; say it if told.

        Args:
            key_or_id: The claim that was withdrawn, ended or superseded; or a key, for every such claim of it.
            rewrite: Called with each descendant; returns a text, a dict of text and value, or None to leave it.
                Without one, a descendant whose value quotes the old value gets the new one in its place.
            execute: Say the proposals, in one transaction, as this handle. Without it, or ``propose``, nothing is
                written.
            propose: Put them into the review inbox, in one transaction: each waits as an item of kind ``proposal`` until
                a verdict. The same proposal is put there once.
            chat: A model that words what does not follow from quoting: a function from messages to a text
                (:class:`muniment.protocols.Chat`). What it words is said as ``model`` at most.
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
        given = arguments(locals(), "key_or_id", "execute", "propose")
        from muniment.verbs.reviewing import rederiving

        return rederiving.rederive(self._context, key_or_id, execute=execute, propose=propose, **given)
