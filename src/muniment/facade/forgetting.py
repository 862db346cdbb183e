"""Forget: first what would go, then that it goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from muniment.facade.terms import Handle
from muniment.operation import Access, operation

if TYPE_CHECKING:
    from muniment.erasure.results import Erasure, Plan


class Forgetting(Handle):
    """Forget: first what would go, then that it goes."""

    @operation(
        profile="curate", access=Access.READS, role="reader", idempotent=True, title="What forgetting would take"
    )
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

    @operation(profile="core", access=Access.DESTROYS, role="eraser", idempotent=True, title="Forget")
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
            plan: Hash of the plan that was agreed to: erase exactly that, or nothing.
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
