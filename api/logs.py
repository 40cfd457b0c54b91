"""Log lines as JSON or as text, each with the ids of its request, run and thread.

What goes out says where something failed and never with which words: the message of a stranger's exception may hold a
question, a document or a key.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from pathlib import PurePath
from traceback import extract_tb
from typing import Any, Final

from api import strays
from runs.marks import marks
from runs.tally import Tally
from settings import Settings

OURS: Final = ("gapseek", "api", "corpus", "endpoints", "graph", "nodes", "policy", "reasoner", "runs", "server")
"""Rooms that log: the level of the settings is theirs, and strangers speak from WARNING on."""

log = logging.getLogger("gapseek.runs")


def configure(settings: Settings) -> None:
    """Send all log lines of this process to stderr in the form of the settings, those of uvicorn too.

    uvicorn's own line a request is off: it holds the query string, and there is ours.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if settings.log == "json" else TextLines())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    for name in OURS:
        logging.getLogger(name).setLevel(settings.log_level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        theirs = logging.getLogger(name)
        theirs.handlers, theirs.propagate = [], True
    logging.getLogger("uvicorn").setLevel(logging.INFO)
    logging.getLogger("uvicorn.access").disabled = True
    strays.capture()


def log_run(tally: Tally) -> None:
    """A line for a run that is over, in numbers and fixed words."""
    told = {
        "mode": tally.mode,
        "status": tally.status,
        "stop_reason": tally.stop_reason,
        "error": tally.error,
        "ms": round(tally.seconds * 1000, 1),
        "rounds": tally.rounds,
        "searches": tally.spent("searches"),
        "model_calls": tally.spent("model_calls"),
    }
    log.info("run", extra={"told": {name: value for name, value in told.items() if value is not None}})


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": at, "level": record.levelname.lower(), "logger": record.name, "message": _message(record)}
        return json.dumps({**line, **marks(), **_told(record), **_failure(record)}, ensure_ascii=False, default=str)


class TextLines(logging.Formatter):
    """One line for a person."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        more = {**_told(record), **_failure(record), **marks()}
        said = "".join(f" {name}={value}" for name, value in more.items())
        return f"{at} {record.levelname:<7} {_message(record)}{said}"


def _message(record: logging.LogRecord) -> str:
    """What was said; of several lines the first, for asyncio puts an exception's own words into the next."""
    first, _, _ = record.getMessage().partition("\n")
    return "".join(char if char.isprintable() else "?" for char in first)


def _told(record: logging.LogRecord) -> dict[str, Any]:
    return dict(getattr(record, "told", {}))


def _failure(record: logging.LogRecord) -> dict[str, str]:
    """The kind of an exception and where it was raised, without its message."""
    if not record.exc_info or record.exc_info[0] is None:
        return {}
    frames = extract_tb(record.exc_info[2])
    place = f"{PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "an unknown line"
    return {"exception": record.exc_info[0].__name__, "at": place}
