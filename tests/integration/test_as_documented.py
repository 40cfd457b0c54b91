"""Every operation of the OpenAPI document, called as schemathesis thinks of it: each reply is as the document says.

Ten examples an operation, the same ones every time. GAPSEEK_FUZZ_EXAMPLES=500 makes it so many, and new ones each time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import count
from typing import Any, Final

import httpx
import pytest
import schemathesis
from schemathesis import Case
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.schemas import OpenApiSchema

from api import limits
from server import create_app
from settings import Settings
from tests.fakes.whole import MANY, Whole, whole

WANTED: Final = int(os.environ.get("GAPSEEK_FUZZ_EXAMPLES", "0"))
ROLES: Final = {"admin": ("ask", "ingest", "review", "admin"), "few": ("review",)}
WRONG: Final = {"Authorization": "Bearer gsk_0badbad0_nobody-made-this"}
PLAN: Final = {"doc_id": "青鸟/纪要.md", "text": "青鸟计划的预算是三千万元，由张三负责。"}


def described(
    examples: int, *, keyless: bool = False, phases: tuple[str, ...] = ("examples", "coverage")
) -> OpenApiSchema:
    """The document of the app, and how it is to be tried.

    What a JSON schema cannot say, such as that a question needs a word, is a 422 that a valid body may get.
    """
    tried = {name: {"enabled": name in phases} for name in ("examples", "coverage", "stateful")}
    generation = {
        "max-examples": WANTED or examples,
        "deterministic": not WANTED,
        "database": "none",
        "with-security-parameters": False,
    }
    in_words = ["2xx", "401", "403", "404", "409", "422"]
    bodies = {
        "include-method": ["POST", "PATCH"],
        "checks": {"positive_data_acceptance": {"expected-statuses": in_words}},
    }
    config = SchemathesisConfig.from_dict(
        {
            "generation": generation,
            "phases": tried,
            "checks": {"ignored_auth": {"enabled": not keyless}},
            "operations": [bodies],
        }
    )
    document = create_app(Settings.model_construct(), announced=False).openapi()
    return schemathesis.openapi.from_dict(json.loads(json.dumps(document)), config=config)


@pytest.fixture(scope="module")
def keyless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    """A server without keys, whose log must have nothing to complain of."""
    with whole(tmp_path_factory.mktemp("keyless")) as service:
        yield service
        assert service.said.errors == []


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    """The same with keys; wrong ones are refused as often as they come."""
    with pytest.MonkeyPatch.context() as patch, whole(tmp_path_factory.mktemp("keyed"), ROLES) as service:
        patch.setattr(limits, "WRONG_KEYS", MANY)
        yield service
        assert service.said.errors == []


class Known:
    """Ids of things that are there, for every other request that is not to remove them."""

    def __init__(self, service: Whole) -> None:
        with httpx.Client(base_url=service.address, headers=service.headers.get("admin")) as client:
            client.post("/documents", json={"documents": [PLAN]}).raise_for_status()
            answered = client.post("/ask", json={"question": "青鸟计划的预算是多少，由谁负责？"}).json()
            steps = client.get(f"/threads/{answered['thread_id']}/history").json()["steps"]
            waiting = client.post("/ask", json={"question": "谁发明了量子电脑？", "handoff": True}).json()
        assert (len(answered["citations"]) > 0, waiting["status"]) == (True, "awaiting_human")
        self._ids = {"thread_id": answered["thread_id"], "other_id": waiting["thread_id"]}
        self._ids |= {"run_id": answered["run_id"], "doc_id": PLAN["doc_id"]}
        self._step = next(step["checkpoint_id"] for step in steps if step["node"] == "retrieve")
        self._turn = count()

    def put_into(self, case: Case[Any]) -> None:
        sound = case.meta is not None and all(part.mode.is_positive for part in case.meta.components.values())
        if sound and case.method != "DELETE" and next(self._turn) % 2:
            case.path_parameters = {name: self._ids[name] for name in case.path_parameters}
            if isinstance(case.body, dict) and "checkpoint_id" in case.body:
                case.body = {**case.body, "checkpoint_id": self._step}


@pytest.fixture(scope="module")
def known(keyless: Whole) -> Known:
    return Known(keyless)


@pytest.fixture(scope="module")
def known_by_key(keyed: Whole) -> Known:
    return Known(keyed)


BY_ANYBODY = described(10, keyless=True, phases=("examples",))
BY_ADMIN = described(10)
BRIEFLY = described(5, phases=("examples",))


@BY_ANYBODY.parametrize()
def test_without_keys(case: Case[Any], keyless: Whole, known: Known) -> None:
    known.put_into(case)
    case.call_and_validate(base_url=keyless.address, timeout=60)


@BY_ADMIN.parametrize()
def test_with_a_key_that_may_do_everything(case: Case[Any], keyed: Whole, known_by_key: Known) -> None:
    known_by_key.put_into(case)
    case.call_and_validate(base_url=keyed.address, headers=dict(keyed.headers["admin"]), timeout=60)


@BRIEFLY.parametrize()
def test_with_a_key_of_one_role(case: Case[Any], keyed: Whole, known_by_key: Known) -> None:
    known_by_key.put_into(case)
    case.call_and_validate(base_url=keyed.address, headers=dict(keyed.headers["few"]), timeout=60)


@BRIEFLY.parametrize()
def test_with_a_wrong_key(case: Case[Any], keyed: Whole, known_by_key: Known) -> None:
    known_by_key.put_into(case)
    case.call_and_validate(base_url=keyed.address, headers=WRONG, timeout=60)
