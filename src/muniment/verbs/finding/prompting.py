"""context: the most useful beliefs that fit a budget of tokens, fenced for a prompt.

A line on which candidates disagree comes with all of them or with none: where they do not fit, one line says that it
is disputed, so that no budget makes a dispute look settled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from muniment.quick import dataclass, field
from muniment.recall.budget import Counter, estimated
from muniment.recall.fencing import DISPUTED, FENCE, enveloped, framed, quoted, quoted_value
from muniment.verbs import checks
from muniment.verbs.context import Context
from muniment.verbs.finding.companions import PromptContext
from muniment.verbs.finding.found import Found
from muniment.verbs.finding.hits import Hit
from muniment.verbs.finding.recalling import finder, hit, serve
from muniment.verbs.finding.reranking import ordered
from muniment.verbs.finding.scoring import RIVAL, Ranked, scored
from muniment.verbs.finding.searching import admitted
from muniment.verbs.plain import numbered

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

MAX_BUDGET: Final = 1_000_000
"""Tokens of a budget: more than any model reads at once."""

MAX_K: Final = 100
"""Records of one context: with more, the ones that matter are lost in the middle."""

FIRST: Final = 6
"""Among so many of the first is the best answer to each part of a question: as in a recall that is told no ``k``. A budget
may leave no room for those behind."""

SPARE: Final = 10
"""Beliefs that are looked at beyond ``k``, to take the place of ones that do not fit."""


@dataclass(slots=True)
class Unit:
    """What is shown together or not at all: one claim, or every candidate of a disputed line.

    Args:
        rows: What was ranked.
        hits: Their public views.
        hidden: Candidates that the caller's filter leaves out.
        leading: The claim of strictly highest rank among candidates.
    """

    rows: list[Ranked]
    hits: list[Hit] = field(default_factory=list)
    hidden: int = 0
    leading: str | None = None

    @property
    def disputed(self) -> bool:
        """Whether its line is contested."""
        return self.rows[0][4] == "contested"

    def records(self) -> list[str]:
        """Return its lines."""
        if not self.disputed:
            return [f"- {told(self.hits[0])}"]
        note = f", {self.hidden} more left out by the filter" if self.hidden else ""
        lines = [f"{DISPUTED}, {numbered(len(self.hits), 'candidates')}{note}{_keyed(self.hits[0])}:"]
        for number, each in enumerate(self.hits, start=1):
            ahead = "of higher rank; " if each.claim_id == self.leading else ""
            lines.append(f"  {number}. {told(each, ahead, keyed=False)}")
        return lines

    def short(self) -> str:
        """Return the line that stands for a dispute whose candidates do not fit."""
        count = len(self.hits) + self.hidden
        return f"{DISPUTED}{_keyed(self.hits[0])}: {count} candidates, left out for lack of room; ask for the key."


def context(
    caller: Context,
    query: Any,
    *,
    budget_tokens: Any = 1000,
    k: Any = 20,
    count_tokens: Any = None,
    **given: Any,
) -> PromptContext:
    """Return beliefs for a prompt. See ``Memory.context`` for the arguments."""
    budget = checks.whole(budget_tokens, "budget_tokens", 1, MAX_BUDGET)
    most = checks.whole(k, "k", 1, MAX_K)
    count = Careful(checks.function(count_tokens, "count_tokens"))
    find = finder(caller, query, k=most + SPARE, page=min(most, FIRST), **given)

    def work(reader: Reader) -> tuple[Found, dict[int, Unit]]:
        found = find(reader)
        contested = {row[3].id: row for row in reversed(found.rows) if row[4] == "contested"}
        return found, {line: _dispute(found, row) for line, row in contested.items()}

    found, disputes = caller.store.read(caller.namespace, work)
    found = ordered(caller, found)
    units = _units(found, disputes)
    shown = _fitting(units, most, budget, count)
    text = enveloped(caller.pepper, _lines(shown))
    while shown and count(text) > budget:  # a counter need not count every name of a fence alike
        shown = shown[:-1]
        text = enveloped(caller.pepper, _lines(shown))
    whole = [unit for unit, lines in shown if len(lines) > 1 or not unit.disputed]
    serve(caller, [row for unit in whole for row in unit.rows], found.now)
    hits = tuple(each for unit in whole for each in unit.hits)
    degraded = (*found.hits.degraded, *count.degraded)
    return PromptContext(text, hits, count(text) if text else 0, len(units) - len(whole), degraded)


def _units(found: Found, disputes: Mapping[int, Unit]) -> list[Unit]:
    """Return what was found as units, best first: each value of a line once, disputed lines whole."""
    units: dict[Any, Unit] = {}
    for row, public in zip(found.rows, found.hits, strict=True):
        _, _, claim, line, standing, _ = row
        if standing == "contested":
            units.setdefault(line.id, disputes[line.id])
        else:
            units.setdefault((line.id, claim.head.value), Unit([row], [public]))
    return list(units.values())


def _dispute(found: Found, best: Ranked) -> Unit:
    """Return every candidate of a disputed line, as the one evaluator of beliefs knows them."""
    score, factors, _, line, standing, _ = best
    search, known = found.search, {row[2].head.id: row for row in found.rows}
    folded = search.folds[line.id]
    groups = folded.answer.groups
    passing = [
        [row for head in group.claims if admitted(search, (row := folded.rows[head.id]).claim, line)]
        for group in groups
    ]
    rivals = [group[0] for group in passing if group]  # of each value the strongest claim that the filter lets through
    rows = [
        known.get(rival.claim.head.id)
        or scored(search, rival.claim, line, standing, rival.possible, score * RIVAL, factors["relevance"])
        for rival in rivals
    ]
    leading = folded.answer.leading
    hits = [hit(search, *row) for row in rows]
    return Unit(rows, hits, len(groups) - len(rivals), leading.primary.id if leading else None)


Shown = list[tuple[Unit, list[str]]]
"""Units with the lines that stand for them."""


def _fitting(units: Sequence[Unit], most: int, budget: int, count: Careful) -> Shown:
    """Choose units in their order, as long as there is room for them; what is too large lets smaller ones pass."""
    chosen: Shown = []
    room = most
    for unit in units:
        forms = [(unit.records(), len(unit.hits))]
        if unit.disputed:
            forms.append(([unit.short()], 1))
        for lines, records in forms:
            if records <= room and count(framed(FENCE + "00000000", [*_lines(chosen), *lines])) <= budget:
                chosen.append((unit, lines))
                room -= records
                break
        if not room:
            break
    return chosen


def _lines(shown: Shown) -> list[str]:
    return [line for _, lines in shown for line in lines]


def told(public: Hit, ahead: str = "", *, keyed: bool = True) -> str:
    """Return one claim as a record: its text, and in brackets what a reader must know to weigh it.

    Args:
        public: The claim.
        ahead: What to say first in the brackets.
        keyed: Name its key.
    """
    parts = [f"{ahead}{_said(public, keyed)}".strip(), public.channel]
    if public.source is not None:
        parts.append(f"source {quoted(public.source.locator)}")
    if public.accepted_by is not None:
        parts.append(f"accepted by {quoted(public.accepted_by)}")
    if public.valid_from is not None and public.valid_from != public.recorded_at:
        parts.append(f"from {public.valid_from}")
    if public.valid_to is not None:
        parts.append(f"until {public.valid_to}")
    parts.append(f"recorded {public.recorded_at[:10]}")
    parts += public.markers
    return f"{quoted(public.text)} ({'; '.join(part for part in parts if part)})"


def _said(public: Hit, keyed: bool) -> str:
    """Return key and value, as far as the text does not say them."""
    value = "" if public.value == public.text else f"= {quoted_value(public.value)}"
    return f"key {quoted(public.key)} {value}".rstrip() if keyed and public.key else value


def _keyed(public: Hit) -> str:
    return f" (key {quoted(public.key)})" if public.key else ""


class Careful:
    """A counter of tokens that always counts: where the caller's fails, the estimate takes its place.

    Args:
        counter: The caller's, or None.
    """

    def __init__(self, counter: Counter | None) -> None:
        self._counter = counter
        self.degraded: tuple[str, ...] = ()

    def __call__(self, text: str) -> int:
        """Return the tokens of a text."""
        if self._counter is None:
            return estimated(text)
        try:
            counted = self._counter(text)
        except Exception as error:
            return self._failed(text, f"failed with {type(error).__name__}")
        if isinstance(counted, bool) or not isinstance(counted, int) or counted < 0:
            return self._failed(text, "gave no whole number")
        return counted

    def _failed(self, text: str, how: str) -> int:
        self._counter = None
        self.degraded = (f"count_tokens {how}; tokens are estimated.",)
        return estimated(text)
