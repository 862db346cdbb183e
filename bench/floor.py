"""The floor: a bare loop on the same disk and the same SQLite, with nothing of Muniment in it.

A row, an upsert of the current belief and a row of full text, one durable commit each. Everything that Muniment
adds (canonical form, commitments, tree, gate) is measured against this, in the same run.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import apsw

from common import arguments, fact, fsync_ms, report, summary, workplace


def open_floor(path: Path) -> apsw.Connection:
    """Open a store of the floor."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS claims(id INTEGER PRIMARY KEY, uuid BLOB, line INTEGER, subject TEXT, predicate TEXT,"
        " value TEXT, text TEXT, channel TEXT, source TEXT, valid_from INTEGER, valid_to INTEGER, recorded_at INTEGER,"
        " confidence INTEGER, author TEXT)"
    )
    connection.execute(
        "CREATE TABLE IF NOT EXISTS beliefs(key TEXT PRIMARY KEY, claim INTEGER, value TEXT) WITHOUT ROWID"
    )
    connection.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content='claims', content_rowid='id')"
    )
    return connection


def write(connection: apsw.Connection, i: int, people: int) -> None:
    """Write one claim of the floor, durably."""
    key, value, text = fact(i, people)
    subject, _, predicate = key.partition("::")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(
        "INSERT INTO claims(uuid, line, subject, predicate, value, text, channel, source, valid_from, valid_to,"
        " recorded_at, confidence, author) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            os.urandom(16),
            i % people,
            subject,
            predicate,
            value,
            text,
            "user",
            None,
            i,
            None,
            time.time_ns(),
            1,
            "local",
        ),
    )
    row = connection.last_insert_rowid()
    connection.execute(
        "INSERT INTO beliefs VALUES(?,?,?) ON CONFLICT(key) DO UPDATE SET claim = excluded.claim, value = excluded.value",
        (key, row, value),
    )
    connection.execute("INSERT INTO words(rowid, text) VALUES(?,?)", (row, text))
    connection.execute("COMMIT")


def floor(folder: Path, size: int, writes: int = 2_000) -> dict[str, float]:
    """Fill a store of the floor to ``size`` claims and time durable writes on it."""
    path = folder / f"floor-{size}.db"
    connection = open_floor(path)
    (have,) = connection.execute("SELECT count(*) FROM claims").fetchone()
    people = max(1, size // 3)
    if have < size:
        connection.execute("PRAGMA synchronous=OFF")
        with connection:
            for i in range(have, size):
                key, value, text = fact(i, people)
                row = (os.urandom(16), i % people, key, "", value, text, "user", None, i, None, i, 1, "local")
                connection.execute(
                    "INSERT INTO claims(uuid, line, subject, predicate, value, text, channel, source, valid_from,"
                    " valid_to, recorded_at, confidence, author) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
                    row,
                )
                connection.execute(
                    "INSERT INTO beliefs VALUES(?,?,?) ON CONFLICT(key) DO UPDATE SET claim = excluded.claim,"
                    " value = excluded.value",
                    (key, i, value),
                )
                connection.execute("INSERT INTO words(rowid, text) VALUES(?,?)", (connection.last_insert_rowid(), text))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA synchronous=FULL")
    times = []
    for i in range(size, size + writes):
        start = time.perf_counter()
        write(connection, i, people)
        times.append(time.perf_counter() - start)
    connection.close()
    return summary(times)


if __name__ == "__main__":
    options = arguments(__doc__ or "")
    with workplace(options.folder) as place:
        found: dict[str, object] = {"fsync_ms": fsync_ms(place), "sqlite": apsw.sqlite_lib_version()}
        for claims in options.sizes:
            found[f"floor at {claims:,}"] = floor(place, claims)
        report(found, options)
