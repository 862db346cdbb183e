"""From results to blocks: which of their members a person wants to see."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import singledispatch
from typing import Any, Final

from muniment.erasure.results import Erasure, Plan
from muniment.evidence.report import Report
from muniment.sessions.diffs import Ledger, Opened
from muniment.sessions.results import Decisions, Digest, FoundSessions
from muniment.surfaces.cli.blocks import Block, Drawing, Fields, Line, Table, remark
from muniment.surfaces.cli.failures import wording
from muniment.transfer.results import BackedUp, Exported, Imported, Migrated, Replacement, Restored
from muniment.verbs.believing.charts import Chart
from muniment.verbs.believing.feed import Change, Changes
from muniment.verbs.finding.recalling import Hit, Hits
from muniment.verbs.plain import hint, numbered, plain
from muniment.verbs.results import Belief, CandidateView, Decided, Outcome, Page, Statement, undecided
from muniment.verbs.tables import columns_of, said, short, used

_SENTENCES: Final = frozenset({"why", "next", "advice"})
"""Members of a result that are sentences of ours."""

_STANDS: Final = {"current": "good", "contested": "warn"}


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
    shown = [
        (name.replace("_", " "), wording(said(value)) if name in _SENTENCES else said(value))
        for name, value in members.items()
    ]
    return Fields([pair for pair in shown if pair[1]])


@blocks.register
def _(result: Outcome) -> Iterable[Block]:
    mood = "bad" if result.waits else "good" if result.believed else "warn"
    yield Line(": ".join(filter(None, (result.disposition.value, result.answers))), mood)
    yield Line(" ".join(wording(part) for part in (result.why, result.next) if part))
    yield Line(result.present, "strong")
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
        more = f", and {result.beside_more:,} more that history lists" if result.beside_more else ""
        yield Line(f"beside it, not believed{more}", "strong")
        yield _candidates(result.beside)


def _spoken_for(belief: Belief) -> dict[str, Any]:
    """Return what stands behind an answer, and for how long it holds."""
    primary = belief.primary
    if primary is None or belief.status.value != "resolved":
        return {"leading": belief.leading.value if belief.leading else None}
    whence = f", {said(primary.source)}" if primary.source else ""
    return {
        "said": primary.text, "by": primary.channel + whence, "accepted by": primary.accepted_by,
        "since": short(belief.since), "until": short(belief.until), "support": belief.support,
        "currency": belief.currency, "retired values": belief.retired_count or None,
    }  # fmt: skip


def _candidates(views: Sequence[CandidateView]) -> Table:
    """Return candidates under each other. That one of several would be an answer is not said: none of them is."""
    columns = ("value", "channel", "source", "accepted by", "since", "until", "support", "standing", "claim")
    return Table(*used(columns, [_candidate(view) for view in views]))


def _candidate(view: CandidateView) -> list[str]:
    standing = "" if view.standing == "answer" else view.standing
    period = [short(view.since), short(view.until)]
    whence = [view.channel, said(view.source), view.accepted_by or ""]
    return [said(view.value), *whence, *period, said(view.support), standing, view.claim_id]


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
    what = row.decision if row.done else f"{row.decision} (not done)"
    what = f"{row.effect} ({what})" if row.effect else what
    return [short(row.decided_at), what, why, row.by or row.author or "", row.channel or "", row.entry_id]


@blocks.register
def _(result: Hits) -> Iterable[Block]:
    yield from rows_or_nothing(result.hits, _hit, ("score", "key", "text", "marks", "by", "claim"), "Nothing found.")
    if result.suppressed_retired:
        verb, them = ("is", "it") if result.suppressed_retired == 1 else ("are", "them")
        count = f"{result.suppressed_retired}{' more' if result.hits else ''}"
        yield remark(f"{count} matched and {verb} not believed now; --include all lists {them}.")
    for sentence in result.degraded:
        yield remark(wording(sentence), "warn")
    yield from _more(result.cursor)


def _hit(hit: Hit) -> list[str]:
    marks = [mark for mark in (hit.standing, *hit.markers) if mark != "current"]
    return [f"{hit.score:.2f}", hit.key or "", hit.text, said(marks), hit.channel, hit.claim_id]


@blocks.register
def _(result: Page) -> Iterable[Block]:
    yield from _page(result.rows)
    if undecided(result.rows):
        yield remark(
            'Decide one: muniment resolve ITEM accept "why" (or keep, reject …; resolve --help says what each does).'
        )
    if result.truncated:
        yield remark("A page holds at most 1000 rows.")
    yield from _more(result.cursor)


@blocks.register(tuple)
@blocks.register(list)
def _(result: Sequence[Any]) -> Iterable[Block]:
    yield from _page(result)
    yield remark(hint(getattr(result, "similar", ())))


def _page(rows: Sequence[Any]) -> Iterable[Block]:
    if not rows:
        return [remark("Nothing there.")]
    columns, cells = columns_of(rows)
    return [Table(columns, cells)] if columns else [_table([plain(row) for row in rows])]


def rows_or_nothing(
    rows: Sequence[Any], show: Callable[[Any], list[str]], columns: Sequence[str], nothing: str
) -> Iterable[Block]:
    """Return a table of rows without its empty columns, or what to say where there are none."""
    if not rows:
        yield remark(nothing)
        return
    yield Table(*used(columns, [show(row) for row in rows]))


def _more(cursor: str | None) -> Iterable[Block]:
    if cursor is not None:
        yield remark(f"There is more: --cursor {cursor}")


@blocks.register
def _(result: Erasure) -> Iterable[Block]:
    yield Line(str(result), "good" if result.state == "clean" and result.noted else "warn")
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
        yield remark(f"There is more: --since {result.cursor}")


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
    if not result.text:
        yield remark("Nothing to tell.")
    yield from (Line(line) for line in result.text.split("\n"))


@blocks.register
def _(result: Decisions) -> Iterable[Block]:
    yield Line(numbered(len(result), "decisions") + (" shown; there are more." if result.truncated else " in force."))
    yield _table([{"key": d.key, "decision": d.text, "because": d.because, "standing": d.standing, "by": d.channel,
                   "since": d.since, "claim": d.claim_id} for d in result])  # fmt: skip


@blocks.register
def _(result: FoundSessions) -> Iterable[Block]:
    columns = ("score", "key", "text", "marks", "by", "claim")
    for found in result:
        yield Line(f"{found.score:.2f}  {found.session}", "strong")
        yield from rows_or_nothing(found.hits, _hit, columns, "Nothing found.")
    if not result:
        yield remark("Nothing found.")
    if result.truncated:
        yield remark("There is more; pass -k.")
    for sentence in result.degraded:
        yield remark(wording(sentence), "warn")


@blocks.register
def _(result: Ledger) -> Iterable[Block]:
    yield Line(result.summary, "strong")
    yield _table([{"": row.became.value, "key": row.key, "text": row.text, "disposition": row.disposition,
                   "entry": row.entry_id} for row in result])  # fmt: skip
    if result.truncated:
        yield remark("There is more; pass --limit.")
    if result.wrote:
        yield Line(result.wrote)


@blocks.register
def _(result: Opened) -> Iterable[Block]:
    yield Line(str(result), "strong")
    yield _fields({"session": result.session, "size": result.size, "at": short(result.at)})
    yield Line(f"Close it: muniment sessions close --since {result.size} --session {shlex.quote(result.session)}")
