"""What the fake chat endpoint says to one call, and its two forms on the wire."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Body = dict[str, Any]

_SHOWN_SCHEMA = re.compile(r"JSON Schema[^\n]*\n(\{.*\})")


@dataclass(frozen=True)
class Reply:
    """One answer of the endpoint. A status of 400 and up sends `error` instead of text.

    Where a function was asked for, the text is its arguments unless `as_tool_call` is False.

    `usage` is (input, output) tokens, None for an endpoint that reports none; `cut` ends a stream without a last word,
    `drop` breaks its connection.
    """

    pieces: Sequence[str] = ("",)
    usage: tuple[int, int] | None = (11, 7)
    status: int = 200
    error: Body | str = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    finish_reason: str = "stop"
    delay_s: float = 0.0
    piece_delay_s: float = 0.0
    reasoning: str = ""
    as_tool_call: bool = True
    cut: bool = False
    drop: bool = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def completion(body: Body, reply: Reply) -> Body:
    """The body of a reply that is not streamed."""
    message: Body = {"role": "assistant", "content": reply.text, "refusal": None}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if body.get("tools") and reply.as_tool_call and reply.text:
        call = _call(body, reply.text)
        message |= {"content": None, "tool_calls": [{"id": "call-1", "type": "function", "function": call}]}
    choice = {"index": 0, "finish_reason": reply.finish_reason, "logprobs": None, "message": message}
    return _frame(body, "chat.completion", [choice]) | _usage(reply)


def _call(body: Body, text: str) -> Body:
    """The function that was asked for; of several, the one that the text names as its `tool`."""
    if len(body["tools"]) == 1:
        return {"name": body["tools"][0]["function"]["name"], "arguments": text}
    given = json.loads(text)
    return {"name": given.pop("tool"), "arguments": json.dumps(given, ensure_ascii=False)}


def form_of(body: Body) -> Body | None:
    """The JSON schema that a request asks a reply in, titled by its name; None for a request of free text."""
    if schema := (body.get("response_format") or {}).get("json_schema"):
        return {**schema["schema"], "title": schema["name"]}
    if len(body.get("tools") or ()) > 1:
        names = [tool["function"]["name"] for tool in body["tools"]]
        return {"title": "tool", "properties": {"tool": {"enum": names}}, "required": ["tool"]}
    if body.get("tools"):
        function = body["tools"][0]["function"]
        return {**function["parameters"], "title": function["name"]}
    shown = _SHOWN_SCHEMA.findall(str(body["messages"][-1]["content"]))
    return dict(json.loads(shown[-1])) if shown else None


def is_asked_for_json(body: Body) -> bool:
    """Whether the request asks for JSON in any way."""
    return form_of(body) is not None


async def events(body: Body, reply: Reply) -> AsyncIterator[str]:
    """The same reply as server-sent events; usage comes only when `stream_options` asks for it."""
    yield _event(body, {"role": "assistant", "content": ""})
    if reply.reasoning:
        yield _event(body, {"reasoning_content": reply.reasoning})
    for piece in reply.pieces:
        yield _event(body, {"content": piece})
        await asyncio.sleep(reply.piece_delay_s)
    if reply.drop:
        raise ConnectionAbortedError("scripted")
    if reply.error:
        yield _data({"error": reply.error})
        return
    if not reply.cut:
        yield _event(body, {}, reply.finish_reason)
        if (body.get("stream_options") or {}).get("include_usage") and reply.usage:
            yield _data(_frame(body, "chat.completion.chunk", []) | _usage(reply))
        yield "data: [DONE]\n\n"


def _event(body: Body, delta: Body, finish_reason: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}
    return _data(_frame(body, "chat.completion.chunk", [choice]))


def _data(value: Body) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


def _frame(body: Body, kind: str, choices: list[Body]) -> Body:
    return {"id": "chatcmpl-fake", "object": kind, "created": 0, "model": body["model"], "choices": choices}


def _usage(reply: Reply) -> Body:
    if reply.usage is None:
        return {}
    sent, received = reply.usage
    return {"usage": {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}}
