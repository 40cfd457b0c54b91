"""The bench, stage by stage: one index grows, and at two sizes it stands beside the others."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from context.retrieval import Vectors
from errors import BadRequest
from evals.bench import growth, hybrid
from evals.bench.beside import Say, beside
from evals.bench.child import NAME
from evals.bench.contender import Loaded
from evals.bench.exact import Exact
from evals.bench.gapseek import Gapseek
from evals.bench.kept import Kept
from evals.bench.material import Material
from evals.bench.vectors import DIMENSION, Prepared
from text.tokens import tokens

SIZES: Final = (1_000, 3_000, 10_000, 30_000, 100_000)
COMPARED: Final = (10_000, 100_000)
ROUNDS: Final = {10_000: 100, 100_000: 20}
NEIGHBOURS: Final = 30
"""Questions for the recall of the vector lane."""


@dataclass
class Bench:
    """Material with a row of vectors a piece and a question, and where everything is kept."""

    material: Material
    passages: Vectors
    questions: Vectors
    folder: Path
    kept: Kept
    say: Say

    def __post_init__(self) -> None:
        if len(self.material.questions) < growth.QUESTIONS:
            raise BadRequest(f"The bench needs {growth.QUESTIONS} distinct questions.")

    def run(self, sizes: tuple[int, ...]) -> None:
        """Every stage that has no result yet; the index is removed once all have one."""
        if not self.kept.has("growth", 0):
            self._empty()
        before = 0
        for size in sizes:
            if not self.kept.has("growth", size):
                self._stage(before, size)
            before = size
        shutil.rmtree(self._index, ignore_errors=True)

    def _empty(self) -> None:
        """A process over an empty index: what the others' memory is compared with."""
        with TemporaryDirectory(prefix="gapseek-bench-") as folder:
            row = growth.in_child(Path(folder) / "index", self._of_child(), Path(folder))
        self.kept.extend("growth", [{"chunks": 0} | row])

    def _stage(self, before: int, size: int) -> None:
        self.say(f"{size:,} chunks: ingest")
        with Gapseek(self._index, self._embedder) as ours:
            if ours.count() < before:  # a run that was cut off after an earlier one had removed the index
                ours.add(self.material.pieces[:before])
            row = growth.grow(ours, self.material.pieces[before:size])
            exact = Exact(self._loaded(size))
            asked = list(self.material.questions[:NEIGHBOURS])
            row["vector_recall_10"] = round(hybrid.vector_recall(ours, exact, asked), 4)
            if size in COMPARED and not self.kept.has("hybrid", size):
                self._beside(ours, exact, size)
        self.say(f"{size:,} chunks: a process of its own")
        row |= growth.in_child(self._index, self._of_child(), self.folder)
        row["disk_bytes"] = growth.disk(self._index)
        empty = next(other for other in self.kept.parts["growth"] if other["chunks"] == 0)
        self.kept.extend("growth", [{"chunks": size} | row | growth.a_chunk(row, empty, size)])

    def _beside(self, ours: Gapseek, exact: Exact, size: int) -> None:
        questions = iter(self.material.questions[NEIGHBOURS:])
        found = beside(ours, exact, self._loaded(size), questions, ROUNDS[size], self.say)
        self.kept.put("notes", self.kept.parts.get("notes", {}) | found.notes)
        self.kept.extend("keyword", found.keyword)
        self.kept.extend("hybrid", found.hybrid)

    def _loaded(self, size: int) -> Loaded:
        vectors = dict(zip(self.material.questions, self.questions, strict=True))
        return Loaded(self.material.pieces[:size], self.passages[:size], vectors, self._tokens)

    @cached_property
    def _tokens(self) -> dict[str, list[str]]:
        self.say("cutting the pieces into tokens")
        return {piece.indexed: tokens(piece.indexed) for piece in self.material.pieces}

    @cached_property
    def _embedder(self) -> Prepared:
        texts = [piece.text for piece in self.material.pieces]
        return Prepared.of(NAME, texts, self.material.questions, (self.passages, self.questions))

    @property
    def _index(self) -> Path:
        return self.folder / "index"

    def _of_child(self) -> dict[str, Vectors]:
        chosen = self.material.questions[-growth.QUESTIONS :]
        return dict(zip(chosen, self.questions[-growth.QUESTIONS :], strict=True))


def sizes(most: int, pieces: int) -> tuple[int, ...]:
    """The sizes up to `most` that there are pieces for."""
    return tuple(size for size in SIZES if size <= min(most, pieces))


def described(material: Material, vectors: str) -> dict[str, Any]:
    """What was searched, for whoever reads the results."""
    lengths = np.array([len(piece.text) for piece in material.pieces])
    return {
        "source": material.source,
        "pieces": len(material.pieces),
        "mean_characters": round(float(lengths.mean())),
        "questions": len(material.questions),
        "vectors": vectors,
        "dimension": DIMENSION,
        "fingerprint": material.fingerprint,
    }
