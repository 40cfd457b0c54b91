"""The parent's side: a few children that are used again and again, and replaced when one of them dies or hangs."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from threading import BoundedSemaphore, Lock, Timer
from types import TracebackType
from typing import Any, BinaryIO, Final, Self, cast

import errors
from corpus.ingest.convert import frames
from corpus.ingest.convert.converted import Converted
from corpus.ingest.convert.limits import DEFAULT, Limits
from corpus.ingest.convert.worker import CONVERTERS

SUFFIXES: Final = tuple(CONVERTERS)

_AT_ONCE: Final = 2
_FILES_A_CHILD: Final = 200
"""Files after which a child is replaced, so that no leak of a library adds up."""

_START: Final = (
    "import json, sys; path, memory_mb = json.loads(sys.argv[1]); sys.path[:] = path;"
    " from corpus.ingest.convert.worker import main; main(memory_mb)"
)
_KEPT: Final = ("LANG", "LC_", "LD_LIBRARY_PATH", "DYLD_", "TZ")
"""What a child sees of the environment; keys and addresses are not among it."""

_log = logging.getLogger(__name__)


class Converter:
    """Turns files into Markdown. Nothing runs until the first file comes; `close` ends what runs. Thread-safe."""

    def __init__(self, limits: Limits = DEFAULT) -> None:
        self.limits = limits
        self._idle: list[_Child] = []
        self._places = BoundedSemaphore(_AT_ONCE)
        self._lock = Lock()
        self._closed = False
        self.waiting = 0
        """Files that no child has begun with."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def convert(self, name: str, data: bytes) -> Converted:
        """The file's text. Blocks for as long as it takes, at most twice the limit's seconds.

        Raises `errors.BadRequest` with the sentence why the file cannot be used.
        """
        self._count(1)
        with self._places:
            self._count(-1)
            child = self._take()
            try:
                converted = child.convert(PurePosixPath(name).suffix.lower(), data)
            finally:
                self._give_back(child)
        return converted

    def close(self) -> None:
        """End the children; one at work ends with its file."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for child in idle:
            child.end()

    def _count(self, more: int) -> None:
        with self._lock:
            self.waiting += more

    def _take(self) -> _Child:
        with self._lock:
            if self._closed:
                raise errors.Unavailable("The service is ending; the file was not read.")
            while self._idle:
                if (child := self._idle.pop()).alive():
                    return child
                child.end()
        return _Child(self.limits)

    def _give_back(self, child: _Child) -> None:
        with self._lock:
            if child.usable and not self._closed:
                self._idle.append(child)
                return
        child.end()


class _Child:
    """One process. What it does wrong is told as a sentence, and makes it unusable."""

    def __init__(self, limits: Limits) -> None:
        self.usable = True
        self._limits = limits
        self._files = 0
        self._overdue = False
        start = json.dumps([[str(Path(path).absolute()) for path in sys.path], limits.memory_mb])
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, with code of ours
            [sys.executable, "-I", "-c", _START, start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name.startswith(_KEPT)},
            start_new_session=True,
        )

    def alive(self) -> bool:
        return self._process.poll() is None

    def convert(self, suffix: str, data: bytes) -> Converted:
        self.usable = False
        reply, text = self._told({"suffix": suffix, "limits": asdict(self._limits)}, data)
        self._files += 1
        self.usable = not reply.get("fatal") and self._files < _FILES_A_CHILD
        if "refused" in reply:
            if "kind" in reply:
                _log.info("A %s file could not be read: %s", suffix, reply["kind"])
            raise errors.BadRequest(reply["refused"])
        return Converted(text.decode(), reply["title"], reply["note"])

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(BrokenPipeError):  # what was still to be written has no reader any more
                cast(BinaryIO, pipe).close()

    def _told(self, header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        clock = Timer(self._limits.timeout_s, self._cut)
        clock.start()
        try:
            frames.send(cast(BinaryIO, self._process.stdin), header, data)
            reply = frames.receive(cast(BinaryIO, self._process.stdout))
        except (OSError, ValueError):
            reply = None
        finally:
            clock.cancel()
        if reply is None:
            raise errors.BadRequest(self._why())
        return reply

    def _cut(self) -> None:
        self._overdue = True
        self._process.kill()

    def _why(self) -> str:
        if self._overdue:
            return f"The file takes more than {self._limits.timeout_s:g} seconds to read."
        return "The file made the converter crash: it is damaged, or needs more memory than is allowed."
