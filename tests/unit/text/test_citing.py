"""Every sentence that states something gets its citation."""

from __future__ import annotations

import pytest

from text.citing import unmarked, with_marker


def test_each_sentence_is_cited_before_its_full_stop() -> None:
    assert with_marker("影像保存三十日。七日内提出。", 2) == "影像保存三十日[2]。七日内提出[2]。"
    assert with_marker("Kept 30 days. Ask early.", 1) == "Kept 30 days [1]. Ask early [1]."
    assert with_marker("The owner’s fee is 5 € when due. It is small.", 1) == (
        "The owner’s fee is 5 € when due [1]. It is small [1]."
    )


def test_the_rule_of_a_table_is_not_cited() -> None:
    assert with_marker("| 项目 | 金额 |\n| --- | --- |\n| 绿化 | 1200 |", 1) == "| 项目 | 金额 | [1]| 绿化 | 1200 | [1]"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("44 meters ［2］ (see [2]).", "44 meters （2） (see (2))."),
        ("高44米〔2〕，另见【2†source】和【4:0†a.md】。", "高44米（2），另见（2†source）和（4:0†a.md）。"),
        ("It is so [3] [^2] [2, 3] [1-2] [1][2].", "It is so (3) (^2) (2, 3) (1-2) (1)(2)."),
        ("取 arr[1] 与 m[1][2]，写作 `x [1]`。", "取 arr[1] 与 m[1][2]，写作 `x [1]`。"),
        ("x lies in [0, 1], the range [2, 3], 区间[2, 5]。", "x lies in [0, 1], the range [2, 3], 区间[2, 5]。"),
        ("国发〔88〕5号 and 国发〔2024〕5号", "国发〔88〕5号 and 国发〔2024〕5号"),
        ("[draft] [2024] [ ] [a1]", "[draft] [2024] [ ] [a1]"),
    ],
)
def test_numbers_of_a_document_cite_nothing(text: str, plain: str) -> None:
    assert unmarked(text) == plain
