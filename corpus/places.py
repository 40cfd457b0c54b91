"""What in a data folder is not derived from anything else, and where it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Final

STORE: Final = "documents.sqlite3"
"""The truth about documents; all else in the index's folder is derived from it."""

THREADS: Final = "threads.sqlite"
RUNS: Final = "gapseek_runs"
"""The table of ours beside LangGraph's in the file of threads (graph/run_log.py); a file of old lacks it."""

PLACES: Final = {THREADS: Path(THREADS), STORE: Path("index") / STORE}
"""Each database, by its name in a backup.

Threads come first: then every document that a copied thread speaks of is in the copy too, unless it was deleted.
"""

ORIGINS: Final = "origins.json"
"""Which file each document came from: of this machine, and not derived from anything either."""
