"""Every column of every table says what it holds and how it goes."""

from __future__ import annotations

import re

import apsw

from muniment.store.erasable import DECLARED, Kind, columns
from muniment.store.sqlite import migrations
from muniment.store.sqlite.rows import CLAIM


def _schema() -> dict[str, list[str]]:
    connection = apsw.Connection(":memory:")
    migrations.migrate(connection)
    tables = [
        str(row[0])
        for row in connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name")
        if not str(row[0]).startswith("sqlite_")
    ]
    return {
        table: [str(row[1]) for row in connection.execute(f"PRAGMA table_xinfo({table})").fetchall()]
        for table in tables
    }


def test_every_table_and_column_is_declared_and_nothing_else_is() -> None:
    schema = _schema()
    assert set(schema) == set(DECLARED)
    for table, names in schema.items():
        assert set(names) == set(DECLARED[table]), table


def test_no_content_is_a_key_of_an_index() -> None:
    connection = apsw.Connection(":memory:")
    migrations.migrate(connection)
    content = columns(Kind.CONTENT, Kind.SECRET)
    rows = connection.execute(
        "SELECT m.tbl_name, x.name FROM sqlite_schema m JOIN pragma_index_xinfo(m.name) x WHERE m.type = 'index'"
    ).fetchall()
    indexed = {(str(table), str(column)) for table, column in rows if column is not None}
    assert indexed
    assert not {(t, c) for t, c in indexed if c in content.get(t, [])}


def test_tables_without_rowid_hold_no_content() -> None:
    connection = apsw.Connection(":memory:")
    migrations.migrate(connection)
    bare = [
        str(r[1])
        for r in connection.execute("PRAGMA table_list").fetchall()
        if r[4] and not str(r[1]).startswith("lex")
    ]
    assert "stretches" in bare
    assert not set(bare) & set(columns(Kind.CONTENT))


def test_every_column_of_a_claim_is_read_back() -> None:
    read = set(re.findall(r"\bc\.(\w+)", CLAIM))
    assert read | {"gained"} == set(DECLARED["claims"])
