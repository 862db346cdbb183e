"""verify_claim: does what is believed support a statement, contradict it, or know nothing of it.

The same statement of the same memory has the same verdict. What is held, quarantined or waits for review is no
evidence for anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from muniment.beliefs.fold import Status
from muniment.beliefs.state import Identity
from muniment.claims.keys import Key, parse_key
from muniment.claims.text import check_text
from muniment.claims.values import Value, ValueKind
from muniment.quick import dataclass
from muniment.recall.agreeing import denies, differs_in_value, instead, names, restates, same_words, words_of
from muniment.recall.readings import agrees, is_amount, mentions
from muniment.recall.wordings import Wording
from muniment.store.records import ClaimRow
from muniment.verbs.believing.standings import Standings
from muniment.verbs.context import Context
from muniment.verbs.finding.companions import Evidence, Verdict, Verification
from muniment.verbs.finding.found import Found
from muniment.verbs.finding.recalling import MAX_QUERY, finder, serve
from muniment.verbs.finding.scoring import Ranked, scored
from muniment.verbs.finding.search import Search
from muniment.verbs.finding.searching import admitted
from muniment.verbs.identities import identities_of_value
from muniment.verbs.views import key_text, own_markers, source_of, value_of, verified, wording

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

RETIRED: Final = (
    "superseded", "invalidated", "ended", "retracted", "released", "reverted", "rejected", "expired",
)  # fmt: skip
"""Standings of what was believed once."""

LOOKED_AT: Final = 12
"""Hits that a statement without a key is held against: what is worded alike comes first."""

BRIEF: Final = 2
"""Words of a text that is taken for the value itself where a key is given, beyond those of the value believed."""

_NUMBERS: Final = (ValueKind.INTEGER, ValueKind.DECIMAL)


@dataclass(slots=True)
class Finding:
    """What one line or one note says to a statement."""

    verdict: Verdict
    why: str
    rows: list[tuple[str, Ranked]]
    """(relation, what was ranked) of each claim that says so."""


UNKNOWN: Final = Finding(Verdict.UNKNOWN, "Nothing that is believed speaks of it.", [])


@dataclass(frozen=True, slots=True)
class Statement:
    """What is to be verified.

    Args:
        said: Its wording.
        values: Identities of the value that it states, where that was given.
        keyed: Its key was given, so it is about that line whatever it says.
    """

    said: Wording
    values: tuple[Identity, ...]
    keyed: bool


def verify_claim(context: Context, text: Any, *, key: Any = None, value: Any = None, **given: Any) -> Verification:
    """Say what is believed of a statement. See ``Memory.verify_claim`` for the arguments."""
    words = check_text(text, "text", limit_bytes=MAX_QUERY)
    parsed = None if key is None else parse_key(key)
    wanted = () if value is None else identities_of_value(context.pepper, Value.parse(value))
    statement = Statement(Wording(words), wanted, parsed is not None)
    asked = words if parsed is None else f"{parsed.text} {words}"
    where = None if parsed is None else {"key": parsed.text}
    if statement.said.asks and not wanted:
        return Verification(UNKNOWN.verdict, (), "A question asserts nothing.", parsed.text if parsed else None)
    find = finder(context, asked[:MAX_QUERY], k=LOOKED_AT, where=where, include=RETIRED, **given)

    def work(reader: Reader) -> Verification:
        found = find(reader).cut()
        result = _summed(list(_findings(reader, found, statement)), parsed)
        serve(context, [row for _, row in result.rows], found.now)
        evidence = tuple(_evidence(found.search, relation, row) for relation, row in result.rows)
        return Verification(result.verdict, evidence, result.why, parsed.text if parsed else None, found.hits.degraded)

    return context.store.read(context.namespace, work)


def _findings(reader: Reader, found: Found, statement: Statement) -> Iterator[Finding]:
    """Yield what each line and each note that was found says."""
    seen: set[int] = set()
    for row in found.rows:
        line = row[3]
        if line.id not in seen:
            seen.add(line.id)
            yield _of_note(found.search, row, statement) if line.note else _of_line(found.search, row, statement)


def _of_note(search: Search, row: Ranked, statement: Statement) -> Finding:
    """Hold a statement against a note: it supports what it says itself, or part of it."""
    _, _, claim, _, standing, _ = row
    note = Wording(wording(search.reader, claim, search.as_of)[0])
    if restates(note, statement.said):
        if standing in RETIRED:
            return Finding(Verdict.RETIRED, "It was believed once, and is no more.", [("retired", row)])
        return Finding(Verdict.SUPPORTED, "A believed note says so.", [("supports", row)])
    if standing not in RETIRED and denies(note, statement.said):
        return Finding(Verdict.CONTRADICTED, "A believed note says otherwise.", [("contradicts", row)])
    return UNKNOWN


@dataclass(slots=True)
class Candidate:
    """A value of a line as it was said once."""

    row: Ranked
    text: Wording
    value: Value

    @property
    def claim(self) -> ClaimRow:
        """The claim that speaks for it."""
        return self.row[2]

    @property
    def shown(self) -> str:
        """The value as text."""
        return self.value.display


def _of_line(search: Search, row: Ranked, statement: Statement) -> Finding:
    """Hold a statement against a line: the values that answer, and those that did once."""
    line = row[3]
    answer = search.folds[line.id].answer
    answering = [one for one in _answering(search, row) if admitted(search, one.claim, line)]
    held = {one.claim.head.value for one in answering}
    retired = [one for one in _retired(search, row) if one.claim.head.value not in held]
    many = line.cardinality is not None and line.cardinality.value == "many"
    said = [one for one in answering if _says(statement, one)]
    once = [one for one in retired if _says(statement, one)]
    if answer.status is Status.CONTESTED and said:
        return _disputed(said, answering)
    if said and once and not any(restates(one.text, statement.said) for one in said):
        return Finding(Verdict.UNKNOWN, "It names several values of the key.", [])
    if said:
        return _stated(said, statement)
    if once:
        return _said_once(once, answering, statement)
    if any(_says(statement, one) is None for one in answering):
        return Finding(Verdict.UNKNOWN, "Whether it is the value of the key cannot be told from the words.", [])
    if not many and answering and _otherwise(statement, answering):
        rows = [("contradicts", one.row) for one in answering]
        return Finding(Verdict.CONTRADICTED, "The key has another value.", rows)
    return UNKNOWN


def _disputed(said: Sequence[Candidate], answering: Sequence[Candidate]) -> Finding:
    rows = [("supports" if one in said else "contradicts", one.row) for one in answering]
    return Finding(Verdict.CONTESTED, "It is one of several candidates, and none of them is settled.", rows)


def _stated(said: Sequence[Candidate], statement: Statement) -> Finding:
    if statement.said.denies == said[0].text.denies or statement.values:
        return Finding(Verdict.SUPPORTED, "It is what is believed.", [("supports", one.row) for one in said])
    return Finding(Verdict.CONTRADICTED, "It denies what is believed.", [("contradicts", one.row) for one in said])


def _said_once(once: Sequence[Candidate], answering: Sequence[Candidate], statement: Statement) -> Finding:
    if statement.said.denies != once[0].text.denies and not statement.values:
        return Finding(Verdict.UNKNOWN, "It denies what is believed no more.", [])
    rows = [*(("retired", one.row) for one in once), *(("contradicts", one.row) for one in answering)]
    return Finding(Verdict.RETIRED, "It was believed once, and is no more.", rows)


def _says(statement: Statement, one: Candidate) -> bool | None:
    """Say whether a statement states a value of a line; None where that cannot be told."""
    said = statement.said
    if statement.values:
        return one.claim.head.value in statement.values
    if restates(one.text, said):
        return True
    place = instead(said, one.text, one.shown)
    if place is not None:
        return True if same_words(place, one.shown) else agrees(words_of(said, place), one.value)
    if statement.keyed:
        if one.value.kind in _NUMBERS and is_amount(said.text):
            return None  # the key may say of what unit its number is
        return True if names(said, one.shown) or mentions(said, one.value) else agrees(said.text, one.value)
    return names(said, one.shown) and denies(one.text, said)


def _otherwise(statement: Statement, answering: Sequence[Candidate]) -> bool:
    """Say whether a statement that names no value of a line states another one."""
    if statement.values:
        return True
    if statement.said.denies:
        return False
    if any(differs_in_value(statement.said, one.text, one.shown) for one in answering):
        return True
    if not statement.keyed:
        return False
    longest = max(Wording(one.shown).length for one in answering)
    typed = any(one.value.kind is not ValueKind.TEXT and _says(statement, one) is False for one in answering)
    return typed or 0 < statement.said.length <= max(BRIEF, longest)


def _answering(search: Search, row: Ranked) -> Iterator[Candidate]:
    """Yield the values that answer on a line."""
    score, factors, _, line, _, _ = row
    folded = search.folds[line.id]
    if search.shadowed(line):
        return
    for group in folded.answer.groups:
        at = folded.rows[group.primary.id]
        word = folded.standings[group.primary.id]
        yield _candidate(search, scored(search, at.claim, line, word, at.possible, score, factors["relevance"]))


def _retired(search: Search, row: Ranked) -> Iterator[Candidate]:
    """Yield what a line answered once."""
    score, factors, _, line, _, _ = row
    standings = Standings(search.reader, line, search.valid_at, search.as_of)
    for claim in search.reader.claims_of(line.id):
        if claim.head.recorded_at <= search.as_of and (word := standings.name(claim)) in RETIRED:
            yield _candidate(search, scored(search, claim, line, word, False, score, factors["relevance"]))


def _candidate(search: Search, row: Ranked) -> Candidate:
    claim = row[2]
    text = wording(search.reader, claim, search.as_of)[0]
    value = Value(ValueKind.TEXT, text) if claim.text_is_value else Value.from_json_text(claim.value)
    return Candidate(row, Wording(text), value)


_ORDER: Final = (Verdict.CONTESTED, Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.RETIRED)


def _summed(findings: Sequence[Finding], key: Key | None) -> Finding:
    """Return what several lines and notes come to: for and against at once is a dispute, whoever noticed it."""
    by_verdict = {verdict: [one for one in findings if one.verdict is verdict] for verdict in _ORDER}
    if by_verdict[Verdict.SUPPORTED] and by_verdict[Verdict.CONTRADICTED]:
        both = [*by_verdict[Verdict.SUPPORTED], *by_verdict[Verdict.CONTRADICTED]]
        return Finding(Verdict.CONTESTED, "What is believed speaks for it and against it.", _rows(both))
    for verdict in _ORDER:
        if by_verdict[verdict]:
            return Finding(verdict, by_verdict[verdict][0].why, _rows(by_verdict[verdict]))
    if key is not None and not findings:
        return Finding(Verdict.UNKNOWN, "Nothing was ever believed of the key.", [])
    return next((one for one in findings if one is not UNKNOWN), UNKNOWN)


def _rows(findings: Iterable[Finding]) -> list[tuple[str, Ranked]]:
    return [pair for finding in findings for pair in finding.rows]


def _evidence(search: Search, relation: str, row: Ranked) -> Evidence:
    _, _, claim, line, standing, possible = row
    verified(search.reader, claim, line.label)
    text = wording(search.reader, claim, search.as_of)[0]
    return Evidence(
        claim_id=claim.head.id,
        relation=relation,
        text=text,
        key=key_text(line),
        value=value_of(claim, text),
        standing=standing,
        markers=tuple(own_markers(claim, possible)),
        channel=claim.channel,
        source=source_of(claim),
    )
