from __future__ import annotations

import pytest

from evals.drafting import Draft, Source
from evals.drafting_rules import RuleDrafter
from text.language import language


async def drafted(text: str, heading: str = "Rules > Leave", title: str = "Handbook") -> Draft | None:
    return await RuleDrafter().draft(Source("d.md", title, heading, text, language(text)))


@pytest.mark.parametrize(
    ("text", "question", "point"),
    [
        ("第三条 监控影像应当至少保存30日。", "按《Handbook》，监控影像应当至少保存多少日？", "30日"),
        ("合同期限不超过二年，期满可以续签。", "按《Handbook》，合同期限不超过多少年，期满可以续签？", "二年"),
        ("应当在届满前1个月提出申请。", "按《Handbook》，应当在届满前多少个月提出申请？", "1个月"),
        (
            "Employees have 20 days of paid leave.",
            "According to “Handbook”: Employees have how many days of paid leave?",
            "20 days",
        ),
    ],
)
async def test_the_one_number_of_a_sentence_is_asked_for(text: str, question: str, point: str) -> None:
    draft = await drafted(text)
    assert draft is not None
    assert (draft.question, draft.points, draft.gold, draft.kind) == (question, (point,), ("d.md",), "number")


@pytest.mark.parametrize(
    "text",
    [
        "Between 3 days and 5 days may be taken.",  # which of the two?
        "The rule of 2019 holds for 2 years.",  # a year is no amount
        "自2024年3月1日起施行，有效期五年。",
        "第三十日办理的规定另行公布通知。",
        "每次只能有一人进入电梯轿厢内部。",
        "Nothing is counted in this one.",
    ],
)
async def test_where_there_is_not_one_the_heading_is_asked_about(text: str) -> None:
    draft = await drafted(text)
    assert draft is not None
    assert draft.kind == "heading"
    assert "Leave" in draft.question


@pytest.mark.parametrize("text", ["| a | 3 days |", "Short.", "x" * 500 + "."])
async def test_what_says_nothing_is_not_asked_about(text: str) -> None:
    assert await drafted(text) is None


async def test_what_separates_cells_is_taken_out() -> None:
    draft = await drafted("Pay for 3 months | in advance; then monthly.".replace(" |", ""))
    assert draft is not None
    assert ";" not in draft.answer
