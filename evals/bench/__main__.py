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
from typing import Any

from rich.console import Console
from rich.progress import Progress, TextColumn

from corpus.documents import digest
from corpus.embeddings.e5 import E5Embedder
from errors import BadRequest, GapseekError, Unavailable
from evals.bench import ask, embedding, overhead, whole
from evals.bench.kept import Kept, engine, environment
from evals.bench.material import WHOLE, Material, documents, from_sample, from_sets
from evals.bench.stages import SIZES, Bench, described, sizes
from evals.bench.tables import bench_page
from evals.bench.vectors import Choice, Kind, VectorFile, chosen, embed

QUICK = 10_000
_SEED = 7
_SHOWN = 20


def main(options: argparse.Namespace, console: Console) -> None:
    """Measure what has no result yet, then print all of it."""
    if options.overhead:
        kept = Kept(options.out / "overhead.json")
        kept.put("overhead", _overhead(console))
    elif options.whole:
        kept = Kept(options.out / "whole.json")
        kept.put("whole", _whole(options.data, console))
    else:
        kept = _all(options, console)
    console.print(bench_page(kept.parts), markup=False)


def _all(options: argparse.Namespace, console: Console) -> Kept:
    most = QUICK if options.quick else SIZES[-1]
    material = from_sets(options.data, most, _SEED) if options.data else from_sample(most, _SEED)
    vectors = asyncio.run(_vectors(material, options))
    folder = options.out / f"{engine()}-{material.fingerprint}-{digest(vectors.kind)[:6]}"
    if options.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    kept = Kept(folder / "bench.json")
    kept.put("environment", environment())
    kept.put("material", described(material, vectors.kind))
    bench = Bench(material, vectors.passages, vectors.questions, folder, kept, console.print)
    bench.run(sizes(most, len(material.pieces)))
    if options.data and "whole" not in kept.parts:
        kept.put("whole", _whole(options.data, console))
    _apart(options.data, material, kept, console)
    shutil.copyfile(folder / "bench.json", options.out / "bench.json")
    return kept


def _apart(data: Path | None, material: Material, kept: Kept, console: Console) -> None:
    """What needs no large index: embedding, a whole ask, and the calls of the reasoner."""
    if "embedding" not in kept.parts:
        console.print("embedding, with the product's own embedder")
        with TemporaryDirectory(prefix="gapseek-bench-") as folder:
            found = embedding.measure(documents(data), material.questions[:_SHOWN], Path(folder))
            kept.put("embedding", asyncio.run(found))
    if "ask" not in kept.parts:
        console.print("a whole ask beside an empty graph")
        kept.put("ask", asyncio.run(ask.run(rounds=30)))
    kept.put("overhead", _overhead(console))  # takes seconds, and the name of the folder says nothing of this code


def _whole(data: Path | None, console: Console) -> dict[str, Any]:
    if data is None:
        raise BadRequest("Pieces of the product's own size are cut from question sets: name their folder with --data.")
    return whole.measure(from_sets(data, whole.PIECES, _SEED, WHOLE), console.print)


def _overhead(console: Console) -> overhead.Overhead:
    console.print("a call of the reasoner beside a bare one")
    return asyncio.run(overhead.run())


async def _vectors(material: Material, options: argparse.Namespace) -> Choice:
    texts = [piece.indexed for piece in material.pieces]
    embedder = E5Embedder.load() if options.vectors else None
    if options.embed and embedder is None:
        raise Unavailable("Vectors are computed by the embedded model, into a folder: name one with --vectors.")
    if embedder is None:
        return chosen(texts, material.questions, None, None)
    kept = VectorFile(options.vectors, embedder.name)
    try:
        if options.embed:
            await _embed(kept, embedder, texts, material.questions)
    finally:
        await embedder.close()
    return chosen(texts, material.questions, kept, embedder)


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
    parser.add_argument("--overhead", action="store_true", help="measure the calls of the reasoner, and nothing else")
    parser.add_argument(
        "--whole", action="store_true", help="compare over pieces of the product's own size, and nothing else"
    )
    parser.add_argument("--out", type=Path, default=Path("bench-results"), metavar="FOLDER", help="results go here")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    try:
        main(options(sys.argv[1:]), Console(highlight=False, soft_wrap=True))
    except GapseekError as error:
        sys.exit(f"evals.bench: {error.sentence}")
