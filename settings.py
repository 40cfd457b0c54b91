"""Environment, `.env` and files of secrets to one frozen `Settings`. The only place that reads them."""

from __future__ import annotations

import re
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NestedSecretsSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from state import Dials, Fusion, Mode

OF_THE_ADDRESS: Final = {"api_key", "extra_body", "token_limit_name"}
"""Settings of a chat endpoint that hold at its address only; a key must go to no other."""
SET_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
RESERVED_SETS: Final = {"default", "built-in"}
"""Names of prompt sets that are always there."""
RESERVED_MODELS: Final = {"default", "offline"}
"""Names of models that are always there."""
OF_THE_MODEL: Final = {"input_price", "output_price"}
SECRETS: Final = "/run/secrets"
"""Where container engines put secrets, each in a file named as its setting."""


class Address(BaseModel):
    """One model behind an OpenAI-compatible endpoint. Without a model it is not used."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str | None = Field(default=None, description="Address up to and including /v1; None means OpenAI's own.")
    api_key: SecretStr | None = Field(default=None, description="Sent as a bearer token; never logged or shown.")
    model: str | None = Field(default=None, description="Model name; as the endpoint calls it.")
    timeout_s: Annotated[float, Field(gt=0)] = Field(default=30.0, description="Longest wait for one call, in seconds.")
    retries: int = Field(default=2, ge=0, le=5, description="How often a call that failed in passing is made again.")
    context_tokens: int = Field(
        default=16_000, ge=256, description="Context window of the model, in tokens: where a text is cut to embed it."
    )

    @model_validator(mode="before")
    @classmethod
    def _empty_is_not_set(cls, given: Any) -> Any:
        """`GAPSEEK_CHAT__BASE_URL=` in a file means that there is none."""
        if not isinstance(given, dict):
            return given
        names = ("base_url", "api_key", "model")
        return {name: value for name, value in given.items() if name not in names or value not in (None, "")}

    @property
    def configured(self) -> bool:
        return self.model is not None

    @property
    def origin(self) -> tuple[str, str]:
        """Scheme, and host with its port, that a key may be sent to."""
        parts = urlsplit(self.base_url or "https://api.openai.com/v1")
        return parts.scheme, parts.netloc.rpartition("@")[2].lower()


class Endpoint(Address):
    """A chat model, and how it is asked."""

    context_tokens: int = Field(
        default=16_000, ge=4_096, description="Context window of the model, in tokens: how many passages it is shown."
    )
    connect_timeout_s: Annotated[float, Field(gt=0)] = Field(
        default=5.0, description="Longest wait for a connection, in seconds."
    )
    concurrency: int = Field(default=8, ge=1, description="Calls to one address at the same time; more wait.")
    temperature: Annotated[float | None, BeforeValidator(lambda given: None if given == "none" else given)] = Field(
        default=0.0, ge=0, le=2, description="From 0 to 2; none leaves it out, for models that take only their own."
    )
    max_tokens: int | None = Field(
        default=None,
        ge=16,
        description="Longest reply in tokens, thought included; None means 2000, or 8000 after a cut.",
    )
    token_limit_name: Literal["max_tokens", "max_completion_tokens"] = Field(
        default="max_tokens", description="Name by which the endpoint knows that limit."
    )
    extra_body: dict[str, Any] = Field(
        default={}, description='JSON that is added to each request, such as {"enable_thinking": false}.'
    )
    input_price: float | None = Field(default=None, ge=0, description="Price of a million tokens sent.")
    output_price: float | None = Field(default=None, ge=0, description="Price of a million tokens received.")

    def over(self, other: Endpoint) -> Endpoint:
        """This endpoint, with all that is not set for it taken from the other.

        At another address neither the key nor what only that endpoint knows is taken, and of another model no price.
        """
        address, model = self.base_url or other.base_url, self.model or other.model
        elsewhere = Endpoint(base_url=address).origin != other.origin
        kept_back = OF_THE_ADDRESS if elsewhere else set()
        if elsewhere or model != other.model:
            kept_back = kept_back | OF_THE_MODEL
        taken = other.model_fields_set - kept_back - self.model_fields_set
        set_here = {name: getattr(self, name) for name in self.model_fields_set}
        return Endpoint(**{name: getattr(other, name) for name in taken}, **set_here)


class NamedModel(Endpoint):
    """Another chat model, for replays that ask for it by its name."""

    serves: Literal["all", "answer", "decisions"] = Field(
        default="all", description="What it takes over in a replay: all, the answer, or route, rewrite and grade."
    )

    def over_chat(self, chat: Endpoint) -> Endpoint:
        """Its endpoint, with all that is not set for it as for chat."""
        own = {name: getattr(self, name) for name in self.model_fields_set - {"serves"}}
        return Endpoint(**own).over(chat)


class RerankEndpoint(BaseModel):
    """What re-orders the best hits after fusion."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["none", "embedding", "http", "cross_encoder"] = Field(
        default="none",
        description="What re-orders hits after fusion: none, embedding, http (a rerank endpoint) or cross_encoder.",
    )
    base_url: str | None = Field(default=None, description="Rerank address up to and including /v1; for http.")
    api_key: SecretStr | None = Field(default=None, description="Sent to it as a bearer token; never logged or shown.")
    model: str | None = Field(default=None, description="Rerank model; for http and cross_encoder.")
    depth: int = Field(default=20, ge=1, le=100, description="How many fused hits are re-ordered.")
    timeout_s: Annotated[float, Field(gt=0)] = Field(
        default=5.0, description="Longest wait for a reranker, in seconds; after it the fused order stands."
    )

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.kind in ("http", "cross_encoder") and not self.model:
            raise ValueError(f"GAPSEEK_RERANK__MODEL is needed for the kind {self.kind}.")
        if self.kind == "http" and not self.base_url:
            raise ValueError("GAPSEEK_RERANK__BASE_URL is needed for the kind http.")
        return self


class Prompts(BaseModel):
    """Folders whose files replace built-in prompts: of the default set, and of further sets by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    folder: Path | None = Field(
        default=None, description="Folder whose files replace built-in prompts of the same name; see docs/prompts.md."
    )
    sets: dict[str, Path] = Field(
        default={}, description='Further sets, a folder by name, such as {"strict": "prompts/strict"}.'
    )

    @model_validator(mode="before")
    @classmethod
    def _empty_is_not_set(cls, given: Any) -> Any:
        """`GAPSEEK_PROMPTS__FOLDER=` in a file means that there is none; as a path it would be the present folder."""
        if not isinstance(given, dict) or given.get("folder") != "":
            return given
        return {name: value for name, value in given.items() if name != "folder"}

    @field_validator("sets")
    @classmethod
    def _named(cls, sets: dict[str, Path]) -> dict[str, Path]:
        """A name is what a replay asks for; an empty folder would mean the present one."""
        for name, folder in sets.items():
            if not SET_NAME.fullmatch(name) or folder == Path():
                raise ValueError("a set needs a folder, and a name of at most 64 of a-z, 0-9, _ and -")
        if taken := RESERVED_SETS & sets.keys():
            raise ValueError(f"the name {min(taken)} is taken; choose another one for that set")
        return sets


class Settings(BaseSettings):
    """Every setting, as `GAPSEEK_<NAME>`; nested ones with two underscores, such as `GAPSEEK_CHAT__MODEL`."""

    model_config = SettingsConfigDict(
        env_prefix="GAPSEEK_",
        env_nested_delimiter="__",
        env_file=".env",
        secrets_dir=SECRETS,
        secrets_dir_missing="ok",
        extra="ignore",
        frozen=True,
    )

    data: Path = Field(default=Path("data"), description="Folder of everything kept: documents, vectors, checkpoints.")
    host: str = Field(default="127.0.0.1", description="Address to listen on; anything but loopback needs API keys.")
    port: int = Field(default=8765, ge=0, le=65535, description="Port to listen on; 0 picks a free one.")
    allowed_hosts: tuple[str, ...] = Field(
        default=("localhost", "127.0.0.1", "[::1]"), description="Host headers that are served; others get 421."
    )
    trusted_proxies: tuple[str, ...] = Field(
        default=(), description="Addresses and networks of proxies whose X-Forwarded-For tells the caller's address."
    )

    chat: Endpoint = Field(default=Endpoint(), description="The chat model; without one the offline reasoner serves.")
    small_chat: Endpoint = Field(
        default=Endpoint(),
        description="For route, rewrite and grade; what is not set is as for chat, the key only at its address.",
    )
    models: dict[str, NamedModel] = Field(
        default={},
        description="Further chat models for replays, by name: GAPSEEK_MODELS__FAST__MODEL; else as for chat.",
    )
    embeddings: Address = Field(
        default=Address(),
        description="Without a model the embedded one serves. With one and a CHAT__BASE_URL it needs its own BASE_URL.",
    )
    rerank: RerankEndpoint = Field(default=RerankEndpoint(), description="What re-orders hits after fusion.")
    prompts: Prompts = Field(default=Prompts(), description="What models are told; without a folder, what is built in.")
    dictionary: Path | None = Field(
        default=None, description="File of own words, one a line: word [frequency] [tag]; see docs/metadata.md."
    )
    extract_metadata: Literal["rules", "model", "off"] = Field(
        default="rules", description="What finds metadata in documents: rules, rules and the small chat model, none."
    )
    embeddings_batch: int | None = Field(
        default=None, ge=1, le=2048, description="Texts in one embeddings request; None means what the provider takes."
    )

    mode: Mode = Field(default="loop", description="Default mode of an ask.")
    handoff: Literal["off", "on", "never"] = Field(
        default="off",
        description="Ask a person where documents do not suffice: off (only if told to), on (unless told not), never.",
    )
    threshold: float = Field(
        default=0.7, ge=0.5, le=1, description="Relevance score from which evidence is sufficient."
    )
    max_retries: int = Field(default=3, ge=0, le=20, description="Rounds after the first.")
    max_searches: int = Field(default=16, ge=1, description="Queries sent to retrieval in one ask.")
    max_model_calls: int = Field(default=16, ge=1, description="Model calls in one ask.")
    max_tokens: int = Field(default=40_000, ge=1_000, description="Tokens of all calls of one ask together.")
    deadline_s: float = Field(default=45.0, gt=0, description="Wall clock of one ask, in seconds.")
    search_timeout_s: float = Field(
        default=10.0, gt=0, description="Longest wait of a search without an ask for the embedder, in seconds."
    )
    max_barren_rounds: int = Field(default=2, ge=1, description="Rounds without a better grade before the loop stops.")
    max_tool_calls: int = Field(default=15, ge=1, description="Tool calls in agent mode.")
    rewrite_beside_route: bool = Field(
        default=False,
        description="Write the first queries while routing a first question; wasted where it is small talk.",
    )
    top_k: int = Field(default=30, ge=1, le=100, description="Hits kept after fusion.")

    fusion: Fusion = Field(
        default="rrf",
        description="How lists are fused: rrf (reciprocal ranks), scaled (sum of scaled scores) or blend (their mean).",
    )
    keyword_weight: float = Field(default=1.0, ge=0, description="Weight of the keyword lane in fusion.")
    vector_weight: float = Field(default=4.0, ge=0, description="Weight of the vector lane in fusion.")

    keep_versions: int = Field(
        default=5, ge=1, description="Versions of a document that stay readable to history, the current one included."
    )
    keep_threads_days: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="Days after its last step until a thread is deleted; None keeps it."
    )
    keep_threads: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="How many threads of each tenant are kept, the newest; None keeps all."
    )
    durability: Literal["sync", "async", "exit"] = Field(
        default="sync",
        description="When a step is on disk: before the next one, beside it, or at the end; see docs/reliability.md.",
    )
    requests_per_minute: int = Field(
        default=600, ge=1, description="Requests that one API key, or one address without keys, may send in a minute."
    )
    max_open_requests: int = Field(default=50, ge=1, description="Its requests that may run at a time, streams too.")
    max_open_requests_all: int = Field(default=500, ge=1, description="The same for all callers together.")
    keep_events_s: float = Field(
        default=600.0, ge=0, description="How long the events of a run that ended are kept, in seconds."
    )
    keep_events_runs: int = Field(default=200, ge=0, description="Of how many runs that ended they are kept at most.")
    log: Literal["text", "json"] = Field(
        default="text", description="Form of the server's log lines: text, or json with one object a line."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="From which level on they are written."
    )
    tracing: bool = Field(
        default=False,
        description="Let LANGSMITH_* take effect: questions, passages and answers then leave; see docs/operations.md.",
    )
    grace_s: float = Field(
        default=10.0, ge=0, description="How long running asks may take to finish when the server is told to stop."
    )
    max_question_chars: int = Field(default=4_000, ge=1, description="Longest question.")
    max_body_bytes: int = Field(default=20_000_000, ge=1_000, description="Largest body at /documents; of others 1 MB.")
    max_upload_bytes: int = Field(default=200_000_000, ge=1_000, description="Largest upload, all its files together.")
    max_file_bytes: int = Field(default=50_000_000, ge=1, description="Largest file that is read.")
    max_file_pages: int = Field(default=5_000, ge=1, description="Pages or slides of the longest file that is read.")
    max_file_cells: int = Field(default=1_000_000, ge=1, description="Table cells of the largest file that is read.")
    convert_timeout_s: float = Field(default=60.0, gt=0, description="Longest time to convert one file, in seconds.")
    convert_memory_mb: int = Field(default=1_024, ge=256, description="Memory to convert one file in, in megabytes.")

    @field_validator("data", mode="before")
    @classmethod
    def _named(cls, data: object) -> object:
        """An empty name would mean the present folder, whichever that is."""
        if isinstance(data, str) and not data.strip():
            raise ValueError("a folder is needed, not an empty name")
        return data

    @field_validator("trusted_proxies")
    @classmethod
    def _proxies_are_addresses(cls, proxies: tuple[str, ...]) -> tuple[str, ...]:
        """To trust everybody would let each caller choose the address that it is counted under."""
        for proxy in proxies:
            try:
                network = ip_network(proxy)
            except ValueError as exc:
                raise ValueError(f"an address such as 127.0.0.1 or a network such as 10.0.0.0/8: {exc}") from exc
            if network.prefixlen == 0:
                raise ValueError("everybody would be trusted; name the proxy's own address or network")
        return proxies

    @field_validator("models")
    @classmethod
    def _models_named(cls, models: dict[str, NamedModel]) -> dict[str, NamedModel]:
        """A name is what a replay asks for."""
        if wrong := [name for name in models if not SET_NAME.fullmatch(name) or name in RESERVED_MODELS]:
            raise ValueError(
                f"a model needs a name of at most 64 of a-z, 0-9, _ and -, other than default and offline: {wrong[0]}"
            )
        return models

    @model_validator(mode="after")
    def _embeddings_have_an_address(self) -> Self:
        """Where chat has an address of its own, texts must not go to OpenAI because a line was forgotten."""
        if self.embeddings.configured and self.chat.base_url and not self.embeddings.base_url:
            raise ValueError(
                "GAPSEEK_EMBEDDINGS__BASE_URL is needed beside GAPSEEK_CHAT__BASE_URL: the same address, another "
                "one, or https://api.openai.com/v1 for OpenAI's own."
            )
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Files of secrets come last, and may hold parts of an endpoint: `GAPSEEK_CHAT__API_KEY`."""
        return init_settings, env_settings, dotenv_settings, NestedSecretsSettingsSource(file_secret_settings)

    def dials(self) -> Dials:
        """The ceiling for every ask of this deployment."""
        return {
            "threshold": self.threshold,
            "max_retries": self.max_retries,
            "max_searches": self.max_searches,
            "max_model_calls": self.max_model_calls,
            "max_tokens": self.max_tokens,
            "deadline_s": self.deadline_s,
            "max_barren_rounds": self.max_barren_rounds,
            "max_tool_calls": self.max_tool_calls,
            "top_k": self.top_k,
            "keyword_weight": self.keyword_weight,
            "vector_weight": self.vector_weight,
            "grades_per_sub_question": 3,
            "grades_per_round": 9,
            "rewrite_beside_route": self.rewrite_beside_route,
        }

    def small(self) -> Endpoint:
        """The endpoint for route, rewrite and grade."""
        return self.small_chat.over(self.chat)
