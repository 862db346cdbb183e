"""Say: what arrives becomes a claim, or a log entry that says why not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from muniment.facade.terms import ChannelName, Handle, When, arguments
from muniment.operation import Access, operation

if TYPE_CHECKING:
    from muniment.claims.channels import Channel
    from muniment.claims.sources import Source
    from muniment.verbs.results import Outcome
    from muniment.verbs.saying.manner import Usual


class Saying(Handle):
    """Say: what arrives becomes a claim, or a log entry that says why not."""

    _usual: Usual | None = None

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
            text: The statement; may be left out where a value is given.
            key: The line it lies on, ``subject::predicate``. Without one it is a note: no key is guessed.
            value: The typed value; the text stands for it if not given.
            channel: How it reached you; the highest that the handle may use if not given.
            source: Where it came from: a locator, or a ``Source``.
            author: Who said it; only an admin may name somebody else.
            about: The people it is about.
            kind: Sets how fast it goes stale, and nothing else. Default semantic.
            valid_from: Since when it holds: ``2020``, ``2020-03``, ``2020-03-05`` or an instant.
            valid_to: Until when it holds; a date is inclusive.
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
            What became of it. Where a claim that stands already was only said again, that claim stays as it is: ``why``
            names the arguments that were not taken over, and ``next`` says what to do.

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
        given = arguments(locals(), "text")
        from muniment.verbs.saying import manner, prepare, remember

        if self._usual is None:
            self._usual = manner.Usual(self._context)
        return remember.remember(self._context, prepare.prepare(self._context, text, given, self._usual.of(given)))

    @operation(profile="admin", access=Access.WRITES, role="writer", title="Say many things")
    def remember_many(self, statements: Iterable[Mapping[str, Any]], *, progress: Any = None) -> list[Outcome]:
        """Say many things, in order, a few hundred to a transaction.

        Args:
            statements: Dicts with ``text`` and the arguments of :meth:`remember`. All are checked before the first is
                stored. On a command line: a file with one JSON object to a line, or one JSON array; ``-`` reads
                standard input.
            progress: Called with (done, total) after each transaction.

        Returns:
            One outcome for each statement, in order.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     [o.disposition.value for o in memory.remember_many([{"text": "tea"}, {"text": "milk"}])]
            ['accepted', 'accepted']
        """
        from muniment.verbs.saying import bulk

        return bulk.remember_many(self._context, statements, progress)
