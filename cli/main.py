"""Every command, gathered under `app`; the order here is the order of the help."""

from cli import (
    ask,
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
