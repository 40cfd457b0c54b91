"""The agent's steps so far as a model is shown them: their places read again under the asker's access of now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from context.retrieval import Passage
from context.run import Context
from context.tools import Place, ToolStep
from nodes.bounded import look_up
from policy.inquiry import calls_of
from policy.window import room, shortened
from state import RAGState, ToolCall, ToolHit
from text.token_estimate import estimate_tokens

TOKENS: Final = 2_500
"""Of documents in one prompt of the agent: some eight passages of 500 characters, so that fifteen calls can be paid."""
LEAST: Final = 300
AROUND: Final = 120
"""Characters that are shown before and after a place found by its words."""
FRAME: Final = 30
"""Tokens of the tags around a passage."""


async def transcript(state: RAGState, context: Context) -> tuple[ToolStep, ...]:
    """Every step, oldest first. Text is shown from the newest on until there is no room, and each passage once.

    A chunk that is gone, or no longer allowed, is shown nowhere.
    """
    calls = calls_of(state)
    ids = list(dict.fromkeys(hit["chunk_id"] for call in calls for hit in call["hits"]))
    read = await look_up(state, context, context.retriever.read(ids, context.principal)) if ids else {}
    return shown(calls, read or {}, _tokens(state, context))


def shown(calls: Sequence[ToolCall], read: Mapping[str, Passage], tokens: int) -> tuple[ToolStep, ...]:
    """The steps with as much text as there is room for."""
    steps: list[ToolStep] = []
    told: set[tuple[str, int, int]] = set()
    for call in reversed(calls):
        places: list[Place] = []
        for hit in call["hits"]:
            if hit["chunk_id"] not in read:
                continue
            place, cost = _place(hit, read[hit["chunk_id"]], call["tool"], told, tokens)
            tokens -= cost
            places.append(place)
        steps.append(ToolStep(call["tool"], call["arguments"], call["remark"], tuple(places)))
    return tuple(reversed(steps))


def _place(
    hit: ToolHit, passage: Passage, tool: str, told: set[tuple[str, int, int]], tokens: int
) -> tuple[Place, int]:
    """The place with its text, and what that costs; without, where it was told already or has no room."""
    start, end = _window(hit, passage, tool)
    key, cost = (passage.chunk_id, start, end), FRAME + estimate_tokens(passage.text[start:end])
    whole = (passage.chunk_id, 0, len(passage.text))
    if key in told or whole in told or (tokens < cost and told):
        return Place(replace(passage, text=""), start), FRAME
    told.add(key)
    text = passage.text[start:end] if cost <= tokens else shortened(passage.text[start:end], max(LEAST, tokens))
    return Place(replace(passage, text=text), start), cost


def _window(hit: ToolHit, passage: Passage, tool: str) -> tuple[int, int]:
    """Around what was found by its words, some characters; of a note, its quote; else what the hit says."""
    around = AROUND if tool == "find" else 0
    return max(0, hit["start"] - around), min(len(passage.text), hit["end"] + around)


def _tokens(state: RAGState, context: Context) -> int:
    window = context.windows.answer
    return max(LEAST, min(TOKENS, room(state, window))) if window else TOKENS
