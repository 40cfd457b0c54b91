import json
from typing import Any

from runs.changes import SHORT, changes, difference
from state import RAGState

UNSAID = {"schema", "history", "dials", "handoff", "started_at", "recorded", "timings"}
EVIDENCE: dict[str, Any] = {
    "sub_question_id": "q1",
    "chunk_id": "c1",
    "doc_id": "d1",
    "version": "v1",
    "title": "T",
    "quote": "SECRET",
    "start": 0,
    "end": 6,
    "grade": {"reason": "", "band": "direct", "score": 0.95},
}


def test_every_field_of_the_state_is_said_or_left_out_on_purpose() -> None:
    assert set(SHORT) | UNSAID == set(RAGState.__annotations__)
    assert not set(SHORT) & UNSAID


def test_no_text_of_a_chunk_is_in_what_changed() -> None:
    said = changes(
        {
            "ledger": [{"sub_question_id": "q1", "evidence": [EVIDENCE]}],
            "conflicts": [{"sub_question_id": "q1", "sides": [EVIDENCE]}],
            "citations": [{**EVIDENCE, "number": 1}],
        }
    )
    assert "SECRET" not in json.dumps(said)
    assert said["ledger"] == [{"sub_question_id": "q1", "evidence": 1, "best": 0.95}]
    assert said["conflicts"] == [{"sub_question_id": "q1", "sides": ["d1"]}]


def test_an_entry_without_evidence_has_the_grade_nothing() -> None:
    assert changes({"ledger": [{"sub_question_id": "q1", "evidence": []}]}) == {
        "ledger": [{"sub_question_id": "q1", "evidence": 0, "best": 0.0}]
    }


def test_a_difference_names_only_what_differs() -> None:
    before = {"retry_count": 0, "standalone": "same", "answer": ""}
    after = {"retry_count": 1, "standalone": "same", "answer": "Yes.", "timings": [1]}
    assert difference(before, after) == {"retry_count": 1, "answer": "4 characters"}
