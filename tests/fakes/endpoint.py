"""An OpenAI-compatible endpoint on loopback: a real HTTP server that says what its script says.

A test scripts the replies a kind of call: `endpoint.script("grade", {...}, Reply(status=500))`. Kinds are told apart by
the name of the JSON schema asked for, however it is asked for; a call without one is an `answer`. A call that no script
foresaw gets HTTP 500, and the test that made it fails. `endpoint.misbehaviour` refuses and bends the scripted.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, get_args

import jsonschema
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from api.disconnect import until_gone
from tests.fakes.chat_reply import Body, Reply, completion, events, form_of
from tests.fakes.embeddings_endpoint import EmbeddingsScript, RefusedError
from tests.fakes.misbehaviour import Misbehaviour
from tests.fakes.rerank_endpoint import RerankScript

Kind = Literal["route", "rewrite", "grade", "tool", "summary", "answer", "other"]
Step = Any
"""A dict (sent as JSON, and checked against the schema asked for), a text, a list of pieces to stream, a `Reply`, or a
callable from the request's body to any of these."""

OUT_OF_SCRIPT = {"error": {"message": "the test's script does not cover this call", "type": "script"}}
NO_RETRY = {"x-should-retry": "false"}


@dataclass(frozen=True)
class Call:
    """One request as it arrived. Header names are in lower case; `kind` is None for embeddings and reranks."""

    path: str
    kind: Kind | None
    headers: dict[str, str]
    body: Body

    @property
    def prompt(self) -> str:
        """All messages of a chat request, as one text."""
        return "\n\n".join(message["content"] for message in self.body["messages"])


class FakeEndpoint:
    """The server's script and its record; `url` is what `GAPSEEK_CHAT__BASE_URL` would hold."""

    def __init__(self) -> None:
        self.url = ""
        self.reset()

    def reset(self) -> None:
        """Forget script and record."""
        self.calls: list[Call] = []
        self.failures: list[str] = []
        self.abandoned = 0
        self.models: list[str] | None = None
        """What `/models` lists; None for an endpoint without that page."""
        self.embeddings = EmbeddingsScript()
        self.rerank = RerankScript()
        self.misbehaviour = Misbehaviour()
        self.at_once = self.most_at_once = 0
        self._steps: dict[Kind, list[Step]] = {kind: [] for kind in get_args(Kind)}
        self._always: dict[Kind, Callable[[Body], Step]] = {}

    def script(self, kind: Kind, *steps: Step) -> None:
        """Add steps, used up one a call."""
        self._steps[kind].extend(steps)

    def always(self, kind: Kind, step: Callable[[Body], Step]) -> None:
        """Answer every call of this kind, once its steps are used up, by this callable."""
        self._always[kind] = step

    def of(self, kind: Kind) -> list[Call]:
        """The calls of one kind, in order."""
        return [call for call in self.calls if call.kind == kind]

    def assert_spent(self) -> None:
        """Every step of the script was used."""
        left = {kind: steps for kind, steps in self._steps.items() if steps}
        assert not left, f"steps never used: {left}"

    def reply(self, kind: Kind, body: Body) -> Reply | None:
        """The reply to a call, or None, with the failure recorded, when the script does not cover it."""
        steps, always = self._steps[kind], self._always.get(kind)
        if not steps and always is None:
            self.failures.append(f"call {len(self.of(kind))} of kind `{kind}` is not in the script")
            return None
        try:
            return _to_reply(steps.pop(0) if steps else always, body)
        except Exception as exc:  # a broken step must fail the test, not only this request
            self.failures.append(f"the script's step for `{kind}` failed: {exc!r}")
            return None


def _to_reply(step: Step, body: Body) -> Reply:
    if callable(step):
        step = step(body)
    if isinstance(step, Reply):
        return step
    if isinstance(step, dict):
        jsonschema.validate(step, form_of(body))
        step = json.dumps(step, ensure_ascii=False)
    return Reply(pieces=[step] if isinstance(step, str) else list(step))


def kind_of(body: Body) -> Kind:
    """The kind of a chat call: the one that its schema's name begins with, `other` for a name that begins with none."""
    form = form_of(body)
    if form is None:
        return "answer"
    name = str(form["title"])
    return next((kind for kind in get_args(Kind) if name.lower().startswith(kind)), "other")


def create_app(endpoint: FakeEndpoint) -> FastAPI:
    """The routes over one script."""
    app = FastAPI()

    @app.post("/v1/chat/completions")
    async def chat(request: Request) -> Response:
        return await _chat(endpoint, await _record(endpoint, request), request)

    @app.get("/v1/models")
    async def models() -> Response:
        if endpoint.models is None:
            return JSONResponse({"error": {"message": "no such page"}}, 404)
        listed = [{"id": name, "object": "model", "created": 0, "owned_by": "fake"} for name in endpoint.models]
        return JSONResponse({"object": "list", "data": listed})

    @app.post("/v1/embeddings")
    async def embeddings(request: Request) -> Response:
        return await _embed(endpoint.embeddings, await _record(endpoint, request))

    @app.post("/v1/rerank")
    async def rerank(request: Request) -> Response:
        return await endpoint.rerank.reply(await _record(endpoint, request))

    return app


async def _record(endpoint: FakeEndpoint, request: Request) -> Body:
    body: Body = await request.json()
    kind = kind_of(body) if "messages" in body else None
    endpoint.calls.append(Call(request.url.path, kind, dict(request.headers), body))
    return body


async def _chat(endpoint: FakeEndpoint, body: Body, request: Request) -> Response:
    reply = endpoint.misbehaviour.refusal(body)
    if reply is None and (scripted := endpoint.reply(kind_of(body), body)):
        reply = endpoint.misbehaviour.bent(body, scripted)
    if reply is None:
        return JSONResponse(OUT_OF_SCRIPT, 500, headers=NO_RETRY)
    if not await until_gone(request.receive, _waited(endpoint, reply.delay_s)):
        endpoint.abandoned += 1
        return Response(status_code=499)
    if reply.status >= 300:
        error = reply.error if isinstance(reply.error, str) else {"error": reply.error}
        return JSONResponse(error, reply.status, headers=reply.headers)
    if body.get("stream"):
        return StreamingResponse(_watched(endpoint, body, reply), media_type="text/event-stream")
    return JSONResponse(completion(body, reply), headers=reply.headers)


async def _waited(endpoint: FakeEndpoint, seconds: float) -> bool:
    endpoint.at_once += 1
    endpoint.most_at_once = max(endpoint.most_at_once, endpoint.at_once)
    try:
        await asyncio.sleep(seconds)
    finally:
        endpoint.at_once -= 1
    return True


async def _embed(script: EmbeddingsScript, body: Body) -> Response:
    await asyncio.sleep(script.delay_s)
    if script.failures:
        status, headers = script.failures.pop(0)
        return JSONResponse({"error": {"message": "scripted failure"}}, status, headers=headers)
    if script.status >= 300:
        return JSONResponse({"error": {"message": "scripted failure"}}, script.status, headers=NO_RETRY)
    if script.not_a_number and any(script.not_a_number in str(text) for text in body["input"]):
        return JSONResponse({"error": {"message": "failed to encode response: json: unsupported value: NaN"}}, 500)
    if script.instead is not None:
        return Response(json.dumps(script.instead) if isinstance(script.instead, dict) else script.instead)
    try:
        return Response(json.dumps(script.reply(body)), media_type="application/json")  # NaN as Python writes it
    except RefusedError as refused:
        return JSONResponse({"error": {"message": str(refused)}}, 400)


async def _watched(endpoint: FakeEndpoint, body: Body, reply: Reply) -> AsyncIterator[str]:
    """The stream; a client that leaves before its end is counted, as is one that leaves before it begins."""
    whole = False
    try:
        async for event in events(body, reply):
            yield event
        whole = True
    finally:
        endpoint.abandoned += not whole


@contextmanager
def serve() -> Iterator[FakeEndpoint]:
    """Run a fake endpoint on a free loopback port, in a thread that is gone when the block ends."""
    endpoint = FakeEndpoint()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        endpoint.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        server = uvicorn.Server(
            uvicorn.Config(
                create_app(endpoint), log_level="critical", lifespan="off", ws="none", timeout_graceful_shutdown=1
            )
        )
        thread = threading.Thread(target=server.run, args=([listener],), name="fake-endpoint")
        thread.start()
        try:
            _wait_for(lambda: server.started)
            yield endpoint
        finally:
            server.should_exit = True
            thread.join(10)
            assert not thread.is_alive(), "the fake endpoint did not stop"


def _wait_for(ready: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline, "the fake endpoint did not start"
        time.sleep(0.005)
