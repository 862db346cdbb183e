"""Plain FTS5, which others are compared with: porter stemmer, the question's words without stop words, joined by OR."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import apsw

from muniment.lexical.stopwords import is_stop_word

FIRST = 25
"""How many are found at most."""


def plain(texts: Iterable[str]) -> Callable[[str], list[int]]:
    """Return a search over some texts: it takes a question and returns the places of what it finds, best first."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE said USING fts5(text, tokenize='porter unicode61')")
    with connection:
        connection.executemany("INSERT INTO said(rowid, text) VALUES(?,?)", enumerate(texts))

    def search(question: str) -> list[int]:
        words = [word for word in re.findall(r"\w+", question.lower()) if not is_stop_word(word)]
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        sql = "SELECT rowid FROM said WHERE said MATCH ? ORDER BY rank LIMIT ?"
        return [rowid for (rowid,) in connection.execute(sql, (match, FIRST))]

    return search
