"""What the index was built with: embedder, tokenizer and chunker, recorded, so that a change is never overlooked."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import errors
from context.retrieval import Embedder
from corpus.ingest.chunks import RULES, Sizes
from corpus.store.database import Database, opened_read_only
from corpus.store.faults import translated
from text import tokens


@dataclass(frozen=True)
class Fingerprints:
    """`embedder` is None while the vector lane is off; that changes nothing that is stored."""

    embedder: str | None
    tokenizer: str
    chunker: str

    @classmethod
    def of(cls, embedder: Embedder | None, sizes: Sizes) -> Fingerprints:
        """Those of the present settings."""
        return cls(embedder_fingerprint(embedder) if embedder else None, tokenizer_fingerprint(), chunker_of(sizes))

    def parts(self) -> dict[str, str]:
        return {part: value for part, value in asdict(self).items() if value is not None}


def embedder_fingerprint(embedder: Embedder) -> str:
    return f"{embedder.name} ({embedder.dimension} dimensions)"


def embedder_of(fingerprint: str) -> tuple[str, int] | None:
    """Name and dimension of the embedder that has this fingerprint; None for a text that is none."""
    read = re.fullmatch(r"(.+) \(([1-9]\d{0,6}) dimensions\)", fingerprint)
    return (read[1], int(read[2])) if read else None


def tokenizer_fingerprint() -> str:
    return tokens.fingerprint()


def chunker_of(sizes: Sizes) -> str:
    return f"rules {RULES}, {sizes.longest} characters, overlap {sizes.overlap}"


def recorded(database: Database) -> dict[str, str]:
    """Part to fingerprint, as the store holds them."""
    return {row["part"]: row["value"] for row in database.read("SELECT part, value FROM fingerprints")}


def recorded_embedder(store: Path) -> tuple[str, int] | None:
    """Name and dimension of the embedder that a store, open or not, was built with; None when it says none."""
    if not store.is_file() or not store.stat().st_size:
        return None
    with translated(), opened_read_only(store) as connection:
        if connection.execute("PRAGMA user_version").fetchone()[0] < 2:  # release 0.1 kept it elsewhere
            return None
        found = connection.execute("SELECT value FROM fingerprints WHERE part = 'embedder'").fetchone()
    return embedder_of(str(found[0])) if found else None


def record(connection: sqlite3.Connection, now: Fingerprints) -> None:
    """Inside a transaction: from now on the store is built with these."""
    connection.executemany("INSERT OR REPLACE INTO fingerprints VALUES (?, ?)", list(now.parts().items()))


def claim(database: Database, now: Fingerprints) -> None:
    """Record what is not recorded yet. Raises `errors.Conflict` when something stored was built with another."""
    was = recorded(database)
    holds = bool(database.read("SELECT 1 FROM versions LIMIT 1"))
    differing = differences(was, now) if holds else []
    if differing:
        raise errors.Conflict(
            f"The index was built with {' and with '.join(differing)}: rebuild it with `gapseek reindex`, "
            "or go back to what it was built with.",
            code="index_outdated",
        )
    if any(was.get(part) != value for part, value in now.parts().items()):
        with database.write() as connection:
            record(connection, now)


def differences(was: Mapping[str, str], now: Fingerprints) -> list[str]:
    """Per part that differs, what it was and what it is."""
    return [
        f"the {part} '{was[part]}', which is now '{value}'"
        for part, value in now.parts().items()
        if was.get(part, value) != value
    ]
