"""Whether two stores mean the same: a recorded step beside what a Memory made of it.

Compared are status, values, candidates, who said it, how current it is, and the windows; not the names of things.
A date that ends a period is inclusive here and was exclusive there, so an end agrees when the stated granule is the
same one, or when both name the same instant.
"""

from __future__ import annotations

from typing import Any

from muniment import ConflictError, MunimentError, NotFoundError, PermissionDenied, ValidationError
from muniment.claims.moments import Granularity, parse_moment
from replay.translate import CHANNEL, Player

STATUS = {"TimingUncertain": "resolved", "Resolved": "resolved", "Contested": "contested", "NoBelief": "none"}
DISPOSITION = {
    "CommittedCheap": {"accepted", "succession", "backfilled", "reinforced"},
    "CommittedInferred": {"inferred"},
    "Contested": {"contested"},
    "Superseded": {"ended"},
    "Reinstated": {"reinstated"},
}
STANDING = {
    "Current": {"current"},
    "Ended": {"ended", "superseded"},
    "Superseded": {"ended", "superseded"},
    "Contested": {"contested"},
}
CURRENCY = {"Fresh": "fresh", "AgingUnconfirmed": "aging", "Decayed": "decayed"}
ERROR: dict[str, type[MunimentError]] = {
    "ValidationError": ValidationError,
    "NotFoundError": NotFoundError,
    "ConflictError": ConflictError,
}
OTHER_ERROR: dict[tuple[str, int], type[MunimentError]] = {
    ("F08", 2): PermissionDenied,  # a model decides nothing
    ("F15", 4): NotFoundError,  # any string may be a key; nothing was ever said of this one
}


class Comparison:
    """Compares the steps of one case with the record of them."""

    def __init__(self, case: dict[str, Any], player: Player) -> None:
        self.id, self.observed, self.player = case["id"], case["observed"], player
        self.steps: list[dict[str, Any]] = case["steps"]
        self.claims: dict[str, str] = {}

    def run(self) -> None:
        """Compare every step.

        Raises:
            AssertionError: With the step's number, if they do not mean the same.
        """
        for number, step in enumerate(self.steps, 1):
            seen = self.observed.get(f"step{number}")
            try:
                self._step(number, step, seen)
            except AssertionError as difference:
                raise AssertionError(f"{self.id} step {number} {step['op']}: {difference}") from difference

    def _step(self, number: int, step: dict[str, Any], seen: Any) -> None:
        if isinstance(seen, dict) and "error" in seen:
            wanted = OTHER_ERROR.get((self.id, number)) or ERROR[seen["error"]]
            error = self.player.error(number)
            assert isinstance(error, wanted), f"{error!r} is no {wanted.__name__}"
            return
        compare = getattr(self, f"_{step['op']}", None)
        if compare is None:
            assert step["op"] in ("mark", "sql", "reopen"), "nothing compares this"
            return
        compare(seen, self.player.step(number), step.get("args", {}))

    def _remember(self, seen: dict[str, Any], ours: Any, args: Any) -> None:
        assert ours.disposition in DISPOSITION[seen["disposition"]], ours.disposition
        self.claims[seen["claim_ref"]] = ours.claim_id
        for rival in seen["contested_with"]:
            assert self.claims[rival] in ours.contested_with, "the rival is not named"

    _ingest = _remember

    def _end_fact(self, seen: dict[str, Any], ours: Any, args: Any) -> None:
        wanted = {"unchanged"} if seen["no_op"] else DISPOSITION[seen["disposition"]]
        assert ours.disposition in wanted, ours.disposition

    _assert_validity = _end_fact

    def _recall(self, seen: dict[str, Any], ours: Any, args: Any) -> None:
        self._answer(seen, ours)
        assert sorted(map(repr, (c["value"] for c in seen["candidates"]))) == rivals(ours)
        primary = seen["primary"]
        if primary is not None:
            assert ours.value == primary["value"]
            start, until = primary["valid_from"], primary["valid_until"]
            assert start is None or parse_moment(ours.since, "since").start == instant(start), ours.since
            assert until is None or parse_moment(ours.until, "until").start == instant(until), ours.until

    def _query(self, seen: dict[str, Any], ours: Any, args: Any) -> None:
        self._answer(seen, ours, aged="as_of_tx_time" not in args)
        assert sorted(repr(c["value"]) for c in seen["alternatives"]) == rivals(ours)
        primary = seen["primary"]
        if primary is not None:
            assert ours.value == primary["value"]
            assert ours.primary.channel == channel(primary["provenance"])
            start = primary["valid_time"]["start"]
            assert start is None or parse_moment(ours.since, "since").start == instant(start), ours.since

    def _answer(self, seen: dict[str, Any], ours: Any, aged: bool = True) -> None:
        assert ours.status == STATUS[seen["status"]], ours.status
        if aged and ours.status == "resolved":
            assert ours.currency == CURRENCY[seen["currency"]], ours.currency

    def _resolve(self, seen: dict[str, Any], ours: Any, args: Any) -> None:
        wanted = {"empty": "none", "ambiguous": "contested"}.get(seen["status"], "resolved")
        assert ours.status == wanted, ours.status

    def _subject(self, seen: list[Any], ours: dict[str, Any], args: Any) -> None:
        assert {row["predicate"] for row in seen} == {key.partition("::")[2] for key in ours}

    def _audit(self, seen: dict[str, Any], ours: Any, args: Any) -> None:
        assert seen["n"] == len(ours), f"{len(ours)} rows"
        assert {self.claims[row["claim"]] for row in seen["entries"]} == {row.claim_id for row in ours}

    def _rows(self, seen: dict[str, int], ours: dict[str, int], args: Any) -> None:
        assert {name: seen[name] for name in ours} == ours

    def _history(self, seen: dict[str, Any], ours: tuple[Any, ...], args: Any) -> None:
        assert len(ours) == seen["n"]
        left = list(ours)
        for entry in seen["entries"]:
            found = [s for s in left if repr(s.value) == repr(entry["value"]) and _starts(s, entry["from"])]
            assert found, f"nothing is recorded from {entry['from']}"
            left.remove(found[0])
            self._entry(entry, found[0])
        current = [s.value for s in ours if s.standing == "current"]
        assert current == ([] if seen["current"] is None else [seen["current"]])

    def _entry(self, entry: dict[str, Any], ours: Any) -> None:
        assert ours.standing in STANDING[entry["status"]], ours.standing
        assert ours.channel == CHANNEL[entry["prov"].rpartition("/")[2]]
        until = entry["until"]
        if until == "<tx>":  # the time of writing shown as the end of what never ended: no window at all
            return
        last = ours.periods[-1][1]
        if until is None:
            assert last is None, last
            return
        stated = None if ours.valid_to is None else parse_moment(ours.valid_to, "valid_to")
        whole = stated is not None and stated.granularity is not Granularity.INSTANT
        same_granule = whole and stated.start == instant(until) and stated.end == instant(last)
        assert same_granule or instant(last) == instant(until), last


def instant(text: str) -> int:
    """Return an instant as microseconds."""
    return parse_moment(text, "instant").start


def channel(provenance: dict[str, Any]) -> str:
    """Return the channel that a recorded provenance means."""
    return CHANNEL[provenance.get("kind") or provenance["type"]]


def rivals(belief: Any) -> list[str]:
    """Return the values of a contest, in an order of their own; none where there is no contest."""
    return sorted(repr(c.value) for c in belief.candidates) if belief.status == "contested" else []


def _starts(statement: Any, start: str | None) -> bool:
    if start is None or statement.valid_from is None:
        return start is None and statement.valid_from is None
    return parse_moment(statement.valid_from, "valid_from").start == instant(start)
