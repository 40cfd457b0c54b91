from __future__ import annotations

from typing import Any

import pytest

from policy.contradiction import Described, contradiction


def contradicts(
    question: str,
    text: str = "",
    *,
    title: str = "",
    heading: str = "",
    whole: str | None = None,
    **metadata: Any,
) -> bool:
    return contradiction(question, whole or question, Described(title, heading, text, metadata), "zh") is not None


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("X200-Ultra 多重？", "X200-Pro 重 2 公斤。"),
        ("X200-Pro 多重？", "X200 重 1 公斤。"),
        ("X200 多重？", "X200-Pro 重 2 公斤。"),
        ("E1003 是什么故障？", "E1001：门锁故障。E1002：超载。"),
        ("What is new in V2.3.9?", "V2.3.1 fixes the door sensor."),
        ("GB 7588-2020 何时生效？", "GB 7588-2003 自 2004 年起执行。"),
        ("第三十一条怎么规定？", "第三十条 影像保存三十日。"),
    ],
)
def test_a_neighbouring_code_contradicts(question: str, text: str) -> None:
    assert contradicts(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("X200-Pro 多重？", "X200 重 1 公斤，X200-Pro 重 2 公斤。"),
        ("X200-Pro 多重？", "整机重 2 公斤。"),
        ("X200-Pro 保修多久？", "X300 保修两年，所有型号的电池保修半年。"),
        ("E1003 是什么？", "E1001 至 E1010 为传感器故障。"),
        ("V2.3.9 能升级吗？", "V2.0 及以上版本可以升级。"),
        ("X200-Pro 报 E1001 怎么办？", "E1001：门锁故障。"),
        ("第三十条怎么规定？", "第30条 影像保存三十日。"),
        ("第三十条怎么规定？", "违反本条例第二十八条的，处以罚款。"),
        ("X200 和 X300 哪个重？", "X300 重 3 公斤。"),
        ("X200 Deluxe 多重？", "X200-Deluxe 重 2 公斤。"),
        ("电梯多重？", "X200 重 1 公斤。"),
    ],
)
def test_the_code_itself_a_list_a_range_or_silence_does_not(question: str, text: str) -> None:
    assert not contradicts(question, text)


def test_the_innermost_heading_that_names_the_family_decides_for_a_text_that_does_not_name_the_code() -> None:
    weight = "整机重 2 公斤。"
    assert not contradicts("X200-Pro 多重？", weight, title="X200-Pro 手册")
    assert not contradicts("X200-Pro 多重？", "与 X200 相比更重。", heading="X200-Pro 规格")
    assert contradicts("X200-Pro 多重？", weight, title="X200 手册")
    assert contradicts("X200-Pro 多重？", weight, title="X200/X200-Pro 手册", heading="规格 > X200")
    assert not contradicts("X200 多重？", weight, title="X200/X200-Pro 手册", heading="规格 > X200")
    assert contradicts("X200-Pro 多重？", weight, model="X200")
    assert not contradicts("X200-Pro 多重？", weight, model=["X200", "X200-Pro"])


def test_a_sub_question_without_a_code_is_about_the_codes_of_the_whole_question() -> None:
    assert contradicts("多重？", "X200 重 1 公斤。", whole="X200-Pro 多重？")
    assert not contradicts("X200 多重？", "X200 重 1 公斤。", whole="X200 和 X200-Pro 各多重？")
    assert contradicts("X200-Pro 多重？", "X200 重 1 公斤。", whole="X200 和 X200-Pro 各多重？")


@pytest.mark.parametrize(
    ("question", "metadata"),
    [
        ("杭州市业委会任期几年？", {"city": "宁波市"}),
        ("杭州业委会任期几年？", {"place": ["浙江省", "宁波市"]}),
        ("西安市谁出维修费？", {"jurisdiction": "河南省"}),
        ("河南省业委会任期几年？", {"省份": "山东"}),
    ],
)
def test_another_place_contradicts(question: str, metadata: dict[str, Any]) -> None:
    assert contradicts(question, "任期五年。", **metadata)


@pytest.mark.parametrize(
    ("question", "metadata"),
    [
        ("杭州市业委会任期几年？", {"city": "杭州"}),
        ("杭州市业委会任期几年？", {"jurisdiction": "浙江省"}),
        ("杭州市业委会任期几年？", {"jurisdiction": "全国"}),
        ("杭州市业委会任期几年？", {"author": "宁波市住建局"}),
        ("业委会任期几年？", {"city": "杭州市"}),
        ("杭州市和宁波市有什么不同？", {"city": "宁波市"}),
        ("杭州市业委会任期几年？", {"applies": "宁波市"}),
    ],
)
def test_its_own_a_wider_or_no_place_does_not(question: str, metadata: dict[str, Any]) -> None:
    assert not contradicts(question, "任期五年。", **metadata)


def test_a_title_that_names_the_place_is_believed() -> None:
    assert not contradicts("上海市的办事处归谁管？", title="杭州市驻上海市办事处管理办法", place="杭州市")


@pytest.mark.parametrize(
    ("question", "metadata"),
    [
        ("2024年的物业费预算是多少？", {"year": 2023}),
        ("2024年度报告的营收是多少？", {"year": 2023}),
        ("What is in the 2024 annual report?", {"year": 2023}),
        ("2022年的考勤制度怎么规定？", {"year": 2024}),
        ("2024年的收费办法怎么规定？", {"effective_from": "2020-01-01", "effective_to": "2022-12-31"}),
        ("按2018年修订的规定，要提前多久？", {"year": 2020}),
        ("2020年底修正之前的版本怎么规定？", {"version_date": "2020-12-30"}),
        ("2020年修正后的版本怎么规定？", {"version_date": "2010-12-23"}),
        ("the 2021 edition of the handbook", {"date": "2019-05-01"}),
    ],
)
def test_another_edition_or_period_contradicts(question: str, metadata: dict[str, Any]) -> None:
    assert contradicts(question, **metadata)


@pytest.mark.parametrize(
    ("question", "metadata"),
    [
        ("2024年摔伤了能赔多少？", {"year": 2003}),
        ("2019年签的合同到期了怎么办？", {"year": 2021}),
        ("2024年的收费办法怎么规定？", {"effective_from": "2021-03-01"}),
        ("2024年的收费办法怎么规定？", {"effective_from": "2021-03-01", "effective_to": "2025-12-31", "year": 2021}),
        ("2024年的收费办法怎么规定？", {"year": 2022}),
        ("2024年的物业费预算是多少？", {"year": 2024}),
        ("2024年的物业费预算是多少？", {}),
        ("2023年和2024年的预算差多少？", {"year": 2023}),
        ("Who coached the team from 1996 to 1998?", {"year": 2021}),
        ("2018年修正、2020年底修正之前的版本怎么规定？", {"version_date": "2010-12-23"}),
    ],
)
def test_the_year_of_an_event_or_of_a_rule_in_force_does_not(question: str, metadata: dict[str, Any]) -> None:
    assert not contradicts(question, **metadata)


def test_a_title_that_names_the_year_is_believed() -> None:
    assert not contradicts("2024年的预算是多少？", title="2023年决算及2024年预算", year=2023)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the marketing budget for 2023?", "The marketing budget for 2025 is $1.5 million."),
        ("What was the marketing budget in 2019?", "In 2025, the marketing budget is $1.5 million."),
        ("What was the 2019 marketing budget?", "The budget for fiscal year 2025 is $1.5 million."),
        ("How much is the tuition for 2023?", "The 2025 tuition is 900 euros."),
        ("2023年市场部预算是多少？", "2025年度市场部预算为150万元。"),
        ("2023年奖学金申请截止日期是哪天？", "2025年奖学金申请截止日期是9月30日。"),
        ("2023年奖学金申请截止日期是哪天？", "奖学金申请材料应在2025年9月30日之前交到学生处。"),
        ("When is the 2023 scholarship deadline?", "Apply for the scholarship by September 30, 2025."),
    ],
)
def test_words_that_tie_the_value_to_another_year_contradict(question: str, text: str) -> None:
    assert contradicts(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the marketing budget for 2023?", "The marketing budget is $1.5 million."),
        ("What is the marketing budget for 2023?", "The marketing budget for 2023-2025 is $1.5 million."),
        ("What is the marketing budget for 2024?", "The marketing budget for 2023/25 is $1.5 million."),
        ("What is the budget for 2024?", "The budget for 2025 is 2 million, 1 more than the year before."),
        ("What is the budget for 2023?", "The budget for 2025 is 2 million. In 2023 it was 1 million."),
        ("What is the budget for 2023?", "The committee that met in 2022 sets the budget."),
        ("2025年奖学金申请截止日期是哪天？", "自2020年起，奖学金申请截止日期为每学年9月30日。"),
        ("2023年离婚的，房子怎么分？", "本法自2021年1月1日起施行。离婚时房子由双方协议处理。"),
        ("2024年的收费办法怎么规定？", "2020年收费办法规定每月收费一次。"),
        ("2023年物业费什么时候交？", "本办法于2020年5月1日公布，物业费每月交。"),
        ("2019年签的合同什么时候到期？", "合同于2021年3月1日到期。"),
        ("Which team did Ann Hill play for in 2007?", "Ann Hill played for Leeds from 2005 to 2009."),
        ("Which team did Ann Hill play for in 2007?", "In 2005, Ann Hill signed to play for Leeds."),
    ],
)
def test_a_span_a_relative_year_or_an_event_does_not(question: str, text: str) -> None:
    assert not contradicts(question, text)


def test_a_year_that_stands_around_the_passage_is_believed() -> None:
    asked, text = "What is the budget for 2023?", "The budget for 2025 is 2 million."
    assert contradicts(asked, text)
    assert not contradicts(asked, text, heading="Plans of 2023")
    assert not contradicts(asked, text, years=[2023, 2024])


def test_the_reason_names_both_in_the_askers_language() -> None:
    passage = Described("", "", "X200-Pro weighs 2 kg.", {})
    assert contradiction("X200-Ultra?", "X200-Ultra?", passage, "en") == (
        "speaks of X200-PRO, not of X200-ULTRA, which is asked about"
    )
    assert "杭州市" in str(contradiction("杭州市？", "杭州市？", Described("", "", "", {"city": "宁波市"}), "zh"))
