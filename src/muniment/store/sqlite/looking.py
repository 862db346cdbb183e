"""What one search looks up in the index: postings, statistics, and what the claims it finds are worth."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from muniment import jsontext
from muniment.lexical.analyser import Term
from muniment.lexical.bm25 import Match, Scorer, Statistics, idf
from muniment.lexical.candidates import CUT, Driven, gather
from muniment.lexical.compounds import DIVIDED, divided, joined
from muniment.lexical.ids import Ids, kind_of
from muniment.lexical.planner import BUDGET, Plan, content_terms, match_all, match_any, plan, quote
from muniment.store.records import NamespaceState, Then
from muniment.store.sqlite.kept import Kept
from muniment.store.sqlite.rows import MASK, SHIFT, TAIL, TERMS_OF, Row

FEW: Final = 1000
"""Claims up to which a term's list is read to count them; of more the index's vocabulary tells the number."""

WHOLE: Final = BUDGET
"""Claims up to which a term's list may be read whole, and kept."""

COMPARED: Final = 20
"""Claims that hold two terms, and are looked at for whether these stand side by side: the newest."""

TOGETHER: Final = 4
"""Terms whose lists are read with one statement, at most: there is a statement for each number of them."""

_LIST: Final = f"json_group_array(rowid & {MASK})"
_IDXS: Final = f"SELECT {_LIST} FROM lexical_fts WHERE lexical_fts MATCH ?"
_BOTH: Final = f"{_IDXS} UNION ALL {_IDXS}"
_SINCE: Final = f"{_IDXS} AND rowid >= ? AND rowid < ?"
_MORE: Final = "SELECT count(*) FROM lexical_fts WHERE lexical_fts MATCH ? AND rowid >= ? AND rowid < ?"
_FEW: Final = f"SELECT {_LIST} FROM (SELECT rowid FROM lexical_fts WHERE lexical_fts MATCH ? LIMIT {FEW + 1})"
_NEWEST: Final = (
    f"SELECT {_LIST} FROM (SELECT rowid FROM lexical_fts WHERE lexical_fts MATCH ?"
    " AND rowid >= ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?)"
)
_KNOWN: Final = "SELECT v.term FROM json_each(?) j CROSS JOIN temp.lexical_terms v ON v.term = j.value"
_COUNT: Final = "SELECT doc FROM temp.lexical_terms WHERE term = ?"


@lru_cache
def _few(lists: int) -> str:
    return " UNION ALL ".join([_FEW] * lists)


def _spaced(stored: str) -> str:
    """Return the terms of claims with a space on either side of each, and no two of different fields side by side."""
    return f" {stored} ".replace("\n", " \n ")


class Look:
    """The postings that one query may see: FTS5 and the tail, with their statistics (``candidates.Postings``)."""

    def __init__(
        self, cursor: Any, ns: NamespaceState, rows: Sequence[Row], terms: Sequence[Term], kept: Kept, then: Then
    ) -> None:
        self._cursor, self._kept, self._then = cursor, kept, then
        self.asked = content_terms(terms)
        self._base = ns.id << SHIFT
        self._to = self._base | ns.indexed  # ids from here on are the tail
        parts = [row[0] for row in rows]
        self._parts = set(parts)
        self.parts = jsontext.dumps(parts).decode()
        self._marks = [f"{part}:" for part in parts]
        self._key_marks = [f"{part}=" for part in parts]
        known = [row for row in rows if row[1]]  # scopes in which something is indexed
        self._seen = tuple([(row[0], row[3]) for row in known])
        self._ids = kind_of(ns.size)
        self.documents, length = sum([row[1] for row in known]), sum([row[2] for row in known])
        self._lists: dict[str, tuple[Ids, Ids]] = {}
        """Of terms whose lists were looked at, what the index tells: the claims that hold one, and in their key."""
        self._fresh: list[tuple[int, int, str]] = []
        """What the index does not tell: the tail, and what was worded otherwise then. Index in the log, partition and terms,
        of other scopes too."""
        self._tail: dict[int, tuple[set[str], set[str]]] = {}
        self._otherwise: dict[int, set[str]] = {}
        """What the index holds of claims that were worded otherwise then."""
        as_one = joined(terms)
        wanted = [term.text for term in (*self.asked, *as_one)]
        if then or ns.indexed < ns.size:
            length += self._read_tail(set(wanted))
        self.frequencies = self._count(wanted)
        self.plan: Plan = plan((*self._apart(), *as_one), self.frequencies, self.documents)
        self.scorer = Scorer(self.plan.terms, Statistics(self.documents, length, self.frequencies))

    def _read_tail(self, wanted: set[str]) -> int:
        """Read what the index does not tell; return by how many terms there are more, or fewer, than it holds."""
        rows = self._cursor.execute(TAIL, (self._to, self._base | MASK)).fetchall()
        self._fresh = [(id & MASK, part, stored) for id, part, stored in rows if id & MASK not in self._then]
        self._fresh += [(idx, *worded) for idx, worded in self._then.items()]
        length = -self._read_otherwise()
        for idx, part, stored in self._fresh:
            if part in self._parts:
                held = stored.split()
                self.documents += idx not in self._otherwise  # which the index has counted
                length += len(held)
                if not wanted.isdisjoint(held):
                    key = stored[: stored.index("\n")].split()
                    self._tail[idx] = (wanted.intersection(held), wanted.intersection(key))
        return length

    def _read_otherwise(self) -> int:
        """Read what the index holds of claims that were worded otherwise; return how many terms that are."""
        seen = [idx for idx, (part, _) in self._then.items() if part in self._parts and self._base | idx < self._to]
        if not seen:
            return 0
        rows = self._cursor.execute(TERMS_OF, (jsontext.dumps(seen).decode(), self._base)).fetchall()
        held = {idx: stored.split() for idx, stored in rows}
        self._otherwise = {idx: set(terms) for idx, terms in held.items()}
        return sum(map(len, held.values()))

    def _apart(self) -> list[Term]:
        """Return the terms asked for; a word that no claim holds gives way to the two that one holds in its place."""
        unknown = [term for term in self.asked if not self.frequencies[term.text]][:DIVIDED]
        pairs = {term.text: list(divided(term)) for term in unknown}
        if not any(pairs.values()):
            return list(self.asked)
        fresh = _spaced("\n".join([stored for _, part, stored in self._fresh if part in self._parts]))
        indexed = self._indexed_among({half.text for each in pairs.values() for pair in each for half in pair})
        found: dict[str, Term] = {}
        for term in self.asked:
            halves = next((pair for pair in pairs.get(term.text, ()) if self._adjacent(pair, fresh, indexed)), ())
            if halves:
                self._add([half.text for half in halves])
            for each in halves or (term,):
                found.setdefault(each.text, each)
        return list(found.values())

    def _indexed_among(self, terms: Collection[str]) -> set[str]:
        """Return which of some terms the index knows, by one look at its vocabulary."""
        marked = {f"{mark}{term}": term for mark in self._marks for term in terms}
        rows = self._cursor.execute(_KNOWN, (jsontext.dumps(list(marked)).decode(),)).fetchall()
        return {marked[term] for (term,) in rows}

    def _adjacent(self, pair: tuple[Term, Term], fresh: str, indexed: Collection[str]) -> bool:
        """Say whether a claim holds two terms side by side: one of the tail, or one of the newest that hold both."""
        one, other = pair[0].text, pair[1].text
        if (wanted := f" {one} {other} ") in fresh:
            return True
        if one not in indexed or other not in indexed:
            return False
        both = jsontext.dumps(list(self.newest((one, other), COMPARED))).decode()
        rows = self._cursor.execute(TERMS_OF, (both, self._base)).fetchall()
        return any(wanted in _spaced(terms) for _, terms in self.worded(rows))

    def _add(self, terms: Sequence[str]) -> None:
        """Learn which claims hold some more terms."""
        for idx, part, stored in self._fresh:
            held = set(terms).intersection(stored.split()) if part in self._parts else ()
            if not held:
                continue
            in_all, in_key = self._tail.setdefault(idx, (set(), set()))
            in_all |= held
            in_key |= held.intersection(stored[: stored.index("\n")].split())
        self.frequencies |= self._count(terms)

    def _count(self, terms: Sequence[str]) -> dict[str, int]:
        """Count the claims that hold each term. The list of a rare one is read for that, and kept."""
        found = {term: sum(1 for held, _ in self._tail.values() if term in held) for term in terms}
        if not self._seen:
            return found
        fresh = [term for term in terms if not self._know(term) and not self._counted(term)]
        for first in range(0, len(fresh), TOGETHER):
            self._read_few(fresh[first : first + TOGETHER])
        for term in terms:
            known = self._lists.get(term)
            if known is None:
                found[term] += self._indexed(term) - sum([term in held for held in self._otherwise.values()])
            else:
                found[term] += len(known[0])
        return found

    def _know(self, term: str) -> bool:
        """Say whether the lists of a term are known from an earlier search; what came since is added to them."""
        kept = self._kept.lists(self._seen, term, self._to)
        if kept is None:
            return False
        to, claims, keyed = kept
        if to == self._to:
            self._lists[term] = self._unchanged(claims), self._unchanged(keyed)
            return True
        ours, of_keys = [self._read(_SINCE, match, to, self._to)[0] for match in self._matches(term)]
        self._keep(term, claims | ours, keyed | of_keys)
        return True

    def _keep(self, term: str, claims: Ids, keyed: Ids) -> None:
        """Note the lists of a term, for this search and for others."""
        self._kept.keep(self._seen, term, self._to, claims, keyed)
        self._lists[term] = self._unchanged(claims), self._unchanged(keyed)

    def _counted(self, term: str) -> bool:
        return any(self._kept.count(part, removals, term, self._to) for part, removals in self._seen)

    def _read_few(self, terms: Sequence[str]) -> None:
        """Read the lists of those terms that few claims hold."""
        matches = [match for term in terms for match in self._matches(term)]
        lists = self._read(_few(len(matches)), *matches)
        for term, claims, keyed in zip(terms, lists[::2], lists[1::2], strict=True):
            if len(claims) <= FEW:
                self._keep(term, claims, keyed)

    def _indexed(self, term: str) -> int:
        return sum([self._indexed_in(part, removals, term) for part, removals in self._seen])

    def _indexed_in(self, part: int, removals: int, term: str) -> int:
        """Count exactly; what was counted once is only added to, while nothing was removed from the partition."""
        known = self._kept.count(part, removals, term, self._to)
        if known is None:
            row = self._cursor.execute(_COUNT, (f"{part}:{term}",)).fetchone()
            count = row[0] if row else 0
        elif known[0] == self._to:
            return known[1]
        else:
            more = quote(term, f"{part}:"), known[0], self._to
            count = known[1] + self._cursor.execute(_MORE, more).fetchone()[0]
        if count > FEW:
            self._kept.tell(part, removals, term, self._to, count)
        return int(count)

    def _matches(self, term: str) -> list[str]:
        """Return what finds the claims that hold a term, and those that hold it in their key."""
        return [match_any([term], marks) for marks in (self._marks, self._key_marks)]

    def _read(self, sql: str, *bindings: Any) -> list[Ids]:
        return [self._ids(jsontext.loads(row[0])) for row in self._cursor.execute(sql, bindings).fetchall()]

    def holding(self, term: str, among: Sequence[str]) -> Ids:
        """Return the claims that hold a term; of a long list that is not kept, those that hold one of some others too."""
        if term in self._lists or (self.frequencies[term] <= WHOLE and self._worth_reading(term)):
            return self.driving(term)[0]
        return self._unchanged(self._read(_IDXS, self._match(term, self._marks, among))[0]) | self._in_tail(term)[0]

    def driving(self, term: str, among: Sequence[str] = ()) -> Driven:
        """Return the claims that hold a term, and those that hold it in their key; with ``among``, as :meth:`holding`."""
        if term in self._lists:
            claims, keyed = self._lists[term]
        elif among and not self._worth_reading(term):
            both = [self._match(term, marks, among) for marks in (self._marks, self._key_marks)]
            claims, keyed = map(self._unchanged, self._read(_BOTH, *both))
        else:
            self._keep(term, *self._read(_BOTH, *self._matches(term)))
            claims, keyed = self._lists[term]
        if not self._tail:
            return claims, keyed
        fresh, fresh_keyed = self._in_tail(term)
        return claims | fresh, keyed | fresh_keyed

    def _worth_reading(self, term: str) -> bool:
        return self._kept.worth_reading(self._seen, term, self.frequencies[term])

    def _match(self, term: str, marks: Sequence[str], among: Sequence[str]) -> str:
        return f"({match_any(among, self._marks)}) AND ({match_any([term], marks)})"

    def _in_tail(self, term: str) -> tuple[Ids, Ids]:
        holding = [(idx, key) for idx, (held, key) in self._tail.items() if term in held]
        return self._ids([idx for idx, _ in holding]), self._ids([idx for idx, key in holding if term in key])

    def newest(self, terms: Sequence[str], limit: int) -> Ids:
        """Return the newest claims that hold all the terms."""
        fresh = [idx for idx, (held, _) in self._tail.items() if held.issuperset(terms)]
        bounds = self._base, self._base | MASK, limit + len(self._then)
        indexed = self._unchanged(self._read(_NEWEST, match_all(terms, self._marks), *bounds)[0])
        return (indexed | self._ids(fresh))[-limit:]

    def _unchanged(self, indexed: Ids) -> Ids:
        """Return those of some claims of the index that it knows by the words they had."""
        return indexed - self._ids(self._then) if self._then else indexed

    def among(self, idxs: Sequence[int]) -> Sequence[int]:
        """Leave out of some claims those that hold no term of the query, where its lists were read."""
        terms = [term.text for term in self.plan.terms]
        if not self._lists.keys() >= set(terms):
            return idxs
        holding = self._ids().union(*[self._lists[term][0] for term in terms])
        return [idx for idx in idxs if idx in holding or idx in self._tail]

    def worded(self, rows: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """Return claims with their terms, as they were worded."""
        then = self._then
        return [(idx, then[idx][1] if idx in then else stored) for idx, stored in rows] if then else rows

    def batches(self) -> Iterator[list[int]]:
        """Yield the indexes of candidates in the log, a batch at a time, the most promising first."""
        return gather(self.plan, self, CUT)

    def match(self, terms: str | None) -> Match:
        """Return how a claim answers the query, by its stored terms; all zero without any."""
        key, text, tags = ("", "", "") if terms is None else terms.split("\n")
        return self.scorer.match((key.split(), text.split(), tags.split()))

    def best(self) -> float:
        """Return roughly what a claim that holds every term once would score.

        A word that nobody has said counts like one that was said once: a claim that holds the others only answers that
        much less.
        """
        return sum(t.weight * idf(max(1, self.frequencies[t.text]), self.documents) for t in self.asked)
