"""Kinds of arguments that have members: values, meta, sources, opinions, filters."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Final

from input.bad import (
    BLANKS,
    CANARY,
    CONTROLS,
    DATES,
    MIB,
    NEWLINES,
    SHAPES,
    SURROGATES,
    YEARS,
    Make,
    circular,
    endless,
    lazy,
    nested,
    nested_dict,
    ref,
    types_but,
)
from input.cells import fine, kind, refused
from muniment.errors import NotFoundError

_VALUES_OF_NO_KIND: Final = types_but("int", "float", "bool", "str", "list", "tuple", "dict")
VALUE: Final = kind(
    "Faro",
    "A value",
    absent="cursor date shape elsewhere unknown range",
    type=(
        refused(*_VALUES_OF_NO_KIND, [None], {"a": None}, {7: CANARY}, [{CANARY}], {"a": b"x"}, {("a",): 1}),
        fine(7, 7.5, True, "text", ["a", 1], {"a": [1]}, Decimal("7.50"), date(2026, 1, 1)),
    ),
    empty=fine("", [], {}),
    blank=fine(" "),
    huge=(
        refused(CANARY + "z" * MIB, ["z" * 1000] * 2000, {f"{CANARY}{n}": n for n in range(200_000)}, 1 << (MIB * 5)),
        fine(10**400, 10**4_299, 2**53, -(2**64)),
    ),
    deep=(refused(nested(40), nested_dict(40), nested(5000), circular()), fine(nested(30))),
    surrogate=refused(*SURROGATES, [SURROGATES[0]], {SURROGATES[0]: 1}),
    control=(refused(*CONTROLS, [CONTROLS[0]], {CONTROLS[0]: 1}), fine("two\nlines")),
    not_finite=(
        refused(
            float("nan"),
            float("inf"),
            Decimal("NaN"),
            Decimal("-Infinity"),
            [float("nan")],
            Decimal("1e9999"),
            {"a": float("-inf")},
        ),
        fine("nan", "inf", "1e999"),
    ),
)
"""What a claim says; text that spells no number is a text."""

META: Final = kind(
    {"team": "core"},
    "Meta",
    absent="cursor date shape elsewhere range",
    type=(
        refused(
            *types_but("dict"),
            {7: CANARY},
            {None: 1},
            {"a": {7: CANARY}},
            {"a": {CANARY}},
            {"a": CANARY.encode()},
            {"a": lambda: 1},
            {("a",): CANARY},
        ),
        fine({"a": [1, "b", 2.5, True, None, {"c": []}]}),
    ),
    empty=fine({}),
    blank=refused({" ": CANARY}, {"": CANARY}),
    huge=refused(
        {CANARY: "z" * 65_536},
        {f"{CANARY}{n}": n for n in range(10_000)},
        {"a": 10**400},
        {"a": 10**5000},
        {"a": 2**53},
    ),
    deep=(
        refused(
            {"a": nested(40)}, nested_dict(40), {"a": nested(5000)}, Make(lambda world: {"a": circular().of(world)})
        ),
        fine({"a": nested(30)}),
    ),
    surrogate=refused({"a": SURROGATES[0]}, {SURROGATES[0]: 1}, {"a": [SURROGATES[0]]}),
    control=refused({"a": CONTROLS[0]}, {CONTROLS[1]: 1}, {"a": ["\x1b]0;"]}),
    not_finite=(
        refused({"a": float("nan")}, {"a": [float("inf")]}, {"a": Decimal("NaN")}, {"a": Decimal("1.5")}),
        fine({"a": "nan"}),
    ),
    unknown=refused({"muniment": CANARY}, {"muniment.x": CANARY}, {"_x": CANARY}),
)
"""The caller's own JSON, 64 KiB at most; names that are Muniment's are refused."""

SOURCE: Final = kind(
    "crm://ana",
    "A source",
    absent="cursor shape elsewhere deep",
    type=(
        refused(
            *types_but("str", "dict"),
            {"locator": 7_345_129},
            {"locator": "crm", "quote": 7_345_129},
            {"locator": None},
            {"locator": "crm", "sha256": b"00"},
            {7: CANARY},
            {"locator": "crm", "observed_at": 7_345_129},
        ),
        fine({"locator": "crm", "quote": "so it is", "observed_at": "2026-01"}),
    ),
    empty=refused("", {}, {"locator": ""}, {"locator": "crm", "quote": ""}, {"quote": CANARY}),
    blank=refused(*BLANKS, {"locator": " "}),
    huge=refused(CANARY + "z" * 8_192, {"locator": "crm", "quote": CANARY + "z" * 65_536}),
    surrogate=refused(*SURROGATES, {"locator": "crm", "quote": SURROGATES[0]}),
    control=refused(*CONTROLS, *NEWLINES, {"locator": "crm", "quote": CONTROLS[0]}),
    not_finite=refused({"locator": float("nan")}),
    range=refused(f"https://{CANARY}:secret@example.org/", f"https://[{CANARY}/", f"https://example.org:{CANARY}/"),
    unknown=refused({"locator": "crm", CANARY: 1}, {"locator": "crm", "sha256": CANARY}),
    date=refused(*({"locator": "crm", "observed_at": text} for text in (*DATES, *YEARS))),
)
"""A locator, or a dict with one."""

EVIDENCE: Final = kind(
    [{"channel": "tool", "source": "crm://ana", "text": "looked up"}],
    "A list of evidence",
    absent="cursor shape elsewhere range date",
    type=(
        refused(*types_but("list", "tuple", "dict", "str"), [7_345_129], [None], [[CANARY]], [{7: CANARY}]),
        fine(["tool"], {"channel": "user"}, "agent"),
    ),
    empty=refused([], (), "", {}, [""], [{}]),
    blank=refused(*BLANKS),
    huge=refused(["tool"] * 1000, [{"channel": "tool", "text": CANARY + "z" * 65_536}]),
    deep=refused([{"channel": "tool", "text": [CANARY]}], nested(40)),
    surrogate=refused(*([{"channel": "tool", "text": text}] for text in SURROGATES)),
    control=refused(*([{"channel": "tool", "text": text}] for text in CONTROLS)),
    not_finite=refused([{"channel": "tool", "source": float("nan")}]),
    unknown=refused([CANARY], [{"channel": "tool", CANARY: 1}], ["model"], [{"channel": "document"}, "recall"]),
)
"""What an answer rests on: channels, or dicts with one."""

OPINION: Final = kind(
    {"relation": "coexists", "reason": "another matter", "by": "a judge"},
    "An opinion",
    absent="cursor date not_finite range",
    type=refused(
        *types_but("dict"),
        {"relation": 7_345_129},
        {"relation": [CANARY]},
        {"relation": "new", "related": 7_345_129},
        {"relation": "new", "related": [7_345_129]},
        {"relation": "new", "unconfirmed": "yes"},
        {"relation": "new", "cross_subject": 1},
        {"relation": "new", "reason": [CANARY]},
        {"relation": "new", "by": {CANARY: 1}},
        {"relation": "new", 7: CANARY},
    ),
    empty=refused({}, {"relation": ""}, {"relation": "new", "by": ""}, {"relation": "new", "related": [""]}),
    blank=refused({"relation": " "}, {"relation": "new", "reason": "\n"}),
    huge=refused(
        {"relation": "new", "reason": CANARY + "z" * 65_536},
        {"relation": "new", "by": CANARY + "z" * 1_024},
        {"relation": "new", "related": [f"{n:08}-0000-7000-8000-000000000000" for n in range(300)]},
    ),
    deep=refused({"relation": "new", "reason": nested(40)}),
    surrogate=refused({"relation": "new", "reason": SURROGATES[0]}, {"relation": SURROGATES[0]}),
    control=refused(
        {"relation": "new", "by": CONTROLS[0]}, {"relation": "new", "reason": CONTROLS[1]}, {"relation": "new\0"}
    ),
    unknown=refused({"relation": CANARY}, {"relation": "new", CANARY: 1}, {"reason": CANARY}, {"relation": "NEW"}),
    shape=refused(*({"relation": "exception_of", "related": [shape]} for shape in SHAPES), error=NotFoundError),
    elsewhere=refused(
        Make(lambda world: {"relation": "exception_of", "related": [world.foreign]}),
        Make(lambda world: {"relation": "collides", "related": [world.hidden]}),
        error=NotFoundError,
    ),
)
"""What somebody thinks of a statement."""

_FILTERS_OF_NO_SENSE: Final = (
    {"kind": b"x"},
    {"kind": ["semantic"]},
    {"kind": {"$in": "semantic"}},
    {"tags": {"$contains": [CANARY]}},
    {"$and": {}},
    {"$or": CANARY},
    {"$not": [CANARY]},
    {"kind": {"$exists": 1}},
    {"priority": {"$gt": None}},
    {"priority": {"$gt": True}},
    {"meta.a": {CANARY}},
    {"meta.a": lambda: 1},
    {"confidence": {"$not": 7}},
    {"meta.a": {"b": CANARY}},
)
HALF_LIVES: Final = kind(
    {"episodic": 14},
    "Days by kind",
    absent="cursor date shape elsewhere surrogate control blank",
    type=refused(*types_but("dict"), {7: 7}, {"episodic": CANARY}, {"episodic": 1.5}, {"episodic": True}),
    empty=refused({}),
    huge=refused({"episodic": 10**400}, {f"{CANARY}{n}": 7 for n in range(10_000)}),
    deep=refused(nested_dict(40)),
    not_finite=refused({"episodic": float("nan")}, {"episodic": float("inf")}),
    range=(refused({"episodic": 0}, {"semantic": -1}, {"procedural": 100_001}), fine({"procedural": 100_000})),
    unknown=refused({CANARY: 7}, {"Episodic": 7}, {"episodic": 7, CANARY: 7}),
)
"""Half-lives of what recency is worth."""

WHERE: Final = kind(
    {"kind": "semantic"},
    "A filter",
    absent="cursor shape elsewhere",
    type=refused(*types_but("dict"), *_FILTERS_OF_NO_SENSE, {7: CANARY}, {None: CANARY}, {("kind",): CANARY}),
    empty=(refused({"$and": []}, {"$or": []}, {"kind": {}}, {"": CANARY}), fine({}, {"tags": []})),
    blank=refused({" ": CANARY}),
    huge=(
        refused({"text": CANARY * 10_000}, {"kind": {"$in": ["x"] * 1_001}}, {"$and": [{"kind": "semantic"}] * 201}),
        fine({"meta.a": 10**5000}, {"meta.a": 10**400}),
    ),
    deep=refused(
        nested_dict(40),
        {"$not": {"$not": {"$not": {"$not": {"$not": {"$not": {"$not": {"$not": {"kind": CANARY}}}}}}}}},
        {"kind": {"$not": {"$not": {"$not": {"$not": {"$not": {"$not": {"$not": {"$not": {"$eq": CANARY}}}}}}}}}},
    ),
    surrogate=(
        refused({SURROGATES[0]: 1}, {"kind": {SURROGATES[0]: 1}}),
        fine({"text": SURROGATES[0]}, {"meta.\ud800": 1}),
    ),
    control=(refused({CONTROLS[0]: 1}), fine({"text": CONTROLS[0]})),
    not_finite=refused(
        {"confidence": float("nan")},
        {"meta.a": float("inf")},
        {"meta.a": Decimal("sNaN")},
        {"priority": {"$in": [float("-inf")]}},
    ),
    range=refused({"confidence": 7}, {"priority": -1}, {"priority": {"$gt": 10**5000}}),
    unknown=refused(
        {CANARY: 1},
        {f"${CANARY}": []},
        {"kind": {f"${CANARY}": 1}},
        {"kind": {CANARY: 1}},
        {"rank": CANARY},
        {"criticality": CANARY},
        {"kind": CANARY},
        {"channel": {"$in": [CANARY]}},
        {"confidence": CANARY},
        {"meta.": 1},
        {"scope": CANARY},
    ),
    date=refused(*({"recorded_at": {"$gt": text}} for text in (*DATES, *YEARS)), {"valid_from": CANARY}),
)
"""A filter of claims."""

PREFER: Final = WHERE.but(
    [{"kind": "semantic"}],
    type=(
        refused(*types_but("list", "tuple", "dict", "generator"), [CANARY], [None], [[{"kind": "semantic"}]], 0, ""),
        fine({"kind": "semantic"}, ({"kind": "semantic"},), lazy({"kind": "semantic"})),
    ),
    empty=(refused({"": CANARY}, [{"$or": []}], ""), fine([], {}, [{}])),
    huge=refused([{"kind": "semantic"}] * 300, endless({"kind": "semantic"}), {"text": CANARY * 10_000}),
)
"""Filters whose matches rank higher."""

QUERIES: Final = kind(
    ["porto", "faro"],
    "A list of queries",
    absent="not_finite range unknown date cursor shape elsewhere",
    type=(
        refused(*types_but("list", "tuple", "set", "generator"), [7_345_129], [None], [CANARY.encode()], [[CANARY]]),
        fine(("porto",), {"porto", "faro"}, lazy("porto", "faro")),
    ),
    empty=fine([], (), [""]),
    blank=fine([" "], ["porto", "\t"]),
    huge=refused(["porto"] * 9, endless("porto"), [CANARY + "z" * 65_536]),
    deep=refused(nested(40), circular()),
    surrogate=fine(*([text] for text in SURROGATES)),
    control=fine(*([text] for text in (*CONTROLS, *NEWLINES))),
)
"""Queries: data, whatever they hold, 8 at most."""

ENDED_VALUE: Final = VALUE.but(
    "Porto",
    type=refused(*_VALUES_OF_NO_KIND, [None], {"a": None}, {7: CANARY}),
    empty=refused("", [], {}, error=NotFoundError),
    blank=refused(" ", error=NotFoundError),
    huge=(refused(CANARY + "z" * MIB, 1 << (MIB * 5)), refused(10**4000, error=NotFoundError)),
    deep=(refused(nested(40), nested(5000), circular()), refused(nested(30), error=NotFoundError)),
    control=(refused(*CONTROLS), refused("two\nlines", error=NotFoundError)),
    not_finite=(refused(float("nan"), Decimal("NaN"), Decimal("1e9999")), refused("nan", "inf", error=NotFoundError)),
    unknown=refused(CANARY, 7, ["Porto"], error=NotFoundError),
)
"""Which of the values of a line is meant."""

REVERT_TO: Final = ENDED_VALUE.but(
    ref("old"),
    type=refused(*_VALUES_OF_NO_KIND, [None], {"a": None}, {7: CANARY}, time(10, 0)),
    shape=refused(*SHAPES, error=NotFoundError),
    elsewhere=refused(ref("foreign"), ref("claim"), error=NotFoundError),
    range=refused(datetime.min.replace(tzinfo=timezone(timedelta(hours=1)))),
)
"""What a line is taken back to: a claim of it, a value it had, or a time."""


SCOPE: Final = kind(
    {"project": "staging"},
    "A narrower scope",
    absent="deep not_finite range date cursor shape elsewhere",
    type=refused(*types_but("dict"), {7: CANARY}, {"user": 7}, {"user": [CANARY]}),
    empty=refused({}, {"user": ""}),
    blank=refused({"user": " "}),
    huge=refused({"user": CANARY + "z" * 2_048}),
    surrogate=refused({"user": "\ud800"}),
    control=refused({"user": "a\0b"}, {"user": "a\nb"}),
    unknown=refused({CANARY: "x"}, {"User": "x"}),
)
"""The parts of a scope that a statement is narrowed to."""
