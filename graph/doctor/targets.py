"""What is examined for which settings; a target without an endpoint says what serves in its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import Final, Literal, TypeAlias, get_args

from context.doctor.address import is_address, look_at
from context.doctor.findings import Finding, Look, Patient, Step
from corpus.doctor.embedded import look_at_cross_encoder, look_at_embedded
from corpus.doctor.folder import look_at_folder, look_at_owner
from corpus.places import PLACES, STORE
from graph.chat import chat_endpoint, small_chat
from graph.doctor.local import Local, saying
from graph.doctor.prompts import look_at_prompts
from graph.knowledge import embeddings_endpoint, rerank_endpoint
from settings import Address, Endpoint, RerankEndpoint, Settings

Target: TypeAlias = Literal["local", "chat", "small_chat", "embeddings", "reranker"]
TARGETS: Final[tuple[Target, ...]] = get_args(Target)

OPENAI: Final = "https://api.openai.com/v1"
"""Where a model without an address is."""


def patients(settings: Settings, only: Collection[Target], whole_window: bool) -> Iterator[Patient]:
    """The targets wanted, in the order in which one helps the next; each is made when its turn comes."""
    ways = {
        "local": lambda: _local(settings),
        "chat": lambda: _chat(settings, whole_window),
        "small_chat": lambda: _small_chat(settings, whole_window),
        "embeddings": lambda: _embeddings(settings),
        "reranker": lambda: _reranker(settings.rerank),
    }
    return (ways[target]() for target in TARGETS if target in only)


def decides_itself(settings: Settings) -> bool:
    """Whether the chat model has no smaller one beside it. Its address must be one."""
    return settings.small() == settings.chat


def _local(settings: Settings) -> Patient:
    return Local(
        "local",
        Step("data", partial(look_at_folder, settings.data)),
        Step("owner", partial(look_at_owner, settings.data), ("data",)),
        Step("prompts", partial(look_at_prompts, settings)),
    )


def _chat(settings: Settings, whole_window: bool) -> Patient:
    if not settings.chat.configured:
        return _alone("chat", saying(_no_chat(settings)), {"reasoner": "offline"})
    if bad := _bad_address("chat", settings.chat.base_url, "GAPSEEK_CHAT"):
        return bad
    from reasoner.doctor.patient import ChatPatient  # its client takes seconds to import

    alone = is_address(settings.small_chat.base_url or OPENAI) and decides_itself(settings)
    endpoint = chat_endpoint(settings.chat, "GAPSEEK_CHAT")
    return ChatPatient("chat", endpoint, decides=alone, answers=True, whole_window=whole_window)


def _small_chat(settings: Settings, whole_window: bool) -> Patient:
    small, chat = settings.small_chat, settings.chat
    if not chat.configured:
        return _alone("small_chat", saying(_small_without_chat(small)))
    if not is_address(chat.base_url or OPENAI):
        return _alone("small_chat", saying(Finding("skipped", "Not tried, since the chat model has no address.")))
    if bad := _bad_address("small_chat", small.base_url, "GAPSEEK_SMALL_CHAT"):
        return bad
    if decides_itself(settings):
        return _alone(
            "small_chat", saying(Finding("ok", "None is set: the chat model routes, rewrites and grades too."))
        )
    from reasoner.doctor.patient import ChatPatient  # its client takes seconds to import

    return ChatPatient("small_chat", small_chat(settings), decides=True, answers=False, whole_window=whole_window)


def _embeddings(settings: Settings) -> Patient:
    given, store = settings.embeddings, settings.data / PLACES[STORE]
    if not given.configured:
        half = _half_set(given, "GAPSEEK_EMBEDDINGS", "the embedded model serves")
        look = saying(half) if half else partial(look_at_embedded, store)
        return _alone("embeddings", look, {"embedder": "embedded"})
    if bad := _bad_address("embeddings", given.base_url, "GAPSEEK_EMBEDDINGS"):
        return bad
    from corpus.doctor.vectors import EmbeddingsPatient  # its client takes seconds to import

    url = given.base_url or OPENAI
    return EmbeddingsPatient(embeddings_endpoint(settings), url, given.api_key is not None, store)


def _reranker(given: RerankEndpoint) -> Patient:
    uses: dict[str, str] = {"reranker": given.kind}
    if given.kind == "none":
        return _alone("reranker", saying(Finding("ok", "None is set: fused hits keep their order.")), uses)
    if given.kind == "embedding":
        return _alone("reranker", saying(Finding("ok", "Hits are re-ordered by their vectors.")), uses)
    if given.kind == "cross_encoder":
        return _alone("reranker", partial(look_at_cross_encoder, str(given.model)), uses)
    if bad := _bad_address("reranker", given.base_url, "GAPSEEK_RERANK"):
        return bad
    from corpus.doctor.reranker import RerankPatient

    return RerankPatient(rerank_endpoint(given), str(given.base_url), given.api_key is not None)


def _alone(target: Target, look: Look, uses: dict[str, str] | None = None) -> Patient:
    return Local(target, Step("configured", look), uses=uses)


def _bad_address(target: Target, url: str | None, prefix: str) -> Patient | None:
    """A client cannot be made of what is no address."""
    if is_address(url or OPENAI):
        return None
    return Local(target, Step("address", saying(look_at(str(url), f"{prefix}__BASE_URL"))))


def _no_chat(settings: Settings) -> Finding:
    serves = "the offline reasoner serves, which takes its answers from the documents word for word"
    half = _half_set(settings.chat, "GAPSEEK_CHAT", serves)
    return half or Finding("ok", f"No chat model is set: {serves}.")


def _small_without_chat(small: Endpoint) -> Finding:
    if not small.model_fields_set:
        return Finding("ok", "None is set, and no chat model either.")
    sentence = "A small chat model without a chat model is not used: the offline reasoner serves."
    return Finding("warn", sentence, "GAPSEEK_CHAT__MODEL", "the model that answers")


def _half_set(given: Address, prefix: str, serves: str) -> Finding | None:
    """An address or a key without a model is as good as nothing, and nobody else says so."""
    if given.base_url is None and given.api_key is None:
        return None
    sentence = f"An address or a key is set, but no model: {serves}."
    return Finding("warn", sentence, f"{prefix}__MODEL", "the model's name, as the endpoint calls it")
