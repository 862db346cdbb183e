"""The days of the week that a query names: *last Tuesday*, *on Friday*, *am Montag*, *mardi dernier*.

A name of a day alone counts for nothing: *Friday* is a person and a meeting that comes every week. A word beside it says
which one is meant, and where that leaves two days, it stands for both: *on Friday* may be past or to come, and *last
Tuesday*, asked on a Wednesday, is yesterday for some and a week ago for others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final

_NAMES: Final = (
    "monday montag lundi lunes lunedì segunda maandag понедельник",
    "tuesday dienstag mardi martes martedì terça dinsdag вторник",
    "wednesday mittwoch mercredi miércoles mercoledì quarta woensdag среду",
    "thursday donnerstag jeudi jueves giovedì quinta donderdag четверг",
    "friday freitag vendredi viernes venerdì sexta vrijdag пятницу",
    "saturday samstag sonnabend samedi sábado sabato zaterdag субботу",
    "sunday sonntag dimanche domingo domenica zondag воскресенье",
)
WEEKDAYS: Final = {name: n for n, names in enumerate(_NAMES) for name in names.split()}

_NUMERALS: Final = frozenset(("segunda", "terça", "quarta", "quinta", "sexta"))
"""Days that are numbers as well, unless *feira* follows: *na segunda parte*."""

_THAT: Final = frozenset(("on", "am", "op", "el", "no", "na", "во", "в"))
_SAID: Final = {
    "last": "last past previous letzten vergangenen vorigen vorige afgelopen último última scorso scorsa прошлый прошлую прошлое",
    "this": "this diesen deze ce este esta nesta neste questo questa этот эту это",
    "next": "next coming nächsten kommenden volgende komende próximo próxima prossimo prossima следующий следующую следующее",
}  # fmt: skip
_BEFORE: Final = {word: what for what, words in _SAID.items() for word in words.split()}
_BEHIND: Final = {
    "dernier": "last", "passé": "last", "pasado": "last", "passado": "last", "passada": "last", "scorso": "last",
    "scorsa": "last", "prochain": "next", "prossimo": "next", "prossima": "next", "próximo": "next", "próxima": "next",
}  # fmt: skip

_OTHERWISE: Final = frozenset(("среду",))
"""Days that are something else behind a word for *on*: *в среду* is into an environment as well."""


def weekdays(words: Sequence[str], today: date) -> Iterator[date]:
    """Yield the days that names of days stand for.

    Args:
        words: Of the query, in small letters.
        today: When it is asked.

    Example:
        >>> [str(day) for day in weekdays("what did ana say last tuesday".split(), date(2026, 11, 28))]
        ['2026-11-24', '2026-11-17']
        >>> [str(day) for day in weekdays("is friday on duty".split(), date(2026, 11, 28))]
        []
    """
    for n, word in enumerate(words):
        if word in WEEKDAYS:
            behind = n + 1
            if words[behind : behind + 1] == ["feira"]:
                behind += 1
            elif word in _NUMERALS:
                continue
            before, after = words[n - 1] if n else "", words[behind] if behind < len(words) else ""
            said = _BEHIND.get(after) or _BEFORE.get(before)
            if said is None and before in _THAT and word not in _OTHERWISE:
                said = "that"
            yield from _days(said, WEEKDAYS[word], today)


def _days(said: str | None, weekday: int, today: date) -> Iterator[date]:
    week = timedelta(7)
    ago = timedelta((today.weekday() - weekday) % 7)
    try:
        if said == "last":
            latest = today - (ago or week)
            yield latest
            if ago and weekday < today.weekday():  # earlier in this week, and so not in the last one
                yield latest - week
        elif said == "next":
            first = today - ago + week
            yield first
            if weekday > today.weekday():  # later in this week, and so not in the next one
                yield first + week
        elif said == "this":
            yield today + timedelta(weekday - today.weekday())
        elif said == "that":
            yield from (today - ago, today - ago + week)
    except OverflowError:
        return
