"""A code that the documents lack is not answered from its neighbours, which are worded alike (the real embedder)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from context.retrieval import Principal
from corpus.documents import NewDocument
from graph.wiring import Services, open_services
from nodes.generate import NOT_FOUND
from runs.ask import Ask, ask
from runs.engine import Engine
from runs.stream import answered
from settings import Endpoint, Settings

pytestmark = pytest.mark.quality

NONE = Endpoint()
DOCUMENTS = (
    NewDocument("x200.md", "# X200 用户手册\n\nX200 整机重量为 1.2 公斤，保修期为一年，自购买之日起计算。"),
    NewDocument("x200-pro.md", "# X200-Pro 用户手册\n\nX200-Pro 整机重量为 2.4 公斤，保修期为两年，自购买之日起计算。"),
    NewDocument("errors.md", "# 故障代码\n\nE1001：门锁未闭合，请检查门锁。\n\nE1002：超载，请减少载重。"),
    NewDocument(
        "release.md", "# Release notes\n\nV2.3.1 fixes the door sensor and shortens the start-up of the panel."
    ),
    NewDocument(
        "hangzhou.md", "# 物业办法\n\n业主委员会每届任期为五年，委员可以连选连任。", metadata={"city": "杭州市"}
    ),
)


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[Services]:
    settings = Settings(chat=NONE, small_chat=NONE, embeddings=NONE, data=tmp_path)
    async with open_services(settings, sample=False) as opened:
        await opened.index.add(DOCUMENTS, Principal())
        yield opened


@pytest.mark.parametrize(
    ("question", "cited"),
    [
        ("X200-Pro 的整机重量是多少？", ["x200-pro.md"]),
        ("X200 的保修期是多久？", ["x200.md"]),
        ("故障代码 E1001 是什么意思？", ["errors.md"]),
        ("What does V2.3.1 fix?", ["release.md"]),
        ("X200-Ultra 的整机重量是多少？", []),
        ("故障代码 E1003 是什么意思？", []),
        ("What does V2.3.9 fix?", []),
        ("宁波市的业主委员会每届任期几年？", []),
    ],
)
async def test_only_what_speaks_of_the_code_or_place_asked_about_is_cited(
    services: Services, question: str, cited: list[str]
) -> None:
    engine = Engine(services.graph, services.saver, services.context_for)
    reply = await answered(ask(engine, Principal(), Ask(question)))
    assert sorted({citation["doc_id"] for citation in reply["citations"]}) == cited
    if not cited:
        assert reply["status"] == "insufficient"
        assert reply["answer"] in NOT_FOUND.values()
