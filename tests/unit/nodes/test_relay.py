from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.relay import relay
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


@pytest.mark.parametrize("marker", ["[7]", "[ 7 ]", "[^5]", "[1-3]", "[1, 3]", "[2][4]", "［2］", "【3】", "[1–3]"])
def test_numbers_in_brackets_are_taken_out_however_they_are_written(marker: str) -> None:
    assert relayed(reply(f"Thirty days {marker}, says the notice."))[0]["answer"] == "Thirty days, says the notice. [1]"


def test_code_stays_to_the_letter() -> None:
    code = "```python\nrow = table[7]\nfirst = [1]  # `x`\n```"
    assert relayed(reply(f"Run:\n{code}\nThen ask [3]."))[0]["answer"] == f"Run: [1]\n{code}\nThen ask. [1]"
    assert relayed(reply(code))[0]["answer"] == f"{code}\n[1]"


def test_a_fence_that_is_not_closed_is_none() -> None:
    assert relayed(reply("```\nAsk [3]"))[0]["answer"] == "```\nAsk [1]"


@given(st.text(min_size=1, max_size=200))
def test_whatever_is_said_the_tokens_are_the_answer_and_the_quote_is_whole(text: str) -> None:
    said, written = relayed(reply(text))
    (cited,) = said["citations"]
    assert "".join(token["text"] for token in written) == said["answer"]
    assert cited["quote"][cited["start"] : cited["end"]] == text
    assert "[1]" in said["answer"]
