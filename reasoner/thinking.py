"""Drops the thinking that some models write into their answer."""

from __future__ import annotations

import re
from typing import Final

OPEN: Final = "<think>"
CLOSE: Final = "</think>"

_OPENS: Final = (OPEN, "<thinking>", "<thought>", "[think]", "◁think▷", "<|channel|>analysis<|message|>")
_CLOSES: Final = (CLOSE, "</thinking>", "</thought>", "[/think]", "◁/think▷", "<|channel|>final<|message|>")
"""Beside the common pair those of Claude-like and Gemma models, Magistral, Kimi-VL and gpt-oss, in any case."""


def _any_of(tags: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, tags)), re.IGNORECASE | re.ASCII)


_OPENING: Final = _any_of(_OPENS)
_CLOSING: Final = _any_of(_CLOSES)
_TAG: Final = _any_of(_OPENS + _CLOSES)
_BEGUN: Final = frozenset(tag[:n] for tag in _OPENS + _CLOSES for n in range(1, len(tag)))
_LONGEST_BEGUN: Final = max(map(len, _BEGUN))


class AnswerOnly:
    """Takes a text in pieces and gives back what stands outside of thought, without white space before it.

    Some servers open the thought in the prompt, so that only its end is seen. With `hold` everything is held back until
    that end, or the end of the text. Without it, text that was given before such an end was thought: `leaked` says so.
    """

    def __init__(self, *, hold: bool = False) -> None:
        self._held = ""
        self._thinking = False
        self._said = False
        self.holding = hold
        self.leaked = False
        self.bare = False

    def feed(self, piece: str) -> str:
        """The part of the text so far that is answer and was not given yet."""
        self._held += piece
        given = ""
        while tag := _TAG.search(self._held):
            given += self._before(tag)
            self._held = self._held[tag.end() :]
        return given + self._passed_on()

    def let_go(self) -> None:
        """Hold back no longer: thought and answer are known to come apart."""
        self.holding = False

    def end(self) -> str:
        """What was held back in case it would become a tag; an unclosed thought is dropped."""
        held, self._held = self._held, ""
        return "" if self._thinking else self._said_of(held)

    def _before(self, tag: re.Match[str]) -> str:
        """What stands before a tag, if it is answer; the state changes to what stands behind it."""
        closes, was_thinking = _closes(tag), self._thinking
        self._thinking, self.holding = not closes, False
        if not closes:
            return "" if was_thinking else self._said_of(self._held[: tag.start()])
        if not was_thinking:
            self.bare, self.leaked = True, self.leaked or self._said
        return ""

    def _passed_on(self) -> str:
        """All that cannot become a tag any more."""
        if self.holding:
            return ""
        kept = next((n for n in range(_LONGEST_BEGUN, 0, -1) if self._held[-n:].lower() in _BEGUN), 0)
        kept = min(kept, len(self._held))
        cut = len(self._held) - kept
        passed, self._held = self._held[:cut], self._held[cut:]
        return "" if self._thinking else self._said_of(passed)

    def _said_of(self, text: str) -> str:
        text = text if self._said else text.lstrip()
        self._said = self._said or bool(text)
        return text


def answer_only(text: str) -> str:
    """A whole text without its thought: what follows the last end of one."""
    return _OPENING.split(_CLOSING.split(text)[-1], maxsplit=1)[0].strip()


def is_bare(text: str) -> bool:
    """Whether a whole text holds the end of a thought without its beginning."""
    first = _TAG.search(text)
    return first is not None and _closes(first)


def tag_of(text: str) -> str | None:
    """The tag that begins the thought in a whole text, None where there is none or an empty one."""
    tag = _OPENING.search(text)
    said = tag and _CLOSING.split(text[tag.end() :], maxsplit=1)[0].strip()
    return tag.group() if tag and said else None


def _closes(tag: re.Match[str]) -> bool:
    return tag.group().lower() in _CLOSES
