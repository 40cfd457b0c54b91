"""A call of the reasoner beside a bare `ChatOpenAI` with the same messages, to an endpoint that answers at once."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

import openai
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from context.reasoning import AnswerRequest, GradeRequest, RouteRequest, Source
from context.retrieval import Passage, Principal
from corpus.documents import chunk_id
from corpus.ingest.chunks import chunks
from errors import Unavailable
from evals.bench.at_once import AtOnce, at_once
from evals.bench.timing import interleaved_async
from evals.questions import questions
from evals.sets import elevator
from reasoner.asking import evaluate_messages, generate_messages, route_messages
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.llm import UNREADABLE, LLMReasoner
from reasoner.prompt_set import built_in
from state import SubQuestion

LIMIT: Final = 1.5
"""Times a bare call that a call of the reasoner may take."""
ROUNDS: Final = 300
WARM_UP: Final = 20
PASSAGES: Final = 9
"""As many as a round grades."""
QUOTED: Final = 40
"""Characters of a quote."""
NOT_UNDERSTOOD: Final = "The bench's endpoint was not understood, so nothing is measured."
_TIMEOUT_S: Final = 30.0

Overhead = dict[str, Any]
Row = dict[str, Any]
Call = Callable[[], Awaitable[object]]


@dataclass(frozen=True)
class Pair:
    """One kind of call, what the endpoint says to it, and the call in both ways."""

    what: str
    says: str
    ours: Call
    bare: Call


async def run(rounds: int | None = None) -> Overhead:
    """p50 and p95 of each kind of call in both ways, in turn, and the ratio of the medians.

    The endpoint runs on the same loop, so that its share is in both times and brings the ratio nearer to 1.
    """
    rounds = rounds or ROUNDS
    async with at_once() as endpoint, openai.DefaultAsyncHttpxClient() as http:
        bare = ChatOpenAI(model="bench", base_url=endpoint.url, api_key=SecretStr("none"), http_async_client=http)
        reasoner = LLMReasoner(ChatEndpoint("bench", endpoint.url))
        try:
            rows = [await _measured(endpoint, pair, rounds) for pair in _pairs(reasoner, bare)]
        finally:
            await reasoner.aclose()
    return {"client": f"langchain-openai {version('langchain-openai')}", "limit": LIMIT, "rows": rows}


async def _measured(endpoint: AtOnce, pair: Pair, rounds: int) -> Row:
    endpoint.says = pair.says
    calls = [pair.ours, pair.bare]
    await interleaved_async(calls, min(WARM_UP, rounds))
    ours, theirs = await interleaved_async(calls, rounds)
    return {
        "what": pair.what,
        "gapseek": ours.milliseconds(),
        "bare": theirs.milliseconds(),
        "ratio": round(ours.p50 / theirs.p50, 2),
    }


def _pairs(reasoner: LLMReasoner, bare: ChatOpenAI) -> list[Pair]:
    """The route goes first: from its reply the reasoner learns that this model does not think aloud."""
    question, passages = questions()[0]["question"], _passages()
    checklist: tuple[SubQuestion, ...] = ({"id": "sq-1", "text": question, "required": True},)
    return [
        _route(reasoner, bare, question),
        _grade(reasoner, bare, GradeRequest(question, "zh", checklist, passages, (), (), Principal(), _TIMEOUT_S)),
        _answer(reasoner, bare, question, checklist, passages[:3]),
    ]


def _route(reasoner: LLMReasoner, bare: ChatOpenAI, question: str) -> Pair:
    request = RouteRequest(question, "zh", (), _TIMEOUT_S)
    messages = route_messages(request, built_in())
    says = _json({"reason": "问的是规定", "need_retrieval": True, "standalone": question})

    async def ours() -> None:
        if (await reasoner.route(request)).value.reason == UNREADABLE:
            raise Unavailable(NOT_UNDERSTOOD)

    return Pair("route, whole", says, ours, lambda: bare.ainvoke(messages))


def _grade(reasoner: LLMReasoner, bare: ChatOpenAI, request: GradeRequest) -> Pair:
    messages = evaluate_messages(request, built_in())
    judged = {"sub_question": 1, "reason": "有关", "band": "inference", "score": 0.8}
    grades = [{"passage": n, "quote": one.text[:QUOTED], **judged} for n, one in enumerate(request.passages, 1)]
    says = _json({"reason": "逐段判断", "grades": grades, "contradictions": []})

    async def ours() -> None:
        if not all(judgement.quote for judgement in (await reasoner.grade(request)).value):
            raise Unavailable(NOT_UNDERSTOOD)

    return Pair(f"grade of {len(grades)} passages, whole", says, ours, lambda: bare.ainvoke(messages))


def _answer(
    reasoner: LLMReasoner,
    bare: ChatOpenAI,
    question: str,
    checklist: tuple[SubQuestion, ...],
    passages: Sequence[Passage],
) -> Pair:
    sources = tuple(Source(n, one, ("sq-1",), 0.9, (one.text[:QUOTED],)) for n, one in enumerate(passages, 1))
    request = AnswerRequest(question, question, "zh", (), "", checklist, sources, (), (), _TIMEOUT_S)
    messages = generate_messages(request, built_in())
    says = "".join(f"{source.quotes[0]} [{source.number}]。" for source in sources)

    async def ours() -> None:
        heard = [piece async for piece in reasoner.answer(request) if isinstance(piece, str)]
        if "".join(heard) != says:
            raise Unavailable(NOT_UNDERSTOOD)

    async def theirs() -> None:
        async for _ in bare.astream(messages):
            pass

    return Pair("answer, streamed", says, ours, theirs)


def _passages() -> tuple[Passage, ...]:
    cut = [(document, chunk) for document in elevator().documents for chunk in chunks(document)][:PASSAGES]
    return tuple(
        Passage(
            chunk_id(document.doc_id, chunk.text),
            document.doc_id,
            "v1",
            document.title or "",
            chunk.heading,
            chunk.text,
        )
        for document, chunk in cut
    )


def _json(reply: dict[str, Any]) -> str:
    return json.dumps(reply, ensure_ascii=False)
