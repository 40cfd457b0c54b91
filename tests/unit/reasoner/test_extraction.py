"""Metadata by a model: only what the document's own words bear out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from context.reasoning import Extractor, Usage
from errors import Unavailable
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.extraction import SHOWN, ModelExtractor, excerpt, stated
from reasoner.schemas import FactForm
from tests.fakes.chat_reply import Reply
from tests.fakes.endpoint import FakeEndpoint

TEXT = "甲公司差旅规定\n本规定适用于上海市各门店，自二〇二四年三月一日起执行。2019年的做法不再沿用。"
FIELDS = ["year", "place", "effective_from", "owner"]


@pytest.fixture
async def extractor(endpoint: FakeEndpoint) -> AsyncIterator[ModelExtractor]:
    extractor = ModelExtractor(ChatEndpoint("m", endpoint.url, timeout_s=5.0))
    yield extractor
    await extractor.aclose()


def fact(field: str, value: str, quote: str) -> dict[str, str]:
    return {"field": field, "quote": quote, "value": value}


async def test_what_the_document_says_comes_back_in_plain_types(
    extractor: ModelExtractor, endpoint: FakeEndpoint
) -> None:
    seam: Extractor = extractor
    endpoint.script(
        "other",
        {
            "reason": "states three",
            "facts": [
                fact("place", "上海市", "适用于上海市各门店"),
                fact("effective_from", "2024-03-01", "自二〇二四年三月一日起执行"),
                fact("year", "2024", "二〇二四年三月一日"),
            ],
        },
    )
    said = await seam.extract("差旅规定", TEXT, FIELDS)
    assert said.value == {"year": 2024, "place": "上海市", "effective_from": "2024-03-01"}
    assert said.usage == (Usage("m", 11, 7, estimated=False),)
    prompt = endpoint.calls[0].prompt
    assert "place: 文档适用的省、市、区" in prompt
    assert "<document>\n甲公司差旅规定" in prompt


@pytest.mark.parametrize(
    "said",
    [
        fact("place", "北京市", "适用于上海市各门店"),
        fact("place", "上海市", "上海市是总部所在地"),
        fact("year", "2025", "二〇二四年三月一日"),
        fact("year", "about 2024", "二〇二四年三月一日"),
        fact("effective_from", "2024-03-02", "自二〇二四年三月一日起执行"),
        fact("effective_from", "soon", "自二〇二四年三月一日起执行"),
        fact("place", "", "上海市"),
        fact("password", "上海市", "上海市"),
    ],
)
def test_what_it_does_not_say_is_dropped(said: dict[str, Any]) -> None:
    assert stated([FactForm(**said)], TEXT, FIELDS) == {}


def test_two_values_for_one_field_are_none() -> None:
    facts = [FactForm(**fact("year", "2024", "二〇二四年")), FactForm(**fact("year", "2019", "2019年的做法"))]
    assert stated(facts, TEXT, FIELDS) == {}
    assert stated([*facts[:1], *facts[:1]], TEXT, FIELDS) == {"year": 2024}


def test_of_a_long_document_the_model_reads_both_ends() -> None:
    shown = excerpt("a" * SHOWN + "z" * 100)
    assert shown.startswith("aaa")
    assert shown.endswith("zzz")
    assert len(shown) == SHOWN + 3


async def test_a_failing_endpoint_is_unavailable(extractor: ModelExtractor, endpoint: FakeEndpoint) -> None:
    endpoint.script("other", Reply(status=401, error={"message": "no"}))
    with pytest.raises(Unavailable):
        await extractor.extract("t", TEXT, FIELDS)
