from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from openai import DefaultAsyncHttpxClient
from pydantic import SecretStr
from rich.console import Console

from errors import Unavailable
from evals.bench import __main__ as bench
from evals.bench import overhead
from evals.bench.at_once import PIECES, at_once
from evals.bench.tables import BLOCKS


async def test_every_kind_of_call_is_timed_in_both_ways() -> None:
    found = await overhead.run(rounds=2)
    assert [row["what"] for row in found["rows"]] == ["route, whole", "grade of 9 passages, whole", "answer, streamed"]
    for row in found["rows"]:
        assert row["gapseek"]["n"] == row["bare"]["n"] == 2
        assert row["ratio"] == pytest.approx(row["gapseek"]["p50_ms"] / row["bare"]["p50_ms"], abs=0.01)
    assert found["limit"] == 1.5


async def test_the_endpoint_says_the_same_whole_and_in_pieces() -> None:
    async with at_once() as endpoint, DefaultAsyncHttpxClient() as http:
        endpoint.says = "十五个字的回答，逐段送到，一字不差。" * 3
        chat = ChatOpenAI(model="m", base_url=endpoint.url, api_key=SecretStr("none"), http_async_client=http)
        whole = await chat.ainvoke([HumanMessage("?")])
        pieces = [piece.text async for piece in chat.astream([HumanMessage("?")]) if piece.text]
    assert whole.text == "".join(pieces) == endpoint.says
    assert 1 < len(pieces) <= PIECES


async def test_a_reply_that_the_reasoner_does_not_understand_is_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overhead, "_json", lambda reply: "no form")
    with pytest.raises(Unavailable, match="not understood"):
        await overhead.run(rounds=1)


def test_measured_alone_it_is_kept_and_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overhead, "ROUNDS", 2)
    console = Console(record=True, width=200)
    bench.main(bench.options(["--overhead", "--out", str(tmp_path)]), console)
    assert "| route, whole |" in console.export_text()
    assert (tmp_path / "overhead.json").is_file()


def test_the_table_names_the_limit() -> None:
    times = {"p50_ms": 2.25, "p95_ms": 3.0, "n": 9}
    row = {"what": "route", "gapseek": times, "bare": times | {"p50_ms": 2.0}, "ratio": 1.13}
    lines = BLOCKS["overhead"]({"overhead": {"client": "c 1.0", "limit": 1.5, "rows": [row]}}).splitlines()
    assert lines[0] == "| call | p50 ms | p95 ms | n | c 1.0 bare, p50 ms | ratio | at most |"
    assert lines[2] == "| route | 2.25 | 3.00 | 9 | 2.00 | 1.13 | 1.5 |"
