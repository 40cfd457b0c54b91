"""From settings to an index: its embedder, its reranker, and what is kept."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Literal

import errors
from context.retrieval import Embedder, Reranker
from corpus import dictionary
from corpus.embeddings.e5 import E5Embedder
from corpus.fuser import Fusing
from corpus.index import Index
from corpus.ingest.convert.limits import Limits
from corpus.kept import Kept
from corpus.lost import refuse_lost
from corpus.places import PLACES, STORE
from corpus.rerank.cross_encoder import CrossEncoderReranker
from corpus.rerank.endpoint import EndpointReranker
from corpus.reranking import NO_RERANK, Rerank
from corpus.store.fingerprints import recorded_embedder
from graph.chat import open_extractor
from graph.prompt_sets import PromptSets
from settings import RerankEndpoint, Settings

if TYPE_CHECKING:
    from corpus.embeddings.openai import OpenAIEmbedder
    from reasoner.lines import Lines

_log = logging.getLogger(__name__)


async def open_index(
    settings: Settings, stack: AsyncExitStack, prompts: PromptSets | None = None, lines: Lines | None = None
) -> Index:
    """The index of the data folder, closed with the stack; the user's own words hold from here on.

    `prompts` are the built-in ones unless given. A model that reads documents shares the `lines` of the reasoner, if
    there are any.

    Raises `BadRequest` when the dictionary cannot be used, `Conflict` when there was an index that is gone.
    """
    refuse_lost(settings.data)
    words = await asyncio.to_thread(dictionary.load, settings.dictionary)
    stack.enter_context(dictionary.in_force(words))
    index = await Index.open(
        settings.data / "index",
        await open_embedder(settings, stack),
        Fusing({"keyword": settings.keyword_weight, "vector": settings.vector_weight}, settings.fusion),
        await open_rerank(settings, stack),
        Kept(
            settings.keep_versions,
            rules=settings.extract_metadata != "off",
            model=open_extractor(settings, stack, prompts, lines),
        ),
    )
    stack.push_async_callback(index.close)
    return index


def limits(settings: Settings) -> Limits:
    """What one file may cost."""
    return Limits(
        file_bytes=settings.max_file_bytes,
        timeout_s=settings.convert_timeout_s,
        memory_mb=settings.convert_memory_mb,
        pages=settings.max_file_pages,
        cells=settings.max_file_cells,
    )


async def open_embedder(settings: Settings, stack: AsyncExitStack) -> Embedder | None:
    """The endpoint's when one is set, otherwise the embedded one, where it has a wheel.

    An endpoint that does not answer is no obstacle where the index says how long its vectors are.
    """
    if settings.embeddings.configured:
        connected = await _connected(settings)
        stack.push_async_callback(connected.close)
        return connected
    embedded = await asyncio.to_thread(E5Embedder.load)
    if embedded is not None:
        stack.push_async_callback(embedded.close)
    return embedded


async def open_rerank(settings: Settings, stack: AsyncExitStack) -> Rerank:
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
    endpoint = rerank_endpoint(chosen)
    stack.push_async_callback(endpoint.aclose)
    return endpoint


def rerank_endpoint(chosen: RerankEndpoint) -> EndpointReranker:
    """The reranker of the kind http."""
    return EndpointReranker(
        base_url=str(chosen.base_url), model=str(chosen.model), api_key=chosen.api_key, timeout_s=chosen.timeout_s
    )


def embeddings_endpoint(settings: Settings) -> OpenAIEmbedder:
    """The embedder of the settings, before anything was asked of it."""
    from corpus.embeddings.openai import OpenAIEmbedder  # its client takes seconds to import

    endpoint = settings.embeddings
    return OpenAIEmbedder(
        model=str(endpoint.model),
        dimension=0,
        base_url=endpoint.base_url,
        api_key=endpoint.api_key,
        batch=settings.embeddings_batch,
        timeout_s=endpoint.timeout_s,
        context_tokens=endpoint.context_tokens,
        retries=endpoint.retries,
    )


async def _connected(settings: Settings) -> OpenAIEmbedder:
    embedder = embeddings_endpoint(settings)
    try:
        await embedder.learn_dimension()
    except errors.Unavailable as error:
        known = await asyncio.to_thread(recorded_embedder, settings.data / PLACES[STORE])
        if known is None or known[0] != embedder.name:
            await embedder.close()
            raise
        _log.warning("Searches go by words alone until the embeddings endpoint answers: %s", error.sentence)
        embedder.dimension = known[1]
    except BaseException:
        await embedder.close()
        raise
    return embedder
