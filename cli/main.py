"""Every command, gathered under `app`; the order here is the order of the help."""

from cli import ask, documents, evaluate, ingest, maintain, modes, search, serve, threads, tune
from cli.app import app

__all__ = ["app", "ask", "documents", "evaluate", "ingest", "maintain", "modes", "search", "serve", "threads", "tune"]
