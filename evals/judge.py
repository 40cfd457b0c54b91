"""Whether an answer is right, as a model sees it that is told what was expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from pydantic import ConfigDict

from evals import prompts
from evals.record import Record
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.chat_model import ChatModel
from reasoner.lines import Lines
from reasoner.schemas import Form
from text.language import language

PROMPT: Final = "judge"
CALLS_AT_MOST: Final = 4
"""For one answer: one for each way in which a form can be asked for."""
NO_ANSWER: Final = {"en": "The documents hold no answer.", "zh": "资料中没有答案。"}


@dataclass(frozen=True)
class Verdict:
    """`reason` comes first: it is what the verdict was made of."""

    reason: str
    right: bool


class Judge(Protocol):
    """Judges answers. `name` changes with whatever can change a verdict: the model and the words it is asked in."""

    @property
    def name(self) -> str: ...

    async def judge(self, record: Record) -> Verdict | None:
        """None when no verdict could be had. Raises `errors.Unavailable`, and `errors.BadRequest` for what the judge
        refuses to read."""
        ...


class JudgeForm(Form):
    model_config = ConfigDict(title="judge")

    reason: str
    right: bool


class ModelJudge:
    """Implements `Judge` with a chat model. Close it with `aclose`."""

    def __init__(self, endpoint: ChatEndpoint, lines: Lines | None = None) -> None:
        self._model = ChatModel(endpoint, lines)
        self._timeout_s = endpoint.timeout_s
        self.name = f"{endpoint.model}, prompt {prompts.version(PROMPT)}"

    async def judge(self, record: Record) -> Verdict | None:
        spoken = language(record.question)
        messages = prompts.load(PROMPT, spoken).fill(
            question=prompts.data(record.standalone or record.question),
            expected=prompts.data(expected(record, NO_ANSWER[spoken])),
            answer=prompts.data(record.answer),
        )
        bill = self._model.bill(CALLS_AT_MOST, self._timeout_s)
        form = await self._model.fill_in(JudgeForm, messages, bill, spoken)
        return Verdict(form.reason, form.right) if form else None

    async def aclose(self) -> None:
        await self._model.aclose()


def expected(record: Record, no_answer: str) -> str:
    """What a person holds to be right: a line a point, or a line an answer."""
    if not record.answerable:
        return no_answer
    points = [" | ".join(point) for point in record.points]
    return "\n".join(f"- {line}" for line in points or record.references)


def can_be_judged(record: Record) -> bool:
    """Whether there is an answer, and words to hold it to."""
    worded = bool(record.points or record.references) or not record.answerable
    return record.error is None and record.needs_lookup and worded
