"""Where a thought is seen, what turns it off, and how long a long prompt is."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage

from reasoner.client import REASONING
from reasoner.doctor.forms import expected_tokens
from reasoner.doctor.habits import off_at, thought_in
from reasoner.doctor.window import WORD, long_prompt
from text.token_estimate import estimate_tokens


@pytest.mark.parametrize(
    ("message", "where"),
    [
        (AIMessage("plain"), None),
        (AIMessage("<think>\n\n</think>plain"), None),
        (AIMessage("<think>hm</think>plain"), "in <think> tags"),
        (AIMessage("hm</think>plain"), "with only a </think> at its end"),
        (AIMessage("plain", additional_kwargs={REASONING: "hm"}), "in a field of its own"),
        (AIMessage("plain", additional_kwargs={REASONING: ""}), None),
    ],
)
def test_where_a_thought_stands(message: AIMessage, where: str | None) -> None:
    assert thought_in([AIMessage("plain"), message]) == where


@pytest.mark.parametrize(
    ("address", "value"),
    [
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", '{"enable_thinking": false}'),
        ("https://open.bigmodel.cn/api/paas/v4", '{"thinking": {"type": "disabled"}}'),
    ],
)
def test_what_turns_thinking_off(address: str, value: str) -> None:
    assert off_at(address) == value


def test_a_host_that_only_ends_alike_is_another() -> None:
    assert off_at("https://notz.ai/v1") != off_at("https://z.ai/v1")


@pytest.mark.parametrize("tokens", [500, 3_000, 8_000])
def test_a_long_prompt_is_about_as_long_as_wanted_and_begins_with_the_word(tokens: int) -> None:
    prompt = long_prompt(tokens)
    assert abs(estimate_tokens(prompt) - tokens) < tokens * 0.1
    assert prompt.index(WORD) < 50
    assert prompt.count(WORD) == 1


def test_the_forms_cost_more_than_their_prompts() -> None:
    assert expected_tokens() > 1_000
