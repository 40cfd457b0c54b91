"""Every command, gathered under `app`; the order here is the order of the help."""

from cli import ask, ingest, search, serve
from cli.app import app

__all__ = ["app", "ask", "ingest", "search", "serve"]
