"""The child: converts file after file, under limits that it sets upon itself, with no way to the outside."""

from __future__ import annotations

import math
import os
import resource
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import errors
from corpus.ingest.convert import frames
from corpus.ingest.convert.converted import Converted
from corpus.ingest.convert.limits import Limits

CONVERTERS: Final = {
    ".pdf": "corpus.ingest.convert.pdf.convert",
    ".docx": "corpus.ingest.convert.word.convert",
    ".pptx": "corpus.ingest.convert.slides.convert",
    ".xlsx": "corpus.ingest.convert.sheets.convert",
    ".html": "corpus.ingest.convert.page.convert",
    ".htm": "corpus.ingest.convert.page.convert",
    ".csv": "corpus.ingest.convert.records.from_csv",
    ".json": "corpus.ingest.convert.records.from_json",
    ".jsonl": "corpus.ingest.convert.records.from_json_lines",
    ".ndjson": "corpus.ingest.convert.records.from_json_lines",
}
"""The function of `(data, limits)` that reads a kind of file; its module is imported when the first of its kind comes.
"""

_MEGABYTE: Final = 1_000_000
_FORBIDDEN: Final = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "os.fork",
    "shutil.",
)
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main(memory_mb: int) -> None:
    """Answer frames until the parent is gone."""
    pipe_in, pipe_out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # what a library prints must not get between the frames, nor a file's text into a log
        os.dup2(nothing, stream)
    _limit(resource.RLIMIT_AS, memory_mb * _MEGABYTE)
    _limit(resource.RLIMIT_CORE, 0)
    sys.addaudithook(_refuse)
    while (asked := frames.receive(pipe_in)) is not None:
        header, data = asked
        reply = answer(header, data)
        frames.send(pipe_out, reply | {"text": ""}, str(reply.get("text", "")).encode("utf-8", "replace"))


def answer(header: dict[str, Any], data: bytes) -> dict[str, Any]:
    """`{text, title}` or `{refused}`; `fatal` when this process had better not go on."""
    limits = Limits(**header["limits"])
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    _limit(resource.RLIMIT_CPU, math.ceil(used + limits.timeout_s) + 1)
    try:
        module, _, function = CONVERTERS[header["suffix"]].rpartition(".")
        convert: Callable[[bytes, Limits], Converted] = getattr(import_module(module), function)
        converted = convert(data, limits)
    except errors.BadRequest as error:
        return {"refused": error.sentence}
    except MemoryError:
        return {"refused": "The file needs more memory than is allowed.", "fatal": True}
    except RecursionError:
        return {"refused": "The file is nested too deeply."}
    except Exception as error:  # a library's failure over a file, of whatever kind, is that file's and no other's
        return {"refused": "The file is damaged and cannot be read.", "kind": type(error).__name__}
    return {"text": converted.text, "title": converted.title, "note": converted.note}


def _limit(kind: int, soft: int) -> None:
    """Set the soft limit; macOS refuses one on address space, where only the parent's clock and the sizes hold."""
    _, hard = resource.getrlimit(kind)
    try:
        resource.setrlimit(kind, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
    except ValueError:
        if sys.platform != "darwin":
            raise


def _refuse(event: str, args: tuple[Any, ...]) -> None:
    """No network, no processes, no writing: files come as bytes, and nothing in them is to be fetched."""
    if event.startswith(_FORBIDDEN) or (event == "open" and isinstance(args[2], int) and args[2] & _WRITING):
        raise PermissionError(event)
