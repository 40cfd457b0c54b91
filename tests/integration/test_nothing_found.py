"""Case A39: nothing found is said so, in the same words on every path, without asking a model and without citations."""

from __future__ import annotations

import pytest

from nodes.generate import NOT_FOUND
from tests.fakes.index import MemoryIndex
from tests.fakes.service import scripted, serving

LEAVE = {
    "年假": "员工每年享有20天带薪年假。",
    "病假": "病假须提供医院证明。",
    "leave": "Employees have 20 days of leave a year.",
}


@pytest.mark.parametrize(
    ("question", "language"),
    [("阿里巴巴在哪里", "zh"), ("公司食堂几点开", "zh"), ("Who won the 2018 World Cup?", "en")],
)
@pytest.mark.parametrize(("score", "retries"), [(0.1, 0), (0.1, 3), (0.69, 3)])
async def test_nothing_found(question: str, language: str, score: float, retries: int) -> None:
    reasoner = scripted(score=score, answer=())
    async with serving(reasoner, MemoryIndex(LEAVE), max_retries=retries) as client:
        reply = (await client.post("/ask", json={"question": question})).json()
    assert reply["answer"] == NOT_FOUND["zh" if language == "zh" else "en"]
    assert (reply["status"], reply["citations"]) == ("insufficient", [])
    assert "answer" not in reasoner.calls
