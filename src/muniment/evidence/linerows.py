"""The row of a line against its claims and entries."""

from __future__ import annotations

from collections.abc import Container, Mapping

from muniment import jsontext
from muniment.claims.keys import parse_key
from muniment.errors import MunimentError
from muniment.evidence.deriving import Derived
from muniment.evidence.identities import line_identities
from muniment.evidence.log import KNOWN, MANY, SETTLED, VOUCHED, LogCheck
from muniment.evidence.report import Findings
from muniment.ledger.differences import DifferenceKind
from muniment.store.audit import AuditReader, ClaimFacts, DecisionRow, LineFacts, uuid_text
from muniment.store.earlier import cardinalities_text
from muniment.verbs.identities import familiar


class LineRowCheck:
    """Checks rows of lines.

    Args:
        reader: The snapshot.
        findings: Where differences go.
        log: The first pass, done.
        pepper: The namespace's secret.
    """

    def __init__(self, reader: AuditReader, findings: Findings, log: LogCheck, pepper: bytes) -> None:
        self._reader, self._findings, self._log, self._pepper = reader, findings, log, pepper
        self._base = reader.audit_range()[0]
        self._lines = self._notes = 0
        self.spread: dict[tuple[int, int], str] = {}

    def check(
        self,
        line: LineFacts,
        uuid: str,
        claims: Mapping[int, ClaimFacts],
        decisions: Mapping[int, DecisionRow],
        derived: Derived,
    ) -> None:
        """Check one line.

        Args:
            line: Its row.
            uuid: Its id.
            claims: Its claims by index.
            decisions: Its decisions by index.
            derived: What follows from its effects.
        """
        self._findings.checked["lines"] += 1
        self._lines += 1
        self._notes += line.note == 1
        number = line.id - self._base
        last = self._log.line_last[number] if number < len(self._log.line_last) else -1
        if last < 0:
            self._add(DifferenceKind.ADDED, uuid, "No entry was written on it.")
            return
        if line.label is None:
            self._blank(line, uuid, claims)
        else:
            self._named(line, uuid, claims)
        before = cardinalities_text(self._log.cardinalities.get(number, ()))
        self._remembers(line, uuid, derived, self._log.line_flags[number], before)
        self._version(line, uuid, claims, max(last, derived.last))
        erasures = [row.at for row in decisions.values() if row.type == "erase"]
        if line.erased_at != (max(erasures) if erasures else None):
            self._add(DifferenceKind.EDITED, uuid, "When it was last erased from is not what the log says.")

    def finish(self, spread: Container[tuple[int, int]]) -> None:
        """Compare the counters, and look up entries that may have acted on a line from another.

        Args:
            spread: (entry, line) of the entries that did.
        """
        for pair, uuid in self.spread.items():
            if pair not in spread:
                self._add(DifferenceKind.EDITED, uuid, "Its version is not its last entry.")
        ns = self._reader.ns
        if (ns.lines, ns.notes) != (self._lines, self._notes):
            self._findings.add(DifferenceKind.EDITED, "head of the log", "The number of lines is another.")

    def _blank(self, line: LineFacts, uuid: str, claims: Mapping[int, ClaimFacts]) -> None:
        """A line whose text was erased has neither claims nor words."""
        if claims:
            self._add(DifferenceKind.CONCEALED, uuid, "It has claims, and its name is gone.")
        if line.subject is not None or line.predicate is not None or line.display is not None or line.look is not None:
            self._add(DifferenceKind.RESURRECTED, uuid, "Its name was erased, and a part of it is stored.")
        if line.erased_at is None:
            self._add(DifferenceKind.MISSING, uuid, "Its name is gone, and nothing erased it.")

    def _named(self, line: LineFacts, uuid: str, claims: Mapping[int, ClaimFacts]) -> None:
        """The columns of a line say what its label says, which its claims commit to."""
        label = line.label or ""
        try:
            parts = jsontext.loads(label)
            scope, key = parts[0], tuple(parts[1:])
            sound = len(key) == (0 if line.note else 2)
        except (jsontext.JSONDecodeError, TypeError, IndexError, KeyError):
            scope, key, sound = "", (), False
        if not sound or scope != line.scope:
            self._add(DifferenceKind.RELABELLED, uuid, "Its scope or key is not the one that its claims were said on.")
            return
        if key and (line.subject, line.predicate) != key:
            self._add(DifferenceKind.RELABELLED, uuid, "Its key is not the one that its claims were said on.")
            return
        if not key and (line.subject is not None or line.predicate is not None or line.display is not None):
            self._add(DifferenceKind.RELABELLED, uuid, "It is a note, and bears a key.")
        if key:
            self._displayed(line, uuid)
        text = None if key else next((facts.text for facts in claims.values()), None)
        mac, look = line_identities(self._pepper, scope, (key[0], key[1]) if key else None, text)
        if (mac is not None and mac != line.mac) or look != line.look:
            self._add(DifferenceKind.RELABELLED, uuid, "It is found under another name than its own.")
        if line.scope_mac != familiar(self._pepper, b"scope", scope):
            self._add(DifferenceKind.RELABELLED, uuid, "Its scope is found under another name than its own.")

    def _displayed(self, line: LineFacts, uuid: str) -> None:
        try:
            shown = parse_key(line.display or "")
        except MunimentError:
            shown = None
        if shown is None or (shown.subject, shown.predicate) != (line.subject, line.predicate):
            self._add(DifferenceKind.EDITED, uuid, "Its key is shown as another one.")

    def _remembers(self, line: LineFacts, uuid: str, derived: Derived, flags: int, before: str | None) -> None:
        """What a line remembers of its writers follows from the log."""
        cardinality = None if not flags & KNOWN else "many" if flags & MANY else "one"
        if (line.cardinality, line.settled == 1) != (cardinality, bool(flags & SETTLED)):
            self._add(DifferenceKind.EDITED, uuid, "How many values it holds at a time is not what the log says.")
        if line.cardinalities != before:
            self._add(DifferenceKind.EDITED, uuid, "How many values it held at a time before is not what the log says.")
        if (line.ever_vouched == 1) != bool(flags & VOUCHED):
            self._add(DifferenceKind.EDITED, uuid, "Whether somebody ever vouched for it is not what the log says.")
        erased = line.erased_at is not None  # what made it critical may be gone
        if (line.critical == 1) != derived.critical and not (erased and line.critical == 1):
            self._add(DifferenceKind.EDITED, uuid, "Whether it is critical is not what its claims say.")
        if line.longest_known < derived.longest_known or line.longest_valid < derived.longest_valid:
            self._add(DifferenceKind.CONCEALED, uuid, "A search among its stretches would stop too early.")
        if derived.repeated and line.repeated != 1:
            self._add(DifferenceKind.CONCEALED, uuid, "A value that was said again would be overlooked.")
        if line.values != derived.values:
            self._add(DifferenceKind.EDITED, uuid, "How many values it ever held is not what its effects say.")

    def _version(self, line: LineFacts, uuid: str, claims: Mapping[int, ClaimFacts], last: int) -> None:
        """The version is the last entry that was written on the line, or acted on it from another."""
        newest = claims.get(last)
        if newest is not None and newest.head.uuid == line.version:
            return
        found = None if line.version is None else self._reader.audit_index(uuid_text(line.version))
        if found is not None and found[0] > last and line.erased_at is not None:
            self.spread[(found[0], line.id)] = uuid  # it may have acted on a claim that is erased; see finish
        elif found is None or found[0] != last:
            kind = DifferenceKind.ROLLED_BACK if found is not None and found[0] < last else DifferenceKind.EDITED
            self._add(kind, uuid, "Its version is not its last entry.")

    def _add(self, kind: DifferenceKind, uuid: str, detail: str) -> None:
        self._findings.add(kind, f"line {uuid}", detail)
