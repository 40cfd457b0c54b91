"""Drops the thinking that some models write before their answer."""

from __future__ import annotations

from typing import Final

OPEN: Final = "<think>"
CLOSE: Final = "</think>"


class AnswerOnly:
    """Takes a text in pieces and gives back what follows a leading `<think>…</think>` and white space."""

    def __init__(self) -> None:
        self._held = ""
        self._passing = False

    def feed(self, piece: str) -> str:
        """The part of the text so far that is answer and was not given yet."""
        if self._passing:
            return piece
        self._held = (self._held + piece).lstrip()
        while self._held.startswith(OPEN):
            _, closed, rest = self._held.partition(CLOSE)
            if not closed:
                return ""
            self._held = rest.lstrip()
        if not self._held or OPEN.startswith(self._held):
            return ""
        return self._pass_on()

    def end(self) -> str:
        """What was held back in case it would become a tag; an unclosed thought is dropped."""
        return "" if self._held.startswith(OPEN) else self._pass_on()

    def _pass_on(self) -> str:
        self._passing, held, self._held = True, self._held, ""
        return held


def answer_only(text: str) -> str:
    """A whole text without its leading thought."""
    filtered = AnswerOnly()
    return filtered.feed(text) + filtered.end()
