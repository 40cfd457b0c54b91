import json
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from api.about import about
from settings import Endpoint, NamedModel, Settings

MARK = "sk-marker-41d0"


def settings(**more: Any) -> Settings:
    chat = Endpoint(
        base_url=f"https://{MARK}.example/v1",
        api_key=SecretStr(MARK),
        model="some-model",
        extra_body={MARK: 7, "header": {"token": MARK}},
    )
    return Settings.model_construct(
        data=Path(f"/{MARK}"),
        dictionary=Path(f"/{MARK}"),
        chat=chat,
        models={"fast": NamedModel(api_key=SecretStr(MARK), model=MARK)},
        **more,
    )


def test_no_key_address_path_or_body_is_told() -> None:
    told = about(settings())
    assert MARK not in json.dumps(told)
    assert told["settings"]["chat.model"] == "some-model"
    assert told["settings"]["threshold"] == 0.7
    assert told["versions"]["langgraph"]


def test_a_setting_changes_the_fingerprint_and_a_folder_does_not() -> None:
    first = about(settings())["fingerprint"]
    assert about(settings(threshold=0.8))["fingerprint"] != first
    assert about(settings().model_copy(update={"data": Path("/elsewhere")}))["fingerprint"] == first
