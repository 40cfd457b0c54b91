"""Cases A10 to A13 and A17 to A19: the whole ask, JSON and streamed, over endpoints that differ from OpenAI's.

A14 is in unit/corpus's embedder tests and test_embedding_limits.py, A15 there too, A16 in test_llm_stays_home.py.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient
from pydantic import SecretStr
from typer.testing import CliRunner

from cli.main import app
from reasoner.lines import FAILURES
from server import create_app
from settings import Endpoint, Settings
from tests.fakes.chat_reply import Body, Reply
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.examined import healthy
from tests.fakes.misbehaviour import Misbehaviour
from tests.fakes.service import client_of

KEY = "sk-marker-90ab"
QUESTION = "How many days of paid leave do employees have?"
LEAVE = "Employees have 20 days of paid leave a year."
MODERATED = "Paid leave may be taken for demonstrations."
GRADE = {"sub_question": 1, "reason": "it says so", "quote": LEAVE, "band": "direct", "score": 0.95}


def graded(body: Body) -> Body:
    """The passage on leave is what answers, wherever it stands in the prompt."""
    prompt = str(body["messages"][1]["content"])
    number = prompt[: prompt.index(LEAVE)].count("<passage ") if LEAVE in prompt else 0
    return {"reason": "", "grades": [{"passage": number, **GRADE}], "contradictions": []}


@pytest.fixture
async def client(endpoint: FakeEndpoint, tmp_path: Path) -> AsyncIterator[AsyncClient]:
    endpoint.always("route", lambda body: {"reason": "", "need_retrieval": True, "standalone": QUESTION})
    checklist = [{"text": QUESTION, "required": True}]
    queries = [{"text": "paid leave entitlement", "sub_question": 1}]
    endpoint.always("rewrite", lambda body: {"reason": "", "sub_questions": checklist, "queries": queries})
    endpoint.always("grade", graded)
    endpoint.always("answer", lambda body: ["They have ", "20 days [1]."])
    there = Endpoint(base_url=endpoint.url, api_key=SecretStr(KEY), model="any", retries=0)
    settings = Settings(chat=there, small_chat=Endpoint(), embeddings=there, data=tmp_path)
    documents = [{"doc_id": "leave.md", "text": LEAVE}, {"doc_id": "more.md", "text": MODERATED}]
    async with client_of(create_app(settings, sample=False)) as opened:
        added = await opened.post("/documents", json={"documents": documents})
        assert added.status_code == 200, added.text
        yield opened


async def ask(client: AsyncClient, *, stream: bool, **more: Any) -> tuple[dict[str, Any], str]:
    """The reply, and all that was sent."""
    response = await client.post("/ask", json={"question": QUESTION, "stream": stream, **more})
    assert response.status_code == 200, response.text
    if not stream:
        return response.json(), response.text
    events = [dict(line.split(": ", 1) for line in block.split("\n")) for block in response.text.strip().split("\n\n")]
    said = {event["event"]: json.loads(event["data"]) for event in events if "data" in event}
    tokens = [json.loads(event["data"])["text"] for event in events if event["event"] == "token"]
    assert "".join(tokens) == said["answer"]["answer"]
    return said["answer"], response.text


BEHAVIOURS = {
    "A10 json_schema": Misbehaviour(refuses=["json_schema"]),
    "A10 json_schema, 422": Misbehaviour(refuses=["json_schema"], status=422),
    "A10 json_schema, 500 that names it": Misbehaviour(refuses=["json_schema"], status=500),
    "A10 json_schema and JSON mode": Misbehaviour(refuses=["json_schema", "json_object"]),
    "A10 all three": Misbehaviour(refuses=["json_schema", "json_object", "tools"]),
    "A11 the word json": Misbehaviour(refuses=["json_schema", "tools"], needs_the_word_json=True),
    "A12 thought in tags": Misbehaviour(thinks="tags"),
    "A12 empty thought": Misbehaviour(thinks="empty"),
    "A12 only a closing tag": Misbehaviour(thinks="closing"),
    "A12 only a closing tag, plain text": Misbehaviour(
        thinks="closing", refuses=["json_schema", "json_object", "tools"]
    ),
    "A13 thought beside the content": Misbehaviour(thinks="field"),
    "A13 JSON in the place of the thought": Misbehaviour(thinks="instead"),
    "A17 stream_options": Misbehaviour(refuses=["stream_options"]),
    "A17 stream_options, unnamed": Misbehaviour(refuses=["stream_options"], message="bad request"),
    "A18 max_tokens": Misbehaviour(refuses=["max_tokens"], message="Unsupported parameter: {feature}"),
    "function calls ignored": Misbehaviour(refuses=["json_schema"], ignores_tools=True),
    "fences": Misbehaviour(writes_json=lambda text: f"Sure:\n```json\n{text}\n```"),
    "Python's quotes": Misbehaviour(writes_json=lambda text: str(json.loads(text))),
    "A19 moderation": Misbehaviour(moderates=MODERATED),
    "A19 DeepSeek's": Misbehaviour(moderates=MODERATED, moderation={"message": "Content Exists Risk"}),
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", BEHAVIOURS)
async def test_the_first_and_the_next_question_are_answered(
    client: AsyncClient, endpoint: FakeEndpoint, name: str, stream: bool, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.misbehaviour = BEHAVIOURS[name]
    with caplog.at_level(logging.DEBUG):
        reply, sent = await ask(client, stream=stream)
        assert (reply["status"], reply["answer"]) == ("answered", "They have 20 days [1].")
        assert [citation["quote"] for citation in reply["citations"]] == [LEAVE]
        again, sent_again = await ask(client, stream=stream, thread_id=reply["thread_id"])
    assert again["answer"] == reply["answer"]
    chat = [call for call in endpoint.calls if call.kind]
    assert "SECRETLY" not in sent + sent_again + "".join(call.prompt for call in chat)
    assert KEY not in sent + sent_again + caplog.text
    used = [sum(model["calls"] for model in said["usage"]["models"]) for said in (reply, again)]
    assert sum(used) == len(chat), "every call is told"
    assert used[1] <= used[0]


@pytest.mark.parametrize("usage", [(11, 7), None])
@pytest.mark.parametrize("stream", [False, True])
async def test_usage_is_real_or_marked(
    client: AsyncClient, endpoint: FakeEndpoint, usage: tuple[int, int] | None, stream: bool
) -> None:
    """Case A17."""
    endpoint.always("answer", lambda body: Reply(["They have 20 days [1]."], usage=usage))
    reply, _ = await ask(client, stream=stream)
    (model,) = reply["usage"]["models"]
    assert model["estimated"] == (usage is None)
    assert model["cost"] is None
    assert (reply["usage"]["estimated"]["input_tokens"] > 0) == (usage is None)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("finish", ["stop", "length"])
async def test_a_thought_that_only_answers_begin_with_reaches_nobody(
    client: AsyncClient, endpoint: FakeEndpoint, stream: bool, finish: str
) -> None:
    """Forced into a form, the model shows none, so that the first answer is the first to hold it; a cut one is all."""
    pieces = ["SECRETLY I weigh [1]. ", "So 30 days [1]. "]
    if finish == "stop":
        pieces += ["</think>", "They have 20 days [1]."]
    endpoint.always("answer", lambda body: Reply(pieces, finish_reason=finish))
    for _ in range(2):
        reply, sent = await ask(client, stream=stream)
        assert "SECRETLY" not in sent
        assert "30 days" not in sent
        assert ("20 days of paid leave" if finish == "length" else "They have 20 days [1].") in reply["answer"]


async def test_a_cut_answer_is_marked(client: AsyncClient, endpoint: FakeEndpoint) -> None:
    await ask(client, stream=False)
    endpoint.always("answer", lambda body: Reply(["They have 20 days [1]. In the seco"], finish_reason="length"))
    reply, _ = await ask(client, stream=False)
    assert reply["answer"].startswith("They have 20 days [1].")
    assert "In the seco" not in reply["answer"]
    assert "length limit" in reply["answer"]


async def test_readiness_tells_of_an_endpoint_that_is_left_alone(client: AsyncClient, endpoint: FakeEndpoint) -> None:
    endpoint.always("route", lambda body: Reply(status=503, error={"message": KEY}))
    assert (await client.get("/ready")).status_code == 200
    for _ in range(FAILURES):
        assert (await client.post("/ask", json={"question": QUESTION})).status_code == 503
    ready = await client.get("/ready")
    assert (ready.status_code, ready.json()["code"]) == (503, "model_resting")
    assert (await client.get("/health")).status_code == 200
    asked = len(endpoint.calls)
    assert (await client.post("/ask", json={"question": QUESTION})).json()["code"] == "model_resting"
    assert len(endpoint.calls) == asked
    assert KEY not in ready.text


PASSWORD = "open-sesame-5b"
PROMPTED = "marker-of-the-question-3c"
ADDRESSES = ("/health", "/ready", "/modes", "/metrics", "/documents", "/threads", "/openapi.json")
FAULTS: dict[str, Callable[[Body], Reply | None]] = {
    "answers": lambda echo: None,
    "400": lambda echo: Reply(status=400, error=echo),
    "401": lambda echo: Reply(status=401, error=echo),
    "404": lambda echo: Reply(status=404, error=echo),
    "429": lambda echo: Reply(status=429, error=echo, headers={"retry-after-ms": "1"}),
    "500": lambda echo: Reply(status=500, error=echo, headers={"retry-after-ms": "1"}),
    "no JSON": lambda echo: Reply([str(echo)]),
}


def kept_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", FAULTS)
async def test_no_secret_gets_out(
    endpoint: FakeEndpoint, tmp_path: Path, fault: str, stream: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """The endpoint says back all that it was sent; key and address are nowhere, and prompts in no error and no log."""
    endpoint.always("route", lambda body: {"reason": "", "need_retrieval": False, "standalone": QUESTION})
    endpoint.always("answer", lambda body: "Hello.")
    url = endpoint.url.replace("://", f"://keeper:{PASSWORD}@")
    chat = Endpoint(base_url=url, api_key=SecretStr(KEY), model="any", retries=1)
    settings = Settings(chat=chat, small_chat=Endpoint(), data=tmp_path)
    with caplog.at_level(logging.DEBUG):
        async with client_of(create_app(settings, sample=False)) as client:
            echo = {"message": f"{KEY} {url} {PROMPTED} prompt was: You stand at the door"}
            if (reply := FAULTS[fault](echo)) is not None:
                endpoint.always("route", lambda body: reply)
                endpoint.always("answer", lambda body: reply)
            asked = await client.post("/ask", json={"question": f"Hello {PROMPTED}", "stream": stream})
            shown = [(await client.get(address)).text for address in ADDRESSES]
    assert endpoint.calls
    sent = "".join([asked.text, *shown])
    kept = kept_in(tmp_path)
    for secret in (KEY, PASSWORD, "c2VzYW1l"):
        assert secret not in sent
        assert secret not in caplog.text
        assert secret.encode() not in kept
    assert "You stand at the door" not in sent
    assert "You stand at the door" not in caplog.text
    ours = "".join(record.getMessage() for record in caplog.records if record.name.split(".")[0] == "reasoner")
    assert PROMPTED not in ours


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("fault", FAULTS)
def test_no_secret_gets_out_of_the_doctor(
    endpoint: FakeEndpoint, tmp_path: Path, fault: str, as_json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As above, for `gapseek doctor`; the list of models is the endpoint's own word too."""
    healthy(endpoint)
    url = endpoint.url.replace("://", f"://keeper:{PASSWORD}@")
    echo = {"message": f"{KEY} {url} {PROMPTED} prompt was: You stand at the door"}
    if (reply := FAULTS[fault](echo)) is not None:
        endpoint.always("answer", lambda body: reply)
        endpoint.always("grade", lambda body: reply)
    endpoint.models = [f"any-{KEY}", url, PROMPTED * 9]
    monkeypatch.chdir(tmp_path)
    for name in ("CHAT", "EMBEDDINGS", "RERANK"):
        monkeypatch.setenv(f"GAPSEEK_{name}__BASE_URL", url)
        monkeypatch.setenv(f"GAPSEEK_{name}__API_KEY", KEY)
        monkeypatch.setenv(f"GAPSEEK_{name}__MODEL", "any")
    monkeypatch.setenv("GAPSEEK_CHAT__RETRIES", "1")
    monkeypatch.setenv("GAPSEEK_RERANK__KIND", "http")
    told = CliRunner().invoke(app, ["doctor", *(["--json"] if as_json else [])])
    assert told.exit_code in (0, 1), told.output
    assert endpoint.calls
    for secret in (KEY, PASSWORD, "c2VzYW1l", PROMPTED, "You stand at the door", "keeper"):
        assert secret not in told.stdout
        assert secret not in told.stderr
