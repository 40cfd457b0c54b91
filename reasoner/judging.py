"""Grades from a model in one call; in several where the provider refuses one of the passages."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TypeAlias

from context.reasoning import GradeRequest, Judgement
from context.retrieval import Passage
from errors import BadRequest
from evidence import NO_REPAIRS, added
from reasoner.asking import evaluate_messages
from reasoner.bill import Bill
from reasoner.chat_model import ChatModel
from reasoner.lessening import REFUSED_CODE
from reasoner.prompt_set import PromptSet
from reasoner.reading import judgements_of, repairs_of
from reasoner.schemas import GradesForm
from reasoner.set_aside import SetAside

_log = logging.getLogger(__name__)

Passages: TypeAlias = tuple[Passage, ...]


class Judging:
    """One round's grading, within one bill. A passage that was refused is not sent again in this process."""

    def __init__(
        self, model: ChatModel, aside: SetAside, request: GradeRequest, bill: Bill, prompts: PromptSet
    ) -> None:
        self._model = model
        self._aside = aside
        self._request = request
        self._bill = bill
        self._prompts = prompts
        self._judged: list[Judgement] = []
        self._trimmed = False
        self._waiting: list[tuple[Passages, Passages]] = []
        self.repairs = NO_REPAIRS

    async def judge(self) -> tuple[Judgement, ...]:
        """The judgements of all passages that could be judged. Raises `errors.Unavailable`, and `errors.BadRequest`
        when the passages are too long even in part."""
        self._wait(self._aside.passages(self._request.passages))
        while self._waiting and self._bill.left:
            await self._largest()
        unjudged = len(self._request.passages) - len({judgement.chunk_id for judgement in self._judged})
        if unjudged:
            _log.warning("%d of %d passages have no grade", unjudged, len(self._request.passages))
        return tuple(self._judged)

    async def _largest(self) -> None:
        """Judge the largest part that waits. If it is taken, its other half holds what was refused; if not, the other
        half may be whole."""
        part, other_half = self._waiting.pop(
            self._waiting.index(max(self._waiting, key=lambda waiting: len(waiting[0])))
        )
        if await self._taken(part):
            self._halve(other_half)
        else:
            self._halve(part)
            self._wait(other_half)

    def _wait(self, part: Passages, other_half: Passages = ()) -> None:
        if part:
            self._waiting.append((part, other_half))

    def _halve(self, refused: Passages) -> None:
        """Let the halves of a part wait that holds something refused; a single passage is set aside."""
        middle = len(refused) // 2
        if middle:
            self._wait(refused[:middle], refused[middle:])
        self._aside.add(*(passage.text for passage in refused if not middle))

    async def _taken(self, passages: Passages) -> bool:
        """One call; False when the provider refused it."""
        request = replace(self._request, passages=passages)
        asked = evaluate_messages(request, self._prompts)
        try:
            form = await self._model.fill_in(GradesForm, asked, self._bill, request.language)
        except BadRequest as error:
            if error.reason == REFUSED_CODE:
                return False
            if self._trimmed or not self._bill.left:
                raise
            self._trimmed = True
            return await self._taken(_trimmed(passages))
        if form:
            self._judged += judgements_of(form, request)
            self.repairs = added(self.repairs, repairs_of(form, request))
        return True


def _trimmed(passages: Passages) -> Passages:
    """The better half; of a single one the beginning."""
    if len(passages) > 1:
        return passages[: (len(passages) + 1) // 2]
    return (replace(passages[0], text=passages[0].text[: len(passages[0].text) // 2]),)
