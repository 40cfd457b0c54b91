"""Whether the databases of a backup are ours, whole and readable: looked at before anything takes their place."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import errors
from corpus.ingest.origins import parsed
from corpus.manifest import Manifest, identity
from corpus.places import ORIGINS, RUNS, STORE
from corpus.store.faults import NO_ROOM, StoreFailed, translated
from corpus.store.schema import prepare, structure
from corpus.store.soundness import sound

DAMAGED: Final = "The backup is damaged."
_OTHERS: Final = "The backup holds what no release of Gapseek writes."

THREADS: Final = {
    "checkpoints": (
        *("thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id", "type", "checkpoint", "metadata"),
    ),
    "writes": (
        *("thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "task_path", "idx", "channel", "type", "value"),
    ),
}
"""Tables and columns of LangGraph's saver."""
_OURS: Final = {RUNS: ("thread_id", "run_id", "ended")}

_BAD_STEPS: Final = {
    "checkpoints": "typeof(type) <> 'text' OR typeof(checkpoint) <> 'blob' OR CASE WHEN metadata IS NULL THEN 0 "
    "WHEN NOT json_valid(CAST(metadata AS TEXT)) THEN 1 ELSE json_type(CAST(metadata AS TEXT)) <> 'object' END",
    "writes": "typeof(idx) <> 'integer' OR typeof(type) <> 'text' OR typeof(value) <> 'blob'",
    RUNS: "typeof(thread_id) <> 'text' OR typeof(run_id) <> 'text' OR typeof(ended) NOT IN ('text', 'null')",
}


def verify(manifest: Manifest, folder: Path) -> None:
    """Raises `errors.BadRequest` unless every database is whole, defines what we define, and has rows we can read, and
    the origins, if any, are such.

    A store of an older schema is migrated here, where nothing is lost if it cannot be.
    """
    for name in manifest.files:
        try:
            with translated(), closing(sqlite3.connect(folder / name, isolation_level=None)) as database:
                _check_inert(database)
                if database.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                    raise errors.BadRequest(DAMAGED)
                (_check_store if name == STORE else _check_threads)(database, manifest)
        except (sqlite3.DatabaseError, TypeError, ValueError, StoreFailed, errors.Conflict) as error:
            if isinstance(error, StoreFailed) and error.reason in NO_ROOM:
                raise
            raise errors.BadRequest(DAMAGED) from error
    if manifest.origins:
        _check_origins(folder / ORIGINS)


def _check_origins(file: Path) -> None:
    try:
        parsed(file.read_bytes())
    except errors.Conflict as error:
        raise errors.BadRequest(DAMAGED) from error


def _check_inert(database: sqlite3.Connection) -> None:
    """Before any statement that could set it off: no trigger or view, nothing that acts by itself."""
    database.execute("PRAGMA trusted_schema = OFF")
    if not {kind for kind, _, _ in structure(database)} <= {"table", "index"}:
        raise errors.BadRequest(_OTHERS)


def _check_store(store: sqlite3.Connection, manifest: Manifest) -> None:
    if identity(store) != (manifest.schema, manifest.generation, manifest.fingerprints):
        raise errors.BadRequest(DAMAGED)
    prepare(store)
    if not sound(store):
        raise errors.BadRequest(DAMAGED)


def _check_threads(threads: sqlite3.Connection, manifest: Manifest) -> None:
    """What stands in a step is decoded when it is asked for. A start that was cut off leaves no table yet."""
    tables = {name for kind, name, _ in structure(threads) if kind == "table"}
    if tables - set(_OURS) not in (set(), set(THREADS)):
        raise errors.BadRequest(_OTHERS)
    for table in tables:
        if {row[1] for row in threads.execute(f"PRAGMA table_xinfo({table})")} != set((THREADS | _OURS)[table]):
            raise errors.BadRequest(_OTHERS)
        if threads.execute(f"SELECT 1 FROM {table} WHERE {_BAD_STEPS[table]}").fetchone():  # noqa: S608
            raise errors.BadRequest(DAMAGED)
