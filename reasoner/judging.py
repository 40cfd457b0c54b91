"""Grades from a model in one call; in several where the provider refuses one of the passages."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TypeAlias

from context import GradeRequest, Judgement, Passage
from errors import BadRequest
from reasoner.asking import evaluate_messages
from reasoner.bill import Bill
from reasoner.chat_model import ChatModel
from reasoner.lessening import REFUSED_CODE, TOO_LONG_CODE
from reasoner.reading import judgements_of
from reasoner.schemas import GradesForm
from reasoner.set_aside import SetAside

_log = logging.getLogger(__name__)

Passages: TypeAlias = tuple[Passage, ...]


class Judging:
    """One round's grading, within one bill. A passage that was refused is not sent again in this process."""

    def __init__(self, model: ChatModel, aside: SetAside, request: GradeRequest, bill: Bill) -> None:
        self._model = model
        self._aside = aside
        self._request = request
        self._bill = bill
        self._judged: list[Judgement] = []
        self._trimmed = False
        self._refused_last = False

    async def judge(self) -> tuple[Judgement, ...]:
        """The judgements of all passages that could be judged. Raises `errors.Unavailable`, and `errors.BadRequest`
        when the passages are too long even in part."""
        shown = self._aside.passages(self._request.passages)
        await self._part(shown, holds_refused=False)
        unjudged = len(self._request.passages) - len({judgement.chunk_id for judgement in self._judged})
        if unjudged:
            _log.warning("%d of %d passages have no grade", unjudged, len(self._request.passages))
        return tuple(self._judged)

    async def _part(self, passages: Passages, *, holds_refused: bool) -> bool:
        """Judge a part, by halves if it is refused; whether it was judged in one piece.

        If the first half of a refused part is taken, the second must hold what is refused, and is not tried whole.
        """
        if not passages or (not holds_refused and await self._taken(passages)):
            return True
        if len(passages) == 1:
            if holds_refused or self._refused_last:
                self._aside.add(passages[0].text)
            return False
        if self._bill.left:
            middle = len(passages) // 2
            clean = await self._part(passages[:middle], holds_refused=False)
            await self._part(passages[middle:], holds_refused=clean)
        return False

    async def _taken(self, passages: Passages) -> bool:
        """One call; False when the provider refused it, or none is left."""
        self._refused_last = False
        if not self._bill.left:
            return False
        request = replace(self._request, passages=passages)
        try:
            form = await self._model.fill_in(GradesForm, evaluate_messages(request), self._bill, request.language)
        except BadRequest as error:
            if error.reason == TOO_LONG_CODE and not self._trimmed and self._bill.left:
                self._trimmed = True
                return await self._taken(_trimmed(passages))
            self._refused_last = error.reason == REFUSED_CODE
            if not self._refused_last:
                raise
            return False
        self._judged += judgements_of(form, request) if form else ()
        return True


def _trimmed(passages: Passages) -> Passages:
    """The better half; of a single one the beginning."""
    if len(passages) > 1:
        return passages[: (len(passages) + 1) // 2]
    return (replace(passages[0], text=passages[0].text[: len(passages[0].text) // 2]),)
