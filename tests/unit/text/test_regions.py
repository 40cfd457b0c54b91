from __future__ import annotations

import pytest

from text.regions import overlap, province_of, regions


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("杭州市业主委员会每届任期", {"杭州市"}),
        ("杭州的业委会", {"杭州市"}),
        ("浙江省杭州市住宅条例", {"杭州市"}),
        ("浙江和上海有什么不同", {"浙江省", "上海市"}),
        ("臺灣省", {"台湾省"}),
        ("内蒙古的规定", {"内蒙古自治区"}),
        ("吉林的规定", set()),
        ("吉林省的规定", {"吉林省"}),
    ],
)
def test_provinces_and_cities_in_any_spelling(text: str, found: set[str]) -> None:
    assert regions(text) == found


@pytest.mark.parametrize("text", ["南京路上的店", "北京大学在哪", "大同小异", "海南岛", "全国", "中山的路", "电梯"])
def test_names_inside_other_names_and_everyday_words_are_no_places(text: str) -> None:
    assert regions(text) == frozenset()


def test_a_city_shares_its_provinces_rules_and_no_other_citys() -> None:
    assert province_of("杭州市") == "浙江省"
    assert overlap("杭州市", "浙江省")
    assert overlap("浙江省", "杭州市")
    assert not overlap("杭州市", "宁波市")
    assert not overlap("杭州市", "江苏省")
