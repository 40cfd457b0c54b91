"""Results of the bench, kept after each part, and the folder of what they were measured on."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from evals.fingerprint import fingerprint
from evals.results import write_json

_MEASURED: Final = ("corpus", "text")
_PACKAGES: Final = ("numpy", "chromadb", "rank-bm25", "langgraph", "langgraph-checkpoint-sqlite")


class Kept:
    """One JSON file, written whole after each part: a run that is cut off goes on at the part it was in."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.parts: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}

    def put(self, part: str, result: Any) -> None:
        """Replace a part."""
        self.parts[part] = result
        write_json(self._file, self.parts)

    def extend(self, part: str, rows: list[dict[str, Any]]) -> None:
        """Add rows to a part that is a list."""
        self.put(part, [*self.parts.get(part, []), *rows])

    def has(self, part: str, chunks: int) -> bool:
        """Is there a row for this size?"""
        return any(row["chunks"] == chunks for row in self.parts.get(part, []))


def engine() -> str:
    """A name for the code that is measured: results of other code never pass for its own."""
    return fingerprint(_MEASURED)


def environment() -> dict[str, Any]:
    """What figures depend on beside the code."""
    return {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
