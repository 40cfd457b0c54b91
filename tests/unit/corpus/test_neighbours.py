"""Neighbouring hits as one."""

from __future__ import annotations

from pathlib import Path

from context.retrieval import Principal, SearchRequest
from corpus.documents import NewDocument
from corpus.index import Index
from corpus.neighbours import merged
from state import Doc
from tests.fakes.partition import Piece

TEXT = "".join(chr(0x4E00 + n) for n in range(400))
ME, HR = Principal(), Principal(groups=frozenset({"hr"}))


def doc(piece: Piece, rank: int) -> Doc:
    return {
        "chunk_id": piece.chunk_id,
        "doc_id": piece.doc_id,
        "version": "v",
        "title": "t",
        "rank": rank,
        "score": 1 / rank,
        "lanes": [{"query": "q", "lane": "keyword", "rank": rank, "score": 1.0}],
        "also_in": [f"copy{rank}"],
    }


def joined(*pieces: Piece) -> list[Doc]:
    """Hits in this order."""
    known = {piece.chunk_id: piece.chunk() for piece in pieces}
    return list(merged([doc(piece, rank) for rank, piece in enumerate(pieces, 1)], known.get))


def piece(start: int, end: int, doc_id: str = "d") -> Piece:
    return Piece(TEXT[start:end], doc_id, start)


def test_adjacent_and_overlapping_chunks_become_one_with_all_provenance() -> None:
    third, other, first, second = piece(190, 300), piece(0, 50, "e"), piece(0, 100), piece(101, 200)
    one, two = joined(third, other, first, second)
    assert (one["chunk_id"], one["rank"], one["score"], one["span"]) == (third.chunk_id, 1, 1.0, [0, 300])
    assert one["merged"] == [first.chunk_id, second.chunk_id, third.chunk_id]
    assert [place["rank"] for place in one["lanes"]] == [1, 3, 4]
    assert one["also_in"] == ["copy3", "copy4", "copy1"]
    assert (two["chunk_id"], two["rank"]) == (other.chunk_id, 2)
    assert "span" not in two


def test_chunks_apart_and_of_other_documents_stay_apart() -> None:
    hits = joined(piece(0, 100), piece(103, 200), piece(100, 200, "e"))
    assert [hit["rank"] for hit in hits] == [1, 2, 3]
    assert not any("span" in hit for hit in hits)


def test_a_chunk_inside_another_widens_nothing() -> None:
    (one,) = joined(piece(0, 100), piece(20, 40))
    assert one["span"] == [0, 100]


def test_a_chunk_that_went_meanwhile_stays_as_it_was() -> None:
    gone = doc(piece(0, 100), 1)
    assert merged([gone], lambda chunk_id: None) == (gone,)


async def test_the_text_of_a_span_is_the_versions(tmp_path: Path) -> None:
    index = await Index.open(tmp_path, None)
    sentences = [f"电梯第{n}条规定，乘客须知事项如下所述，请遵守。{'甲乙丙丁' * 20}。" for n in range(12)]
    text = "\n".join(sentences)
    await index.add([NewDocument("rules", text, groups=frozenset({"hr"}))], ME)
    result = await index.search(SearchRequest(("电梯规定",), HR, merge=True))
    (hit,) = result.docs
    start, end = hit["span"]
    assert len(hit["merged"]) > 1
    assert await index.span("rules", hit["version"], (start, end), HR) == text[start:end] == text
    assert await index.span("rules", hit["version"], (start, end), ME) is None
    assert await index.span("rules", "other", (start, end), HR) is None
    await index.close()
