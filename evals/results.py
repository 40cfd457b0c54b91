"""Results of `evals.retrieval` as JSON, written whole after each set."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evals.measure import ALL, LookAlikes, Measured


@dataclass(frozen=True)
class SetResult:
    """One set, measured; `embedder` is None when only words were asked for.

    `versions` are those of `evals.versions`, with a fingerprint of the code that searches; results of before have none.
    """

    name: str
    documents: int
    chunks: int
    embedder: str | None
    rows: tuple[Measured, ...]
    look_alikes: LookAlikes | None = None
    versions: dict[str, Any] = field(default_factory=dict)

    def row(self, way: str, kind: str = ALL, *, filtered: bool = False) -> Measured | None:
        """The row of this way, kind and filter, None when it was not measured."""
        return next((r for r in self.rows if (r.way, r.kind, r.filtered) == (way, kind, filtered)), None)

    @property
    def ways(self) -> list[str]:
        """Ways in the order in which they were measured."""
        return list(dict.fromkeys(row.way for row in self.rows))


@dataclass
class Report:
    """Sets by name."""

    sets: dict[str, SetResult] = field(default_factory=dict)


class Results:
    """A file of results, or, without one, nowhere."""

    def __init__(self, file: Path | None) -> None:
        self._file = file

    def read(self) -> Report:
        """What is kept; nothing when there is no file yet."""
        if self._file is None or not self._file.is_file():
            return Report()
        return report(json.loads(self._file.read_text("utf-8")))

    def write(self, kept: Report) -> None:
        """Replace the file in one step, so that a run that is cut off leaves a whole one."""
        if self._file is not None:
            write_json(self._file, {"sets": [asdict(result) for result in kept.sets.values()]})


def report(read: dict[str, Any]) -> Report:
    """The report that was written as this JSON."""
    return Report({found["name"]: _result(found) for found in read["sets"]})


def write_json(file: Path, content: Any) -> None:
    """The file, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f"{file.name}.new")
    beside.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")
    beside.replace(file)


def _result(found: dict[str, Any]) -> SetResult:
    rows = tuple(Measured(**row) for row in found["rows"])
    caught = LookAlikes(**found["look_alikes"]) if found["look_alikes"] else None
    about = found["name"], found["documents"], found["chunks"], found["embedder"]
    return SetResult(*about, rows, caught, found.get("versions", {}))
