"""verify_claim: does what is believed support a statement, contradict it, or know nothing of it.

The same statement of the same memory has the same verdict. What is held, quarantined or waits for review is no
evidence for anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from muniment.beliefs.fold import Status
from muniment.beliefs.state import Identity
from muniment.claims.keys import Key, parse_key
from muniment.claims.moments import point
from muniment.claims.scopes import visible_scopes
from muniment.claims.text import check_text
from muniment.claims.values import Value, ValueKind
from muniment.quick import dataclass
from muniment.recall.agreeing import denies, differs_in_value, instead, names, restates, same_words, words_of
from muniment.recall.readings import agrees, is_amount, mentions
from muniment.recall.wordings import Wording
from muniment.store.records import ClaimRow, LineRow
from muniment.verbs import checks
from muniment.verbs.believing.standings import Standings
from muniment.verbs.context import Context, present
from muniment.verbs.finding.companions import Evidence, Verdict, Verification
from muniment.verbs.finding.holding import Held, holding
from muniment.verbs.finding.recalling import MAX_QUERY, serve
from muniment.verbs.finding.scoring import Ranked
from muniment.verbs.finding.search import Search
from muniment.verbs.finding.searching import admitted
from muniment.verbs.identities import identities_of_value, line_identity
from muniment.verbs.policies import holds_many
from muniment.verbs.views import key_text, own_markers, source_of, value_of, verified, wording

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

RETIRED: Final = (
    "superseded", "invalidated", "ended", "retracted", "released", "reverted", "rejected", "expired",
)  # fmt: skip
"""Standings of what was believed once."""

SHOWN: Final = 12
"""Claims of one relation that are given as evidence: it says where to look, it is no listing."""

COMPARED: Final = 1_000_000
"""Characters of claims that are compared for a statement without a key: about a second."""

NOT_ALL: Final = "So many claims hold the words of the statement that not all of them were compared."
"""What a result says that rests on a part."""

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

ASKED: Final = Finding(Verdict.UNKNOWN, "A question asserts nothing.", [])

_BELIEVED: Final = frozenset({"current", "contested"})
_STANDINGS: Final = _BELIEVED.union(RETIRED)


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


def verify_claim(
    context: Context,
    text: Any,
    *,
    key: Any = None,
    value: Any = None,
    valid_at: Any = None,
    as_of: Any = None,
    trusted_only: Any = False,
) -> Verification:
    """Say what is believed of a statement. See ``Memory.verify_claim`` for the arguments."""
    words = check_text(text, "text", limit_bytes=MAX_QUERY)
    parsed = None if key is None else parse_key(key)
    wanted = () if value is None else identities_of_value(context.pepper, Value.parse(value))
    trusted = checks.flag(trusted_only, "trusted_only")
    valid = None if valid_at is None else point(valid_at, "valid_at")
    known = None if as_of is None else point(as_of, "as_of")
    statement = Statement(Wording(words), wanted, parsed is not None)

    def work(reader: Reader) -> Verification:
        now = present(context, reader.ns)
        search = Search(
            context, reader, (), now if valid is None else valid, now if known is None else known, now, _STANDINGS,
            trusted_only=trusted,
        )  # fmt: skip
        whole, result = True, ASKED
        if wanted or not statement.said.asks:
            held = holding(search, statement.said) if parsed is None else Held([])
            found = _of_words(search, held, statement) if parsed is None else _of_key(search, parsed, statement)
            result = _summed(list(found), parsed)
            whole = held.whole
        serve(context, [row for _, row in result.rows], now)
        evidence = tuple(_evidence(search, relation, row) for relation, row in result.rows)
        degraded = () if whole else (NOT_ALL,)
        return Verification(result.verdict, evidence, result.why, parsed.text if parsed else None, degraded)

    return context.store.read(context.namespace, work)


def _of_words(search: Search, held: Held, statement: Statement) -> Iterator[Finding]:
    """Yield what claims say, those of a line with key together."""
    by_line: dict[int, list[ClaimRow]] = {}
    read = 0
    for claim in filter(None, (_claim(search, idx) for idx in held.idxs)):
        read += len(claim.text)
        if read > COMPARED and by_line:
            held.whole = False
            break
        by_line.setdefault(claim.line, []).append(claim)
    for id, claims in by_line.items():
        line = search.lines[id]
        assert line is not None  # only what is seen is held against a statement
        standings = Standings(search.context, search.reader, line, search.valid_at, search.as_of)
        if line.note:
            for claim in claims:
                yield _of_note(search, claim, line, standings, statement)
        else:
            yield _of_line(search, line, claims, standings, statement)


def _of_key(search: Search, key: Key, statement: Statement) -> Iterator[Finding]:
    """Yield what the lines of a key say, the narrowest first: all that was ever said on them is looked at."""
    pepper = search.context.pepper
    identities = [line_identity(pepper, scope.text, key.text) for scope in visible_scopes(search.context.scope)]
    found = search.reader.lines_of(identities)
    lines = [found[identity] for identity in identities if identity in found]
    search.fold_lines(lines)
    for line in lines:
        claims = [claim for claim in search.reader.claims_of(line.id) if claim.head.recorded_at <= search.as_of]
        if claims:
            standings = Standings(search.context, search.reader, line, search.valid_at, search.as_of)
            yield _of_line(search, line, claims, standings, statement)


def _claim(search: Search, idx: int) -> ClaimRow | None:
    """Return a claim that was known by then."""
    at = search.held.get(idx)
    claim = search.reader.claim_at(idx) if at is None else at.claim
    return claim if claim is not None and claim.head.recorded_at <= search.as_of else None


def _of_note(search: Search, claim: ClaimRow, line: LineRow, standings: Standings, statement: Statement) -> Finding:
    """Hold a statement against a note: it supports what it says itself, or part of it."""
    note = Wording(wording(search.reader, claim, search.as_of)[0])
    says = restates(note, statement.said)
    if not (says or denies(note, statement.said)) or not admitted(search, claim, line):
        return UNKNOWN
    word = search.folds[line.id].standings.get(claim.head.id) or standings.name(claim)
    row = _row(search, claim, line, word)
    if word in _BELIEVED:
        if says:
            return Finding(Verdict.SUPPORTED, "A believed note says so.", [("supports", row)])
        return Finding(Verdict.CONTRADICTED, "A believed note says otherwise.", [("contradicts", row)])
    if says and word in RETIRED:
        return Finding(Verdict.RETIRED, "It was believed once, and is no more.", [("retired", row)])
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


def _of_line(
    search: Search, line: LineRow, claims: Sequence[ClaimRow], standings: Standings, statement: Statement
) -> Finding:
    """Hold a statement against a line: the values that answer, and those that did once.

    Args:
        search: The snapshot, with the line folded.
        line: The line.
        claims: Those of its claims whose wording is looked at; of a value that answers, the primary claim always is.
        standings: How its claims stand.
        statement: The statement.
    """
    answering = [one for one in _answering(search, line, claims) if admitted(search, one.claim, line)]
    held = {one.claim.head.value for one in answering}
    said = [one for one in answering if _says(statement, one)]
    once = [one for one in _once(search, line, claims, standings, statement) if one.claim.head.value not in held]
    many = holds_many(search.context, search.reader, line, search.as_of)
    if search.folds[line.id].answer.status is Status.CONTESTED and said:
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


def _answering(search: Search, line: LineRow, claims: Sequence[ClaimRow]) -> Iterator[Candidate]:
    """Yield the values that answer on a line, each as its primary claim and some others put it."""
    folded, looked_at = search.folds[line.id], {claim.head.id for claim in claims}
    if search.shadowed(line):
        return
    for group in folded.answer.groups:
        for head in group.claims:
            if head.id == group.primary.id or head.id in looked_at:
                claim = folded.rows[head.id].claim
                yield _candidate(search, claim, _row(search, claim, line, folded.standings[head.id]))


def _once(
    search: Search, line: LineRow, claims: Sequence[ClaimRow], standings: Standings, statement: Statement
) -> Iterator[Candidate]:
    """Yield what a statement says that a line answered once."""
    folded = search.folds[line.id]
    for claim in claims:
        if claim.head.id in folded.standings or not admitted(search, claim, line):
            continue
        one = _candidate(search, claim, _row(search, claim, line, ""))
        if _says(statement, one) and (word := standings.name(claim)) in RETIRED:
            yield Candidate(_row(search, claim, line, word), one.text, one.value)


def _candidate(search: Search, claim: ClaimRow, row: Ranked) -> Candidate:
    text = wording(search.reader, claim, search.as_of)[0]
    value = Value(ValueKind.TEXT, text) if claim.text_is_value else Value.from_json_text(claim.value)
    return Candidate(row, Wording(text), value)


def _row(search: Search, claim: ClaimRow, line: LineRow, standing: str) -> Ranked:
    """Return a claim in the form of what was ranked: here nothing is."""
    at = search.held.get(claim.idx)
    return 0.0, {}, claim, line, standing, at is not None and at.possible


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
    """Return the evidence of several findings, not all of it where there is much."""
    counted, found = Counter[str](), list[tuple[str, Ranked]]()
    for finding in findings:
        for relation, row in finding.rows:
            counted[relation] += 1
            if counted[relation] <= SHOWN:
                found.append((relation, row))
    return found


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
