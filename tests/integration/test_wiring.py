"""What `graph/wiring.py` opens, on the real index and files, where the embedded model has no wheel."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from httpx import AsyncClient

from context.retrieval import Principal
from corpus.embeddings.e5 import E5Embedder
from corpus.owner import owner_of
from errors import Conflict
from graph.sample import SAMPLE
from graph.wiring import NO_WHEEL, Services, open_services
from server import create_app
from settings import Settings
from tests.fakes.service import client_of

pytestmark = pytest.mark.usefixtures("no_wheel")


@pytest.fixture
def no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(E5Embedder, "load", lambda: None)


def settings(folder: Path) -> Settings:
    return Settings.model_construct(data=folder)


@asynccontextmanager
async def opened(folder: Path, **options: Any) -> AsyncIterator[Services]:
    async with open_services(settings(folder), **options) as services:
        yield services


@asynccontextmanager
async def served(folder: Path, **options: Any) -> AsyncIterator[AsyncClient]:
    async with client_of(create_app(settings(folder), **options)) as client:
        yield client


async def test_an_empty_index_gets_the_sample_once(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    async with opened(tmp_path, progress=lambda done, total, outcome: seen.append((done, total))) as services:
        names = [document.doc_id for document in services.index.catalogue.visible(Principal())]
    assert names == sorted(path.name for path in SAMPLE.glob("*.md"))
    assert seen == [(done, len(names)) for done in range(1, len(names) + 1)]
    seen.clear()
    async with opened(tmp_path, progress=lambda done, total, outcome: seen.append((done, total))) as services:
        assert len(list(services.index.catalogue.visible(Principal()))) == len(names)
    assert seen == []


async def test_an_emptied_index_stays_empty(tmp_path: Path) -> None:
    async with opened(tmp_path) as services:
        for document in services.index.catalogue.visible(Principal()):
            await services.index.delete(document.doc_id, Principal())
    async with opened(tmp_path) as services:
        assert list(services.index.catalogue.visible(Principal())) == []


async def test_an_empty_knowledge_base_is_answered_as_such(tmp_path: Path) -> None:
    """Case A20, before any upload and after the last deletion."""
    async with served(tmp_path, sample=False) as client:
        before = await client.post("/ask", json={"question": "电梯维修费由谁承担？"})
        await client.post("/documents", json={"documents": [{"doc_id": "a/b.md", "text": "电梯维修费由责任人承担。"}]})
        between = await client.post("/ask", json={"question": "电梯维修费由谁承担？"})
        assert (await client.delete("/documents/a/b.md")).status_code == 204
        after = await client.post("/ask", json={"question": "电梯维修费由谁承担？"})
    for said in (before, after):
        assert said.status_code == 200
        assert (said.json()["status"], said.json()["stop_reason"]) == ("insufficient", "empty_corpus")
    assert between.json()["stop_reason"] != "empty_corpus"


async def test_without_a_wheel_start_health_and_every_reply_say_so(tmp_path: Path) -> None:
    async with served(tmp_path, sample=False) as client:
        health = (await client.get("/health")).json()
        said = (await client.post("/ask", json={"question": "hello"})).json()
    assert health["vector_lane"] == {"on": False, "reason": NO_WHEEL}
    assert (health["embedder"], health["reasoner"][:7]) == (None, "offline")
    assert said["timings"]["vector_lane"] is False


async def test_a_second_process_is_refused_in_a_sentence_and_finds_the_first(tmp_path: Path) -> None:
    async with opened(tmp_path, address="http://127.0.0.1:4711", sample=False):
        owner = owner_of(tmp_path)
        with pytest.raises(Conflict, match="in use"):
            async with opened(tmp_path):
                pass
    assert owner is not None
    assert owner.address == "http://127.0.0.1:4711"
    async with opened(tmp_path, sample=False):
        pass


@dataclass
class Stranger:
    value: int = 1


async def test_checkpoints_are_read_back_as_plain_types_only(tmp_path: Path) -> None:
    async with opened(tmp_path, sample=False) as services:
        for saver in (services.saver, cast(Any, services.graph).checkpointer):
            read = saver.serde.loads_typed(saver.serde.dumps_typed({"x": Stranger()}))
            assert not isinstance(read["x"], Stranger)


async def test_threads_outlive_the_process(tmp_path: Path) -> None:
    async with served(tmp_path, sample=False) as client:
        first = (await client.post("/ask", json={"question": "hello"})).json()
    async with served(tmp_path, sample=False) as client:
        at = f"/threads/{first['thread_id']}"
        shown = (await client.get(at)).json()
        steps = (await client.get(f"{at}/history")).json()["steps"]
        replayed = await client.post(f"{at}/replay", json={"checkpoint_id": steps[1]["checkpoint_id"]})
    assert shown["reply"]["answer"] == first["answer"] == replayed.json()["answer"]
    assert replayed.json()["differs"] == []
