"""Two runs beside each other: what one has and the other has not."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors import NotFound
from runs.ask import Ask, ask
from runs.comparison import word_diff
from runs.diff import diff
from runs.engine import Engine
from runs.history import history
from runs.replay import Replay, replay
from runs.stream import answered
from tests.fakes.index import MemoryIndex
from tests.fakes.service import ALICE, BOB, TEXTS, engine_over, scripted

QUESTION = Ask("How many days of paid leave?")


async def again(engine: Engine, said: dict[str, Any], node: str, **edits: Any) -> dict[str, Any]:
    steps = (await history(engine, ALICE, said["thread_id"]))["steps"]
    place = next(one["checkpoint_id"] for one in steps if one["node"] == node)
    return await answered(replay(engine, ALICE, Replay(said["thread_id"], place, edits)))


async def test_a_run_beside_itself_has_no_difference() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        found = await diff(engine, ALICE, said["thread_id"], said["thread_id"])
    assert (found["differs"], found["dials"]) == ([], {})
    for name in ("queries", "sub_questions"):
        assert (found[name]["lost"], found[name]["gained"]) == ([], [])
    evidence = found["evidence"]
    assert (evidence["lost"], evidence["gained"], evidence["regraded"], evidence["kept"]) == ([], [], [], 1)
    assert found["answer"]["words"] == [{"kind": "same", "text": said["answer"]}]


async def test_queries_evidence_grades_dials_and_reasons_are_told() -> None:
    score = [0.95]
    async with engine_over(scripted(score=lambda request: score[0])) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        score[0] = 0.8
        other = await again(engine, said, "rewrite", rewritten_queries=[{"text": "holiday"}], dials={"threshold": 0.75})
        score[0] = 0.3
        worse = await again(engine, said, "retrieve", dials={"max_retries": 1})
        found = await diff(engine, ALICE, said["thread_id"], other["thread_id"])
        lost = await diff(engine, ALICE, said["thread_id"], worse["thread_id"])
    assert "holiday" in found["queries"]["gained"]
    assert found["queries"]["kept"] == [QUESTION.question]
    assert [(one["before"], one["after"]) for one in found["evidence"]["regraded"]] == [(0.95, 0.8)]
    assert found["dials"] == {"threshold": {"before": 0.7, "after": 0.75}}
    assert lost["stop_reason"]["before"] == "sufficient"
    assert lost["stop_reason"]["after"] != "sufficient"
    assert {one["quote"] for one in lost["evidence"]["lost"]} == {TEXTS["leave"]}
    assert lost["rounds"] == {"before": 1, "after": 2}
    assert lost["cost"]["after"]["searches"] > lost["cost"]["before"]["searches"]


async def test_quotes_are_shown_only_of_what_can_be_read() -> None:
    retriever, score = MemoryIndex(TEXTS), [0.95]
    async with engine_over(scripted(score=lambda request: score[0]), retriever) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        score[0] = 0.3
        worse = await again(engine, said, "retrieve", dials={"max_retries": 1})
        retriever.passages.clear()
        found = await diff(engine, ALICE, said["thread_id"], worse["thread_id"])
    assert [(one["quote"], one["deleted"]) for one in found["evidence"]["lost"]] == [("", True)]


async def test_either_thread_of_another_tenant_is_not_found() -> None:
    async with engine_over() as engine:
        mine = (await answered(ask(engine, ALICE, QUESTION)))["thread_id"]
        theirs = (await answered(ask(engine, BOB, QUESTION)))["thread_id"]
        for pair in ((mine, theirs), (theirs, mine), (mine, "0" * 32)):
            with pytest.raises(NotFound):
                await diff(engine, ALICE, *pair)


SAID = st.text(alphabet="ab 1,维修费。\n", max_size=60)


@given(SAID, SAID)
def test_the_pieces_joined_are_the_two_texts(before: str, after: str) -> None:
    pieces = word_diff(before, after)
    for side, text in (("before", before), ("after", after)):
        assert "".join(piece["text"] for piece in pieces if piece["kind"] in ("same", side)) == text
    assert all(piece["text"] for piece in pieces)


def test_a_word_is_a_word_and_a_chinese_character_is_one() -> None:
    assert [(p["kind"], p["text"]) for p in word_diff("由业主承担", "由承包商承担")] == [
        ("same", "由"),
        ("before", "业主"),
        ("after", "承包商"),
        ("same", "承担"),
    ]
    assert [(p["kind"], p["text"]) for p in word_diff("30 days", "20 days")] == [
        ("before", "30 "),
        ("after", "20 "),
        ("same", "days"),
    ]
