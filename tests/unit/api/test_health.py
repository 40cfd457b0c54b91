import sqlite3

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from api.schemas.states import Health
from context.retrieval import Principal
from corpus.store.catalogue import Counts
from errors import Unavailable
from runs.engine import MODES
from server import create_app
from settings import Settings
from tests.fakes.index import MemoryIndex
from tests.fakes.service import client_of, opening, scripted, serving


async def test_health_says_who_answers_and_over_how_much() -> None:
    async with serving() as client:
        said = (await client.get("/health")).json()
    Health.model_validate(said)
    assert (said["status"], said["reasoner"], said["embedder"]) == ("ok", "scripted", "memory")
    assert said["vector_lane"] == {"on": True, "reason": None}
    assert said["awaiting_human"] == 0
    assert (said["documents"], said["chunks"], said["index_generation"], said["modes"]) == (2, 2, 1, list(MODES))


async def test_health_says_why_the_vector_lane_is_off() -> None:
    opener = opening(index=MemoryIndex({}, vector=False), vector_lane_off="There is no wheel.")
    async with client_of(create_app(Settings.model_construct(), opener=opener)) as client:
        said = (await client.get("/health")).json()
    assert said["vector_lane"] == {"on": False, "reason": "There is no wheel."}
    assert said["embedder"] is None


async def test_ready_says_so() -> None:
    async with serving() as client:
        assert (await client.get("/ready")).json() == {"ready": True, "degraded": []}


async def test_a_server_that_is_stopping_is_not_ready() -> None:
    app = create_app(Settings.model_construct(), opener=opening())
    async with client_of(app) as client:
        await app.state.live.drain(0)
        answer = await client.get("/ready")
        asked = await client.post("/ask", json={"question": "How many days?"})
    assert (answer.status_code, answer.json()["code"]) == (503, "stopping")
    assert (asked.status_code, asked.json()["code"]) == (503, "stopping")


@pytest.mark.parametrize("error", [sqlite3.DatabaseError("file is not a database"), OSError(5, "Input/output error")])
async def test_a_server_whose_threads_cannot_be_read_is_not_ready(error: Exception) -> None:
    def unreadable(saver: AsyncSqliteSaver) -> AsyncSqliteSaver:
        async def refuse(config: object) -> None:
            raise error

        saver.aget_tuple = refuse  # type: ignore[method-assign] # what a damaged file does
        return saver

    app = create_app(Settings.model_construct(), opener=opening(saver=unreadable))
    async with client_of(app) as client:
        answer = await client.get("/ready")
    assert (answer.status_code, answer.json()["code"]) == (503, "checkpoints_unreadable")
    assert str(error) not in answer.text


async def test_a_server_whose_index_cannot_be_read_is_not_ready() -> None:
    class Broken(MemoryIndex):
        async def counts(self, principal: Principal) -> Counts:
            raise Unavailable("The document store cannot be read.")

    async with serving(index=Broken({})) as client:
        assert (await client.get("/ready")).status_code == 503


async def test_a_server_whose_model_is_left_alone_is_not_ready() -> None:
    reasoner = scripted()
    reasoner.down = "The chat endpoint failed several times in a row."  # type: ignore[attr-defined] # as Endangered
    async with serving(reasoner) as client:
        answer = await client.get("/ready")
        metrics = (await client.get("/metrics")).text
    assert (answer.status_code, answer.json()["code"]) == (503, "model_resting")
    assert "gapseek_circuit_open 1.0" in metrics
