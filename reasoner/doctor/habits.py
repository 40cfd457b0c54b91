"""What a model does unasked or does not take: thinking, another name for the limit, no temperature, no limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import urlsplit

from langchain_core.messages import AIMessage, AIMessageChunk

from context.doctor.findings import Finding
from errors import GapseekError
from reasoner.adapting import NO_THOUGHT
from reasoner.client import REASONING
from reasoner.doctor.overheard import Overheard
from reasoner.faults import translated
from reasoner.replies import is_cut
from reasoner.thinking import CLOSE, is_bare, tag_of

SMALL_LIMIT: Final = 16
FAR_OVER: Final = 4
"""A reply of so many times the limit was not held to it; less may be another way to count."""
LONG_COUNT: Final = "Count from 1 to 200 in digits, separated by commas. Write every number."

_OFF: Final[Mapping[str, str]] = {
    "aliyuncs.com": '{"enable_thinking": false}',
    "siliconflow.cn": '{"enable_thinking": false}',
    "siliconflow.com": '{"enable_thinking": false}',
    "bigmodel.cn": '{"thinking": {"type": "disabled"}}',
    "z.ai": '{"thinking": {"type": "disabled"}}',
}
"""What turns thinking off, by host, as docs/providers.md has it."""
_OFF_ELSEWHERE: Final = (
    'what its pages name to turn it off, such as {"chat_template_kwargs": {"enable_thinking": false}}'
)


class Habits:
    """Looks at what was heard; one more call shows whether a limit holds."""

    def __init__(self, caller: Overheard) -> None:
        self._caller = caller
        self._prefix = caller.endpoint.settings_prefix

    async def thinking(self) -> Finding:
        """Whether thought comes, in which form, and whether what is set turns it off."""
        endpoint, setting = self._caller.endpoint, f"{self._prefix}__EXTRA_BODY"
        if not self._caller.manners.may_think:
            sentence = "Unless streamed, this model must be told not to think: the first call of each start is refused."
            return Finding("warn", sentence, setting, f'{{"{NO_THOUGHT}": false}}')
        where = thought_in(self._caller.replies) or thought_in(_joined(self._caller.chunks))
        if where is None and endpoint.extra_body:
            return Finding("ok", "The model sends no thought with the extra body that is set.")
        if where is None:
            return Finding("ok", "The model sends no thought.")
        so_far = "in spite of the extra body that is set" if endpoint.extra_body else "before it answers"
        sentence = f"The model thinks {so_far} ({where}): it is dropped, and costs time and tokens."
        return Finding("warn", sentence, setting, off_at(endpoint.address))

    async def token_limit(self) -> Finding:
        """The limit's name, and whether it holds."""
        manners, endpoint = self._caller.manners, self._caller.endpoint
        name = manners.token_limit_name
        if name != endpoint.token_limit_name:
            sentence = f"The limit of a reply is only known as {name}: the first call of each start is refused."
            return Finding("warn", sentence, f"{self._prefix}__TOKEN_LIMIT_NAME", name)
        try:
            with translated(self._prefix):
                reply = await self._caller.say(LONG_COUNT, **{name: SMALL_LIMIT})
        except GapseekError:
            return Finding("skipped", f"So small a {name} is refused; whether it holds is not known.")
        finally:
            manners.token_limit_name = name  # a refusal of the number may look like one of the name
        return self._held_to(reply, name)

    async def temperature(self) -> Finding:
        if self._caller.manners.temperature:
            return Finding("ok", "The temperature is taken as set.")
        sentence = "The model takes no temperature but its own: the first call of each start is refused."
        return Finding("warn", sentence, f"{self._prefix}__TEMPERATURE", "none")

    def _held_to(self, reply: AIMessage, name: str) -> Finding:
        written = (reply.usage_metadata or {"output_tokens": 0})["output_tokens"] or len(reply.text) // 3
        if is_cut(reply):
            return Finding("ok", f"A reply is held to {name}, and says so.")
        if len(reply.text) // 3 < SMALL_LIMIT:
            return Finding("skipped", f"The reply was too short to show whether {name} holds.")
        if written > FAR_OVER * SMALL_LIMIT:
            other = "max_completion_tokens" if name == "max_tokens" else "max_tokens"
            sentence = f"Replies are longer than {name} allows: only time ends them."
            return Finding("warn", sentence, f"{self._prefix}__TOKEN_LIMIT_NAME", other)
        sentence = "A reply that was cut does not say so: a cut answer may pass for a whole one."
        return Finding("warn", sentence, f"{self._prefix}__MAX_TOKENS", "ample room, so that nothing is cut")


def off_at(address: str) -> str:
    """What to put into the extra body so that a model at this address does not think."""
    host = urlsplit(address).hostname or ""
    return next((off for known, off in _OFF.items() if host == known or host.endswith(f".{known}")), _OFF_ELSEWHERE)


def thought_in(said: Iterable[AIMessage]) -> str | None:
    """Where thought stands, in words; an empty one is none."""
    for message in said:
        if message.additional_kwargs.get(REASONING):
            return "in a field of its own"
        if is_bare(message.text):
            return f"with only a {CLOSE} at its end"
        if tag := tag_of(message.text):
            return f"in {tag} tags"
    return None


def _joined(chunks: Iterable[AIMessageChunk]) -> list[AIMessage]:
    """A stream as one message."""
    chunks = list(chunks)
    thought = "".join(str(chunk.additional_kwargs.get(REASONING, "")) for chunk in chunks)
    return [AIMessage("".join(chunk.text for chunk in chunks), additional_kwargs={REASONING: thought})]
