"""A chat model behind a gate: a run that waits for it goes on when a test says so, and not by the clock."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tests.fakes.endpoint import FakeEndpoint

QUESTION: Final = "How many days of paid leave do employees have?"
DOCUMENT: Final = {"doc_id": "leave.md", "text": "Employees have 20 days of paid leave a year."}
_GRADE: Final = {
    "passage": 1,
    "sub_question": 1,
    "reason": "it says so",
    "quote": "20 days of paid leave",
    "band": "direct",
    "score": 0.95,
}


class HeldModel:
    """Answers the one question from the one document; what asks it for queries waits while it is held."""

    def __init__(self, endpoint: FakeEndpoint) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.asked = threading.Event()
        route = {"reason": "a fact", "need_retrieval": True, "standalone": QUESTION}
        endpoint.always("route", lambda body: route)
        endpoint.always("rewrite", lambda body: self._queries())
        endpoint.always("grade", lambda body: {"reason": "", "grades": [_GRADE], "contradictions": []})
        endpoint.always("answer", lambda body: ["They have ", "20 days [1]."])

    @contextmanager
    def held(self) -> Iterator[None]:
        """Meanwhile it is silent; `asked` is set once it should speak."""
        self.gate.clear()
        self.asked.clear()
        try:
            yield
        finally:
            self.gate.set()

    def _queries(self) -> dict[str, object]:
        self.asked.set()
        assert self.gate.wait(60), "nobody opened the gate"
        return {"reason": "", "sub_questions": [{"text": QUESTION, "required": True}], "queries": []}
