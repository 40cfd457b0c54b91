"""How often each token occurs in an indexed text, kept so that no start-up cuts texts again."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping

from corpus.store.fingerprints import tokenizer_fingerprint
from text.tokens import tokens


def count(text: str) -> dict[str, int]:
    """Tokens of an indexed text with their frequencies."""
    return dict(Counter(tokens(text)))


def write_counts(connection: sqlite3.Connection, counts: Mapping[str, Mapping[str, int]]) -> None:
    """Keep counts by the key of the text, under the present rules of tokenising."""
    rules = tokenizer_fingerprint()
    connection.executemany(
        "INSERT OR REPLACE INTO terms VALUES (?, ?, ?)",
        [(key, rules, json.dumps(of_text, ensure_ascii=False)) for key, of_text in counts.items()],
    )
