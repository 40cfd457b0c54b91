from api.schemas.states import Health
from runs.engine import MODES
from server import create_app
from settings import Settings
from tests.fakes.index import MemoryIndex
from tests.fakes.service import client_of, opening, serving


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
