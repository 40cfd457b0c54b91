"""A reasoner's answer as far as it came in time, and what is said of it: checked sentences, sent when whole."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final, Literal

from context.reasoning import Source, Usage
from errors import GapseekError
from policy import closing
from policy.citations import checked, ends, without_markers
from policy.claims import Verdict, judge, remarked
from policy.direct import states_figures
from policy.disputed import ONE_SIDE, Dispute, stance
from state import Language, Turn
from text.markup import Markup

_END: Final = object()


class Speech:
    """Whole sentences of a stream of pieces. Afterwards `cut` says whether it was broken off before its end, and by
    what; the sentence that was then not finished is dropped."""

    def __init__(self, pieces: AsyncIterator[str | Usage], seconds: float) -> None:
        self._pieces = pieces
        self._seconds = seconds
        self.received: list[str] = []
        self.usage: list[Usage] = []
        self.cut: Literal["deadline"] | GapseekError | None = None

    async def sentences(self) -> AsyncIterator[str]:
        """Each sentence with the white space before it and the markers behind it; joined they are the whole text."""
        pending = ""
        async for piece in self._texts():
            pending += piece
            places = ends(pending)
            for start, end in pairwise([0, *places]):
                yield pending[start:end]
            pending = pending[places[-1] :] if places else pending
        if pending and self.cut is None:
            yield pending

    async def _texts(self) -> AsyncIterator[str]:
        ends_at = asyncio.get_running_loop().time() + self._seconds
        while (piece := await self._next(ends_at)) is not _END:
            if isinstance(piece, Usage):
                self.usage.append(piece)
            else:
                self.received.append(str(piece))
                yield self.received[-1]

    async def _next(self, ends_at: float) -> object:
        """The next piece, or the end: of the answer, of the time, or of a reasoner that broke off."""
        try:
            async with asyncio.timeout_at(ends_at) as limit:
                return await anext(self._pieces, _END)
        except TimeoutError:
            if not limit.expired():
                raise
            self.cut = "deadline"
        except GapseekError as error:
            self.cut = error
        return _END


class Answer:
    """What has been said, sent on piece by piece. Joined, the pieces are the answer."""

    def __init__(
        self,
        write: Callable[[Any], None],
        language: Language,
        asked: str,
        among: Sequence[Dispute] = (),
        history: Sequence[Turn] = (),
    ) -> None:
        self._write = write
        self._language = language
        self._asked = asked
        self._disputes = among
        self._history = history
        self._pieces: list[str] = []
        self._markup = Markup()
        self.cited: set[int] = set()
        self.together: list[tuple[int, ...]] = []
        self.removed = 0
        self.names_gaps = False

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def say(self, text: str) -> None:
        """Send a text that needs no check of what it says; markup in it is made plain."""
        shown = self._markup.plain(text)
        self._pieces.append(shown)
        self._write({"type": "token", "text": shown})

    def paragraph(self, text: str | None) -> None:
        """Send a text of ours as its own paragraph, if there is one."""
        if text:
            self.say(f"\n{text}" if self._pieces and not self._pieces[-1].endswith("\n") else text)

    async def hear(self, sentence: str, sources: Mapping[int, str]) -> None:
        """Send a sentence of the reasoner as far as the sources bear it; a direct reply has none and states no fact."""
        if not sources:
            self._hear_direct(sentence)
            return
        # Telling words apart is work of the processor, and the first time loads a dictionary.
        verdict = await asyncio.to_thread(self._judged, sentence, sources)
        self.cited.update(verdict.cited)
        self.together.append(verdict.cited)
        self.removed += verdict.kind == "removed"
        self.names_gaps = self.names_gaps or verdict.kind == "missing"
        if verdict.text:
            self.say(verdict.text)

    def _hear_direct(self, sentence: str) -> None:
        if states_figures(sentence, self._asked, self._history):
            self.removed += 1
        else:
            self.say(checked(sentence, ())[0])

    def _judged(self, sentence: str, sources: Mapping[int, str]) -> Verdict:
        """The verdict on a sentence; one side of a dispute is not left standing as plain fact, nor is their average."""
        verdict = judge(sentence, sources, self._asked, self._language)
        if verdict.kind != "fact":
            return verdict
        found = stance(without_markers(verdict.text), verdict.cited, self._disputes)
        if found == "no side":
            return Verdict("removed", "")
        return replace(verdict, text=remarked(verdict.text, ONE_SIDE[self._language])) if found else verdict

    def excerpts(self, sources: Sequence[Source]) -> None:
        """Let the sources that were not cited yet speak for themselves."""
        left = {source.number: source.quotes for source in sources if source.number not in self.cited}
        if left:
            self.paragraph(closing.excerpts(left, self._language))
            self.cited.update(left)
