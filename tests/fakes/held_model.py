"""A chat model behind a gate: a run that waits for it goes on when a test says so, and not by the clock."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.modelled import QUESTION, knows_the_answer


class HeldModel:
    """Answers as `knows_the_answer` has it; what asks it for queries waits while it is held."""

    def __init__(self, endpoint: FakeEndpoint) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.asked = threading.Event()
        knows_the_answer(endpoint)
        endpoint.always("rewrite", lambda body: self._queries())

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
