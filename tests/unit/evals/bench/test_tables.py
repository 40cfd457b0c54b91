from __future__ import annotations

from typing import Any

from evals.bench.tables import BLOCKS, bench_page

TIMES = {"p50_ms": 1.234, "p95_ms": 5.678, "n": 40}
GROWN: dict[str, Any] = {
    "chunks": 1_000,
    "plain": TIMES,
    "filter": TIMES,
    "access": TIMES,
    "new_filter_ms": 12.3,
    "vector_recall_10": 0.9912,
    "first_keyword_ms": 1234.5,
    "first_hybrid_ms": 2345.6,
    "chunks_a_second": None,
    "disk_bytes": 7_800_000,
}
HYBRID = {"chunks": 10_000, "contender": "x 1.0", "ratio": 71.23, "overlap_10": 0.98, "same_first": 1.0, **TIMES}


def test_a_comparison_says_whom_at_what_size_and_how_much_slower() -> None:
    lines = BLOCKS["hybrid"]({"hybrid": [HYBRID | {"filter": True}]}).splitlines()
    assert lines[2] == "| x 1.0 | 10,000 | 10 % | 1.23 | 5.68 | 40 | 71 | 0.980 | 1.000 |"


def test_growth_has_a_column_a_size_and_says_what_was_not_measured() -> None:
    lines = BLOCKS["growth"]({"growth": [{"chunks": 0}, GROWN]}).splitlines()
    assert lines[0] == "| chunks | 1,000 |"
    assert "| ingest without embedding, chunks/s | — |" in lines
    assert "| disk a chunk, bytes | 7,800 |" in lines
    assert "| recall@10 of the vector lane | 0.991 |" in lines


def test_without_an_embedder_its_rows_are_left_out() -> None:
    found = {"documents": 3, "chunks": 9, "without_embedder": 100.0, "embedder": None}
    assert BLOCKS["embedding"]({"embedding": found}).splitlines()[2:] == [
        "| ingest without an embedder, chunks/s | 100 |"
    ]


def test_only_what_was_measured_is_shown() -> None:
    assert bench_page({"growth": [GROWN]}).splitlines()[0] == "growth"
    assert "hybrid\n" not in bench_page({"growth": [GROWN]})
