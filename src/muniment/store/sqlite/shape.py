"""What a sound file is made of: its tables, views, indexes and triggers."""

from __future__ import annotations

from contextlib import closing
from typing import Any, Final

import apsw

from muniment.store.sqlite import migrations

SCHEMA: Final = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
_ORDER: Final = {"table": 0, "view": 1, "index": 2, "trigger": 3}


def intended() -> list[tuple[str, str, str]]:
    """Return (type, name, SQL) of everything that a sound store has, in an order in which it can be made."""
    with closing(apsw.Connection(":memory:")) as blank:
        migrations.migrate(blank)
        rows: list[Any] = list(blank.execute(SCHEMA))
    shadows = {f"lexical_fts_{part}" for part in ("data", "idx", "content", "docsize", "config")}
    wanted = [(kind, name, sql) for kind, name, sql in rows if name not in shadows and not name.startswith("sqlite_")]
    return sorted(wanted, key=lambda row: (_ORDER[row[0]], row[1] == "lexical_fts"))


def foreign(connection: apsw.Connection) -> list[tuple[str, bool]]:
    """Return the views and triggers that no sound store has (True), and those that it has and that are not there."""
    own = {(kind, sql) for kind, _, sql in intended() if kind in ("view", "trigger")}
    there = "SELECT type, sql FROM sqlite_schema WHERE type IN ('view', 'trigger')"
    live = {(str(row[0]), str(row[1])) for row in connection.execute(there).fetchall()}
    return [(kind, True) for kind, _ in sorted(live - own)] + [(kind, False) for kind, _ in sorted(own - live)]
