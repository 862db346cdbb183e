"""Make the fixture of a schema: a small store file that tests open with every later version.

Run it once when a schema is released, and keep the file: ``python tools/make_store_fixture.py
tests/store/fixtures/schema1.db``. It refuses to overwrite one that is there.
"""

from __future__ import annotations

import sys
from pathlib import Path

from muniment.beliefs.state import Cause, Effect
from muniment.claims.intervals import FOREVER
from muniment.store.conformance.bench import Bench
from muniment.store.conformance.erasure import erase
from muniment.store.conformance.scribe import mark
from muniment.store.protocol import Writer
from muniment.store.records import Amendment, PolicyRow, SearchTerms
from muniment.store.sqlite.store import SqliteStore


def main(path: Path) -> None:
    """Fill every table of a new store."""
    if path.exists():
        sys.exit(f"{path} is there already; a released schema keeps its fixture.")
    bench = Bench(lambda: SqliteStore(path), durable=True)
    berlin = bench.say("ann::city", "Berlin")
    bench.say("ann::city", "Paris", parents=(berlin.head.id,), depth=1)
    rome = bench.say("ann::city", "Rome", standing="held", beside_until=FOREVER)
    note = bench.say("a note", "a note", note=True)
    gone = bench.say("bob::city", "Oslo", scope='["bob"]')

    def more(tx: Writer) -> None:
        bench.scribe.item(tx, rome)
        amendment = bench.scribe.entry(tx, tx.line_by_id(note.line), type="amend", decision=True)
        tx.amend(
            Amendment(amendment.id, note.head.id, amendment.at, "A note.", None, None, b"s" * 32),
            SearchTerms("", "note", ""),
        )
        policy = bench.scribe.entry(tx, type="policy", decision=True)
        tx.add_policy(PolicyRow(policy.id, "ann::*", '{"critical":true}', policy.at, "so", b"s" * 32))
        ended = [Effect(berlin.head.id, False, berlin.head.start, FOREVER, Cause.END)]
        line = tx.line_by_id(berlin.line)
        end = bench.scribe.decide(tx, line, ended)
        tx.add_reason(end, "moved", b"s" * 32)
        tx.observe(note.head.id, end.at, mark("support", "bob"), True)
        tx.remember_request(mark("key"), mark("body"), "{}", end.idx)

    bench.write(more)
    erase(bench, gone)
    bench.store.purge()
    bench.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
