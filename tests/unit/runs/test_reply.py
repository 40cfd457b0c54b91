import json
from typing import Any, cast

from api.schemas.replies import Reply
from graph.turn import begin
from runs.reply import Ids, reply
from state import RAGState
from tests.fakes.service import dials

FIELDS = [
    "answer",
    "status",
    "stop_reason",
    "mode",
    "relevance_score",
    "retry_count",
    "citations",
    "ledger",
    "missing",
    "conflicts",
    "warnings",
    "usage",
    "timings",
    "thread_id",
    "run_id",
    "checkpoint_id",
]
IDS = Ids("t", "r", "c")


def state(*, embedder: str | None = None, **changed: Any) -> RAGState:
    start = begin(
        "Q?",
        mode="loop",
        filters=None,
        dials=dials(),
        started_at=0.0,
        recorded={"index_generation": 1, "reasoner": "scripted", "embedder": embedder},
    )
    return cast(RAGState, {**start, "history": [], **changed})


def evidence(sub_question_id: str, score: float) -> dict[str, Any]:
    return {
        "sub_question_id": sub_question_id,
        "chunk_id": "c1",
        "doc_id": "d1",
        "version": "v1",
        "title": "T",
        "quote": "said",
        "start": 0,
        "end": 4,
        "grade": {"reason": "it says so", "band": "direct", "score": score},
    }


def question(number: int, *, required: bool = True) -> dict[str, Any]:
    return {"id": f"q{number}", "text": f"Thing {number}?", "required": required}


def test_every_field_is_there_and_is_json() -> None:
    said = reply(state(stop_reason="direct", need_retrieval=False), IDS, total_ms=12.3456)
    assert list(said) == FIELDS
    assert json.loads(json.dumps(said)) == said
    assert said["timings"] == {"total_ms": 12.346, "nodes": [], "vector_lane": False}
    assert said["usage"]["reported"] is None


def test_the_vector_lane_is_on_when_the_run_had_an_embedder() -> None:
    assert reply(state(embedder="e5"), IDS, total_ms=0)["timings"]["vector_lane"] is True


def test_the_ledger_says_of_each_sub_question_what_is_established() -> None:
    said = reply(
        state(
            stop_reason="max_retries",
            sub_questions=[question(1), question(2), question(3), question(4, required=False)],
            ledger=[
                {"sub_question_id": "q1", "evidence": [evidence("q1", 0.9)]},
                {"sub_question_id": "q2", "evidence": [evidence("q2", 0.6)]},
                {"sub_question_id": "q3", "evidence": [evidence("q3", 0.9)]},
            ],
            conflicts=[{"sub_question_id": "q3", "sides": [evidence("q3", 0.9), evidence("q3", 0.8)]}],
            gaps=[{"sub_question_id": "q2", "kind": "missing", "text": "Thing 2?", "tried": ["a", "b"]}],
        ),
        IDS,
        total_ms=0,
    )
    assert [entry["status"] for entry in said["ledger"]] == ["confirmed", "open", "conflict", "open"]
    assert [entry["score"] for entry in said["ledger"]] == [0.9, 0.6, 0.9, 0.0]
    assert said["ledger"][0]["evidence"][0]["quote"] == "said"
    assert said["missing"] == [
        {"sub_question_id": "q2", "text": "Thing 2?", "required": True, "tried": ["a", "b"]},
        {"sub_question_id": "q4", "text": "Thing 4?", "required": False, "tried": []},
    ]
    assert said["status"] == "partial"
    (conflict,) = said["conflicts"]
    assert (conflict["sub_question_id"], conflict["text"], conflict["required"]) == ("q3", "Thing 3?", True)
    assert [(side["doc_id"], side["quote"], side["value"]) for side in conflict["sides"]] == [("d1", "said", None)] * 2
    assert Reply.model_validate(said), "a checkpoint from before sides had a value reads"


def test_evidence_that_yields_says_to_what_and_keeps_what_is_internal() -> None:
    because = {"chunk_id": "c2", "doc_id": "d2", "title": "New", "why": "newer", "since": "2024-01-01", "day": None}
    yielding = {**evidence("q1", 0.9), "superseded": because, "contradicts": ["c2"], "effective_from": "2020-01-01"}
    ledger = [{"sub_question_id": "q1", "evidence": [yielding]}]
    said = reply(state(stop_reason="max_retries", sub_questions=[question(1)], ledger=ledger), IDS, total_ms=0)
    (shown,) = said["ledger"][0]["evidence"]
    assert (shown["superseded"], shown["effective_from"]) == (because, "2020-01-01")
    assert "contradicts" not in shown
    assert (said["ledger"][0]["status"], said["ledger"][0]["score"]) == ("open", 0.0)
    assert Reply.model_validate(said)
