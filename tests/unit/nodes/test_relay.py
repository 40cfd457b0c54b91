from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nodes.relay import relay
from policy.citations import without_markers
from state import PersonReply
from tests.fakes.run import state


def reply(text: str, name: str = "") -> PersonReply:
    return {"doc_id": "person:r1", "name": name, "text": text}


def relayed(person: PersonReply, **changed: Any) -> tuple[dict[str, Any], list[Any]]:
    written: list[Any] = []
    return dict(relay(state(**changed), person, written.append)), written


def test_the_words_are_said_as_they_came_and_cited_on_every_line() -> None:
    said, written = relayed(reply("三十天。\n\n- 见公告 [7]\n---"), language="zh")
    assert said["answer"] == "三十天。[1]\n\n- 见公告[1]\n---"
    assert written == [{"type": "token", "text": said["answer"]}]
    assert said["citations"][0]["title"] == "人工答复"
    assert said["citations"][0]["quote"] == "三十天。\n\n- 见公告 [7]\n---"
    assert said["history"][0]["answer"] == said["answer"]


def test_an_index_stays_an_index() -> None:
    assert relayed(reply("Use arr[2] or `x[3]`."))[0]["answer"] == "Use arr[2] or `x[3]`. [1]"


@given(st.text(min_size=1, max_size=200))
def test_whatever_is_said_the_tokens_are_the_answer_and_the_quote_is_whole(text: str) -> None:
    said, written = relayed(reply(text))
    (cited,) = said["citations"]
    assert "".join(token["text"] for token in written) == said["answer"]
    assert cited["quote"][cited["start"] : cited["end"]] == text
    if any(char.isalnum() for char in without_markers(text)):
        assert "[1]" in said["answer"]
