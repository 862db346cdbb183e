"""From results to blocks: which of their members a person wants to see."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import singledispatch
from typing import Any, Final

from muniment.erasure.results import Erasure, Plan
from muniment.evidence.report import Report
from muniment.sessions.diffs import Ledger
from muniment.sessions.results import Decisions, Digest
from muniment.surfaces.cli.blocks import Block, Drawing, Fields, Line, Table
from muniment.transfer.results import BackedUp, Exported, Imported, Migrated, Replacement, Restored
from muniment.verbs.charts import Chart
from muniment.verbs.feed import Change, Changes
from muniment.verbs.recalling import Hit, Hits
from muniment.verbs.results import Belief, CandidateView, Decided, Outcome, Page, ReviewItem, Statement, numbered, plain

_STANDS: Final = {"current": "good", "contested": "warn"}


def said(obj: Any) -> str:
    """Return a member of a result as text: empty for nothing, a list parted by commas.

    Example:
        >>> said(("a", "b")), said(None), said(True)
        ('a, b', '', 'yes')
    """
    obj = plain(obj)
    if obj is None:
        return ""
    if isinstance(obj, bool):
        return "yes" if obj else "no"
    if isinstance(obj, list) and all(isinstance(one, str | int | float) for one in obj):
        return ", ".join(str(one) for one in obj)
    if isinstance(obj, dict) and set(obj) <= {"user", "agent", "session", "project"}:
        return ", ".join(f"{name} {part}" for name, part in obj.items())
    if isinstance(obj, dict) and "locator" in obj:
        return str(obj["locator"])
    if isinstance(obj, list | dict):
        return json.dumps(obj, ensure_ascii=False) if obj else ""
    return str(obj)


def short(instant: str | None) -> str:
    """Return an instant to the next millisecond, for a person; JSON keeps it whole. A date stays as it was stated.

    Never to an earlier one: whoever copies it into ``--as-of`` asks for what was known with it, not just before.

    Example:
        >>> short("2026-03-01T09:00:00.000017Z"), short("2026-03"), short(None)
        ('2026-03-01T09:00:00.001Z', '2026-03', '')
    """
    whole, dot, rest = (instant or "").partition(".")
    if not dot or not rest.endswith("Z"):
        return whole
    later = datetime.fromisoformat(whole) + timedelta(milliseconds=-(-int(rest[:-1].ljust(6, "0")) // 1000))
    return later.isoformat(timespec="milliseconds" if later.microsecond else "seconds") + "Z"


@singledispatch
def blocks(result: Any) -> Iterable[Block]:
    """Return a result as blocks. What has no form of its own is shown member by member."""
    data = plain(result)
    if isinstance(data, Mapping):
        nested = {name: value for name, value in data.items() if _is_table(value)}
        yield _fields({name: value for name, value in data.items() if name not in nested})
        for name, value in nested.items():
            yield Line(name.replace("_", " "), "strong")
            yield _table(value)
    elif _is_table(data):
        yield _table(data)
    else:
        yield Line(said(data))


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _table(rows: Sequence[Mapping[str, Any]]) -> Table:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return Table(columns, [[said(row.get(name)) for name in columns] for row in rows])


def _fields(members: Mapping[str, Any]) -> Fields:
    """Return names and values, leaving out what is empty (but not zero, which says something)."""
    shown = [(name.replace("_", " "), said(value)) for name, value in members.items()]
    return Fields([pair for pair in shown if pair[1]])


@blocks.register
def _(result: Outcome) -> Iterable[Block]:
    mood = "good" if result.believed else "warn"
    yield Line(": ".join(filter(None, (result.disposition.value, result.answers))), mood)
    yield Line(" ".join(part for part in (result.why, result.next) if part))
    if result.now is not None:
        yield Line(str(result.now), "strong")
    members = ("claim_id", "retired", "contested_with", "item", "line_version", "derived_key")
    yield _fields({name: getattr(result, name) for name in members})


@blocks.register
def _(result: Belief) -> Iterable[Block]:
    mood = {"resolved": "good", "contested": "warn", "none": "faint"}[result.status.value]
    yield Line(str(result), mood)
    if len(result.candidates) > 1:
        yield Line("candidates", "strong")
        yield _candidates(result.candidates)
    yield _fields({**_spoken_for(result), "scope": result.scope, "line version": result.line_version})
    if result.beside:
        yield Line("beside it, not believed", "strong")
        yield _candidates(result.beside)


def _spoken_for(belief: Belief) -> dict[str, Any]:
    """Return what stands behind an answer, and for how long it holds."""
    primary = belief.primary
    if primary is None or belief.status.value != "resolved":
        return {"leading": belief.leading.value if belief.leading else None}
    whence = f", {said(primary.source)}" if primary.source else ""
    return {
        "said": primary.text, "by": primary.channel + whence, "since": short(belief.since), "until": short(belief.until),
        "support": belief.support, "currency": belief.currency, "retired values": belief.retired_count or None,
    }  # fmt: skip


def _candidates(views: Sequence[CandidateView]) -> Table:
    """Return candidates under each other. That one of several would be an answer is not said: none of them is."""
    columns = ("value", "channel", "source", "since", "until", "support", "standing", "claim")
    rows = [_candidate(view) for view in views]
    used = [n for n, _ in enumerate(columns) if any(row[n] for row in rows)]
    return Table([columns[n] for n in used], [[row[n] for n in used] for row in rows])


def _candidate(view: CandidateView) -> list[str]:
    standing = "" if view.standing == "answer" else view.standing
    period = [short(view.since), short(view.until)]
    return [said(view.value), view.channel, said(view.source), *period, said(view.support), standing, view.claim_id]


@blocks.register
def _(result: Statement) -> Iterable[Block]:
    yield Line(str(result), _STANDS.get(result.standing, "plain"))
    apart = ("text", "periods", "decided")
    yield _fields({name: value for name, value in result.to_dict().items() if name not in apart})
    periods = [f"{start or '…'} to {end or '…'}" for start, end in result.periods]
    yield _fields({"holds": "; ".join(periods)})
    if result.decided:
        yield Line("decided", "strong")
        yield from rows_or_nothing(result.decided, _decided, ("at", "decision", "why", "by", "as", "entry"), "")


def _decided(row: Decided) -> list[str]:
    why = "(erased)" if row.erased else row.reason or ""
    return [short(row.decided_at), row.decision, why, row.by or row.author or "", row.channel or "", row.entry_id]


def _last(decided: Sequence[Decided]) -> str:
    """Return the last word on something, with its reason."""
    return str(decided[-1]) if decided else ""


@blocks.register
def _(result: Hits) -> Iterable[Block]:
    yield from rows_or_nothing(result.hits, _hit, ("score", "key", "text", "marks", "by", "claim"), "Nothing found.")
    if result.suppressed_retired:
        verb = "is" if result.suppressed_retired == 1 else "are"
        yield Line(f"{result.suppressed_retired} more matched and {verb} not believed now.", "faint")
    for sentence in result.degraded:
        yield Line(sentence, "warn")
    yield from _more(result.cursor)


def _hit(hit: Hit) -> list[str]:
    marks = [mark for mark in (hit.standing, *hit.markers) if mark != "current"]
    return [f"{hit.score:.2f}", hit.key or "", hit.text, said(marks), hit.channel, hit.claim_id]


@blocks.register
def _(result: Page) -> Iterable[Block]:
    yield from _page(result.rows)
    if result.truncated:
        yield Line("A page holds at most 1000 rows.", "faint")
    yield from _more(result.cursor)


@blocks.register(tuple)
@blocks.register(list)
def _(result: Sequence[Any]) -> Iterable[Block]:
    yield from _page(result)


def _page(rows: Sequence[Any]) -> Iterable[Block]:
    if rows and isinstance(rows[0], ReviewItem):
        return rows_or_nothing(
            rows, _item, ("kind", "key", "said", "instead of", "since", "status", "decided", "item"), ""
        )
    if rows and isinstance(rows[0], Outcome):
        return rows_or_nothing(rows, _outcome, ("disposition", "believed", "claim"), "")
    if not rows or isinstance(rows[0], Statement):
        columns = ("standing", "key", "text", "by", "recorded", "decided", "claim")
        return rows_or_nothing(rows, _statement, columns, "Nothing there.")
    return [_table([plain(row) for row in rows])]


def _statement(row: Statement) -> list[str]:
    marks = said((row.standing, *row.markers))
    text = row.text if row.erased_at is None else f"(erased at {row.erased_at} by entry {row.erased_by})"
    return [marks, row.key or "", text, row.channel, short(row.recorded_at), _last(row.decided), row.claim_id]


def _item(row: ReviewItem) -> list[str]:
    said_ = row.claim.text if row.claim else "(erased)"
    against = said([said(view.value) for view in row.against])
    return [row.kind, row.key or "", said_, against, short(row.opened_at), row.status, _last(row.decided), row.id]


def _outcome(row: Outcome) -> list[str]:
    return [row.disposition.value, said(row.believed), row.claim_id or ""]


def rows_or_nothing(
    rows: Sequence[Any], show: Callable[[Any], list[str]], columns: Sequence[str], nothing: str
) -> Iterable[Block]:
    """Return a table of rows without its empty columns, or what to say where there are none."""
    if not rows:
        yield Line(nothing, "faint")
        return
    table = [show(row) for row in rows]
    used = [n for n, _ in enumerate(columns) if any(row[n] for row in table)]
    yield Table([columns[n] for n in used], [[row[n] for n in used] for row in table])


def _more(cursor: str | None) -> Iterable[Block]:
    if cursor is not None:
        yield Line(f"There is more: --cursor {cursor}", "faint")


@blocks.register
def _(result: Erasure) -> Iterable[Block]:
    yield Line(str(result), "good" if result.state == "clean" else "warn")
    yield Line(result.why)
    yield _fields({name: getattr(result, name) for name in ("erased", "derived", "texts", "entries")})


@blocks.register
def _(result: Plan) -> Iterable[Block]:
    yield Line(f"{str(result).rpartition('. Plan ')[0]}.", "bad")
    named = (
        ("erase", result.direct), ("derived", result.inherited), ("texts of", result.texts), ("stays", result.carrying)
    )  # fmt: skip
    yield Fields([(name, id_) for name, ids in named for id_ in ids])
    yield Fields([("plan", result.hash)])


@blocks.register
def _(result: Replacement) -> Iterable[Block]:
    yield Line(f"{str(result).rpartition('. Plan ')[0]}.", "bad" if result.state != "none" else "plain")
    rows = [[row.namespace, _or_none(row.entries), _or_none(row.restored)] for row in result.namespaces]
    if rows:
        yield Table(("namespace", "entries there now", "in the backup"), rows)
    yield Fields([("plan", result.hash)])


def _or_none(count: int | None) -> str:
    return "none" if count is None else f"{count:,}"


@blocks.register
def _(result: Report) -> Iterable[Block]:
    yield Line(str(result).partition("\n")[0], "good" if result.ok else "bad")
    if result.differences:
        rows = [[one.kind.value, one.where, one.detail] for one in result.differences]
        yield Table(("what", "where", "detail"), rows)
    checked = ", ".join(numbered(count, kind) for kind, count in result.checked.items())
    yield _fields({"head to keep": result.head if result.size else "", "checked": checked})
    for limit in result.limits:
        yield Line(f"Note: {limit}", "faint")


@blocks.register
def _(result: Chart) -> Iterable[Block]:
    yield Drawing(result.to_text)


@blocks.register
def _(result: Changes) -> Iterable[Block]:
    columns = ("at", "type", "disposition", "by", "key", "said", "claims", "entry")
    yield from rows_or_nothing(result.rows, _change, columns, "Nothing new.")
    if result.more:
        yield Line(f"There is more: --since {result.cursor}", "faint")


def _change(row: Change) -> list[str]:
    text = row.said.text if row.said else ""
    return [short(row.recorded_at), row.type, row.disposition or "", row.channel or "", row.key or "", text,
            said(row.claims), row.id]  # fmt: skip


@blocks.register(Exported)
@blocks.register(Imported)
@blocks.register(BackedUp)
@blocks.register(Restored)
@blocks.register(Migrated)
def _moved(result: Any) -> Iterable[Block]:
    """What was moved, and one line for each thing that did not come along."""
    data = plain(result)
    notes = [*data.pop("left_out", ()), *data.pop("limits", ())]
    heads = data.pop("heads", {})
    yield Line(str(result), "good")
    yield _fields({name: value for name, value in data.items() if name != "why" and value not in (None, [])})
    if heads:
        yield Table(("namespace", "root"), list(heads.items()))
    for note in notes:
        yield Line(f"Note: {note}", "faint")


@blocks.register
def _(result: Digest) -> Iterable[Block]:
    for line in (result.text or "Nothing to tell.").split("\n"):
        yield Line(line)


@blocks.register
def _(result: Decisions) -> Iterable[Block]:
    yield Line(numbered(len(result), "decisions") + (" shown; there are more." if result.truncated else " in force."))
    yield _table([{"key": d.key, "decision": d.text, "because": d.because, "standing": d.standing, "by": d.channel,
                   "since": d.since, "claim": d.claim_id} for d in result])  # fmt: skip


@blocks.register
def _(result: Ledger) -> Iterable[Block]:
    yield Line(result.summary, "strong")
    yield _table([{"": row.became.value, "key": row.key, "text": row.text, "disposition": row.disposition,
                   "entry": row.entry_id} for row in result])  # fmt: skip
    if result.truncated:
        yield Line("There is more; pass --limit.", "faint")
