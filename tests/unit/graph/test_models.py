"""Models by name: as for chat where nothing else is set, and in the places that they are to take over."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from context.retrieval import Principal
from errors import BadRequest
from graph.wiring import Services, open_services
from reasoner.offline import OfflineReasoner
from settings import Endpoint, NamedModel, Settings

HERE = "http://127.0.0.1:9/v1"
CHAT = Endpoint(base_url=HERE, api_key=SecretStr("k"), model="usual", context_tokens=9_000)


def settings(data: Path, **more: Any) -> Settings:
    return Settings.model_construct(data=data, **{"chat": CHAT, **more})


async def test_a_named_model_thinks_in_its_places_and_reads_as_much_as_it_can(tmp_path: Path) -> None:
    models = {
        "fast": NamedModel(model="quick", context_tokens=5_000),
        "pen": NamedModel(model="quick", serves="answer", context_tokens=5_000),
        "judge": NamedModel(model="quick", serves="decisions", context_tokens=5_000),
        "warm": NamedModel(temperature=0.7),
    }
    async with open_services(settings(tmp_path, models=models), sample=False) as services:
        own = services.context_for(Principal())
        told = {name: services.varied(own, name, None) for name in models}
        assert [told[name].reasoner.name.split(":")[1] for name in models] == [
            "quick",
            "usual+quick",
            "quick+usual",
            "usual",
        ]
        windows = [(told[name].windows.grade, told[name].windows.answer) for name in models]
        assert windows == [(5_000, 5_000), (9_000, 5_000), (5_000, 9_000), (9_000, 9_000)]
        assert services.varied(own, "fast", None).reasoner is told["fast"].reasoner
        assert services.varied(own, "default", None) == own
        assert isinstance(services.varied(own, "offline", None).reasoner, OfflineReasoner)
        assert services.varied(own, "offline", None).windows.answer is None
        by_prompts = services.varied(own, None, "built-in")
        assert (by_prompts.windows, by_prompts.reasoner.name) == (own.windows, own.reasoner.name)
        await refused(services)


async def refused(services: Services) -> None:
    own = services.context_for(Principal())
    with pytest.raises(BadRequest, match="there are default, offline, fast, pen, judge, warm"):
        services.varied(own, "unknown", None)
    with pytest.raises(BadRequest, match="no prompt set of this name"):
        services.varied(own, "fast", "unknown")
    with pytest.raises(BadRequest, match="without prompts"):
        services.varied(own, "offline", "built-in")


async def test_beside_the_offline_reasoner_a_named_model_does_all(tmp_path: Path) -> None:
    models = {"fast": NamedModel(base_url=HERE, model="quick", serves="answer")}
    async with open_services(settings(tmp_path, chat=Endpoint(), models=models), sample=False) as services:
        own = services.context_for(Principal())
        assert services.varied(own, "fast", None).reasoner.name.startswith("llm:quick:")
        assert replace(own) == services.varied(own, "default", None)


async def test_a_named_model_without_the_name_of_one_is_refused_at_the_start(tmp_path: Path) -> None:
    nameless = settings(tmp_path, chat=Endpoint(), models={"fast": NamedModel(temperature=0.5)})
    with pytest.raises(BadRequest, match="GAPSEEK_MODELS__FAST__MODEL is needed"):
        async with open_services(nameless, sample=False):
            pass


def test_models_come_from_the_environment_and_the_key_stays_at_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("GAPSEEK_CHAT__MODEL", "usual"),
        ("GAPSEEK_CHAT__API_KEY", "k"),
        ("GAPSEEK_CHAT__TIMEOUT_S", "7"),
        ("GAPSEEK_MODELS__FAST__MODEL", "quick"),
        ("GAPSEEK_MODELS__FAR__BASE_URL", "https://elsewhere.example/v1"),
    ):
        monkeypatch.setenv(name, value)
    read = Settings(_env_file=None)  # type: ignore[call-arg]  # known at run time
    fast, far = (read.models[name].over_chat(read.chat) for name in ("fast", "far"))
    assert (fast.model, fast.timeout_s, fast.api_key) == ("quick", 7.0, SecretStr("k"))
    assert (far.model, far.api_key) == ("usual", None)


@pytest.mark.parametrize("name", ["default", "offline", "a b", "ä", ""])
def test_a_name_that_a_replay_could_not_ask_for_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="a model needs a name"):
        Settings(models={name: NamedModel(model="m")}, _env_file=None)  # type: ignore[call-arg]  # known at run time
