"""How much of what answers a question stands among the first five hits: `python -m evals.recall [FOLDER]`.

FOLDER holds `corpus.jsonl` and `questions.jsonl`; without one the built-in sample and its questions are measured.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from context import Passage, Principal, SearchRequest
from corpus.documents import NewDocument
from corpus.index import Index
from evals.questions import ELEVATOR, questions
from graph.wiring import open_services
from settings import Endpoint, Settings
from state import Lane

DEPTH: Final = 5
LANES: Final[dict[str, tuple[Lane, ...]]] = {
    "bm25": ("keyword",),
    "vector": ("vector",),
    "hybrid": ("keyword", "vector"),
}

Label = Callable[[Passage], str]
"""What a question's gold calls a passage: its article in the sample, its document in a folder."""


@dataclass(frozen=True)
class Measured:
    """Means over the answerable questions, and how many found nothing of their gold."""

    recall: float
    missed: int
    questions: int


def recall(found: Sequence[str], gold: Sequence[str]) -> float:
    """|gold among the found| / min(|gold|, 5): 1 when nothing more of it could stand there."""
    return len(set(found) & set(gold)) / min(len(set(gold)), DEPTH)


async def measured(
    index: Index, asked: Sequence[tuple[str, Sequence[str]]], lanes: tuple[Lane, ...], label: Label
) -> Measured:
    """Search each question as it stands, and compare the first five distinct labels with its gold."""
    scores = [recall(await _labels(index, question, lanes, label), gold) for question, gold in asked]
    return Measured(sum(scores) / len(scores), sum(score == 0 for score in scores), len(scores))


async def _labels(index: Index, question: str, lanes: tuple[Lane, ...], label: Label) -> list[str]:
    hits = await index.search(SearchRequest((question,), Principal(), lanes=lanes, top_k=4 * DEPTH))
    passages = await index.read([doc["chunk_id"] for doc in hits.docs], Principal())
    return list(dict.fromkeys(label(passages[doc["chunk_id"]]) for doc in hits.docs))[:DEPTH]


def documents_of(folder: Path) -> Iterator[NewDocument]:
    """The documents of a public question set."""
    for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines():
        record: dict[str, Any] = json.loads(line)
        yield NewDocument(record["id"], record["text"], record["title"] or None, record.get("metadata") or {})


async def main(folder: Path | None, console: Console) -> None:
    """Index into a folder of its own, measure every lane, print a table."""
    none = Endpoint()
    with TemporaryDirectory(prefix="gapseek-recall-") as data:
        settings = Settings(chat=none, small_chat=none, embeddings=none, data=Path(data))
        async with open_services(settings, sample=folder is None) as services:
            if folder is not None:
                await _ingest(services.index, list(documents_of(folder)), console)
            asked = [(q["question"], q["gold"]) for q in questions(_questions_file(folder)) if q["gold"]]
            label: Label = _article if folder is None else _document
            table = Table(
                "lane", "Recall@5", "found none", title=f"{folder.name if folder else 'elevator'}, n={len(asked)}"
            )
            for name, lanes in LANES.items():
                result = await measured(services.index, asked, lanes, label)
                table.add_row(name, f"{result.recall:.3f}", str(result.missed))
    console.print(table)


async def _ingest(index: Index, documents: list[NewDocument], console: Console) -> None:
    with Progress(console=console) as progress:
        task = progress.add_task("indexing", total=len(documents))
        await index.add(documents, Principal(), lambda done, total, outcome: progress.update(task, completed=done))


def _questions_file(folder: Path | None) -> Path:
    return ELEVATOR if folder is None else folder / "questions.jsonl"


def _article(passage: Passage) -> str:
    return str(passage.metadata.get("article", passage.chunk_id))


def _document(passage: Passage) -> str:
    return passage.doc_id


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None, Console()))
