"""The keyword lane beside `rank_bm25.BM25Okapi`: the same scores, how much sooner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Final

import numpy as np
from rank_bm25 import BM25Okapi

from corpus.lanes import keyword
from corpus.lanes.postings import Postings
from evals.bench.timing import interleaved
from evals.questions import questions
from graph.wiring import SAMPLE
from text.sentences import sentences
from text.tokens import tokens

SENTENCES: Final = 6
"""Sentences in a chunk: about 150 tokens."""
DEPTH: Final = 50

Corpus = list[list[str]]


def run(sizes: tuple[int, ...], rounds: int, seed: int, say: Callable[[str], None]) -> None:
    """Print times and the ratio of medians for each number of chunks."""
    say(f"keyword query: the sample's questions; chunks of {SENTENCES} of its sentences drawn at random, seed {seed}")
    queries = [tokens(question["question"]) for question in questions()]
    asked = [queries[n % len(queries)] for n in range(rounds)]
    for size in sizes:
        corpus = _corpus(size, seed)
        okapi = BM25Okapi(corpus)
        postings = Postings.of(Counter(chunk) for chunk in corpus)
        _same_scores(okapi, postings, asked[0])
        ours, theirs = iter(asked), iter(asked)
        mine, reference = interleaved([partial(_ours, postings, ours), partial(_theirs, okapi, theirs)], rounds)
        say(f"  {size:>7,} chunks  gapseek    {mine}")
        say(f"  {size:>7,} chunks  rank_bm25  {reference}   ratio of p50 {reference.p50 / mine.p50:,.0f}")


def _corpus(size: int, seed: int) -> Corpus:
    """Chunks of real sentences: words are as frequent as in the sample."""
    texts = [file.read_text("utf-8") for file in sorted(SAMPLE.glob("*.md"))]
    cut = [tokens(text[start:end]) for text in texts for start, end in sentences(text)]
    draws = np.random.default_rng(seed).integers(len(cut), size=(size, SENTENCES))
    return [list(chain.from_iterable(cut[place] for place in row)) for row in draws]


def _same_scores(okapi: BM25Okapi, postings: Postings, query: list[str]) -> None:
    np.testing.assert_allclose(keyword.scores(postings, query), okapi.get_scores(query), rtol=0, atol=1e-9)


def _ours(postings: Postings, queries: Iterator[list[str]]) -> object:
    return keyword.search(postings, next(queries), DEPTH)


def _theirs(okapi: BM25Okapi, queries: Iterator[list[str]]) -> object:
    return np.argsort(-okapi.get_scores(next(queries)))[:DEPTH]
