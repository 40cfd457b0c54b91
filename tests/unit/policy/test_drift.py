from __future__ import annotations

import pytest

from policy.drift import added


@pytest.mark.parametrize(
    ("candidate", "said", "expected"),
    [
        ("监控影像保存期限", "录像留多少天", []),
        ("监控影像保存30日", "录像留多少天", ["30"]),
        ("哪一条规定了两人同行", "要不要有人陪", []),
        ("3 人同行", "要不要有人陪", ["3"]),
        ("三十日内的影像", "30天内的录像", []),
        ("X200-Pro 的保修", "X200 的保修", ["x200-pro", "Pro"]),
        ("x200-pro 保修", "X200-Pro 怎么保修", []),
        ("warranty at Bosch", "warranty of this drill", ["Bosch"]),
        ("Warranty of the drill", "warranty of this drill", []),
        ("不得拒绝运送", "可以运送吗", ["不"]),
        ("不得拒绝运送", "为什么不让运送", []),
        ("second-hand is not covered", "is second-hand covered", ["not"]),
    ],
)
def test_what_a_rewrite_adds(candidate: str, said: str, expected: list[str]) -> None:
    assert added(candidate, said) == expected
