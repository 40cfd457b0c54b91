"""Every command, gathered under `app`; the order here is the order of the help."""

from cli import (
    ask,
    debugging,
    doctor,
    documents,
    evaluate,
    ingest,
    keys,
    maintain,
    modes,
    prompts,
    search,
    serve,
    threads,
    tune,
)
from cli.app import app

__all__ = [
    "app",
    "ask",
    "debugging",
    "doctor",
    "documents",
    "evaluate",
    "ingest",
    "keys",
    "maintain",
    "modes",
    "prompts",
    "search",
    "serve",
    "threads",
    "tune",
]
