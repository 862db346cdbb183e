"""Kinds of plain arguments: texts, keys, ids, words, numbers, moments, lists of words.

Each has a legal value, and says what becomes of every class of bad input.
"""

from __future__ import annotations

import tempfile
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Final

from input.bad import (
    BLANKS,
    CANARY,
    CONTROLS,
    DATES,
    MIB,
    NEWLINES,
    NOT_FINITE,
    SHAPES,
    SURROGATES,
    YEARS,
    Make,
    circular,
    endless,
    lazy,
    nested,
    ref,
    types_but,
)
from input.cells import Kind, fine, kind, refused
from muniment.errors import NotFoundError

_LONG_KEY: Final = CANARY + "k" * 100_000

TEXT: Final = kind(
    "Ana moved to Faro",
    "A text",
    absent="deep not_finite range unknown date cursor shape elsewhere",
    type=refused(*types_but("str")),
    empty=refused(""),
    blank=refused(*BLANKS),
    huge=refused(CANARY + "z" * MIB, CANARY + "\u00e9" * (MIB // 2)),
    surrogate=refused(*SURROGATES),
    control=(refused(*CONTROLS), fine("two\nlines\tand a tab")),
)
"""A statement: one MiB at most, of several lines if need be."""

REASON: Final = TEXT.but("They said so", huge=refused(CANARY + "z" * 65_536))
"""A free text of 64 KiB."""

SHORT: Final = TEXT.but(
    "somebody", huge=refused(CANARY + "z" * 1_024, "\u00e9" * 600), control=refused(*CONTROLS, *NEWLINES)
)
"""One line: a name, a reference."""

KEY: Final = kind(
    "ana::city",
    "A key",
    absent="deep not_finite range date cursor shape elsewhere",
    type=refused(*types_but("str")),
    empty=refused("", "::", "ana::", "::city", ":::"),
    blank=refused(*BLANKS, " :: ", "ana:: "),
    huge=refused(_LONG_KEY, f"ana::{_LONG_KEY}"),
    surrogate=refused(*SURROGATES),
    control=refused(*CONTROLS, *NEWLINES, f"{CANARY}::\0"),
    unknown=fine("nobody::knows", "CITY of Ana"),
).needed()
"""The name of a line that is asked about; one that nothing was said of is no error."""

TARGET: Final = KEY.but(
    unknown=refused(f"{CANARY}::city", CANARY, error=NotFoundError),
    shape=refused(*SHAPES, error=NotFoundError),
    elsewhere=(
        refused(ref("foreign"), ref("hidden"), error=NotFoundError),
        refused("kim::city", "kim::drink", error=NotFoundError),
    ),
)
"""A key or the id of a claim, of which something must have been said."""

ID: Final = TARGET.but(
    ref("claim"),
    empty=refused(""),
    blank=refused(*BLANKS),
    huge=refused(CANARY + "0" * 64),
    unknown=refused("ana::city", f"{CANARY}::city", error=NotFoundError),
    control=refused(*CONTROLS),
)
"""The id of a claim that is read."""

DECIDED: Final = ID.but(
    huge=refused(CANARY + "0" * 100_000),
    unknown=(refused("ana::city"), refused(f"{CANARY}::city", error=NotFoundError)),
    control=refused(*CONTROLS, *NEWLINES),
)
"""The id of a claim that something is decided about: a key is none."""

_ZONE = timezone(timedelta(hours=1))
MOMENT: Final = kind(
    "2026-02-01",
    "A moment",
    absent="huge deep not_finite unknown cursor shape elsewhere",
    type=(
        refused(*types_but("str"), 10**5000, time(10, 0), timedelta(1), Decimal(7)),
        fine(date(2026, 2, 1), datetime(2026, 2, 1, tzinfo=UTC)),
    ),
    empty=refused(""),
    blank=refused(*BLANKS),
    surrogate=refused(*SURROGATES, "2024-01-01\ud800"),
    control=refused(*CONTROLS, "2024-01-01\0"),
    range=refused(
        *YEARS, datetime.min.replace(tzinfo=_ZONE), datetime(9999, 12, 31, 23, 30, tzinfo=timezone(-timedelta(hours=2)))
    ),
    date=refused(*DATES),
)
"""An instant or a date, or a text that says one."""

_HUGE_NUMBERS: Final = (10**400, 10**5000, -(10**5000), "1" * 100_000, Decimal("1e999999"), "1e999999999")
FRACTION: Final = kind(
    0.9,
    "A number",
    absent="deep unknown date cursor shape elsewhere",
    type=refused(*types_but("int", "float"), None.__class__),
    empty=refused(""),
    blank=refused(*BLANKS),
    huge=refused(*_HUGE_NUMBERS),
    surrogate=refused(*SURROGATES),
    control=refused(*CONTROLS, "0.5\0"),
    not_finite=refused(*NOT_FINITE, Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), "1e999"),
    range=(
        refused(-0.000001, 1.000001, -1, 2, "1.5", 7_345_129, 7345129.5, Decimal("1.01")),
        fine("0.5", 1, Decimal("0.25"), "5e-1", Decimal("1e-999999"), "1e-999999999"),
    ),
)
"""A number from 0 to 1, also as text."""


def whole(good: int, low: int, high: int) -> Kind:
    """A whole number within bounds, also as text."""
    return FRACTION.but(
        good,
        range=(
            refused(low - 1, high + 1, good + 0.5, f"{low - 1}", Decimal("1.5"), 7_345_129, 7345129.5, "1e-999999999"),
            fine(low, str(good), float(good), Decimal(good)),
        ),
    )


FLAG: Final = kind(
    True,
    "A switch",
    absent="deep not_finite range unknown date cursor shape elsewhere",
    type=refused(*types_but("bool"), 0, 1),
    empty=refused("", []),
    blank=refused(*BLANKS),
    huge=refused("z" * MIB, 10**5000),
    surrogate=refused(*SURROGATES),
    control=refused(*CONTROLS),
)
"""True or False; nothing else passes for one."""


def word(good: str) -> Kind:
    """A word of a closed vocabulary."""
    return kind(
        good,
        "A word",
        absent="deep not_finite range date cursor shape elsewhere",
        type=refused(*types_but("str"), 0, False, [], {}, ()),
        empty=refused(""),
        blank=refused(*BLANKS),
        huge=refused(CANARY * 100_000),
        surrogate=refused(*SURROGATES),
        control=refused(*CONTROLS, f"{good}\0", f"{good}\n"),
        unknown=refused(CANARY, good.upper(), f" {good}", f"{good},{CANARY}"),
    )


CHANNEL: Final = word("agent").but("user")

SESSION: Final = SHORT.but("a session")

WORDS: Final = kind(
    ["one", "two"],
    "A list of words",
    absent="not_finite range unknown date cursor shape elsewhere",
    type=(
        refused(
            *types_but("list", "tuple", "set", "generator"), [7_345_129], [None], [CANARY.encode()], [[CANARY]], (True,)
        ),
        fine(("one",), {"one", "two"}, lazy("one", "two"), ["one", "one"]),
    ),
    empty=(refused([""]), fine([], ())),
    blank=refused([" "], ["one", "\t"]),
    huge=refused(
        [f"{CANARY}{n}" for n in range(300)], [CANARY + "z" * 1_024], endless(), endless("one"), ["one"] * 300
    ),
    deep=refused(nested(40), circular()),
    surrogate=refused(*([text] for text in SURROGATES)),
    control=refused(*([text] for text in (*CONTROLS, *NEWLINES))),
)
"""Short texts of the caller's own, 256 at most."""

IDS: Final = WORDS.but(
    Make(lambda world: [world.claim]),
    type=(
        refused(*types_but("list", "tuple", "set", "generator"), [7_345_129], [None], [[CANARY]]),
        fine(Make(lambda world: (world.claim,)), Make(lambda world: iter([world.claim]))),
    ),
    unknown=refused(["ana::city"], error=NotFoundError),
    shape=refused(
        *([shape] for shape in SHAPES),
        Make(lambda world: [world.claim.upper()]),
        Make(lambda world: [world.claim.replace("-", "")]),
        Make(lambda world: [f" {world.claim}"]),
        error=NotFoundError,
    ),
    elsewhere=refused(
        Make(lambda world: [world.foreign]), Make(lambda world: [world.claim, world.hidden]), error=NotFoundError
    ),
)
"""Ids of claims."""


def choices(good: list[str]) -> Kind:
    """A list of words of a closed vocabulary."""
    return WORDS.but(
        good,
        type=(
            refused(*types_but("str", "list", "tuple", "set", "generator"), [7], [None], [[]]),
            fine(tuple(good), set(good)),
        ),
        unknown=refused([CANARY], [good[0], CANARY], [good[0].upper()], {CANARY}, (CANARY,)),
    )


_HEAD: Final = "3:" + "5f" * 32

HEADS: Final = WORDS.but(
    [_HEAD],
    type=(
        refused(*types_but("list", "tuple", "set", "generator"), [7], [None], [[]]),
        fine((_HEAD,), {_HEAD}, [_HEAD, _HEAD]),
    ),
    shape=refused(["3"], ["3:5f"], ["-3:" + "5f" * 32], ["03:" + "5f" * 32], [_HEAD.upper() + "F"], [f"{_HEAD}0"]),
    range=refused(["9223372036854775808:" + "5f" * 32]),
)
"""Heads of a log that were kept."""

EXPECT: Final = SHORT.but("none")
"""A version of a line. What it must equal is asked for in the tests of requests."""

REQUEST: Final = SHORT.but("request-1")
"""An idempotency key."""

PROGRESS: Final = kind(
    Make(lambda world: lambda done, total: None),
    "A function",
    absent="blank deep surrogate control not_finite range unknown date cursor shape elsewhere huge",
    type=refused(*types_but("function", "class")),
    empty=refused("", []),
)
"""A function that is called with (done, total)."""

INCLUDE: Final = choices(["superseded"]).but(
    type=(
        refused(*types_but("str", "list", "tuple", "set", "generator"), [7], [None]),
        fine("superseded", ("all",), {"held"}),
    ),
    empty=(refused("", [""]), fine([], ())),
    blank=refused(*BLANKS, [" "]),
    unknown=refused(CANARY, [CANARY], ["superseded", CANARY], ["ALL"]),
)
"""Standings."""


def cursor(name: str) -> Kind:
    """A cursor, as the same query returned it; the query needs a page size of one."""
    return kind(
        ref(name),
        "A cursor",
        absent="deep not_finite range date shape elsewhere unknown",
        type=refused(*types_but("str")),
        empty=refused(""),
        blank=refused(*BLANKS),
        huge=refused(CANARY * 1_000),
        surrogate=refused(*SURROGATES),
        control=refused(*CONTROLS),
        cursor=refused(
            CANARY,
            "AAAA",
            "=",
            "e30",
            "\u00e9",
            Make(lambda w: getattr(w, name)[:-1]),
            Make(lambda w: getattr(w, name) + "A"),
            Make(lambda w: getattr(w, name)[::-1]),
            Make(lambda w: getattr(w, name).swapcase()),
            Make(lambda w: getattr(w, name) + "="),
            Make(lambda w: w.page if name != "page" else w.hits),
        ),
    )


QUERY: Final = kind(
    "ana",
    "A query",
    absent="deep not_finite range unknown date cursor shape elsewhere",
    type=refused(*types_but("str")),
    nothing=refused(None),
    empty=fine(""),
    blank=fine(*BLANKS),
    huge=(
        refused(CANARY + "z" * MIB, CANARY + "z" * 65_530, "\u00e9" * 32_769),
        fine("x" * 65_536, "\u00e9" * 32_768, "ana porto " * 1_000),
    ),
    surrogate=fine(*SURROGATES),
    control=fine(*CONTROLS, *NEWLINES, "ana* OR (NEAR \" ' --"),
)
"""A query is data: whatever it holds, it finds something or nothing."""

PATTERN: Final = KEY.but(
    "ana::*",
    unknown=(
        refused(f"{CANARY}*::x", f"x::{CANARY}*", f"*{CANARY}"),
        fine("*", "*::city", "nobody::*", "nobody::knows"),
    ),
)
"""A key or a pattern of keys."""


def path(name: str) -> Kind:
    """The path of a file, fresh for each call unless the world makes it."""
    return kind(
        Make(lambda world: str(Path(tempfile.mkdtemp()) / name)),
        "A path",
        absent="deep not_finite range unknown date cursor shape elsewhere",
        type=refused(*types_but("str")),
        nothing=refused(None),
        empty=refused(""),
        blank=refused(*BLANKS),
        huge=refused(CANARY + "z" * 300, f"{CANARY}/" * 1_000),
        surrogate=refused(*SURROGATES),
        control=refused(f"{CANARY}\0", f"{CANARY}/\0/x"),
    )
