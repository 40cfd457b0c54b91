"""What is kept of one measured ask: a line of JSON, appended when it ends, so that a killed run goes on.

Fields are only ever added, with a default: lines of before are read as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from errors import BadRequest


@dataclass(frozen=True)
class Round:
    """Labels of the hits of a round, best first, each once; and what was graded in it: sub-question, label, score."""

    found: list[str]
    graded: list[tuple[str, str, float]]


@dataclass(frozen=True)
class Cited:
    """A source that the answer cites; `stands` when its quote was found in the chunk and in the document as given."""

    number: int
    label: str
    doc_id: str
    chunk_id: str
    stands: bool


@dataclass(frozen=True)
class Record:
    """One question of a set, asked in one mode, without its filter or with it.

    `code` names the code that answered, `standalone` is the question as it was made to stand alone, `judged` counts the
    chunks that were graded, `unfounded` quotes of the ledger that stand in no source, and `dangling` numbers in the
    answer that cite nothing. `points` and `references` are what was wanted, so that a line is measured without the set
    it came from. `error` is the sentence of an ask that failed.

    `mode` is a position of `evals/modes.py`. `settings`, `knowledge` and `asked` are fingerprints: of the deployment
    with its budget, of the documents, and of the question with what is wanted of it. `repeat` counts from 0.
    `needs_lookup` is what the route should say and `looked_up` what it said. `cost` is None where a model was called
    that has no price. `first_event_ms` and `first_token_ms` are counted from the ask. `judge` names the judge that
    `judged_right`, if one was asked.
    """

    set: str
    id: str
    mode: str
    filtered: bool
    code: str
    kind: str
    question: str
    answerable: bool
    gold: list[str]
    not_to_cite: list[str]
    points: list[list[str]]
    references: list[str]
    status: str
    stop_reason: str | None
    standalone: str = ""
    relevance_score: float = 0.0
    sub_questions: int = 0
    rounds: list[Round] | tuple[Round, ...] = ()
    judged: int = 0
    searches: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    tokens: int = 0
    cited: list[Cited] | tuple[Cited, ...] = ()
    unfounded: int = 0
    dangling: int = 0
    answer: str = ""
    latency_ms: float = 0.0
    error: str | None = None
    version: str = ""
    settings: str = ""
    knowledge: str = ""
    asked: str = ""
    seed: int = 0
    repeat: int = 0
    dials: dict[str, Any] = field(default_factory=dict)
    needs_lookup: bool = True
    looked_up: bool = True
    route_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    first_event_ms: float | None = None
    first_token_ms: float | None = None
    reasoner: str = ""
    embedder: str | None = None
    judge: str | None = None
    judged_right: bool | None = None
    judge_reason: str = ""

    @property
    def key(self) -> Key:
        asked = (self.settings, self.knowledge, self.asked)
        return Key(self.set, self.id, self.mode, self.filtered, *asked, self.seed, self.repeat)


class Key(NamedTuple):
    """What is asked once."""

    set: str
    id: str
    mode: str
    filtered: bool
    settings: str = ""
    knowledge: str = ""
    asked: str = ""
    seed: int = 0
    repeat: int = 0


class Records:
    """A file of records, or, without one, memory. Of two lines about the same ask the later one counts."""

    def __init__(self, file: Path | None, code: str | None = None) -> None:
        """With `code`, lines of other code count for nothing. Raises `BadRequest` for a line that is no record."""
        self._file = file
        self.code = code or ""
        self._kept = {record.key: record for record in _read(file) if code in (None, record.code)}

    def __contains__(self, key: Key) -> bool:
        return key in self._kept

    def __iter__(self) -> Iterator[Record]:
        return iter(self._kept.values())

    def answered(self, key: Key) -> bool:
        """Whether there is a record of an ask that did not fail: one that did may go better the next time."""
        return key in self._kept and self._kept[key].status != "failed"

    def of(self, keys: Iterable[Key]) -> list[Record]:
        """Records of these asks, in their order, as far as there are any."""
        return [self._kept[key] for key in keys if key in self._kept]

    def add(self, record: Record) -> None:
        """Keep a record, at once."""
        self._kept[record.key] = record
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(record), ensure_ascii=False) + "\n")


def _read(file: Path | None) -> Iterable[Record]:
    """The whole lines of a file; a last one that a killed run began is cut off, so that the next begins afresh."""
    if file is None or not file.is_file():
        return []
    content = file.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        with file.open("r+b") as lines:
            lines.truncate(len(whole))
    return [_line(file, number, line) for number, line in enumerate(whole.split(b"\n"), start=1) if line]


def _line(file: Path, number: int, line: bytes) -> Record:
    try:
        return _record(json.loads(line))
    except (ValueError, TypeError, KeyError) as error:
        raise BadRequest(f"{file.name}, line {number}: not a record that this version of Gapseek can read.") from error


def _record(read: dict[str, Any]) -> Record:
    rounds = [Round(r["found"], [tuple(pair) for pair in r["graded"]]) for r in read["rounds"]]
    return Record(**{**read, "rounds": rounds, "cited": [Cited(**cited) for cited in read["cited"]]})
