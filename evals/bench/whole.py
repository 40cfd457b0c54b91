"""Hybrid search over pieces of the product's own size: as long as the chunks of a user's documents are."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from evals.bench.beside import Say, beside
from evals.bench.child import NAME
from evals.bench.contender import Loaded
from evals.bench.exact import Exact
from evals.bench.gapseek import Gapseek
from evals.bench.kept import environment
from evals.bench.material import Material
from evals.bench.stages import described
from evals.bench.vectors import Prepared, chosen
from text.tokens import tokens

PIECES: Final = 10_000
ROUNDS: Final = 100


def measure(material: Material, say: Say) -> dict[str, Any]:
    """What was searched, and a row a contender and filter. Vectors are stand-ins: to embed these takes an hour."""
    indexed, texts = zip(*((piece.indexed, piece.text) for piece in material.pieces), strict=True)
    say(f"{len(texts):,} pieces of whole chunks: ingest")
    vectors = chosen(indexed, material.questions, None, None)
    embedder = Prepared.of(NAME, texts, material.questions, (vectors.passages, vectors.questions))
    asked = dict(zip(material.questions, vectors.questions, strict=True))
    loaded = Loaded(material.pieces, vectors.passages, asked, {text: tokens(text) for text in indexed})
    with TemporaryDirectory(prefix="gapseek-bench-") as folder, Gapseek(Path(folder), embedder) as ours:
        ours.add(material.pieces)
        found = beside(ours, Exact(loaded), loaded, iter(material.questions), ROUNDS, say)
    searched = {"environment": environment(), "material": described(material, vectors.kind)}
    return {**searched, "hybrid": found.hybrid, "keyword": found.keyword}
