"""What of a thread is not as it has to be: pure, from what its asker saw and what the server keeps."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from evals.soak.kept import Kept
from evals.soak.turn import Turn

Kind = Literal["lost", "doubled", "mixed", "stuck", "untold", "gapped"]
KINDS: Final[dict[Kind, str]] = {
    "lost": "accepted turns, or answers that were seen, that the history lacks",
    "doubled": "turns that the history has twice, or has although they were refused",
    "mixed": "turns with another's question or answer, or out of order",
    "stuck": "threads that took no new question",
    "untold": "threads whose last turn is told to stand as it does not",
    "gapped": "streams with an event lost or repeated, or whose tokens are not their answer",
}


@dataclass(frozen=True)
class Fault:
    """Something that must not be."""

    kind: Kind
    thread_id: str
    sentence: str


def faults(
    thread_id: str, turns: Sequence[Turn], kept: Kept, ended_by: Mapping[int, signal.Signals]
) -> Iterator[Fault]:
    """Of one thread: its turns in the order in which they were asked, and how each life of the server ended."""
    found = (
        _streams(turns)
        if kept.thread is None
        else (*_streams(turns), *_whole(turns, kept), *_end(turns, kept, ended_by))
    )
    if kept.thread is None and any(turn.accepted for turn in turns):
        yield Fault("lost", thread_id, "The server knows no such thread.")
    yield from (Fault(kind, thread_id, sentence) for kind, sentence in found)


_Found = Iterator[tuple[Kind, str]]


def _streams(turns: Sequence[Turn]) -> _Found:
    """What the askers themselves saw."""
    for turn in turns:
        if turn.stuck:
            yield "stuck", f"{_name(turn)} got no end."
        if turn.plan.streamed and turn.seen != list(range(1, len(turn.seen) + 1)):
            yield "gapped", f"{_name(turn)} had the events {turn.seen}."
        if turn.reply is not None and turn.text != turn.reply["answer"]:
            yield "gapped", f"{_name(turn)} had tokens that are not its answer."


def _whole(turns: Sequence[Turn], kept: Kept) -> _Found:
    """Every turn once, in order, with its own question and answer."""
    asked = [*turns, *([kept.last] if kept.last else [])]
    for turn in asked:
        times = kept.times[turn.question.text]
        if turn.accepted and not times:
            yield "lost", f"{_name(turn)} is not in the history."
        if times > (0 if turn.refused else 1):
            yield "doubled", f"{_name(turn)} is {times} times in the history."
        yield from _answer(turn, kept)
    if set(kept.begun) - {turn.question.text for turn in asked}:
        yield "mixed", "The history has a question that nobody asked here."
    known = set(kept.begun)
    if list(kept.begun) != [turn.question.text for turn in asked if turn.question.text in known]:
        yield "mixed", "The history has its questions in another order."


def _answer(turn: Turn, kept: Kept) -> _Found:
    answers = (kept.answers or {}).get(turn.question.text, ())
    if len(answers) > 1:
        yield "doubled", f"{_name(turn)} has {len(answers)} answers."
    if turn.reply is not None and not answers:
        yield "lost", f"{_name(turn)} was answered, and the history lacks the answer."
    for answer in answers:
        if turn.reply is not None and answer != turn.reply["answer"]:
            yield "mixed", f"{_name(turn)} got another answer than the history has."
        if is_of_another(turn, answer):
            yield "mixed", f"{_name(turn)} has the answer to another question."


def is_of_another(turn: Turn, answer: str) -> bool:
    """Whether an answer names devices and not the figure that was asked for. One that was cut short names none."""
    return "QX-" in answer and turn.question.figure not in answer


def _end(turns: Sequence[Turn], kept: Kept, ended_by: Mapping[int, signal.Signals]) -> _Found:
    """How the thread stood before its last question, and whether it took that."""
    thread = kept.thread or {}
    if thread.get("running"):
        yield "stuck", "A run still holds the thread."
    if kept.last is None or kept.last.reply is None:
        yield "stuck", "The thread took no new question."
    begun = [turn for turn in turns if kept.times[turn.question.text]]
    if not begun or _left_beginning(turns[turns.index(begun[-1]) + 1 :], thread, ended_by):
        return
    if wrong := _untold(begun[-1], thread, kept, ended_by):
        yield "untold", f"{_name(begun[-1])} {wrong}."


def _left_beginning(
    later: Sequence[Turn], thread: Mapping[str, object], ended_by: Mapping[int, signal.Signals]
) -> bool:
    """Whether the thread stands where a question left it that ended before its first step, and before its asker was
    told that it had begun: unfinished where it was killed, and else told as the last."""
    unsure = [turn for turn in later if not turn.accepted and turn.refused is None]
    if thread["unfinished"]:
        return any(ended_by.get(turn.life) == signal.SIGKILL for turn in unsure)
    return thread["question"] in {turn.question.text for turn in unsure}


def _untold(turn: Turn, thread: Mapping[str, object], kept: Kept, ended_by: Mapping[int, signal.Signals]) -> str | None:
    """How the last turn is told otherwise than it went."""
    if thread["question"] != turn.question.text:
        return "is not told as the last"
    ended = turn.question.text in (kept.answers or {})
    if ended:
        return "has an answer and is told without" if thread["unfinished"] or thread["status"] is None else None
    if thread["unfinished"]:
        return None if ended_by.get(turn.life) == signal.SIGKILL else "is told as unfinished, and nothing was killed"
    killed = turn.broken and not turn.left and ended_by.get(turn.life) == signal.SIGKILL
    return "was cut by a kill and is not told as unfinished" if killed else None


def _name(turn: Turn) -> str:
    return turn.question.receipt
