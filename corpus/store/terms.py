"""How often each token occurs in an indexed text, kept so that no start-up cuts texts again."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping

from corpus.documents import indexed_text
from corpus.store.database import Database
from text.tokens import RULES, tokens


def count(text: str) -> dict[str, int]:
    """Tokens of an indexed text with their frequencies."""
    return dict(Counter(tokens(text)))


def write_counts(connection: sqlite3.Connection, counts: Mapping[str, Mapping[str, int]]) -> None:
    """Keep counts by the key of the text, under the present rules of tokenising."""
    connection.executemany(
        "INSERT OR REPLACE INTO terms VALUES (?, ?, ?)",
        [(RULES, key, json.dumps(of_text, ensure_ascii=False)) for key, of_text in counts.items()],
    )


def recount(database: Database) -> None:
    """Count again what was counted under older rules."""
    rows = database.read(
        "SELECT DISTINCT key, title, heading, chunks.text FROM chunks JOIN versions ON versions.id = version_id "
        "WHERE NOT EXISTS (SELECT 1 FROM terms WHERE rules = ? AND terms.key = chunks.key)",
        (RULES,),
    )
    counts = {row["key"]: count(indexed_text(row["title"], row["heading"], row["text"])) for row in rows}
    with database.write() as connection:
        write_counts(connection, counts)
        connection.execute("DELETE FROM terms WHERE rules <> ?", (RULES,))
