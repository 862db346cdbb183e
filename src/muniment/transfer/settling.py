"""What arrived, settled: what was left out is derived, and everything is held against the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from muniment.claims.intervals import NEVER
from muniment.evidence import verify
from muniment.evidence.log import LogCheck
from muniment.evidence.rebuild import Guard, Rebuild
from muniment.evidence.report import Findings
from muniment.evidence.walking import Lined
from muniment.store.moving import Receiver
from muniment.transfer.format import forged


def settle(writer: Receiver, pepper: bytes, claims: int, tick: Callable[[int, int], None]) -> None:
    """Derive and verify, in the transaction in which everything arrived.

    Args:
        writer: The transaction.
        pepper: The secret of the namespace.
        claims: How many claims there are.
        tick: Called with (done, total), now and then; the first ``size`` of them are done.

    Raises:
        TamperedError: If anything differs from what the log vouches for; ``line`` says in which line of the file.
    """
    size = writer.ns.size
    total = 3 * size + 2 * claims
    findings = Findings()
    log = LogCheck(writer, findings, True, (), lambda done: tick(size + done, total))
    log.run()
    if findings.counts:  # nothing sound can be derived of it
        raise _forged(writer, findings.listed[0].where, findings.listed[0].kind.value)
    _Deriving(writer, pepper, log, lambda done: tick(2 * size + done, total)).derive()
    writer.received()
    before = 2 * size + claims
    report = verify.verify_within(writer, pepper, lambda done, _: tick(before + done, total))
    if not report.ok:
        first = report.differences[0]
        raise _forged(writer, first.where, first.kind.value)
    tick(total, total)


def _forged(writer: Receiver, where: str, kind: str) -> Exception:
    """Return the error of a difference, with the line of the file that it is in: that of the entry it names."""
    _, _, name = where.partition(" ")
    number = name.split(" ")[0]
    line = 1
    if number.isdigit() and where.startswith("entr"):
        line = int(number) + 2
    elif len(number) == 36:
        found = writer.audit_index(number)
        line = 1 if found is None else found[0] + 2
    return forged(line, f"is not what the log vouches for ({kind})")


class _Deriving(Rebuild):
    """A rebuild of what just arrived: of lines that an erasure touched, what came with them stands."""

    def _line(self, lined: Lined) -> None:
        super()._line(lined)
        if lined.line.erased_at is not None:
            return
        steps = lined.derived.steps
        cast(Receiver, self._mender).receive_steps(
            [(idx, steps[idx]) for idx in (*lined.claims, *lined.decisions) if steps.get(idx, NEVER) != NEVER]
        )

    def _guards(self, lined: Lined) -> set[Guard]:
        if lined.line.erased_at is not None:
            return {row[1:] for row in lined.guards}
        return super()._guards(lined)
