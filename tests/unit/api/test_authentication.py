from pathlib import Path

from api.keys import NAME, KeyFile, Wanted
from server import create_app
from settings import Settings
from tests.fakes.service import client_of, opening


async def test_keys_that_cannot_be_read_any_more_are_the_servers_fault_and_open_nothing(tmp_path: Path) -> None:
    _, text = KeyFile.of(tmp_path).create(Wanted("a"))
    app = create_app(Settings.model_construct(data=tmp_path), opener=opening())
    async with client_of(app, headers={"Authorization": f"Bearer {text}"}) as client:
        assert (await client.get("/health")).status_code == 200
        (tmp_path / NAME).write_text("{", "utf-8")
        answer = await client.get("/health")
    assert (answer.status_code, answer.json()["code"], answer.json()["retryable"]) == (503, "misconfigured", False)
