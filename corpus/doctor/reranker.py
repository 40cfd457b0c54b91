"""A rerank endpoint as a patient: the way there, a reply of the right shape, an order that makes sense."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import errors
from context.doctor.address import look_at
from context.doctor.door import Door, is_late, status_of
from context.doctor.findings import Finding, Step
from context.reasoning import Usage
from corpus.rerank.endpoint import EndpointReranker

PREFIX: Final = "GAPSEEK_RERANK"
QUERY: Final = "How many days of paid leave do employees have?"
PASSAGES: Final = (
    "The lift is serviced twice a year by the maker.",
    "Employees have 20 days of paid leave a year.",
    "Orange zest keeps for a week in a cold room.",
)
BEST: Final = 1
"""Which of the passages answers."""


class RerankPatient:
    """`has_key` says whether a key is sent."""

    target = "reranker"
    spent: Sequence[Usage] = ()
    expects = 0

    def __init__(self, reranker: EndpointReranker, url: str, has_key: bool) -> None:
        self._reranker = reranker
        self._url = url
        self._has_key = has_key
        self._scores: Sequence[float] = ()
        self._error: errors.Unavailable | None = None
        self.steps: Sequence[Step] = (
            Step("address", self.address),
            Step("reach", self.reach, ("address",)),
            Step("auth", self.auth, ("reach",)),
            Step("shape", self.shape, ("auth",)),
            Step("order", self.order, ("shape",)),
        )

    def uses(self) -> dict[str, Any]:
        return {"reranker": self._reranker.name}

    async def address(self) -> Finding:
        return look_at(self._url, f"{PREFIX}__BASE_URL")

    async def reach(self) -> Finding:
        """The one call, which answers for the steps after it too."""
        try:
            self._scores = await self._reranker.rerank(QUERY, PASSAGES)
        except errors.Unavailable as error:
            self._error = error
        return self._door.reach()

    async def auth(self) -> Finding:
        return self._door.auth()

    async def shape(self) -> Finding:
        if self._error is None:
            return Finding("ok", "Each passage gets one score.")
        status = status_of(self._error)
        if status is None and is_late(self._error):
            return Finding("fail", "No scores come in time.", f"{PREFIX}__TIMEOUT_S", "more seconds than now")
        if status in (400, 404, 422):
            sentence = f"The rerank endpoint answers with status {status}: model or address is wrong."
            return Finding("fail", sentence, f"{PREFIX}__MODEL", "a rerank model; or the address up to /v1")
        if status is not None:
            return Finding("fail", self._error.sentence)
        value = "an address whose /rerank gives results with index and relevance_score"
        return Finding("fail", self._error.sentence, f"{PREFIX}__BASE_URL", value)

    async def order(self) -> Finding:
        """The passage that answers comes first."""
        if max(range(len(PASSAGES)), key=self._scores.__getitem__) == BEST and len(set(self._scores)) > 1:
            return Finding("ok", "The passage that answers comes first.")
        sentence = "The passage that answers does not come first: re-ordered hits would be worse."
        return Finding("warn", sentence, f"{PREFIX}__MODEL", "a rerank model, or GAPSEEK_RERANK__KIND=none")

    async def aclose(self) -> None:
        await self._reranker.aclose()

    @property
    def _door(self) -> Door:
        return Door("The rerank endpoint", PREFIX, self._url, self._has_key, self._error)
