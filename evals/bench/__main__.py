"""`python -m evals.bench`: speed, size and growth, one part after the other. `--help` lists the options."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import Progress, TextColumn

from context import Vectors
from corpus.embeddings.e5 import E5Embedder
from errors import GapseekError, Unavailable
from evals.bench import ask, embedding
from evals.bench.kept import Kept, engine, environment
from evals.bench.material import Material, documents, from_sample, from_sets
from evals.bench.stages import SIZES, Bench, described, sizes
from evals.bench.tables import bench_page
from evals.bench.vectors import Kind, VectorFile, embed, real, stand_in

QUICK = 10_000
_SEED = 7
_SHOWN = 20


def main(options: argparse.Namespace, console: Console) -> None:
    """Measure what has no result yet, then print all of it."""
    most = QUICK if options.quick else SIZES[-1]
    material = from_sets(options.data, most, _SEED) if options.data else from_sample(most, _SEED)
    folder = options.out / f"{engine()}-{material.fingerprint}"
    if options.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    kept = Kept(folder / "bench.json")
    passages, questions, kind = _vectors(material, options)
    kept.put("environment", environment())
    kept.put("material", described(material, kind))
    bench = Bench(material, passages, questions, folder, kept, console.print)
    bench.run(sizes(most, len(material.pieces)))
    _apart(options.data, material, kept, console)
    shutil.copyfile(folder / "bench.json", options.out / "bench.json")
    console.print(bench_page(kept.parts), markup=False)


def _apart(data: Path | None, material: Material, kept: Kept, console: Console) -> None:
    """What needs no large index: embedding, and a whole ask."""
    if "embedding" not in kept.parts:
        console.print("embedding, with the product's own embedder")
        with TemporaryDirectory(prefix="gapseek-bench-") as folder:
            found = embedding.measure(documents(data), material.questions[:_SHOWN], Path(folder))
            kept.put("embedding", asyncio.run(found))
    if "ask" not in kept.parts:
        console.print("a whole ask beside an empty graph")
        kept.put("ask", asyncio.run(ask.run(rounds=30)))


def _vectors(material: Material, options: argparse.Namespace) -> tuple[Vectors, Vectors, str]:
    """Real vectors where all are kept (or `--embed` computes them), else the stand-in for all."""
    texts = [piece.indexed for piece in material.pieces]
    if options.vectors and (embedder := E5Embedder.load()):
        kept = VectorFile(options.vectors, embedder.name)
        if options.embed:
            asyncio.run(_embed(kept, embedder, texts, material.questions))
        passages = real(kept, embedder.common, texts, "passage")
        questions = real(kept, embedder.common, material.questions, "query")
        if passages is not None and questions is not None:
            return passages, questions, embedder.name
    if options.embed:
        raise Unavailable("Vectors are computed into a folder: name one with --vectors.")
    return stand_in(texts), stand_in(material.questions), "random projection of token counts (stand-in)"


async def _embed(kept: VectorFile, embedder: E5Embedder, texts: Sequence[str], questions: Sequence[str]) -> None:
    parts: tuple[tuple[Sequence[str], Kind], ...] = ((texts, "passage"), (questions, "query"))
    with Progress(*Progress.get_default_columns(), TextColumn("{task.completed}/{task.total}")) as progress:
        for part, kind in parts:
            task = progress.add_task(f"embedding: {kind}", total=len(part))
            await embed(kept, embedder, part, kind, partial(progress.advance, task))


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line, read."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="question sets, one a folder; else the sample")
    parser.add_argument("--quick", action="store_true", help=f"stop at {QUICK:,} chunks")
    parser.add_argument("--fresh", action="store_true", help="measure anew what has a result already")
    parser.add_argument("--vectors", type=Path, metavar="FOLDER", help="real vectors are kept here, by text hash")
    parser.add_argument("--embed", action="store_true", help="compute the vectors that are not kept yet")
    parser.add_argument("--out", type=Path, default=Path("bench-results"), metavar="FOLDER", help="results go here")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    try:
        main(options(sys.argv[1:]), Console(highlight=False, soft_wrap=True))
    except GapseekError as error:
        sys.exit(f"evals.bench: {error.sentence}")
