"""The fake `/v1/rerank`: scores by shared characters, and the ways in which an endpoint can fail."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from fastapi.responses import JSONResponse, Response

Body = dict[str, Any]


@dataclass
class RerankScript:
    """Switches of the endpoint; `raw` is sent instead of what would be right."""

    status: int = 200
    delay_s: float = 0.0
    raw: bytes | None = None

    async def reply(self, body: Body) -> Response:
        await asyncio.sleep(self.delay_s)
        if self.status != 200:
            return JSONResponse({"message": "scripted failure"}, self.status, headers={"location": "/elsewhere"})
        if self.raw is not None:
            return Response(self.raw, media_type="application/json")
        return JSONResponse({"id": "r", "model": body["model"], "results": self._results(body)})

    def _results(self, body: Body) -> list[Body]:
        """Best first, as real endpoints send them, with the passages that nobody asked for."""
        scored: list[Body] = [
            {"index": index, "relevance_score": shared(body["query"], text), "document": {"text": text}}
            for index, text in enumerate(body["documents"])
        ]
        return sorted(scored, key=lambda one: -one["relevance_score"])[: body["top_n"]]


def shared(query: str, text: str) -> float:
    """The part of the query's characters that the text has."""
    wanted = set(query)
    return len(wanted & set(text)) / len(wanted)
