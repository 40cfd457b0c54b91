"""LangChain's client for OpenAI, told everything that it would guess, and kept from what compatible servers refuse."""

from __future__ import annotations

import warnings
from typing import Any, Final

import httpx2
import openai
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI

from endpoints.http import NO_KEY, without_credentials
from endpoints.http import http_client as limited_client
from errors import Unavailable
from reasoner.chat_endpoint import ChatEndpoint

LARGEST_REPLY: Final = 8_000_000
"""Bytes of one reply that are read; a stream spends some 200 on each token."""

REASONING: Final = "reasoning_content"
_THOUGHT_FIELDS: Final = (REASONING, "reasoning")
"""Where DeepSeek, Qwen, vLLM, Ollama and others put a thought, in a message and in a piece of one. OpenAI has neither,
so its client drops both; here the first name stands for either."""

ARGUMENTS: Final = "arguments"
"""Where the arguments of the functions that were called are kept, as text."""
FUNCTIONS: Final = "functions"
"""Where their names are, in the same order."""

# The client prints this beside the error that it raises, and we act on that error.
warnings.filterwarnings(
    "ignore", message="This model does not support OpenAI's structured output", category=UserWarning
)


class CompatibleChat(ChatOpenAI):
    """`ChatOpenAI` that keeps the thought which an endpoint sends apart from the content."""

    def _create_chat_result(
        self, response: dict[str, Any] | openai.BaseModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        """A function's arguments stay as they were written: the client raises on many that can still be read."""
        said = [_set_apart(choice) for choice in _choices(response)]
        result = super()._create_chat_result(response, generation_info)
        for generation, kept in zip(result.generations, said, strict=True):
            generation.message.additional_kwargs |= kept
        return result

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        generation = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        choices = chunk.get("choices") or [{}]
        if generation and (thought := _thought(choices[0].get("delta") or {})):
            generation.message.additional_kwargs[REASONING] = thought
        return generation


def _choices(response: Any) -> list[Any]:
    return list(getattr(response, "choices", None) or [])


def _set_apart(choice: Any) -> dict[str, Any]:
    """Thought and arguments of a choice; of the latter it is relieved."""
    called = [call.function for call in choice.message.tool_calls or () if call.type == "function"]
    choice.message.tool_calls = None
    thought = _thought(choice.message.model_extra or {})
    kept = {ARGUMENTS: [one.arguments for one in called], FUNCTIONS: [one.name for one in called]}
    return kept | ({REASONING: thought} if thought else {})


def _thought(said: dict[str, Any]) -> str | None:
    return next((said[name] for name in _THOUGHT_FIELDS if isinstance(said.get(name), str) and said[name]), None)


def http_client(endpoint: ChatEndpoint) -> httpx2.AsyncClient:
    """The connections of one endpoint."""
    return limited_client(endpoint.timeout_s, endpoint.connect_timeout_s, LARGEST_REPLY, _endless)


def _endless() -> Unavailable:
    return Unavailable("The chat endpoint sent a reply without an end.", code="model_endless")


def chat_client(endpoint: ChatEndpoint, http: httpx2.AsyncClient) -> CompatibleChat:
    """Every setting that the client would otherwise take from the environment is given here; it retries nothing."""
    address, headers = without_credentials(endpoint.address)
    return CompatibleChat(
        model=endpoint.model,
        base_url=address,
        api_key=endpoint.api_key or NO_KEY,
        default_headers=headers,
        timeout=http.timeout,
        max_retries=0,
        stream_usage=False,
        stream_chunk_timeout=None,
        use_responses_api=False,
        output_version="v0",
        cache=False,
        http_async_client=http,
        http_socket_options=(),
        openai_proxy=None,
    )
