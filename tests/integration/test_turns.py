"""Case A2: a turn has nothing of the last one but the words of the conversation."""

import json
from pathlib import Path
from typing import Any

from context.reasoning import GradeRequest, Judgement, ProposedQuery, Rewrite, Route, band_of
from server import create_app
from settings import Settings
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.service import client_of, opening_index

DOCUMENTS = [{"doc_id": f"rule-{n}", "text": f"Rule {n} says that case{n} takes {n} days."} for n in range(1, 6)]
UNANSWERABLE = "When does the canteen open?"


def grade(request: GradeRequest) -> tuple[Judgement, ...]:
    """A passage answers when it names the very case that the question names."""
    word = next((word.strip("?") for word in request.question.split() if word.startswith("case")), "nothing")
    return tuple(
        Judgement(q["id"], p.chunk_id, p.text, "", band_of(score), score)
        for q in request.sub_questions
        for p in request.passages
        for score in [0.95 if f"{word} " in p.text else 0.1]
    )


def reasoner() -> ScriptedReasoner:
    count = iter(range(1, 1_000))
    return ScriptedReasoner(
        route=lambda request: Route(True, "look_up", request.question),
        rewrite=lambda request: Rewrite(
            ((request.question, True),), (ProposedQuery(f"{request.question} {'days ' * next(count)}", 1),)
        ),
        grade=grade,
        answer=lambda request: f"{request.sources[0].passage.text[:-1]} [1].",
    )


async def ask(client: Any, question: str, thread_id: str | None = None) -> dict[str, Any]:
    answer = await client.post("/ask", json={"question": question, "thread_id": thread_id})
    assert answer.status_code == 200
    return dict(answer.json())


async def test_a_hopeless_first_question_leaves_the_second_its_whole_budget(tmp_path: Path) -> None:
    settings = Settings.model_construct(max_barren_rounds=10)
    app = create_app(settings, opener=opening_index(tmp_path, lambda index: reasoner(), None))
    async with client_of(app) as client:
        await client.post("/documents", json={"documents": DOCUMENTS})
        first = await ask(client, UNANSWERABLE)
        again = await ask(client, UNANSWERABLE, first["thread_id"])
        second = await ask(client, "How many days does case2 take?", first["thread_id"])
    assert (first["stop_reason"], first["retry_count"], first["citations"]) == ("max_retries", 3, [])
    assert (again["stop_reason"], again["retry_count"]) == ("max_retries", 3)
    assert again["usage"]["searches"] == first["usage"]["searches"] - 1  # its own question comes from the cache
    assert (second["status"], second["retry_count"]) == ("answered", 0)
    assert {citation["doc_id"] for citation in second["citations"]} == {"rule-2"}
    assert {e["doc_id"] for entry in second["ledger"] for e in entry["evidence"]} == {"rule-2"}
    assert second["relevance_score"] == 0.95


async def test_five_turns_cite_only_their_own_and_no_prompt_grows_with_old_documents(tmp_path: Path) -> None:
    thinking = reasoner()
    app = create_app(Settings.model_construct(), opener=opening_index(tmp_path, lambda index: thinking, None))
    async with client_of(app) as client:
        await client.post("/documents", json={"documents": DOCUMENTS})
        thread_id = None
        for n in range(1, 6):
            said = await ask(client, f"How many days does case{n} take?", thread_id)
            thread_id = said["thread_id"]
            assert [citation["doc_id"] for citation in said["citations"]] == [f"rule-{n}"]
            assert said["retry_count"] == 0
            assert len(said["timings"]["nodes"]) == 5
        steps = (await client.get(f"/threads/{thread_id}/history")).json()["steps"]
    assert len(steps) == 5 * 6
    assert {len(request.sources) for request in thinking.answer_requests} == {1}
    assert {len(request.tried) for request in thinking.rewrite_requests} == {0}
    assert len({len(json.dumps([p.text for p in r.passages])) for r in thinking.grade_requests}) == 1
