"""What a caller who is bound to a scope tries with every operation, to reach what lies in another one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from muniment import Memory
from muniment.code import symbolsfile
from muniment.code.symbols import Symbol

SECRET = "the launch code of the harbour crane is swordfish"

Attempt = Callable[[Memory, "Bobs"], Any]


class Bobs:
    """What bob has, and alice must not reach."""

    def __init__(self, memory: Memory, folder: Path) -> None:
        self.handle = memory.scoped(user="bob")
        said = self.handle.remember(SECRET, key="bobs::code", value="swordfish")
        self.handle.remember("was sawfish", key="bobs::code", value="sawfish", confidence=0.1)
        note = self.handle.remember("bob notes that swordfish is the word")
        assert said.claim_id is not None and note.claim_id is not None
        self.id, self.note = said.claim_id, note.claim_id
        for value, source in (("swordfish north", "harbour://north"), ("swordfish south", "harbour://south")):
            asked = self.handle.remember(value, key="bobs::berth", value=value, channel="tool", source=source)
        assert asked.item is not None and [request.id for request in self.handle.queue().rows] == [asked.item]
        self.item = asked.item
        for replacement in ("crane.sawfish", "crane.swordfish"):
            renamed = self.handle.code.deprecate("crane.launch", replacement, "swordfish is the word")
        assert renamed.line_version is not None
        self.renamed = renamed.line_version
        within = memory._host.context(None, {"user": "bob"}, "user", "bob", "bobs session", None)
        Memory(_host=memory._host, _context=within).remember("swordfish it stays", key="bobs::word", value="swordfish")
        self.folder = folder
        self.export = str(folder / "bobs.jsonl")
        self.handle.transfer.export(self.export)

    def state(self) -> list[Any]:
        """Return all that is there of his, and what waits to be decided."""
        lines = [self.handle.history(key) for key in ("bobs::code", "bobs::berth", "symbol::crane.launch")]
        files = sorted(file.name for file in self.folder.iterdir())
        return [*lines, self.handle.get(self.note), self.handle.review(limit=1000), self.handle.queue().rows, files]


def with_file(does: Callable[[Path], Any], *symbols: Symbol) -> tuple[Any, str]:
    """Do something with a symbols file of alice's own, and return what it answered and what the file holds then."""
    with TemporaryDirectory() as place:
        file = Path(place) / "symbols.jsonl"
        if symbols:
            symbolsfile.write(file, symbols)
        return does(file), file.read_text() if file.exists() else ""


REACHING: dict[str, list[Attempt]] = {
    "remember": [
        lambda alice, bobs: alice.remember("x", derived_from=[bobs.id]),
        lambda alice, bobs: alice.remember("x", author="bob"),
        lambda alice, bobs: alice.remember("x", opinion={"relation": "collides", "related": [bobs.note]}),
        lambda alice, bobs: alice.remember("x", key="a::b", opinion={"relation": "exception_of", "related": [bobs.id]}),
    ],
    "remember_many": [lambda alice, bobs: alice.remember_many([{"text": "x", "derived_from": [bobs.id]}])],
    "believe": [lambda alice, bobs: alice.believe("bobs::code")],
    "recall": [
        lambda alice, bobs: alice.recall(SECRET, k=1000, include=["all"]),
        lambda alice, bobs: alice.recall(SECRET, where={"scope.user": "bob"}),
        lambda alice, bobs: alice.recall(SECRET, where={"user": {"$in": ["bob", "*", "%"]}}),
        lambda alice, bobs: alice.recall(SECRET, where={"$or": [{"user": "bob"}, {"user": None}]}),
        lambda alice, bobs: alice.recall(SECRET, where={"$not": {"user": "alice"}}),
        lambda alice, bobs: alice.recall(SECRET, prefer={"user": "bob"}),
        lambda alice, bobs: alice.recall(SECRET, cursor=bobs.handle.recall("swordfish", k=1).cursor or "none"),
    ],
    "explain": [lambda alice, bobs: alice.explain(SECRET, bobs.id)],
    "get": [lambda alice, bobs: alice.get(bobs.id)],
    "list": [
        lambda alice, bobs: alice.list(include=["all"], limit=1000),
        lambda alice, bobs: alice.list(where={"scope.user": "bob"}),
    ],
    "history": [lambda alice, bobs: alice.history("bobs::code")],
    "chart": [lambda alice, bobs: alice.chart("bobs::code"), lambda alice, bobs: alice.chart("bobs::berth")],
    "changes": [
        lambda alice, bobs: alice.changes(content=True, limit=1000),
        lambda alice, bobs: alice.changes(since=bobs.id, content=True, limit=1000),
        lambda alice, bobs: alice.changes(since=bobs.note, limit=1000),
    ],
    "revert": [lambda alice, bobs: alice.revert(bobs.id), lambda alice, bobs: alice.revert("bobs::code")],
    "redo": [lambda alice, bobs: alice.redo(bobs.id), lambda alice, bobs: alice.redo("bobs::code")],
    "end": [
        lambda alice, bobs: alice.end(bobs.id, "2026-01-01"), lambda alice, bobs: alice.end("bobs::code", "2026-01-01"),
    ],
    "retract": [lambda alice, bobs: alice.retract(bobs.id, "no"), lambda alice, bobs: alice.retract("bobs::code", "no")],
    "reopen": [lambda alice, bobs: alice.reopen(bobs.id), lambda alice, bobs: alice.reopen("bobs::code")],
    "release": [lambda alice, bobs: alice.release(bobs.id), lambda alice, bobs: alice.release(bobs.note)],
    "observe": [
        lambda alice, bobs: alice.observe(bobs.id, "trout", channel="tool"),
        lambda alice, bobs: alice.observe("bobs::code", "trout", channel="tool"),
        lambda alice, bobs: alice.observe("bobs::code", "sawfish", support="harbour://crane"),
    ],
    "route": [
        lambda alice, bobs: alice.route("Set bobs::code to trout", execute=True),
        lambda alice, bobs: alice.route("Revert bobs::code", execute=True),
        lambda alice, bobs: alice.route("Forget bobs::code", execute=True),
        lambda alice, bobs: alice.route("Undo it", key="bobs::code", execute=True),
        lambda alice, bobs: alice.route("What is bobs::code?", execute=True),
        lambda alice, bobs: alice.route("What is the launch code of the harbour crane?", execute=True),
    ],
    "rederive": [
        lambda alice, bobs: alice.rederive(bobs.id, execute=True),
        lambda alice, bobs: alice.rederive("bobs::code", rewrite=repr, execute=True),
    ],
    "correct_text": [lambda alice, bobs: alice.correct_text(bobs.note, "forged")],
    "policy": [lambda alice, bobs: alice.policy("bobs::code", writers=["user"])],
    "review": [
        lambda alice, bobs: alice.review(closed=True), lambda alice, bobs: alice.review(key="bobs::code"),
    ],
    "resolve": [
        lambda alice, bobs: alice.resolve(bobs.item, "accept", "mine"),
        lambda alice, bobs: alice.resolve(bobs.item, "both", "mine", scope={"user": "alice"}),
        lambda alice, bobs: alice.resolve(bobs.id, "both", "mine", scope={"user": "bob"}),
    ],
    "queue": [
        lambda alice, bobs: alice.queue(limit=1000),
        lambda alice, bobs: alice.queue(cursor=bobs.handle.review(limit=1).cursor or "none"),
    ],
    "claim_request": [lambda alice, bobs: alice.claim_request()],
    "answer": [
        lambda alice, bobs: alice.answer(bobs.item, "affirm"),
        lambda alice, bobs: alice.answer(bobs.item, "deny", evidence=[{"channel": "user"}]),
        lambda alice, bobs: alice.answer(bobs.id, "unknown"),
    ],
    "add_reviewer": [
        lambda alice, bobs: alice.add_reviewer("ana+c6a803b4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"),
    ],
    "revoke_reviewer": [lambda alice, bobs: alice.revoke_reviewer("ana")],
    "reviewers": [lambda alice, bobs: alice.reviewers()],
    "plan_forget": [
        lambda alice, bobs: alice.plan_forget(ids=[bobs.id]), lambda alice, bobs: alice.plan_forget(key="bobs::code"),
        lambda alice, bobs: alice.plan_forget(where={"user": "bob"}),
        lambda alice, bobs: alice.plan_forget(where={"channel": "user"}),
        lambda alice, bobs: alice.plan_forget(reasons=[bobs.id]),
    ],
    "forget": [
        lambda alice, bobs: alice.forget(where={"user": "bob"}), lambda alice, bobs: alice.forget(reasons=[bobs.id]),
        lambda alice, bobs: alice.forget(ids=[bobs.id]), lambda alice, bobs: alice.forget(key="bobs::code"),
        lambda alice, bobs: alice.forget(ids=["*"]), lambda alice, bobs: alice.forget(key="*"),
    ],
    "transfer.export": [
        lambda alice, bobs: alice.transfer.export(bobs.folder / "alices.jsonl"),
        lambda alice, bobs: alice.transfer.export(bobs.export, overwrite=True),
    ],
    "transfer.import": [
        lambda alice, bobs: alice.transfer.import_(bobs.export, into="alices"),
        lambda alice, bobs: alice.transfer.import_(bobs.export, dry_run=True),
    ],
    "transfer.backup": [lambda alice, bobs: alice.transfer.backup(bobs.folder / "alices.backup")],
    "transfer.migrate": [
        lambda alice, bobs: alice.transfer.migrate(bobs.folder / "alices.muniment"),
        lambda alice, bobs: alice.transfer.migrate(),
    ],
    "stats": [lambda alice, bobs: alice.stats()],
    "reindex": [lambda alice, bobs: alice.reindex()],
    "context": [
        lambda alice, bobs: alice.context(SECRET, budget_tokens=10_000, k=100),
        lambda alice, bobs: alice.context(SECRET, where={"user": "bob"}),
        lambda alice, bobs: alice.context("crane code", prefer={"user": "bob"}, diversity=1.0),
    ],
    "recall_iterative": [
        lambda alice, bobs: alice.recall_iterative("own code", follow_ups=[SECRET, "bobs code"], rounds=3, k=1000),
        lambda alice, bobs: alice.recall_iterative("own code", follow_up=lambda *_: [SECRET], rounds=3),
        lambda alice, bobs: alice.recall_iterative(SECRET, where={"scope.user": "bob"}),
    ],
    "verify_claim": [
        lambda alice, bobs: alice.verify_claim(SECRET),
        lambda alice, bobs: alice.verify_claim("it is", key="bobs::code", value="swordfish"),
        lambda alice, bobs: alice.verify_claim("it is", key="bobs::code", value="trout"),
    ],
    "neighbors": [
        lambda alice, bobs: alice.neighbors(bobs.id, k=100, include=["all"]),
        lambda alice, bobs: alice.neighbors(alice.list(limit=1).rows[0].claim_id, k=100, include=["all"]),
    ],
    "index_lines": [
        lambda alice, bobs: alice.index_lines(budget_tokens=10_000, limit=1000),
        lambda alice, bobs: alice.index_lines(where={"user": "bob"}),
        lambda alice, bobs: alice.index_lines(cursor=bobs.handle.index_lines(limit=1).cursor or "none"),
    ],
    "sessions.open": [lambda alice, bobs: alice.sessions.open(session="bobs session")],
    "sessions.diff": [
        lambda alice, bobs: alice.sessions.diff(since=0, limit=1000),
        lambda alice, bobs: alice.sessions.diff(since=0, session="bobs session"),
    ],
    "sessions.close": [
        lambda alice, bobs: alice.sessions.close(since=0, session="bobs session"),
        lambda alice, bobs: alice.sessions.close(since=0, limit=1000),
    ],
    "sessions.digest": [lambda alice, bobs: alice.sessions.digest(budget_tokens=8_000, since=0)],
    "sessions.decisions": [
        lambda alice, bobs: alice.sessions.decisions(limit=500),
        lambda alice, bobs: alice.sessions.decisions(about="bobs"),
    ],
    "sessions.find": [
        lambda alice, bobs: alice.sessions.find(SECRET, k=100, each=20),
        lambda alice, bobs: alice.sessions.find(SECRET, where={"session": "bobs session"}),
    ],
    "models.status": [lambda alice, bobs: alice.models.status()],
    "models.embed": [lambda alice, bobs: alice.models.embed()],
    "code.symbols": [lambda alice, bobs: alice.code.symbols()],
    "code.symbol_status": [
        lambda alice, bobs: alice.code.symbol_status("crane.launch"),
        lambda alice, bobs: alice.code.symbol_status("crane.sawfish"),
    ],
    "code.check": [lambda alice, bobs: alice.code.check("crane.launch()", comments=True, strings=True)],
    "code.export": [
        lambda alice, bobs: with_file(alice.code.export),
        lambda alice, bobs: alice.code.export(bobs.export, overwrite=True),
    ],
    "code.undeprecate": [
        lambda alice, bobs: alice.code.undeprecate("crane.launch"),
        lambda alice, bobs: alice.code.undeprecate("crane.launch", expect=bobs.renamed),
    ],
    "code.sync": [
        lambda alice, bobs: with_file(alice.code.sync),
        lambda alice, bobs: with_file(alice.code.sync, Symbol("crane.launch", "crane.sawfish")),
        lambda alice, bobs: alice.code.sync(bobs.export),
    ],
    "code.deprecate": [
        lambda alice, bobs: alice.code.deprecate("crane.launch", "crane.trout", expect=bobs.renamed),
        lambda alice, bobs: alice.code.deprecate("crane.launch", "crane.trout"),
    ],
    "log.verify": [lambda alice, bobs: alice.log.verify()],
    "scoped": [
        lambda alice, bobs: alice.scoped(user="bob"), lambda alice, bobs: alice.scoped(user="*"),
        lambda alice, bobs: alice.scoped(user=""),
    ],
}  # fmt: skip
"""Every operation, and what alice tries with it."""
