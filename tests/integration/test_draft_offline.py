"""A draft without a model: the first hits' own sentences, cited, for no call and no token."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

from context.reasoning import GradeRequest, Judgement, Reasoned
from context.retrieval import Principal
from corpus.documents import NewDocument
from corpus.index import Index
from reasoner.offline import OfflineReasoner
from runs.ask import Ask, ask
from runs.stream import opened
from server import engine_on
from settings import Settings
from tests.fakes.service import opening_index

DOCUMENTS = [
    NewDocument("leave", "员工每年享有20天带薪年假。", "休假制度"),
    NewDocument("notice", "解除劳动合同须提前三十日书面通知。", "合同制度"),
    NewDocument("canteen", "食堂每日早上七点开放。", "食堂"),
]


class Patient(OfflineReasoner):
    """Grades only once the draft was told, so that it always comes first."""

    told: asyncio.Event

    async def grade(self, request: GradeRequest) -> Reasoned[tuple[Judgement, ...]]:
        async with asyncio.timeout(10):
            await self.told.wait()
        return await super().grade(request)


async def drafted(folder: Path, question: str) -> list[Any]:
    made: list[Patient] = []

    def patient(index: Index) -> Patient:
        made.append(Patient(index.statistics, None))
        made[-1].told = asyncio.Event()
        return made[-1]

    seen = []
    async with opening_index(folder, patient, None)(Settings.model_construct()) as services:
        await services.index.add(DOCUMENTS, Principal())
        events = await opened(ask(engine_on(services), Principal(), Ask(question, draft=True)))
        async with aclosing(events):
            async for event in events:
                seen.append(event)
                if event.type == "draft":
                    made[-1].told.set()
    return seen


async def test_the_first_hits_speak_for_themselves_and_the_answer_judges_them(tmp_path: Path) -> None:
    events = await drafted(tmp_path, "员工每年有几天带薪年假？")
    draft = next(event.data for event in events if event.type == "draft")
    answer = events[-2].data
    assert "员工每年享有20天带薪年假[1]。" in draft["text"]
    assert draft["citations"][0]["doc_id"] == "leave"
    assert (answer["status"], answer["citations"][0]["doc_id"]) == ("answered", "leave")
    assert answer["draft"]["text"] == draft["text"]
    assert answer["draft"]["verdict"] in ("confirmed", "changed")
    assert (answer["usage"]["model_calls"], answer["usage"]["reported"]) == (0, None)


async def test_a_draft_on_what_the_documents_do_not_answer_is_withdrawn(tmp_path: Path) -> None:
    events = await drafted(tmp_path, "食堂的法人代表是谁？")
    assert (events[-2].data["status"], events[-2].data["draft"]["verdict"]) == ("insufficient", "withdrawn")
