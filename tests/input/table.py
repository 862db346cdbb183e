"""The matrix: of every argument of every operation, what kind it is. A new one has to be entered here.

``base`` is a call that is legal in the world of :mod:`input.world`; each argument is tried in its place.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from input import kinds as k
from input import structures as s
from input.bad import BLANKS, CANARY, CONTROLS, MIB, NEWLINES, SHAPES, SURROGATES, Bad, Make, nested_dict, ref
from input.cells import Absent, Kind, fine, kind, refused
from input.world import ANA, World
from muniment import Memory
from muniment.code import symbolsfile
from muniment.code.symbols import Symbol
from muniment.errors import ConflictError, NotFoundError, TamperedError
from muniment.ledger.keys import signing_key
from muniment.ledger.tokens import Statement, key_name, sign_token


@dataclass(frozen=True)
class Rows:
    """The arguments of one operation.

    Args:
        base: A legal call.
        arguments: What kind each argument is.
    """

    base: Mapping[str, Any]
    arguments: Mapping[str, Kind]


_DECISION: Final[dict[str, Kind]] = {
    "reason": k.REASON,
    "channel": k.CHANNEL,
    "source": s.SOURCE,
    "expect": k.EXPECT,
    "idempotency_key": k.REQUEST,
}


def decision(version_of: str | None = None) -> dict[str, Kind]:
    """The arguments that every decision takes; a version that is not the line's is a conflict."""
    stale = refused("none", CANARY, "0199c0de-0000-7000-8000-000000000000", error=ConflictError)
    good = Make(lambda world: world.memory.believe(version_of or "ana::city").line_version)
    return {**_DECISION, "expect": k.EXPECT.but(good, unknown=stale, shape=stale)}


def _without(kinds: Mapping[str, Kind], *names: str) -> dict[str, Kind]:
    """Return arguments without those of some names."""
    return {name: one for name, one in kinds.items() if name not in names}


_STATEMENT: Final[dict[str, Kind]] = {
    "key": k.KEY.but(
        "eve::city",
        nothing=fine(None),
        # The one place where an error names something stored: the key that a new one could be mistaken for.
        unknown=(refused("\u0430na::city", "ana\u200b::city", "ana::\u0441ity"), fine("nobody::knows")),
    ),
    "value": s.VALUE,
    "channel": k.CHANNEL,
    "source": s.SOURCE,
    "author": k.SHORT,
    "about": k.WORDS,
    "kind": k.word("episodic"),
    "valid_from": k.MOMENT,
    "valid_to": k.MOMENT.but("2030-01-01"),
    "confidence": k.FRACTION,
    "valid_confidence": k.FRACTION,
    "cardinality": k.word("many"),
    "expires_at": k.MOMENT.but(
        "2030-01-01", type=refused(*k.types_but("str"), 10**5000), range=refused(*k.YEARS, "2020-01-01")
    ),
    "derived_from": k.IDS,
    "tags": k.WORDS,
    "meta": s.META,
    "criticality": k.word("high"),
    "priority": k.whole(7, 0, 10),
    "session": k.SESSION,
    "reason": k.REASON,
    "reaffirm": k.FLAG,
    "correct": k.FLAG.but(beside={"key": "ana::city"}),
    "opinion": s.OPINION,
    "expect": k.EXPECT.but(
        "none",
        unknown=refused(CANARY, error=ConflictError),
        shape=refused("0199c0de-0000-7000-8000-000000000000", error=ConflictError),
    ),
    "idempotency_key": k.REQUEST,
}


_NAMED: Final = k.IDS.but(
    beside={"key": None},
    empty=refused([], [""]),
    nothing=refused(None),
    type=(
        refused(*k.types_but("str", "list", "tuple", "set", "generator"), [7_345_129], [None], [[CANARY]]),
        fine(ref("claim"), Make(lambda world: (world.claim,))),
    ),
)

_SELECTOR: Final[dict[str, Kind]] = {
    "ids": _NAMED,
    "key": k.KEY.but(
        unknown=refused(f"{CANARY}::city", error=NotFoundError),
        elsewhere=refused("kim::city", "kim::drink", error=NotFoundError),
    ),
    "where": s.WHERE.but(
        beside={"key": None},
        nothing=refused(None),
        empty=refused({"$and": []}, {"$or": []}, {"kind": {}}, {"": CANARY}, {}),
        huge=refused({"text": CANARY * 10_000}, {"kind": {"$in": ["x"] * 1_001}}),
        deep=refused(nested_dict(40)),
        surrogate=refused({"text": "\ud800"}, error=NotFoundError),
        control=refused({"text": f"{CANARY}\x00"}, error=NotFoundError),
        unknown=refused({"meta.nobody": CANARY}, {"subject": CANARY}, error=NotFoundError),
        date=refused({"recorded_at": {"$gt": "yesterday"}}),
        range=refused({"priority": 77}),
        not_finite=refused({"confidence": float("nan")}),
    ),
    "reasons": _NAMED.but(
        Make(lambda world: [world.law]),
        type=(
            refused(*k.types_but("str", "list", "tuple", "set", "generator"), [7_345_129], [None], [[CANARY]]),
            fine(ref("law"), Make(lambda world: (world.law,))),
        ),
        elsewhere=refused(
            Make(lambda world: [world.foreign]), Make(lambda world: [world.law, world.claim]), error=NotFoundError
        ),
    ),
}
"""What is to be forgotten, said in one of several ways."""

_SINCE: Final = k.ID.but(
    nothing=fine(None),
    # An entry that the handle does not see may still be where it stopped looking.
    elsewhere=(refused(ref("foreign"), error=NotFoundError), fine(ref("hidden"))),
)


_SIZE: Final = k.whole(3, 0, 2**53 - 1)
"""A size of the log; one that it never had is refused."""


def _exported(world: World) -> str:
    """Return an export of the world's other namespace."""
    file = str(Path(tempfile.mkdtemp()) / "in.jsonl")
    if world.path == ":memory:":
        world.memory.namespace("other").transfer.export(file)
    else:  # the world's own handle may be closed
        with Memory(world.path, "other") as memory:
            memory.transfer.export(file)
    return file


_NOTED: Final[dict[str, Kind]] = {"reason": k.REASON, "idempotency_key": k.REQUEST}

_BOB: Final = signing_key("reviewer.example/bob", bytes(range(1, 33)))

REVIEWER: Final = _BOB.verifying.vkey
"""The public key of a reviewer who is not registered."""


def _signed(world: World) -> str:
    """Return a token for the decision that the table asks for."""
    version = world.memory.believe("plan::seats").line_version or ""
    statement = Statement("default", world.asked, version, "accept", 2**52, key_name(ANA.verifying))
    return sign_token(statement, ANA)


_SYMBOL: Final = k.SHORT.but(
    "db.fetch",
    huge=refused(CANARY + "z" * 300),
    unknown=(refused("a b", "a..b", ".*", "a(b", "../a", "1a", f"{CANARY}::", f"-{CANARY}"), fine("never.said")),
    control=refused(*CONTROLS, *NEWLINES),
).needed()
"""The name of a symbol in code."""

_REPLACED: Final = "symbol::db.fetch"


def _stated(_: World) -> str:
    """Return a symbols file that says something of which the world never heard."""
    file = Path(tempfile.mkdtemp()) / "symbols.jsonl"
    symbolsfile.write(file, [Symbol("pkg.mod.old", "pkg.mod.new")])
    return str(file)


_SYMBOLS: Final = k.path("symbols.jsonl").but(
    nothing=Absent("it is then that of the repository one is in"),
    type=(refused(*k.types_but("str")), fine(Make(lambda world: Path(tempfile.mkdtemp()) / "symbols.jsonl"))),
)

TABLE: Final[dict[str, Rows]] = {
    "log.verify": Rows({}, {"full": k.FLAG.needed(), "kept": k.HEADS, "progress": k.PROGRESS}),
    "remember": Rows({"text": "Eve lives in Lisbon", "key": "eve::city"}, {"text": k.TEXT.needed(), **_STATEMENT}),
    "remember_many": Rows(
        {"statements": [{"text": "Eve lives in Lisbon"}]},
        {
            "statements": kind(
                [{"text": "tea"}, {"text": "milk", "key": "shop::list"}],
                "A list of statements",
                absent="blank deep surrogate control not_finite range date cursor shape elsewhere huge",
                nothing=refused(None),
                type=(
                    refused(
                        *k.types_but("list", "tuple", "generator"),
                        [CANARY],
                        [None],
                        [7_345_129],
                        [[CANARY]],
                        [{"text": "ok"}, CANARY],
                    ),
                    fine(({"text": "tea"},), k.lazy({"text": "tea"})),
                ),
                empty=(refused([{}], [{"text": ""}]), fine([], ())),
                unknown=refused(
                    [{"text": "ok", CANARY: 1}],
                    [{"text": "ok", 7: CANARY}],
                    [{"text": "ok"}, {"text": "ok", "Text": CANARY}],
                ),
            ),
            "progress": k.PROGRESS,
        },
    ),
    "believe": Rows({"key": "ana::city"}, {"key": k.KEY, "valid_at": k.MOMENT, "as_of": k.MOMENT}),
    "recall": Rows(
        {"query": "ana"},
        {
            "query": k.QUERY,
            "k": k.whole(3, 1, 1000).needed(),
            "where": s.WHERE,
            "prefer": s.PREFER,
            "valid_at": k.MOMENT,
            "as_of": k.MOMENT,
            "trusted_only": k.FLAG.needed(),
            "min_relevance": k.FRACTION.but(0.1).needed(),
            "include": k.INCLUDE,
            "diversity": k.FRACTION.but(0.5).needed(),
            "reinforce": k.FLAG.needed(),
            "cursor": k.cursor("hits").but(beside={"k": 1}),
        },
    ),
    "context": Rows(
        {"query": "ana"},
        {
            "query": k.QUERY,
            "budget_tokens": k.whole(500, 1, 1_000_000),
            "k": k.whole(3, 1, 100),
            "where": s.WHERE,
            "prefer": s.PREFER,
            "valid_at": k.MOMENT,
            "as_of": k.MOMENT,
            "trusted_only": k.FLAG,
            "min_relevance": k.FRACTION.but(0.1),
            "diversity": k.FRACTION.but(0.5),
            "count_tokens": k.PROGRESS.but(Make(lambda world: len)),
        },
    ),
    "recall_iterative": Rows(
        {"query": "ana"},
        {
            "query": k.QUERY,
            "follow_ups": s.QUERIES,
            "follow_up": k.PROGRESS.but(Make(lambda world: lambda query, hits: ["porto"])),
            "rounds": k.whole(2, 1, 5),
            "k": k.whole(3, 1, 1000),
            "where": s.WHERE,
            "valid_at": k.MOMENT,
            "as_of": k.MOMENT,
            "trusted_only": k.FLAG,
            "min_relevance": k.FRACTION.but(0.1),
        },
    ),
    "verify_claim": Rows(
        {"text": "Ana lives in Porto"},
        {
            "text": k.REASON.but("Ana lives in Faro").needed(),
            "key": k.KEY.but(nothing=fine(None)),
            "value": s.VALUE,
            "valid_at": k.MOMENT,
            "as_of": k.MOMENT,
            "trusted_only": k.FLAG,
        },
    ),
    "neighbors": Rows(
        {"id": ref("claim")},
        {
            "id": k.ID,
            "k": k.whole(3, 1, 100),
            "include": k.INCLUDE,
            "as_of": k.MOMENT.but("2027-01-01", type=refused(*k.types_but("str"), 10**5000)),
        },
    ),
    "index_lines": Rows(
        {},
        {
            "budget_tokens": k.whole(500, 1, 1_000_000),
            "limit": k.whole(3, 1, 1000),
            "where": s.WHERE,
            "cursor": k.cursor("lines").but(beside={"limit": 1}),
            "count_tokens": k.PROGRESS.but(Make(lambda world: len)),
        },
    ),
    "explain": Rows(
        {"query": "ana", "id": ref("claim")}, {"query": k.QUERY, "id": k.ID, "valid_at": k.MOMENT, "as_of": k.MOMENT}
    ),
    "get": Rows(
        {"id": ref("claim")},
        {"id": k.ID, "as_of": k.MOMENT.but("2027-01-01", type=refused(*k.types_but("str"), 10**5000))},
    ),
    "list": Rows(
        {},
        {
            "where": s.WHERE,
            "limit": k.whole(3, 1, 100_000).needed(),
            "cursor": k.cursor("page").but(beside={"limit": 1}),
            "include": k.INCLUDE,
        },
    ),
    "history": Rows({"key": "ana::city"}, {"key": k.KEY, "as_of": k.MOMENT}),
    "chart": Rows({"key": "ana::city"}, {"key": k.KEY, "as_of": k.MOMENT}),
    "revert": Rows({"key": "ana::employer"}, {"key": k.TARGET, "to": s.REVERT_TO, **decision("ana::employer")}),
    "redo": Rows({"key": "undone::value"}, {"key": k.TARGET, **decision("undone::value")}),
    "end": Rows(
        {"key": "ana::city", "at": "2030-01-01"},
        {
            "key": k.TARGET,
            "at": k.MOMENT.but(
                "2030-01-01", type=refused(*k.types_but("str"), 10**5000), range=refused(*k.YEARS, "2020-01-01")
            ).needed(),
            "value": s.ENDED_VALUE,
            **decision(),
        },
    ),
    "retract": Rows(
        {"key_or_id": "ana::city", "reason": "a mistake"},
        {"key_or_id": k.TARGET, "value": s.ENDED_VALUE, **decision(), "reason": k.REASON.needed()},
    ),
    "reopen": Rows({"key": "lee::city"}, {"key": k.TARGET, **decision("lee::city")}),
    "release": Rows({"id": ref("claim")}, {"id": k.DECIDED, **decision()}),
    "correct_text": Rows(
        {"id": ref("claim"), "text": "Ana lives in Porto now"},
        {"id": k.DECIDED, "text": k.TEXT.needed(), "meta": s.META, **decision()},
    ),
    "observe": Rows(
        {"key": "ana::city", "value": "Faro", "channel": "tool"},
        {"key": k.TARGET, "value": s.VALUE.needed(), "support": s.SOURCE, **_without(decision(), "source")},
    ),
    "route": Rows(
        {"utterance": "Set Ana's city to Faro", "execute": True},
        {
            "utterance": k.TEXT.but("Revert ana::city", huge=refused(CANARY + "z" * 65_536)).needed(),
            "key": k.KEY.but(nothing=fine(None)),
            "execute": k.FLAG.needed(),
            "channel": k.CHANNEL,
            "source": s.SOURCE,
            "idempotency_key": k.REQUEST,
        },
    ),
    "rederive": Rows(
        {"key_or_id": "bea::home", "execute": True},
        {
            "key_or_id": k.TARGET,
            "rewrite": k.PROGRESS,
            "execute": k.FLAG.needed(),
            "propose": k.FLAG.needed().but(beside={"execute": False}),
            "chat": k.PROGRESS,
            "reason": k.REASON,
            "channel": k.CHANNEL,
        },
    ),
    "policy": Rows(
        {"pattern": "ana::*", "cardinality": "one", "critical": True},
        {
            "pattern": k.PATTERN,
            "on_conflict": k.word("contest"),
            "review": k.choices(["model"]),
            "writers": k.choices(["user", "agent"]),
            "cardinality": k.word("many"),
            "aging_days": k.whole(30, 0, 100_000),
            "decayed_days": k.whole(90, 0, 100_000),
            "expires_after_days": k.whole(365, 1, 100_000),
            "half_life_days": s.HALF_LIVES,
            "critical": k.FLAG,
            "boundary": k.FLAG,
            "echo": k.FLAG,
            "reason": k.SHORT,
            "idempotency_key": k.REQUEST,
        },
    ),
    "queue": Rows({}, {"limit": k.whole(3, 1, 1000).needed(), "cursor": k.cursor("requests").but(beside={"limit": 1})}),
    "claim_request": Rows({}, {"lease_seconds": k.whole(60, 1, 86_400).needed()}),
    "answer": Rows(
        {"request": ref("request"), "verdict": "affirm"},
        {
            "request": k.ID.but(ref("request"), control=k.DECIDED.cells[Bad.CONTROL]),
            "verdict": k.word("deny").needed(),
            "evidence": s.EVIDENCE,
            "reason": k.REASON,
            "ticket": k.SHORT,
            **{name: one for name, one in decision("plan::users").items() if name in ("expect", "idempotency_key")},
        },
    ),
    "review": Rows(
        {},
        {
            "kind": k.word("contested"),
            "key": k.KEY.but("plan::seats", nothing=fine(None)),
            "limit": k.whole(3, 1, 1000).needed(),
            "cursor": k.cursor("inbox").but(beside={"limit": 1}),
            "closed": k.FLAG.needed(),
        },
    ),
    "resolve": Rows(
        {"item": ref("asked"), "verdict": "accept", "reason": "They said so"},
        {
            "item": k.ID.but(ref("asked"), control=k.DECIDED.cells[Bad.CONTROL]),
            "verdict": k.word("keep").needed(),
            "reason": k.REASON.needed(),
            "by": k.SHORT,
            "token": k.SHORT.but(
                Make(_signed), huge=refused(CANARY + "z" * 4_096), unknown=refused(CANARY, f"mrt1.{CANARY}.{CANARY}")
            ),
            "valid_from": k.MOMENT.but(beside={"verdict": "both", "scope": {"project": "staging"}}),
            "valid_to": k.MOMENT.but("2020-01-01", beside={"verdict": "both", "scope": {"project": "staging"}}),
            "scope": s.SCOPE.but(beside={"verdict": "both", "valid_to": "2020-01-01"}),
            **{name: one for name, one in decision("plan::seats").items() if name in ("expect", "idempotency_key")},
        },
    ),
    "add_reviewer": Rows(
        {"key": REVIEWER},
        {"key": k.SHORT.but(REVIEWER, unknown=refused(CANARY, f"{CANARY}+00000000+AAAA")).needed(), **_NOTED},
    ),
    "revoke_reviewer": Rows(
        {"key": ref("reviewer")},
        {
            "key": k.SHORT.but(
                ref("reviewer"),
                unknown=refused(CANARY, REVIEWER, error=NotFoundError),
            ).needed(),
            **_NOTED,
        },
    ),
    "reviewers": Rows({}, {}),
    "plan_forget": Rows({"key": "ana::city"}, _SELECTOR),
    "forget": Rows(
        {"key": "ana::city"},
        {
            **_SELECTOR,
            "basis": k.REASON,
            "request_id": k.REASON,
            "plan": k.SHORT.but(
                Make(lambda world: world.memory.plan_forget(key="ana::city").hash),
                unknown=refused(CANARY, "0" * 32, error=ConflictError),
                shape=refused(*(shape for shape in SHAPES if shape.strip()), error=ConflictError),
                elsewhere=refused(
                    Make(lambda world: world.memory.plan_forget(key="ana::employer").hash),
                    Make(lambda world: world.memory.plan_forget(key="ana::city").hash.upper()),
                    error=ConflictError,
                ),
            ),
            "idempotency_key": k.REQUEST,
        },
    ),
    "changes": Rows(
        {"since": "now"}, {"since": _SINCE, "limit": k.whole(3, 1, 1000).needed(), "content": k.FLAG.needed()}
    ),
    "transfer.export": Rows(
        {"file": k.path("out.jsonl").good},
        {"file": k.path("out.jsonl"), "overwrite": k.FLAG.needed(), "progress": k.PROGRESS},
    ),
    "transfer.import": Rows(
        {"file": Make(_exported), "into": "copy"},
        {
            "file": k.path("in.jsonl").but(
                Make(_exported), unknown=refused(f"/{CANARY}/in.jsonl", error=NotFoundError)
            ),
            "into": k.SHORT.but(
                "copy",
                huge=refused(CANARY + "z" * 256),
                blank=refused(*BLANKS, " copy", "copy "),
                unknown=refused("default", error=ConflictError),
            ),
            "root": k.SHORT.but(
                Make(lambda world: world.memory.namespace("other").log.verify(full=False).root),
                shape=refused(*SHAPES, "0" * 63, "0" * 65, "G" * 64),
                unknown=refused("0" * 64, error=TamperedError),
            ),
            "dry_run": k.FLAG.needed(),
            "progress": k.PROGRESS,
        },
    ),
    "transfer.backup": Rows(
        {"file": k.path("backup").good},
        {"file": k.path("backup"), "overwrite": k.FLAG.needed(), "progress": k.PROGRESS},
    ),
    "transfer.migrate": Rows({}, {"to": k.path("moved.muniment").but(nothing=fine(None)), "progress": k.PROGRESS}),
    "code.deprecate": Rows(
        {"old": "pkg.mod.old", "new": "pkg.mod.new"},
        {
            "old": _SYMBOL,
            "new": _SYMBOL.but("pkg.mod.newer"),
            "reason": k.TEXT.but("Split in two", huge=refused(CANARY + "z" * 1_001)),
            **_without(_DECISION, "reason", "expect"),
            "expect": k.EXPECT.but(
                "none",
                unknown=refused(CANARY, error=ConflictError),
                shape=refused("0199c0de-0000-7000-8000-000000000000", error=ConflictError),
            ),
        },
    ),
    "code.undeprecate": Rows({"name": "db.fetch"}, {"name": _SYMBOL, **decision(_REPLACED)}),
    "code.symbol_status": Rows({"name": "db.fetch"}, {"name": _SYMBOL}),
    "code.symbols": Rows({}, {}),
    "code.check": Rows(
        {"code": "import db"},
        {
            "code": kind(
                "import db\ndb.fetch()",
                "A text of code",
                absent="deep not_finite range unknown date cursor shape elsewhere",
                nothing=refused(None),
                type=refused(*k.types_but("str")),
                empty=fine(""),
                blank=fine(*BLANKS),
                huge=refused(CANARY + "z" * 2 * MIB),
                surrogate=fine(*SURROGATES),
                control=fine(*CONTROLS),
            ),
            "language": k.SHORT.but("python", unknown=refused(CANARY)),
            "file": k.SHORT.but("src/a.py"),
            "comments": k.FLAG.needed(),
            "strings": k.FLAG.needed(),
        },
    ),
    "code.export": Rows({"file": k.path("symbols.jsonl").good}, {"file": _SYMBOLS, "overwrite": k.FLAG.needed()}),
    "code.sync": Rows(
        {"file": Make(_stated)},
        {"file": _SYMBOLS, "channel": k.CHANNEL, "dry_run": k.FLAG.needed()},
    ),
    "sessions.open": Rows({}, {"session": k.SESSION}),
    "sessions.diff": Rows(
        {"since": 0},
        {
            "since": _SIZE.needed(),
            "until": _SIZE.but(nothing=fine(None)),
            "session": k.SESSION,
            "limit": k.whole(3, 1, 1000).needed(),
        },
    ),
    "sessions.close": Rows(
        {"since": 0}, {"since": _SIZE.needed(), "session": k.SESSION, "limit": k.whole(3, 1, 1000).needed()}
    ),
    "sessions.digest": Rows(
        {},
        {
            "budget_tokens": k.whole(200, 100, 8000).needed(),
            "since": _SIZE,
            "valid_at": k.MOMENT,
            "as_of": k.MOMENT,
        },
    ),
    "sessions.decisions": Rows(
        {},
        {"about": k.SHORT.but("store"), "limit": k.whole(3, 1, 500).needed(), "valid_at": k.MOMENT, "as_of": k.MOMENT},
    ),
    "sessions.find": Rows(
        {"query": "ana"},
        {
            "query": k.QUERY,
            "k": k.whole(3, 1, 100).needed(),
            "each": k.whole(2, 1, 20).needed(),
            "where": s.WHERE,
            "valid_at": k.MOMENT,
            "as_of": k.MOMENT,
            "trusted_only": k.FLAG.needed(),
            "min_relevance": k.FRACTION.but(0.1).needed(),
        },
    ),
    "models.status": Rows({}, {}),
    "models.embed": Rows({}, {"progress": k.PROGRESS}),
    "stats": Rows({}, {}),
    "reindex": Rows({}, {"progress": k.PROGRESS}),
}
"""Of every operation, its arguments."""
