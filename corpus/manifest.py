"""What a backup says of itself."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Final

from corpus.store.faults import damaged

FORM: Final = 1
MANIFEST: Final = "manifest.json"


@dataclass(frozen=True)
class Packed:
    """One file of a backup."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What a backup holds, and of the store its schema, generation and fingerprints.

    `origins` stands beside the databases, so that a release that does not know it restores the others.
    """

    form: int
    created: float
    schema: int
    generation: int
    fingerprints: dict[str, str]
    files: dict[str, Packed]
    origins: Packed | None = None


def identity(store: sqlite3.Connection) -> tuple[int, int, dict[str, str]]:
    """Schema, generation and fingerprints of a store; one of schema 1 keeps no fingerprints.

    Raises `StoreDamaged` for one that does not say.
    """
    schema = int(store.execute("PRAGMA user_version").fetchone()[0])
    counted = store.execute("SELECT value FROM counters WHERE name = 'generation'").fetchone()
    if counted is None or not isinstance(counted[0], int):
        raise damaged()
    kept = store.execute("SELECT part, value FROM fingerprints").fetchall() if schema > 1 else []
    return schema, counted[0], dict(kept)
