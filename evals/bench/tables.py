"""Results of the bench as Markdown tables, for the console and for the page alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from evals.markdown import table

Parts = dict[str, Any]
Row = dict[str, Any]

_MEGABYTE: Final = 1e6


def bench_page(parts: Parts) -> str:
    """Every table that there are results for, each under its name."""
    written = {name: write(parts) for name, write in BLOCKS.items() if name in parts}
    return "\n\n".join(f"{name}\n{content}" for name, content in written.items())


def hybrid(parts: Parts) -> str:
    """A row a contender, size and filter."""
    return _hybrid(parts["hybrid"])


def whole(parts: Parts) -> str:
    """The same over pieces of the product's own size."""
    found = parts["whole"]
    return f"{environment(found)}\n\n{_hybrid(found['hybrid'])}"


def _hybrid(rows: Iterable[Row]) -> str:
    head = ("contender", "chunks", "filter", "p50 ms", "p95 ms", "n", "p50 to ours", "overlap@10", "same first")
    return table(
        head,
        (
            (
                row["contender"],
                f"{row['chunks']:,}",
                "10 %" if row["filter"] else "none",
                *_times(row),
                _ratio(row["ratio"]),
                f"{row['overlap_10']:.3f}",
                f"{row['same_first']:.3f}",
            )
            for row in rows
        ),
    )


def keyword(parts: Parts) -> str:
    """A row a contender and size."""
    head = ("contender", "chunks", "p50 ms", "p95 ms", "n", "p50 to ours")
    rows = parts["keyword"]
    return table(head, ((row["contender"], f"{row['chunks']:,}", *_times(row), _ratio(row["ratio"])) for row in rows))


def growth(parts: Parts) -> str:
    """A row a measure, a column a size."""
    rows = [row for row in parts["growth"] if row["chunks"]]
    measures: tuple[tuple[str, Callable[[Row], str]], ...] = (
        ("hybrid query, p50 ms", lambda row: f"{row['plain']['p50_ms']:.2f}"),
        ("hybrid query, p95 ms", lambda row: f"{row['plain']['p95_ms']:.2f}"),
        ("under a 10 % filter, p50 ms", lambda row: f"{row['filter']['p50_ms']:.2f}"),
        ("under an access filter of 99 %, p50 ms", lambda row: f"{row['access']['p50_ms']:.2f}"),
        ("first query with a new filter, ms", lambda row: f"{row['new_filter_ms']:.0f}"),
        ("recall@10 of the vector lane", lambda row: f"{row['vector_recall_10']:.3f}"),
        ("open to first keyword answer, ms", lambda row: f"{row['first_keyword_ms']:,.0f}"),
        ("open to first hybrid answer, ms", lambda row: f"{row['first_hybrid_ms']:,.0f}"),
        ("ingest without embedding, chunks/s", lambda row: _number(row["chunks_a_second"])),
        ("resident memory a chunk, bytes", lambda row: _number(row.get("resident_bytes_a_chunk"))),
        ("of it not a file's, bytes", lambda row: _number(row.get("anonymous_bytes_a_chunk"))),
        ("disk, MB", lambda row: f"{row['disk_bytes'] / _MEGABYTE:,.1f}"),
        ("disk a chunk, bytes", lambda row: f"{row['disk_bytes'] / row['chunks']:,.0f}"),
    )
    head = ("chunks", *(f"{row['chunks']:,}" for row in rows))
    return table(head, ((name, *map(show, rows)) for name, show in measures))


def embedding(parts: Parts) -> str:
    """What the product's own embedder costs."""
    found = parts["embedding"]
    rows = [("ingest without an embedder, chunks/s", _number(found["without_embedder"]))]
    if found["embedder"]:
        rows.append((f"ingest with {found['embedder']}, chunks/s", _number(found["with_embedder"])))
        rows.append(("a question's embedding, p50 ms", f"{found['question']['p50_ms']:.1f}"))
        rows.append(("a question's embedding, p95 ms", f"{found['question']['p95_ms']:.1f}"))
    return table((f"{found['documents']} documents as they are, {found['chunks']} chunks", ""), rows)


def ask(parts: Parts) -> str:
    """A whole ask beside an empty graph."""
    head = ("offline ask", "steps", "p50 ms", "p95 ms", "n", "empty graph, p50 ms", "ratio")
    return table(
        head,
        (
            (
                row["what"],
                str(row["steps"]),
                *_times(row["gapseek"]),
                f"{row['empty_graph']['p50_ms']:.1f}",
                _ratio(row["ratio"]),
            )
            for row in parts["ask"]
        ),
    )


def overhead(parts: Parts) -> str:
    """The reasoner's calls beside bare ones."""
    found = parts["overhead"]
    head = ("call", "p50 ms", "p95 ms", "n", f"{found['client']} bare, p50 ms", "ratio", "at most")
    return table(
        head,
        (
            (
                row["what"],
                *_times(row["gapseek"]),
                f"{row['bare']['p50_ms']:.2f}",
                f"{row['ratio']:.2f}",
                f"{found['limit']:.1f}",
            )
            for row in found["rows"]
        ),
    )


def notes(parts: Parts) -> str:
    """How each contender is used."""
    return "\n".join(f"* {name}: {note}." for name, note in parts["notes"].items())


def environment(parts: Parts) -> str:
    """What the figures depend on."""
    found, searched = parts["environment"], parts["material"]
    packages = ", ".join(f"{name} {version}" for name, version in found["packages"].items())
    return (
        f"Python {found['python']}, {found['processors']} processors, {found['system']}; {packages}.\n"
        f"Searched: {searched['pieces']:,} pieces of {searched['source']}, {searched['mean_characters']} characters on "
        f"average; vectors of {searched['dimension']} dimensions: {searched['vectors']}."
    )


BLOCKS: Final[dict[str, Callable[[Parts], str]]] = {
    "environment": environment,
    "hybrid": hybrid,
    "whole": whole,
    "notes": notes,
    "keyword": keyword,
    "growth": growth,
    "embedding": embedding,
    "ask": ask,
    "overhead": overhead,
}


def _times(row: Row) -> Iterable[str]:
    return f"{row['p50_ms']:.2f}", f"{row['p95_ms']:.2f}", str(row["n"])


def _ratio(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio < 10 else f"{ratio:,.0f}"


def _number(number: float | None) -> str:
    return "—" if number is None else f"{number:,.0f}"
