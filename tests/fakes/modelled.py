"""A service that thinks with the fake endpoint's model, over one document and one question."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from settings import Endpoint, Settings
from tests.fakes.endpoint import FakeEndpoint

KEY: Final = "sk-marker-7d1f"
DOCUMENT: Final = {"doc_id": "leave.md", "text": "Employees have 20 days of paid leave a year."}
QUESTION: Final = "How many days of paid leave do employees have?"
_GRADE: Final = {
    "passage": 1,
    "sub_question": 1,
    "reason": "it says so",
    "quote": "20 days of paid leave",
    "band": "direct",
    "score": 0.95,
}


def knows_the_answer(endpoint: FakeEndpoint) -> None:
    """Script a model that looks up, has one query of its own, finds the passage relevant, and answers from it."""
    endpoint.always("route", lambda body: {"reason": "a fact", "need_retrieval": True, "standalone": QUESTION})
    checklist = [{"text": QUESTION, "required": True}]
    queries = [{"text": "paid leave entitlement", "sub_question": 1}]
    endpoint.always("rewrite", lambda body: {"reason": "", "sub_questions": checklist, "queries": queries})
    endpoint.always("grade", lambda body: {"reason": "", "grades": [_GRADE], "contradictions": []})
    endpoint.always("answer", lambda body: ["They have ", "20 days [1]."])


def modelled(endpoint: FakeEndpoint, folder: Path, *, timeout_s: float = 30.0, **changed: Any) -> Settings:
    """Settings under which everything is asked of the endpoint."""
    there = Endpoint(base_url=endpoint.url, api_key=SecretStr(KEY), model="any", timeout_s=timeout_s)
    return Settings(chat=there, small_chat=Endpoint(), embeddings=there, data=folder, **changed)
