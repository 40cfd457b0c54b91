"""Every sentence that states something gets its citation."""

from __future__ import annotations

from text.citing import with_marker


def test_each_sentence_is_cited_before_its_full_stop() -> None:
    assert with_marker("影像保存三十日。七日内提出。", 2) == "影像保存三十日[2]。七日内提出[2]。"
    assert with_marker("Kept 30 days. Ask early.", 1) == "Kept 30 days [1]. Ask early [1]."
    assert with_marker("The owner’s fee is 5 € when due. It is small.", 1) == (
        "The owner’s fee is 5 € when due [1]. It is small [1]."
    )


def test_the_rule_of_a_table_is_not_cited() -> None:
    assert with_marker("| 项目 | 金额 |\n| --- | --- |\n| 绿化 | 1200 |", 1) == "| 项目 | 金额 | [1]| 绿化 | 1200 | [1]"
