"""Ways to fuse are judged on real lists, by halves, and a set where one loses is named."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from corpus.embeddings.e5 import E5Embedder
from corpus.lanes.match import Match, RankedList
from evals.fusion import DEFAULT, Pool, by_set, comparison, main, mean, run, ways

KEYWORD = RankedList("q", "keyword", 1.0, [Match(0, 3.0), Match(1, 2.0)])
VECTOR = RankedList("q", "vector", 1.0, [Match(2, 0.9), Match(1, 0.8)])
LABELS = {0: "a", 1: "b", 2: "c"}


def told(*tables: object) -> str:
    page = StringIO()
    Console(file=page, width=200).print(*tables)
    return page.getvalue()


def test_each_way_orders_the_same_lists() -> None:
    pool = Pool([KEYWORD, VECTOR], LABELS, ["c"])
    assert pool.judged(ways()["bm25"]) == (0.0, 0.0)
    assert pool.judged(ways()["vector"]) == (1.0, 1.0)
    recall, rank = pool.judged(ways()["rrf 1:1 k=10"])
    assert (recall, rank) == (1.0, 1 / 3)


def test_a_set_counts_once_however_many_questions_it_has() -> None:
    good, bad = Pool([KEYWORD, VECTOR], LABELS, ["c"]), Pool([KEYWORD, VECTOR], LABELS, ["z"])
    assert mean({"one": [good], "other": [bad, bad, bad], "none": []}, ways()["vector"]).recall_5 == 0.5


def test_a_set_where_fusion_loses_is_marked() -> None:
    crowd = [RankedList("q", "vector", 1.0, [Match(n, 1.0 - n / 100) for n in range(9)])]
    buried = Pool([RankedList("q", "keyword", 1.0, [Match(8, 5.0)]), *crowd], {n: str(n) for n in range(9)}, ["8"])
    table = told(by_set({"hard": [buried]}, {"hard": []}, "rrf 1:8 k=10"))
    assert "1.000 below its better lane" in table
    assert DEFAULT in told(comparison({"hard": [buried]}, {"hard": [buried]}))


async def test_the_command_measures_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(E5Embedder, "load", lambda: None)
    folder = tmp_path / "tiny"
    folder.mkdir()
    corpus = [{"id": name, "text": f"关于{name}的规定。"} for name in ("电梯", "食堂")]
    asked = [{"id": f"q{n}", "question": "电梯规定", "gold": ["电梯"], "answerable": True} for n in range(8)]
    for name, records in (("corpus", corpus), ("questions", asked)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    page = StringIO()
    await main([folder], tmp_path / "kept", DEFAULT, Console(file=page, width=200))
    assert "mean over 1 sets" in page.getvalue()
    assert [cell.strip() for cell in page.getvalue().splitlines()[-2].split("│")[1:4]] == ["tiny", "1.000", "0.000"]


def test_a_folder_that_holds_no_set_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"evals.fusion: There is no corpus.jsonl"):
        run([str(tmp_path)])
