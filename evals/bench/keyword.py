"""The keyword lane beside `rank_bm25.BM25Okapi`: the same scores, how much sooner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import numpy as np
from rank_bm25 import BM25Okapi

from corpus.lanes import keyword
from corpus.lanes.postings import Postings, Vocabulary
from evals.bench.timing import interleaved

VOCABULARY: Final = 60_000
CHUNK_TOKENS: Final = 150
QUERY_TOKENS: Final = 8
DEPTH: Final = 50

Corpus = list[list[str]]


def run(sizes: tuple[int, ...], rounds: int, seed: int, say: Callable[[str], None]) -> None:
    """Print times and the ratio of medians for each number of chunks."""
    say(f"keyword query: chunks of {CHUNK_TOKENS} tokens drawn by Zipf's law from {VOCABULARY:,} words, seed {seed}")
    for size in sizes:
        corpus, queries = _corpus(size, rounds, seed)
        okapi = BM25Okapi(corpus)
        vocabulary = Vocabulary()
        postings = Postings(vocabulary, [vocabulary.number(Counter(chunk)) for chunk in corpus])
        _same_scores(okapi, postings, queries[0])
        ours, theirs = iter(queries), iter(queries)
        mine, reference = interleaved([partial(_ours, postings, ours), partial(_theirs, okapi, theirs)], rounds)
        say(f"  {size:>7,} chunks  gapseek    {mine}")
        say(f"  {size:>7,} chunks  rank_bm25  {reference}   ratio of p50 {reference.p50 / mine.p50:,.0f}")


def _corpus(size: int, queries: int, seed: int) -> tuple[Corpus, Corpus]:
    """Chunks, and queries made of the words of one chunk each."""
    draw = np.random.default_rng(seed)
    weights = 1 / np.arange(1, VOCABULARY + 1)
    ranks = draw.choice(VOCABULARY, size=(size, CHUNK_TOKENS), p=weights / weights.sum())
    words = [f"w{n}" for n in range(VOCABULARY)]
    corpus = [[words[rank] for rank in row] for row in ranks]
    asked = draw.choice(size, size=queries)
    return corpus, [[str(word) for word in draw.choice(corpus[place], QUERY_TOKENS)] for place in asked]


def _same_scores(okapi: BM25Okapi, postings: Postings, query: list[str]) -> None:
    np.testing.assert_allclose(keyword.scores(postings, query), okapi.get_scores(query), rtol=0, atol=1e-9)


def _ours(postings: Postings, queries: Iterator[list[str]]) -> object:
    return keyword.search(postings, next(queries), DEPTH)


def _theirs(okapi: BM25Okapi, queries: Iterator[list[str]]) -> object:
    return np.argsort(-okapi.get_scores(next(queries)))[:DEPTH]
