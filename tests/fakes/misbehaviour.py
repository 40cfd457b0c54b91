"""How endpoints differ from OpenAI's, one switch each; `endpoint.misbehaviour = Misbehaviour(...)` in a test.

What is refused is refused before the script is asked; what is bent is bent in the scripted reply.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

from tests.fakes.chat_reply import Body, Reply, form_of, is_asked_for_json

Feature = Literal[
    "json_schema", "tools", "json_object", "stream_options", "max_tokens", "max_completion_tokens", "temperature"
]
Thinking = Literal["tags", "empty", "closing", "field", "instead"]

THOUGHT = 'I weigh {"need_retrieval": false, "standalone": "SECRETLY"} against \'it\' }'


@dataclass(frozen=True)
class Misbehaviour:
    """`refuses` features, with this status and message (a template over the feature); `moderates` and `window` refuse
    prompts that hold a text or are longer than so many characters."""

    refuses: Collection[Feature] = ()
    status: int = 400
    message: str = "{feature} is not supported by this model"
    needs_the_word_json: bool = False
    moderates: str | None = None
    moderation: Body | None = None
    window: int | None = None
    thinks: Thinking | None = None
    writes_json: Callable[[str], str] | None = None
    ignores_tools: bool = False
    counts_at_most: int | None = None

    def refusal(self, body: Body) -> Reply | None:
        """The error that the request gets, None when it is carried out."""
        prompt = "\n".join(str(message["content"]) for message in body["messages"])
        feature = next((f for f in self.refuses if _uses(body, f)), None)
        if feature:
            return _error(self.status, self.message.format(feature=_wire_name(feature)))
        if self.needs_the_word_json and _uses(body, "json_object") and "json" not in prompt:
            return _error(400, "'messages' must contain the word 'json' in some form")
        if self.moderates and self.moderates in prompt:
            told = self.moderation or {"code": "data_inspection_failed", "message": "Input data may be inappropriate."}
            return Reply(status=400, error=told)
        if self.window and len(prompt) > self.window:
            return _error(400, f"This model's maximum context length is {self.window} tokens.")
        return None

    def bent(self, body: Body, reply: Reply) -> Reply:
        """The reply as this endpoint sends it."""
        if self.writes_json and form_of(body):
            reply = replace(reply, pieces=[self.writes_json(reply.text)])
        if self.ignores_tools:
            reply = replace(reply, as_tool_call=False)
        if self.counts_at_most is not None and reply.usage:
            reply = replace(reply, usage=(min(self.counts_at_most, reply.usage[0]), reply.usage[1]))
        return self._thinking(body, reply)

    def _thinking(self, body: Body, reply: Reply) -> Reply:
        if self.thinks is None:
            return reply
        if self.thinks == "field":
            return replace(reply, reasoning=THOUGHT)
        if self.thinks == "instead":
            return replace(reply, reasoning=reply.text, pieces=[""]) if is_asked_for_json(body) else reply
        before = {"tags": f"<think>\n{THOUGHT}\n</think>\n\n", "empty": "<think>\n\n</think>", "closing": ""}
        opening = before[self.thinks] or f"{THOUGHT}\n</think>\n"
        return replace(reply, pieces=[*opening[:7], opening[7:], *reply.pieces])


def _uses(body: Body, feature: Feature) -> bool:
    if feature in ("json_schema", "json_object"):
        return bool((body.get("response_format") or {}).get("type") == feature)
    return body.get(feature) is not None


def _wire_name(feature: Feature) -> str:
    return f"response_format {feature}" if feature.startswith("json") else feature


def _error(status: int, message: str) -> Reply:
    error: dict[str, Any] = {"message": message, "type": "invalid_request_error", "code": None}
    return Reply(status=status, error=error)
