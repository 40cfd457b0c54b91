from __future__ import annotations

import pytest

from text.names import names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who repairs the Bosch drill in Berlin?", ["Bosch", "Berlin"]),
        ("Warranty of the drill. Repairs in March", []),
        ("上海市和浙江的规定", ["上海市", "浙江"]),
        ("上海市场的规定", ["上海"]),
        ("美国公民在深圳买房", ["美国", "深圳"]),
        ("電梯在臺灣", ["台湾"]),
        ("王先生向李某赔偿，张小明女士作证", ["王先生", "李某", "张小明女士"]),
        ("由万科物业服务有限公司承担", ["万科物业服务"]),
        ("向华润集团申请", ["华润"]),
        ("谁付电梯维修费", []),
        ("由保险公司或物业公司赔偿", []),
        ("什么集团都可以申请", []),
        ("本城市的居民", []),
        ("对方某些物品在自治区以外，日照时间不足", []),
    ],
)
def test_names_by_their_form(text: str, expected: list[str]) -> None:
    assert names(text) == expected
