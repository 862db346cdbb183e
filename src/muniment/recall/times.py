"""The times that a query names.

Read are dates (``2023-05-12``, *12 May 2023*, *May 12th*), months and years, and times that are told from now
(*yesterday*, *last week*, *last Tuesday*, *three months ago*). A month or a year by itself counts only where a word before
it says that it is a time: *April* and *May* are names as well, and *2023* may be a port. Days are those of UTC.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import Final, NamedTuple

from muniment.claims.intervals import DAY, Span
from muniment.claims.moments import Granularity, granule_at
from muniment.patterns import pattern

LONGEST: Final = 2_000
"""Characters of a query that are looked through: what is longer is a document, and names any number of times."""

MOST: Final = 16
"""Times that count, the first of them. Each claim that is ranked is held against each, and whoever pastes a log asks for
no time of those in it."""

_YEARS: Final = range(1900, 2100)
"""Years that are read without a day or a month in words. Other numbers of four figures are bytes, users and ports."""

_MONTH_NAMES: Final = (
    "january jan januar janvier enero gennaio janeiro januari января январь январе",
    "february feb februar février febrero febbraio fevereiro februari февраля февраль феврале",
    "march mar märz mars marzo março maart марта март марте",
    "april apr avril abril aprile апреля апрель апреле",
    "may mai mayo maggio maio mei мая май мае",
    "june jun juni juin junio giugno junho июня июнь июне",
    "july jul juli juillet julio luglio julho июля июль июле",
    "august aug août agosto augustus августа август августе",
    "september sep sept septembre septiembre settembre setembro сентября сентябрь сентябре",
    "october oct oktober octobre octubre ottobre outubro октября октябрь октябре",
    "november nov novembre noviembre novembro ноября ноябрь ноябре",
    "december dec dezember décembre diciembre dicembre dezembro декабря декабрь декабре",
)
_MONTHS: Final = {name: n for n, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}

_INTRODUCING: Final = """
in during since until till by from before after around throughout early mid late
im in seit bis ab vor nach während anfang mitte ende en durante desde hasta depuis pendant dès fin début
nel dal durante em desde até sinds tot tijdens в с до за
"""
_BEFORE_TIMES: Final = frozenset(_INTRODUCING.split())
_BEFORE_MONTHS: Final = _BEFORE_TIMES | {"last", "this", "past"}
"""*Last May* is a time; *the last 2000* are so many."""

_PART_NAMES: Final = """
end beginning start middle ende anfang mitte fin début final fine inizio eind begin конце начале
"""
_PARTS: Final = frozenset(_PART_NAMES.split())
"""*The end of May*: a part of a month counts as the month, if a word joins the two."""

_NAMES: Final = frozenset(("april", "may", "june", "jan", "august", "mars", "julio", "augustus"))
"""Months that are persons and places as well: what is *from April*, or *by May*, may be theirs."""

_VERBS: Final = ("may", "march")
"""Months that are verbs as well, where they are written small: *this may fail*, *up to 5 may connect*."""

_WITHIN: Final = """
of de do di del du the den d il
"""
_JOINING: Final = frozenset(_WITHIN.split())
"""Words between the parts of a date."""

_ORDINALS: Final = ("st", "nd", "rd", "th", "er", "re", "º", "ª")

_DAYS_AGO: Final = {
    "today": 0, "tonight": 0, "yesterday": 1, "heute": 0, "gestern": 1, "hoy": 0, "ayer": 1, "oggi": 0, "ieri": 1,
    "hoje": 0, "ontem": 1, "vandaag": 0, "gisteren": 1, "сегодня": 0, "вчера": 1,
}  # fmt: skip
_COUNTING: Final = """
a two three four five six seven eight nine ten eleven twelve
"""
_NUMBERS: Final = {word: n for n, word in enumerate(_COUNTING.split(), 1)} | {"an": 1, "one": 1}
_UNITS: Final = {unit + ending: unit for unit in ("day", "week", "month", "year") for ending in ("", "s")}

_WORD: Final = pattern(r"[^\W_]+")
_DIGIT: Final = pattern(r"(?![0-9])\d")
_YEAR_FIRST: Final = pattern(
    r"(?<![\w-])([12][0-9]{3})[-/]([0-9]{1,2})(?:[-/]([0-9]{1,2})(?:(?=t[0-9]{2})|(?![\w-]))|(?![\w-]))"
    r"|([12][0-9]{3})\s?[年년](?:\s?([0-9]{1,2})\s?[月월](?:\s?([0-9]{1,2})\s?[日일])?)?"
)
_DAY_FIRST: Final = pattern(r"(?<![\w./-])([0-9]{1,2})([./])([0-9]{1,2})\2([12][0-9]{3})(?![\w-]|[./][0-9])")
EPOCH: Final = date(1970, 1, 1)


class Times(NamedTuple):
    """The times that a query names.

    Args:
        spans: Stretches of time, in microseconds since 1970-01-01T00:00Z.
        months: Months of any year, 1 to 12.
    """

    spans: tuple[Span, ...] = ()
    months: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.spans or self.months)


NO_TIMES: Final = Times()


def times_of(query: str, now: int) -> Times:
    """Return the times that a query names.

    Args:
        query: Any text.
        now: When it is asked, in microseconds since 1970-01-01T00:00Z.

    Example:
        >>> at = times_of("What did Ana paint in May 2023?", 0)
        >>> [str(EPOCH + timedelta(edge // DAY)) for edge in at.spans[0]]
        ['2023-05-01', '2023-06-01']
        >>> times_of("Which port does May use, 2023 or 2024?", 0)
        Times(spans=(), months=())
    """
    from muniment.recall.weekdays import weekdays  # a hook names no day

    text = _DIGIT.sub(lambda found: str(int(found[0])), _beginning(query))
    said: list[str] = _WORD.findall(text)
    words = [word.lower() for word in said]
    spans, months = list(_in_figures(text.lower())), list[int]()
    for n, word in enumerate(words):
        if word in _MONTHS:
            found = _dated(words, n, said[n] in _VERBS)
            if isinstance(found, int):
                months.append(found)
            elif found is not None:
                spans.append(found)
        elif n and words[n - 1] in _BEFORE_TIMES and (year := _year_of(word)) in _YEARS:
            spans += granule(year)
    today = EPOCH + timedelta(now // DAY)
    spans += _told_from(words, today)
    spans += [_span(day, day + timedelta(1)) for day in weekdays(words, today)]
    return Times(tuple(dict.fromkeys(spans))[:MOST], tuple(dict.fromkeys(months)))


def _beginning(query: str) -> str:
    """Return what is looked through of a query: as much as may be, without the word that would be cut."""
    return query if len(query) <= LONGEST else query[:LONGEST].rpartition(" ")[0]


def _dated(words: Sequence[str], n: int, verb: bool) -> Span | int | None:
    """Return what the name of a month stands for, with the day and the year around it: a month alone as its number."""
    month, before, after = _MONTHS[words[n]], _past(words, n, -1), _past(words, n, 1)
    day = _day(_at(words, before))
    if day is not None:
        before = _past(words, before, -1)
    elif (day := _day(_at(words, after))) is not None:
        after = _past(words, after, 1)
    year, led = _year_of(_at(words, after)), _at(words, before)
    if year is not None:
        return next(iter(granule(year, month, day)), None)
    if day is not None:
        return month if led == "on" or not verb else None
    unsure = (verb and led in ("this", "past")) or (words[n] in _NAMES and led in ("by", "from"))
    part = led in _PARTS and before < n - 1
    return month if (part or led in _BEFORE_MONTHS) and not unsure else None


def _at(words: Sequence[str], n: int) -> str:
    return words[n] if 0 <= n < len(words) else ""


def _past(words: Sequence[str], n: int, step: int) -> int:
    """Return where the next word stands that does not join the parts of a date."""
    n += step
    while _at(words, n) in _JOINING:
        n += step
    return n


def _day(word: str) -> int | None:
    """Return the day of a month that a word is: 3, 3rd."""
    for ending in _ORDINALS:
        word = word.removesuffix(ending)
    return int(word) if word.isdecimal() and len(word) <= 2 and 1 <= int(word) <= 31 else None


def _year_of(word: str) -> int | None:
    """Return the year that a word is: four figures from 1000 to 2999."""
    return int(word) if len(word) == 4 and word.isdecimal() and word[0] in "12" else None


def _in_figures(text: str) -> Iterator[Span]:
    """Yield what dates in figures stand for. 05/03/2023 is a day in May, or one in March: it stands for both."""
    for found in _YEAR_FIRST.finditer(text):
        year, *rest = (figures for n in (1, 2, 3) if (figures := found[n] or found[n + 3]))
        if len(rest) == 2 or int(year) in _YEARS:
            yield from granule(int(year), *map(int, rest))
    for found in _DAY_FIRST.finditer(text):
        one, other, year = int(found[1]), int(found[3]), int(found[4])
        yield from granule(year, other, one)
        if found[2] == "/":
            yield from granule(year, one, other)


@lru_cache(maxsize=256)
def granule(year: int, month: int | None = None, day: int | None = None) -> tuple[Span, ...]:
    """Return a year, a month or a day; nothing if there is no such one."""
    try:
        first = date(year, 1 if month is None else month, 1 if day is None else day)
    except ValueError:
        return ()
    size = Granularity.DAY if day else Granularity.MONTH if month else Granularity.YEAR
    found = granule_at((first - EPOCH).days * DAY, size)
    return ((found.start, found.end),)


def _span(first: date, after: date) -> Span:
    return (first - EPOCH).days * DAY, (after - EPOCH).days * DAY


def _told_from(words: Sequence[str], today: date) -> Iterator[Span]:
    """Yield the times that are told from now."""
    for n, word in enumerate(words):
        one = words[n - 1] if n else ""
        if word in _DAYS_AGO:
            yield from _back("day", _DAYS_AGO[word], today)
        elif word == "ago" and n > 1 and one in _UNITS:
            number = int(words[n - 2]) if words[n - 2].isdecimal() else _NUMBERS.get(words[n - 2], -1)
            yield from _back(_UNITS[one], number, today)
        elif one in ("last", "past", "previous", "this"):
            back = int(one != "this")
            if word in ("week", "month", "year"):
                yield from _back(word, back, today)
            elif word == "weekend":
                saturday = today - timedelta((today.weekday() - 5) % 7)
                yield _span(saturday, saturday + timedelta(2))
            elif word == "night":
                yield from _back("day", back, today)


def _back(unit: str, number: int, today: date) -> Iterator[Span]:
    """Yield the day, week, month or year so many before this one; nothing for a number that is none."""
    if not 0 <= number <= 10_000:
        return
    try:
        if unit == "day":
            first = today - timedelta(number)
            yield _span(first, first + timedelta(1))
        elif unit == "week":
            monday = today - timedelta(today.weekday() + 7 * number)
            yield _span(monday, monday + timedelta(7))
        elif unit == "month":
            months = today.year * 12 + today.month - 1 - number
            yield from granule(months // 12, months % 12 + 1)
        else:
            yield from granule(today.year - number)
    except (ValueError, OverflowError):
        return
