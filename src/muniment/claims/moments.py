"""Instants, granules and valid periods.

An instant is an ``int``: microseconds since 1970-01-01T00:00Z (proleptic Gregorian calendar, no leap seconds).
A *granule* is what a date says: a day, a month or a year, as the half-open stretch [start, end); an instant is
the granule [t, t + 1). Naive dates and times are UTC; the machine's time zone plays no part.
"""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Final

from muniment.claims.intervals import DAY, FOREVER, NEVER, SECOND
from muniment.errors import ValidationError
from muniment.patterns import pattern
from muniment.quick import dataclass

_EPOCH_ORDINAL: Final = 719_163  # date(1970, 1, 1).toordinal()
_FIRST: Final = (1 - _EPOCH_ORDINAL) * DAY  # 0001-01-01T00:00Z
_LAST: Final = (date.max.toordinal() + 1 - _EPOCH_ORDINAL) * DAY  # 10000-01-01T00:00Z, excluded

_FORM: Final = pattern(
    r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})"
    r"(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})?)?)?)?"
)
_ADVICE: Final = "Use YYYY, YYYY-MM, YYYY-MM-DD or RFC 3339 such as 2024-03-05T10:30:00Z."


class Granularity(StrEnum):
    """How exactly a moment was given."""

    INSTANT = "instant"
    DAY = "day"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Moment:
    """A granule of time.

    Args:
        start: First instant, in microseconds since 1970-01-01T00:00Z.
        end: First instant after it (``start + 1`` for an instant).
        granularity: How exactly it was given.

    Example:
        >>> str(parse_moment("2024-03", "valid_from"))
        '2024-03'
    """

    start: int
    end: int
    granularity: Granularity

    def __str__(self) -> str:
        return format_instant(self.start, self.granularity)


def _civil(us: int) -> tuple[int, int, int]:
    """Return year, month and day of an instant; the first instant of year 10000 too."""
    ordinal = us // DAY + _EPOCH_ORDINAL
    if ordinal > date.max.toordinal():
        return 10_000, 1, 1
    day = date.fromordinal(ordinal)
    return day.year, day.month, day.day


def _day_start(year: int, month: int, day: int) -> int:
    if year > 9999:
        return _LAST
    return (date(year, month, day).toordinal() - _EPOCH_ORDINAL) * DAY


def granule_at(us: int, granularity: Granularity) -> Moment:
    """Return the granule of that granularity which holds the instant.

    Args:
        us: Microseconds since 1970-01-01T00:00Z, in the years 1 to 9999.
        granularity: The size of the granule.

    Raises:
        ValidationError: The instant is outside the years 1 to 9999.

    Example:
        >>> str(granule_at(1_709_632_800_000_000, Granularity.MONTH))
        '2024-03'
    """
    if not _FIRST <= us < _LAST:
        raise ValidationError("An instant is outside the years 1 to 9999.", advice="Leave the bound open.")
    if granularity is Granularity.INSTANT:
        return Moment(us, us + 1, granularity)
    year, month, day = _civil(us)
    if granularity is Granularity.DAY:
        start = _day_start(year, month, day)
        return Moment(start, start + DAY, granularity)
    if granularity is Granularity.MONTH:
        after = (year + 1, 1) if month == 12 else (year, month + 1)
        return Moment(_day_start(year, month, 1), _day_start(*after, 1), granularity)
    return Moment(_day_start(year, 1, 1), _day_start(year + 1, 1, 1), granularity)


def parse_moment(obj: object, what: str) -> Moment:
    """Read a date, month, year or instant.

    Args:
        obj: ``YYYY``, ``YYYY-MM``, ``YYYY-MM-DD``, RFC 3339 with ``T`` or a space (seconds may be left out; more
            than six decimals are cut to microseconds; a leap second is the second after it), a ``date``, a
            ``datetime`` (naive = UTC) or a :class:`Moment`.
        what: The argument's name, for the error.

    Raises:
        ValidationError: It is none of these, or not in the calendar, or outside the years 1 to 9999.

    Example:
        >>> parse_moment("1970-01-01", "valid_from").end
        86400000000
    """
    if isinstance(obj, str):
        return _parse_text(obj, what)
    if isinstance(obj, datetime):
        return _from_datetime(obj, what)
    if isinstance(obj, date):
        start = (obj.toordinal() - _EPOCH_ORDINAL) * DAY
        return Moment(start, start + DAY, Granularity.DAY)
    if isinstance(obj, Moment):
        if obj != granule_at(obj.start, obj.granularity):
            raise ValidationError(f"{what} is no whole granule.", advice="Use granule_at or parse_moment.")
        return obj
    if isinstance(obj, (int, float)) and not isinstance(obj, bool):
        raise ValidationError(
            f"{what} is a bare number, whose unit cannot be known.",
            advice=f"{_ADVICE} Of a timestamp, pass the instant that it stands for, with its time zone.",
        )
    if obj is None:
        raise ValidationError(f"{what} is missing.", advice=_ADVICE)
    raise ValidationError(f"{what} must be a date or a time, not {type(obj).__name__}.", advice=_ADVICE)


def _from_datetime(value: datetime, what: str) -> Moment:
    offset = value.utcoffset()
    us = (value.toordinal() - _EPOCH_ORDINAL) * DAY + value.microsecond
    us += (value.hour * 3600 + value.minute * 60 + value.second) * SECOND
    if offset is not None:
        us -= (offset.days * 86_400 + offset.seconds) * SECOND + offset.microseconds
    return _instant(us, what)


def _instant(us: int, what: str) -> Moment:
    if not _FIRST <= us < _LAST:
        raise ValidationError(f"{what} is outside the years 1 to 9999 in UTC.", advice="Leave the bound open.")
    return Moment(us, us + 1, Granularity.INSTANT)


def _parse_text(text: str, what: str) -> Moment:
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValidationError(f"{what} is not a date or time that can be read.", advice=_ADVICE)
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        start = (date(int(year), int(month or 1), int(day or 1)).toordinal() - _EPOCH_ORDINAL) * DAY
    except ValueError:
        raise ValidationError(f"{what} is not a day of the calendar.", advice=_ADVICE) from None
    if hour is None:
        size = Granularity.DAY if day else Granularity.MONTH if month else Granularity.YEAR
        return granule_at(start, size)
    offset = _offset(zone, what)
    seconds = _seconds(int(hour), int(minute), int(second or 0), offset, what)
    us = int(fraction[:6].ljust(6, "0")) if fraction else 0
    return _instant(start + (seconds - offset) * SECOND + us, what)


def _offset(zone: str | None, what: str) -> int:
    """Return the offset from UTC in seconds."""
    if zone is None or zone in "Zz":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if hours > 23 or minutes > 59:
        raise ValidationError(f"{what} has an offset beyond 23:59.", advice=_ADVICE)
    return (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)


def _seconds(hour: int, minute: int, second: int, offset: int, what: str) -> int:
    """Return the seconds since local midnight."""
    if hour == 24:
        raise ValidationError(f"{what} has the hour 24.", advice="Write 00:00 of the next day.")
    if hour > 23 or minute > 59 or second > 60:
        raise ValidationError(f"{what} has no such time of day.", advice=_ADVICE)
    seconds = hour * 3600 + minute * 60 + second
    if second == 60 and (seconds - offset) % 86_400 != 0:
        raise ValidationError(
            f"{what} has a second 60 that is no leap second.", advice="Leap seconds end at 24:00 UTC."
        )
    return seconds


def point(obj: object, what: str) -> int:
    """Return the instant that ``obj`` means as a point in time: a granule's first instant.

    Raises:
        ValidationError: As :func:`parse_moment`.

    Example:
        >>> point("1970-01-02", "valid_at")
        86400000000
    """
    return parse_moment(obj, what).start


def format_instant(us: int, granularity: Granularity = Granularity.INSTANT) -> str:
    """Write an instant no more exactly than it was given.

    Args:
        us: Microseconds since 1970-01-01T00:00Z; ``NEVER`` and ``FOREVER`` are written as ``unbounded``.
        granularity: How exactly it was given.

    Example:
        >>> format_instant(0), format_instant(0, Granularity.MONTH)
        ('1970-01-01T00:00:00Z', '1970-01')
    """
    if us in (NEVER, FOREVER):
        return "unbounded"
    if not _FIRST <= us <= _LAST:
        raise ValidationError("An instant is outside the years 1 to 9999.", advice="Leave the bound open.")
    year, month, day = _civil(us)
    if granularity is Granularity.YEAR:
        return f"{year:04d}"
    if granularity is Granularity.MONTH:
        return f"{year:04d}-{month:02d}"
    if granularity is Granularity.DAY:
        return f"{year:04d}-{month:02d}-{day:02d}"
    seconds, fraction = divmod(us % DAY, SECOND)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    tail = f".{fraction:06d}Z" if fraction else "Z"
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}{tail}"


def format_end(us: int, granularity: Granularity = Granularity.INSTANT) -> str:
    """Write the end of a half-open period as it was given: a granule as its last one, an instant as itself.

    Example:
        >>> format_end(86_400_000_000, Granularity.DAY)
        '1970-01-01'
    """
    if granularity is Granularity.INSTANT or us in (NEVER, FOREVER):
        return format_instant(us, granularity)
    return format_instant(us - 1, granularity)


@dataclass(frozen=True, slots=True)
class Period:
    """A valid period as a half-open stretch of instants.

    Args:
        start: First instant; ``NEVER`` for the unbounded past.
        end: First instant after it; ``FOREVER`` for until further notice.
        explicit_start, explicit_end: Whether the caller stated them.
        start_granule, end_granule: What the caller stated, or None. An end granule of a day or longer is the
            last part of the period; an instant is the first after it.
        timing_uncertain: No start was given and none could be taken from the time of recording.
    """

    start: int
    end: int
    explicit_start: bool
    explicit_end: bool
    start_granule: Moment | None
    end_granule: Moment | None
    timing_uncertain: bool

    @property
    def start_until(self) -> int:
        """First instant after the start's granule: ``start + 1`` unless a day, month or year was stated."""
        return self.start_granule.end if self.start_granule is not None else self.start + 1

    @property
    def end_from(self) -> int:
        """First instant of the end's granule: ``end`` unless a day, month or year was stated."""
        return self.end_granule.start if self.end_granule is not None else self.end


def resolve_period(valid_from: Moment | None, valid_to: Moment | None, recorded_at: int) -> Period:
    """Turn the dates of a statement into a half-open stretch of valid time.

    Without a start the period begins at ``recorded_at`` when its end is later or open, else in the unbounded past
    (flagged). A day, month or year as an end is included whole. Application-time periods as in SQL:2011.

    Args:
        valid_from: The stated start, or None.
        valid_to: The stated end, or None.
        recorded_at: Transaction time, microseconds since 1970-01-01T00:00Z.

    Raises:
        ValidationError: The end is not after the start.

    Example:
        >>> day = parse_moment("2024-03-05", "valid_from")
        >>> span = resolve_period(day, day, 0)
        >>> (span.end - span.start) // DAY
        1
    """
    end = FOREVER
    if valid_to is not None:
        exact = valid_to.granularity is Granularity.INSTANT
        end = valid_to.start if exact else valid_to.end
    uncertain = valid_from is None and end <= recorded_at
    start = valid_from.start if valid_from is not None else NEVER if uncertain else recorded_at
    if start >= end:
        raise ValidationError(
            "The valid period is empty: valid_to is not after valid_from.",
            advice="A day, month or year given as valid_to is included; a time of day is not.",
        )
    return Period(start, end, valid_from is not None, valid_to is not None, valid_from, valid_to, uncertain)
