from __future__ import annotations

import pytest

from policy.drift import added


@pytest.mark.parametrize(
    ("candidate", "said", "expected"),
    [
        ("监控影像保存期限", "录像留多少天", []),
        ("监控影像保存30日", "录像留多少天", ["30日"]),
        ("哪一条规定了两人同行", "要不要有人陪", []),
        ("3 人同行", "要不要有人陪", ["3"]),
        ("三十日内的影像", "30天内的录像", []),
        ("X200-Pro 的保修", "X200 的保修", ["x200-pro", "Pro"]),
        ("x200-pro 保修", "X200-Pro 怎么保修", []),
        ("X200-Pro 的保修", "X200 Pro 怎么保修", []),
        ("X200Pro 的保修", "x200 pro 怎么保修", []),
        ("X200-Pro Max 的保修", "X200 Pro 怎么保修", ["Max"]),
        ("X200-Max 的保修", "X200 Pro 怎么保修", ["x200-max", "Max"]),
        ("E1001 怎么办", "E-1001 是什么故障", []),
        ("E-1002 怎么办", "E1001 是什么故障", ["1002", "e-1002"]),
        ("warranty at Bosch", "warranty of this drill", ["Bosch"]),
        ("Warranty of the drill", "warranty of this drill", []),
        ("不得拒绝运送", "可以运送吗", ["不得拒绝运送"]),
        ("不得拒绝运送", "为什么不让运送", []),
        ("second-hand is not covered", "is second-hand covered", ["notcovered"]),
        ("物业不承担费用", "物业不修电梯谁承担费用", ["不承担"]),
        ("不维修电梯的责任", "物业不修电梯谁承担费用", []),
        ("未登记的工人", "工人没有登记怎么办", []),
        ("未登记的工人", "物业没有录像怎么办", ["未登记"]),
        ("无法修理", "电梯修不好", []),
        ("非常规范的管理", "物业管得怎么样", []),
        ("是否可以拒绝", "能不能用电梯", ["拒绝"]),
        ("不同楼层收费", "各楼层怎么收费", []),
        ("warranty not transferable", "is the warranty not transferred to a buyer", []),
        ("deposit is not refundable", "is the warranty not transferred to a buyer", ["notrefundable"]),
        ("the tenant doesn't pay", "what if the tenant did not pay", []),
        ("without a permit", "what if there is no permit", []),
        ("押金不退", "the deposit was not returned", []),
        ("effective March 1, 2024", "2024年3月1日起生效", []),
        ("effective March 2, 2024", "2024年3月1日起生效", ["March 2, 2024"]),
        ("within thirty days", "30天内", []),
        ("within 30 hours", "30天内", ["30 hours"]),
        ("上海市的维修费", "维修费谁承担", ["上海市"]),
        ("上海的维修费", "上海市的维修费谁承担", []),
        ("上海市的维修费", "上海的维修费谁承担", ["上海市"]),
        ("北京万科物业服务有限公司的责任", "物业的责任", ["北京", "万科物业服务"]),
        ("王先生的责任", "李先生的责任", ["王先生"]),
        ("GB/T 7588 的要求", "电梯的国家标准", ["7588"]),
        ("GB/T 7588 的要求", "gb/t 7588-2003 讲什么", []),
        ("第六十一条", "影像保存多久", ["61条"]),
    ],
)
def test_what_a_rewrite_adds(candidate: str, said: str, expected: list[str]) -> None:
    assert added(candidate, said) == expected


def test_names_may_come_from_what_is_established_but_numbers_and_denials_may_not() -> None:
    found = "万科集团在深圳, by Bosch, 30 日, 不承担"
    assert added("深圳万科集团和 the Bosch", "谁承担", names=found) == []
    assert added("深圳 30 日不承担", "谁承担", names=found) == ["30 日", "不承担"]
