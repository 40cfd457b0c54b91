"""What a prompt of the agent shows: the newest steps' text first, each passage once, within its tokens."""

from __future__ import annotations

from context.retrieval import Passage
from context.tools import ToolStep
from nodes.transcript import AROUND, FRAME, shown
from state import ToolCall, ToolHit
from text.token_estimate import estimate_tokens

PASSAGES = {name: Passage(name, "d", "v", "T", "", f"{name} says. " * 40, {}, 100, 700) for name in ("a", "b", "c")}
COST = FRAME + estimate_tokens(PASSAGES["a"].text)


def call(tool: str, *hits: tuple[str, int, int]) -> ToolCall:
    places: list[ToolHit] = [
        {"chunk_id": name, "doc_id": "d", "title": "T", "start": start, "end": end} for name, start, end in hits
    ]
    return {"tool": tool, "arguments": {}, "round": 0, "outcome": "done", "hits": places, "remark": ""}


def whole(*names: str) -> ToolCall:
    return call("search", *((name, 0, len(PASSAGES[name].text)) for name in names))


def lengths(steps: tuple[ToolStep, ...]) -> list[list[int]]:
    return [[len(place.passage.text) for place in step.places] for step in steps]


def test_a_passage_is_told_once_where_it_was_seen_last() -> None:
    full = len(PASSAGES["a"].text)
    assert lengths(shown([whole("a", "b"), whole("a")], PASSAGES, 10_000)) == [[0, full], [full]]


def test_older_text_goes_when_there_is_no_room() -> None:
    full = len(PASSAGES["a"].text)
    steps = shown([whole("a"), whole("b"), whole("c")], PASSAGES, 2 * COST + FRAME)
    assert lengths(steps) == [[0], [full], [full]]
    assert [step.tool for step in steps] == ["search"] * 3


def test_around_a_place_some_characters_are_shown_with_its_position() -> None:
    ((place,),) = (step.places for step in shown([call("find", ("a", 150, 154))], PASSAGES, 10_000))
    assert (place.start, place.position, len(place.passage.text)) == (150 - AROUND, 250 - AROUND, 2 * AROUND + 4)


def test_what_may_not_be_read_is_not_there() -> None:
    assert lengths(shown([whole("a", "b")], {"b": PASSAGES["b"]}, 10_000)) == [[len(PASSAGES["b"].text)]]
