"""Settings in, services out. With chat.py and knowledge.py the only place that knows what stands behind a Protocol."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from langgraph.checkpoint.base import BaseCheckpointSaver

from context.reasoning import Reasoner
from context.retrieval import Principal
from context.run import Context
from corpus.changes import Progress
from corpus.index import Index
from corpus.ingest.convert.converter import Converter
from corpus.lost import NO_THREADS, has_lost_threads
from corpus.owner import DataFolder
from graph.build import Graph, build
from graph.chat import chat_lines, open_models, open_reasoner, windows
from graph.checkpoints import open_saver
from graph.knowledge import limits, open_index
from graph.models import Models, Thinking
from graph.prompt_sets import PromptSets, by_prompts, open_prompts, told
from graph.sample import ingest_sample, silent
from settings import Settings

if TYPE_CHECKING:
    pass

_log = logging.getLogger(__name__)


NO_WHEEL: Final = "The embedded model has no wheel for this platform, and no embeddings endpoint is set."


NO_ROOM: Final = (
    "The disk is full: documents can be asked about and deleted, not added, and new threads are kept only until this "
    "process ends. Make room and start again."
)


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
        return Context(self.reasoner, self.index, time.time, principal, self.settings.dials(), windows(self.settings))


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
        lines = chat_lines(settings)
        index = await open_index(settings, stack, prompts, lines)
        reasoner = open_reasoner(settings, index, stack, prompts, lines)
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
        models = open_models(settings, index, stack, prompts, lines)
        yield Services(settings, build(saver), saver, index, reasoner, lane_off, converter, no_room, prompts, models)
