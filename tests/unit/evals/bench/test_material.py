from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.ingest.chunks import chunks
from errors import BadRequest
from evals.bench.material import WHOLE, from_sample, from_sets

LONG = "".join(f"第{number}号电梯的维修记录应当保存三年以上。" for number in range(40))


def sets(folder: Path) -> Path:
    for name in ("one", "two"):
        (folder / name).mkdir()
        documents = [
            {"id": f"{name}{n}", "title": "规定", "text": f"# {n}\n{LONG}{name}\n\n- 第{n}条"} for n in range(3)
        ]
        (folder / name / "corpus.jsonl").write_text("\n".join(map(json.dumps, documents)), "utf-8")
        questions = [{"question": "谁 付\n费？"}, {"question": f"{name}？"}]
        (folder / name / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)), "utf-8")
    return folder


def test_pieces_are_distinct_short_single_lines(tmp_path: Path) -> None:
    material = from_sets(sets(tmp_path), 1_000, seed=1)
    texts = [piece.text for piece in material.pieces]
    assert len(texts) == len(set(texts)) > 8
    assert all("\n" not in text and len(text) <= 120 and text[0] not in "#-" for text in texts)
    assert [piece.id for piece in material.pieces[:2]] == ["p000000", "p000001"]
    assert sorted(material.questions) == ["one？", "two？", "谁 付 费？"]


def test_the_same_seed_gives_the_same_and_fewer_are_the_first_of_more(tmp_path: Path) -> None:
    folder = sets(tmp_path)
    all_of_them = from_sets(folder, 1_000, seed=1)
    assert from_sets(folder, 1_000, seed=1).fingerprint == all_of_them.fingerprint
    assert from_sets(folder, 5, seed=1).pieces == all_of_them.pieces[:5]
    assert from_sets(folder, 1_000, seed=2).fingerprint != all_of_them.fingerprint


def test_pieces_of_the_products_own_size_are_one_chunk_each(tmp_path: Path) -> None:
    folder = sets(tmp_path)
    english = " ".join(["Nothing here is Chinese."] * 40)
    mixed = json.dumps({"id": "mixed", "title": "规定", "text": f"{english}\n\n{LONG}"})
    (folder / "one" / "corpus.jsonl").write_text(mixed, "utf-8")
    pieces = from_sets(folder, 1_000, seed=1, cut=WHOLE).pieces
    assert max(len(piece.text) for piece in pieces) > 250
    assert {len(chunks(piece.document())) for piece in pieces} == {1}


def test_a_tenth_of_the_pieces_has_each_tenth_and_a_hundredth_is_hidden() -> None:
    pieces = from_sample(1_000, seed=7).pieces
    assert {sum(piece.tenth == tenth for piece in pieces) for tenth in range(10)} == {100}
    assert sum(piece.hidden for piece in pieces) == 10
    assert {piece.document().groups for piece in pieces} == {frozenset({"board"}), frozenset({"staff"})}


def test_the_sample_has_enough_questions_for_a_run() -> None:
    assert len(from_sample(10, seed=7).questions) > 213


def test_a_folder_without_sets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="no question set"):
        from_sets(tmp_path, 10, seed=1)
