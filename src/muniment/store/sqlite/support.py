"""What stands behind a value: who supports it, and when somebody last vouched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muniment.beliefs.state import Identity
from muniment.claims.channels import VOUCHED_FROM
from muniment.claims.intervals import NEVER
from muniment.store.records import Support
from muniment.store.sqlite.session import Session, WriteSession

_SUPPORT: Final = (
    f"SELECT support, recorded_at, rank >= {int(VOUCHED_FROM)} FROM claims WHERE id = ?1 AND recorded_at <= ?2"
    " UNION ALL SELECT identity, NULL, 0 FROM supporters WHERE claim = ?1 AND first_at <= ?2"
    " UNION ALL SELECT NULL, max(at), 1 FROM confirmations WHERE claim = ?1 AND at <= ?2"
)


class SupportReads(Session):
    """Reading support."""

    __slots__ = ()

    def support(self, claims: Sequence[int], as_of: int) -> Support:
        """Return what stands behind a set of claims of one value.

        Args:
            claims: Their indexes in the log (``ClaimRow.idx``).
            as_of: Transaction time: later observations do not count.

        Returns:
            How many distinct supports, and when somebody last vouched: the latest vouched claim or vouched
            observation. Where nobody ever vouched, when the first of the claims was recorded.
        """
        identities: set[Identity] = set()
        first, confirmed = NEVER, NEVER
        for idx in claims:
            for identity, at, vouched in self._cursor.execute(_SUPPORT, (self._base | idx, as_of)).fetchall():
                if identity is not None:
                    identities.add(identity)
                if at is None:
                    continue
                if vouched:
                    confirmed = max(confirmed, at)
                elif first == NEVER or at < first:
                    first = at
        return Support(len(identities), first if confirmed == NEVER else confirmed)


class SupportWrites(SupportReads, WriteSession):
    """Writing support."""

    __slots__ = ()

    def observe(self, claim: str, at: int, support: Identity | None, vouched: bool) -> None:
        """Note one more observation of a claim.

        Args:
            claim: Its id.
            at: recorded_at of the observing entry.
            support: Identity that counts as one support; None if the observer supports nothing.
            vouched: Whether the observer vouches, so that the answer is current again.
        """
        id = self._need(claim)
        if support is not None:
            self._cursor.execute(
                "INSERT OR IGNORE INTO supporters(claim, identity, first_at) VALUES(?, ?, ?)", (id, support, at)
            )
        if vouched:
            self._cursor.execute("INSERT OR IGNORE INTO confirmations(claim, at) VALUES(?, ?)", (id, at))
