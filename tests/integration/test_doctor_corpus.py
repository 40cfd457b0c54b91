"""What the examination says of embeddings, rerankers and the data folder: real HTTP, real folders."""

from __future__ import annotations

import copy
import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import SecretStr

from corpus.embeddings.e5 import E5Embedder
from corpus.owner import DataFolder
from graph.wiring import open_services
from settings import Address, RerankEndpoint, Settings
from tests.fakes.embeddings_endpoint import EmbeddingsScript
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.examined import KEY, examined, found_in, settings_for
from tests.fakes.rerank_endpoint import RerankScript

Findings = dict[str, tuple[str, str | None]]
EMBEDDINGS, RERANK = "GAPSEEK_EMBEDDINGS", "GAPSEEK_RERANK"


@dataclass
class Wandering(EmbeddingsScript):
    """Two models behind one name: each vector is another."""

    asked: int = 0

    def vector(self, text: str) -> NDArray[np.float32]:
        self.asked += 1
        return np.roll(super().vector(text), self.asked)


@dataclass(frozen=True)
class Case:
    script: EmbeddingsScript
    found: Findings = field(default_factory=dict)
    set: dict[str, Any] = field(default_factory=dict)


MODEL: Findings = {"strings": ("fail", f"{EMBEDDINGS}__MODEL")}
ONE_TEXT: Findings = {"batch": ("fail", f"{EMBEDDINGS}_BATCH"), "stable": ("fail", None)}
CASES: dict[str, Case] = {
    "nothing": Case(EmbeddingsScript()),
    "another dimension": Case(EmbeddingsScript(dimension=32)),
    "no base64": Case(EmbeddingsScript(reject_base64=True)),
    "token ids too": Case(EmbeddingsScript(reject_non_strings=False)),
    "empty": Case(EmbeddingsScript(empty=True), MODEL),
    "at most 10": Case(EmbeddingsScript(max_inputs=10), {"batch": ("warn", f"{EMBEDDINGS}_BATCH")}),
    "says how many": Case(
        EmbeddingsScript(max_inputs=7, limit_said="no more than 7 texts"), {"batch": ("warn", f"{EMBEDDINGS}_BATCH")}
    ),
    "refuses strings": Case(EmbeddingsScript(refused_word="dimension"), MODEL),
    "refuses a text": Case(EmbeddingsScript(refused_word="电梯"), ONE_TEXT),
    "base64 whatever is asked": Case(EmbeddingsScript(encoding="base64")),
    "no float form": Case(EmbeddingsScript(refused_encodings=("float",))),
    "in another order": Case(EmbeddingsScript(arranged=lambda rows: rows[::-1])),
    "null for a text": Case(EmbeddingsScript(odd={"电梯": None}), ONE_TEXT),
    "fails over a text": Case(EmbeddingsScript(not_a_number="电梯"), ONE_TEXT),
    "an error with 200": Case(EmbeddingsScript(instead={"error": {"message": "no such model"}}), MODEL),
    "busy at first": Case(EmbeddingsScript(failures=[(429, {"Retry-After": "0"})])),
    "401": Case(EmbeddingsScript(status=401), {"auth": ("fail", f"{EMBEDDINGS}__API_KEY")}),
    "403": Case(EmbeddingsScript(status=403), {"auth": ("fail", f"{EMBEDDINGS}__API_KEY")}),
    "404": Case(EmbeddingsScript(status=404), {"model": ("fail", f"{EMBEDDINGS}__MODEL")}),
    "500": Case(EmbeddingsScript(status=500), {"strings": ("fail", None)}),
    "late": Case(EmbeddingsScript(delay_s=3), {"strings": ("fail", f"{EMBEDDINGS}__TIMEOUT_S")}, {"timeout_s": 0.1}),
    "wandering": Case(Wandering(), {"stable": ("fail", f"{EMBEDDINGS}__MODEL")}),
}


def embeddings_at(endpoint: FakeEndpoint, folder: Path, **more: Any) -> Settings:
    given: dict[str, Any] = {"base_url": endpoint.url, "api_key": SecretStr(KEY), "model": "any"} | more
    return settings_for(folder, embeddings=Address(**given))


@pytest.mark.parametrize("name", CASES)
async def test_what_is_wrong_with_embeddings(endpoint: FakeEndpoint, tmp_path: Path, name: str) -> None:
    case = CASES[name]
    endpoint.embeddings = copy.deepcopy(case.script)
    report = await examined(embeddings_at(endpoint, tmp_path, **case.set), "embeddings")
    found = {step: what for step, what in found_in(report).items() if what[0] != "skipped"}
    assert found == case.found
    assert report.answers == all(status != "fail" for status, _ in case.found.values())


def test_every_behaviour_of_the_fake_embeddings_has_a_case() -> None:
    usual = EmbeddingsScript()
    names = {f.name for f in dataclasses.fields(EmbeddingsScript)}
    assert names == {n for n in names for case in CASES.values() if getattr(case.script, n) != getattr(usual, n)}


async def test_the_batch_that_is_taken_is_told(endpoint: FakeEndpoint, tmp_path: Path) -> None:
    endpoint.embeddings.max_inputs = 10
    report = await examined(embeddings_at(endpoint, tmp_path), "embeddings")
    (found,) = report.of("warn")
    assert found.finding.value == "10"
    assert report.uses["embeddings"] == {"embedder": "openai/any", "batch": 10, "dimension": 8}


async def test_vectors_must_fit_the_index(endpoint: FakeEndpoint, tmp_path: Path) -> None:
    settings = embeddings_at(endpoint, tmp_path)
    async with open_services(settings, sample=True):
        pass
    assert (await examined(settings, "embeddings")).answers
    endpoint.embeddings.dimension = 9
    report = await examined(settings, "embeddings")
    assert found_in(report) == {"dimension": ("fail", f"{EMBEDDINGS}__MODEL")}


RERANKS: dict[str, tuple[RerankScript, Findings]] = {
    "nothing": (RerankScript(), {}),
    "401": (RerankScript(status=401), {"auth": ("fail", f"{RERANK}__API_KEY")}),
    "404": (RerankScript(status=404), {"shape": ("fail", f"{RERANK}__MODEL")}),
    "500": (RerankScript(status=500), {"shape": ("fail", None)}),
    "redirects": (RerankScript(status=308), {"reach": ("fail", f"{RERANK}__BASE_URL")}),
    "late": (RerankScript(delay_s=3), {"shape": ("fail", f"{RERANK}__TIMEOUT_S")}),
    "another shape": (RerankScript(raw=b"{}"), {"shape": ("fail", f"{RERANK}__BASE_URL")}),
    "all the same": (
        RerankScript(raw=json.dumps({"results": [{"index": n, "relevance_score": 0.5} for n in range(3)]}).encode()),
        {"order": ("warn", f"{RERANK}__MODEL")},
    ),
}


@pytest.mark.parametrize("name", RERANKS)
async def test_what_is_wrong_with_a_reranker(endpoint: FakeEndpoint, tmp_path: Path, name: str) -> None:
    endpoint.rerank, expected = RERANKS[name]
    there = RerankEndpoint(kind="http", base_url=endpoint.url, model="any", timeout_s=0.5)
    report = await examined(settings_for(tmp_path, rerank=there), "reranker")
    assert {step: what for step, what in found_in(report).items() if what[0] != "skipped"} == expected


def test_every_behaviour_of_the_fake_reranker_has_a_case() -> None:
    usual = RerankScript()
    names = {f.name for f in dataclasses.fields(RerankScript)}
    assert names == {n for n in names for script, _ in RERANKS.values() if getattr(script, n) != getattr(usual, n)}


async def test_with_nothing_set_it_says_what_serves_and_makes_nothing(tmp_path: Path) -> None:
    report = await examined(settings_for(tmp_path))
    assert report.answers
    assert found_in(report) == {}
    said = " ".join(one.finding.sentence for one in report.found)
    assert "the offline reasoner serves" in said
    assert "multilingual-e5-small serves" in said
    assert not settings_for(tmp_path).data.exists()


async def test_without_a_wheel_words_alone_serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(E5Embedder, "load", lambda: None)
    report = await examined(settings_for(tmp_path), "embeddings")
    assert found_in(report) == {"configured": ("warn", f"{EMBEDDINGS}__MODEL")}
    assert report.answers


async def test_an_index_of_another_embedder_is_seen(endpoint: FakeEndpoint, tmp_path: Path) -> None:
    async with open_services(embeddings_at(endpoint, tmp_path), sample=True):
        pass
    report = await examined(settings_for(tmp_path), "embeddings")
    assert found_in(report) == {"configured": ("fail", f"{EMBEDDINGS}__MODEL")}


async def test_who_owns_the_folder_is_told(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    with DataFolder.acquire(settings.data):
        busy = await examined(settings, "local")
    with DataFolder.acquire(settings.data, "http://127.0.0.1:1"):
        served = await examined(settings, "local")
    assert found_in(busy) == {"owner": ("warn", None)}
    assert found_in(served) == {}
    assert any("serves the data folder" in one.finding.sentence for one in served.found)


async def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    settings.data.touch()
    report = await examined(settings, "local")
    assert found_in(report)["data"] == ("fail", "GAPSEEK_DATA")
    assert not report.answers


async def test_a_lost_store_is_told(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    settings.data.mkdir()
    (settings.data / "threads.sqlite").write_text("something")
    report = await examined(settings, "local")
    assert found_in(report)["data"] == ("fail", "GAPSEEK_DATA")
