"""Prompts from a folder, over a real endpoint: what models are told, what a run records, another set for one run."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from context.reasoning import RouteRequest
from context.retrieval import Principal
from corpus.embeddings.e5 import E5Embedder
from errors import BadRequest
from graph.prompt_sets import NO_PROMPTS, export
from graph.turn import recorded
from graph.wiring import open_services
from settings import Endpoint, Prompts, Settings
from tests.fakes.endpoint import FakeEndpoint

NONE = Endpoint()


@pytest.fixture(autouse=True)
def no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(E5Embedder, "load", lambda: None)


def settings(folder: Path, chat: Endpoint) -> Settings:
    """With a default set that says 'You sit at' where the built-in one says 'You stand at'."""
    (own,) = export(folder / "mine", ["route.en.md"])
    own.write_text(own.read_text("utf-8").replace("You stand at", "You sit at"), "utf-8")
    data, prompts = folder / "data", Prompts(folder=folder / "mine")
    return Settings(chat=chat, small_chat=NONE, embeddings=NONE, data=data, prompts=prompts)


async def test_a_run_goes_by_the_default_set_or_by_another_that_is_named(
    tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    said = {"reason": "r", "need_retrieval": True, "standalone": "s"}
    endpoint.script("route", said, said)
    chat = Endpoint(base_url=endpoint.url, model="any")
    async with open_services(settings(tmp_path, chat), sample=False) as services:
        own = services.context_for(Principal())
        other = dataclasses.replace(own, reasoner=services.reasoner_by("built-in"))
        for context in (own, other):
            await context.reasoner.route(RouteRequest("who pays?", "en", (), 5.0))
        names = [recorded(context)["reasoner"] for context in (own, other)]
        with pytest.raises(BadRequest, match="there are default, built-in"):
            services.reasoner_by("strict")
    assert ["You sit at" in call.prompt for call in endpoint.of("route")] == [True, False]
    assert names == [f"llm:any:prompts-{services.prompts.named(name).fingerprint}" for name in ("default", "built-in")]
    assert names[0] != names[1]


async def test_the_offline_reasoner_takes_no_set(tmp_path: Path) -> None:
    async with open_services(settings(tmp_path, NONE), sample=False) as services:
        with pytest.raises(BadRequest, match=NO_PROMPTS):
            services.reasoner_by("built-in")


async def test_services_do_not_open_with_a_bad_prompt_and_leave_the_folder_alone(tmp_path: Path) -> None:
    chosen = settings(tmp_path, NONE)
    (tmp_path / "mine" / "rout.zh.md").write_text("x")
    with pytest.raises(BadRequest, match=r"rout\.zh\.md is named like no prompt: was route\.zh\.md meant"):
        async with open_services(chosen, sample=False):
            pytest.fail("it opened")
    assert not chosen.data.exists()
