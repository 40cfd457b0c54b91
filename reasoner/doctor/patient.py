"""A chat model as a patient: all steps in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from context.doctor.findings import Step
from context.reasoning import Usage
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.doctor.entering import Entering
from reasoner.doctor.forms import NAMES, Forms, expected_tokens
from reasoner.doctor.habits import Habits
from reasoner.doctor.overheard import Overheard
from reasoner.doctor.streaming import Streaming
from reasoner.doctor.window import Window


class ChatPatient:
    """`decides` and `answers` say what this model is for; `whole_window` tries a prompt as long as the setting."""

    def __init__(
        self, target: str, endpoint: ChatEndpoint, *, decides: bool, answers: bool, whole_window: bool = False
    ) -> None:
        self.target = target
        self._caller = Overheard(endpoint)
        self._forms = Forms(self._caller, decides)
        self._streaming = Streaming(self._caller)
        window = Window(self._caller, whole_window)
        self.expects = expected_tokens() + window.tokens
        entering, habits = Entering(self._caller), Habits(self._caller)
        self.steps: Sequence[Step] = (
            Step("address", entering.address),
            Step("reach", entering.reach, ("address",)),
            Step("auth", entering.auth, ("reach",)),
            Step("model", entering.model, ("auth",)),
            Step("reply", entering.reply, ("model",)),
            *((Step("stream", self._streaming.stream, ("reply",)),) if answers else ()),
            *self._forms.steps("reply"),
            Step("thinking", habits.thinking, ("reply",)),
            Step("usage", self._streaming.usage, ("reply",)),
            *((Step("stream_usage", self._streaming.stream_usage, ("stream",)),) if answers else ()),
            Step("token_limit", habits.token_limit, ("reply",)),
            Step("temperature", habits.temperature, ("reply",)),
            Step("window", window.window, ("reply",)),
        )

    @property
    def spent(self) -> Sequence[Usage]:
        return self._caller.spent

    def uses(self) -> dict[str, Any]:
        """The rung, None when none is known to work, and what the model was found to take."""
        manners, rung = self._caller.manners, self._forms.used
        return {
            "model": self._caller.endpoint.model,
            "rung": None if rung is None else NAMES[rung],
            "token_limit_name": manners.token_limit_name,
            "temperature": manners.temperature and self._caller.endpoint.temperature is not None,
            "stream_options": manners.stream_options,
        }

    async def aclose(self) -> None:
        await self._caller.aclose()
