"""One eval as a command wants it: a set read and checked whole, asked, and its results in a folder."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from filelock import FileLock, Timeout

from context.retrieval import Principal
from errors import BadRequest, Conflict, NotFound
from evals import deployment, fingerprint, knowledge, sheet
from evals.bench.kept import engine
from evals.commit import commit
from evals.groups import groups
from evals.judging import agreement, check_judge, judged
from evals.knowledge import Say, Tick
from evals.modes import Position, chosen, plain
from evals.overview import overview
from evals.plan import Filters, Plan, sample
from evals.record import Record, Records
from evals.results import write_json
from evals.runner import run
from evals.scores import scores
from evals.sets import CARRIED, QuestionSet, carried, from_folder
from evals.versions import versions
from runs.dials import lowered
from runs.engine import MODES
from settings import Settings

RECORDS: Final = "records.jsonl"
RESULTS: Final = "results.json"
SUMMARY: Final = "summary.md"
_DOCUMENTS: Final = "documents"
ALL_MODES: Final = "all"


@dataclass(frozen=True)
class Wanted:
    """What a command asks for. `modes` is `a,b`, `all`, or None for the deployment's own mode; `program` is the command
    where it is not `gapseek eval`."""

    set: str
    out: Path
    modes: str | None = None
    filters: Filters = "with"
    budget: Mapping[str, Any] = field(default_factory=dict)
    repeat: int = 1
    limit: int | None = None
    at_once: int = 3
    seed: int = 0
    judge: bool = False
    groups: frozenset[str] = frozenset()
    position: Callable[[str], Position] = plain
    program: str | None = None

    @property
    def asker(self) -> Principal:
        return Principal(groups=self.groups)


def evaluate(wanted: Wanted, settings: Settings, tick: Tick, say: Say = lambda _: None) -> dict[str, Any]:
    """Ask what has no record in the folder yet, write the results of all of them, and return these.

    Broken off, it leaves results of what there is. Raises `BadRequest` for a set, mode or budget that cannot be used
    and `Conflict` when another eval writes into the folder, before anything is asked.
    """
    lowered(settings.dials(), wanted.budget)
    if wanted.judge:
        check_judge(settings)
    positions = chosen(_named(wanted.modes, settings), MODES, wanted.position)
    file = Path(wanted.set)
    own = file.suffix.lower() == ".csv"
    with _measured(file, wanted, settings, say) if own else _indexed(wanted, settings) as (asked, data, documents):
        plan = Plan(
            asked=sample(asked, wanted.limit, wanted.seed),
            positions=positions,
            settings=_settings_name(settings, wanted),
            knowledge=documents,
            filters=wanted.filters,
            budget=wanted.budget,
            repeat=wanted.repeat,
            seed=wanted.seed,
            at_once=wanted.at_once,
            asker=wanted.asker,
            position=wanted.position,
        )
        kept = Records(wanted.out / RECORDS, fingerprint.fingerprint(fingerprint.ANSWERING))
        try:
            asyncio.run(run(plan, settings, data, kept, tick))
            if wanted.judge:
                asyncio.run(judged(plan, settings, kept, tick))
        finally:
            found = {**results(plan, settings, kept), "program": wanted.program}
            write(found, wanted.out)
    return found


def results(plan: Plan, settings: Settings, kept: Records) -> dict[str, Any]:
    """Plain JSON: what was asked of what, by which code, settings and seed, and every figure."""
    keys = [ask.key for batch in plan.batches() for ask in batch]
    records = kept.of(keys)
    return {
        "set": plan.name,
        "questions": len(plan.asked.asked),
        "modes": list(plan.positions),
        "filters": plan.filters,
        "repeat": plan.repeat,
        "seed": plan.seed,
        "at_once": plan.at_once,
        "missing": len(keys) - len(records),
        "versions": versions(),
        "code": kept.code,
        "commit": commit(kept.code),
        "settings": {"fingerprint": plan.settings, **deployment.described(settings, plan.budget)},
        "knowledge": plan.knowledge,
        "reasoners": _distinct(record.reasoner for record in records),
        "embedders": _distinct(record.embedder for record in records),
        "agreement": agreement(records),
        "scores": rows(records),
    }


def rows(records: list[Record]) -> list[dict[str, Any]]:
    """The figures of every group: of each mode all questions, then each kind."""
    return [
        {"set": one.set, "mode": one.mode, "kind": one.kind, "filtered": one.filtered, **scores(one.records)}
        for one in groups(records)
    ]


def write(found: Mapping[str, Any], out: Path) -> None:
    """Results and their summary, each whole or not at all; nothing where nothing was asked."""
    if not found["scores"]:
        return
    write_json(out / RESULTS, found)
    (out / SUMMARY).write_text(overview(found), "utf-8")


def _settings_name(settings: Settings, wanted: Wanted) -> str:
    """Another program asks in its own way: what it recorded never passes for the records of `gapseek eval`."""
    name = deployment.name_of(settings, wanted.budget)
    return fingerprint.of([name, wanted.program]) if wanted.program else name


def _named(modes: str | None, settings: Settings) -> str | None:
    return settings.mode if modes is None else None if modes == ALL_MODES else modes


@contextmanager
def _indexed(wanted: Wanted, settings: Settings) -> Iterator[tuple[QuestionSet, Path, str]]:
    """A set with its own documents; their index stays in the folder, so that going on embeds nothing anew."""
    asked = _own_set(wanted.set)
    documents = knowledge.name_of(asked.documents)
    described = deployment.described(settings, {})
    index = fingerprint.of([documents, described["embeddings"], described["dictionary"], engine()])
    with owned(wanted.out):
        for other in (wanted.out / _DOCUMENTS).glob("*"):
            if other.name != index:
                shutil.rmtree(other)
        yield asked, wanted.out / _DOCUMENTS / index, documents


@contextmanager
def _measured(file: Path, wanted: Wanted, settings: Settings, say: Say) -> Iterator[tuple[QuestionSet, Path, str]]:
    """A knowledge base, in a copy that is gone afterwards."""
    asked = sheet.read(file)
    if settings.data.resolve() in (wanted.out.resolve(), *wanted.out.resolve().parents):
        raise BadRequest("Results go into a folder outside the knowledge base that is measured: name one with --out.")
    with TemporaryDirectory(prefix="gapseek-eval-") as copy:
        asyncio.run(knowledge.copied(settings.data, Path(copy), say))
        held = asyncio.run(knowledge.held(settings, Path(copy), wanted.asker))
        sheet.check_documents(file, asked, {document.doc_id for document in held})
        with owned(wanted.out):
            yield sheet.as_set(file, asked), Path(copy), knowledge.name_of(held)


@contextmanager
def owned(out: Path) -> Iterator[None]:
    """The folder of results, made if need be, for this process alone. Raises `Conflict` and `BadRequest`."""
    if out.exists() and not out.is_dir():
        raise BadRequest("Results go into a folder, and there is a file of that name: name another one with --out.")
    out.mkdir(parents=True, exist_ok=True)
    lock = FileLock(out / "eval.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise Conflict("Another eval writes into that folder: wait for it, or name another one with --out.") from error
    try:
        yield
    finally:
        lock.release()


def _own_set(name: str) -> QuestionSet:
    if name in CARRIED:
        return carried(name)
    if not Path(name).is_dir():
        carry = ", ".join(CARRIED)
        raise NotFound(
            f"There is no such set: name one of {carry}, a folder with questions, or a CSV file of your own."
        )
    asked = from_folder(Path(name))
    if not asked.asked or not asked.documents:
        raise BadRequest(f"The set {asked.name} has no {'documents' if asked.asked else 'questions'}.")
    return asked


def _distinct(names: Iterable[str | None]) -> list[str]:
    return sorted({name for name in names if name})
