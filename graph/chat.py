"""From settings to chat models, and to what thinks with them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import cache
from typing import TYPE_CHECKING

from context.reasoning import Extractor, Reasoner
from context.run import Windows
from corpus.index import Index
from errors import BadRequest
from graph.models import OFFLINE, Models, Thinking
from graph.prompt_sets import PromptSets
from reasoner.offline import OfflineReasoner
from settings import Endpoint, NamedModel, Settings

if TYPE_CHECKING:
    from reasoner.chat_endpoint import ChatEndpoint
    from reasoner.lines import Lines


def windows(settings: Settings) -> Windows:
    """The context windows that prompts are cut to; the offline reasoner reads any length."""
    if not settings.chat.configured:
        return Windows()
    return Windows(grade=settings.small().context_tokens, answer=settings.chat.context_tokens)


def open_extractor(
    settings: Settings, stack: AsyncExitStack, prompts: PromptSets | None, lines: Lines | None
) -> Extractor | None:
    """The model that finds metadata, where one is to. Raises `BadRequest` without a chat model."""
    if settings.extract_metadata != "model":
        return None
    if not settings.chat.configured:
        raise BadRequest("GAPSEEK_EXTRACT_METADATA=model needs a chat model: set GAPSEEK_CHAT__MODEL, or choose rules.")
    from reasoner.extraction import ModelExtractor  # its client takes seconds to import

    extractor = ModelExtractor(small_chat(settings), lines, prompts=(prompts or PromptSets()).default)
    stack.push_async_callback(extractor.aclose)
    return extractor


def chat_lines(settings: Settings) -> Lines | None:
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


def open_reasoner(
    settings: Settings, index: Index, stack: AsyncExitStack, prompts: PromptSets, lines: Lines | None
) -> Reasoner:
    """Chat models where one is set, else the rules that need none."""
    if not settings.chat.configured:
        return OfflineReasoner(index.statistics, index.embedder_name)
    from reasoner.llm import LLMReasoner  # its client takes seconds to import

    chat = chat_endpoint(settings.chat, "GAPSEEK_CHAT")
    reasoner = LLMReasoner(chat, small_chat(settings), lines, prompts=prompts.default)
    stack.push_async_callback(reasoner.aclose)
    return reasoner


def open_models(
    settings: Settings, index: Index, stack: AsyncExitStack, prompts: PromptSets, lines: Lines | None
) -> Models:
    """The models that a replay may choose by name. Raises `BadRequest` for a further model without the name of one."""
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
