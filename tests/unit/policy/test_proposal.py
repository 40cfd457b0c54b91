"""A filter is proposed only for values that the question names as a whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.proposal import MOST_VALUES, propose

FIELDS: dict[str, list[str | int | float]] = {
    "city": ["上海市", "上海市浦东新区", "北京市", "广州市", "深圳市", "San Jose", "Rome"],
    "year": [2023, 2024, 20240, 3],
    "model": ["X200", "X200-Pro"],
    "level": ["policy", "合同"],
    "kind": ["notice", "通知"],
    "folder": ["保修", "new"],
    "file": ["faq.md"],
    "edition": ["2023年版", "v2.1"],
}


@pytest.mark.parametrize(
    ("question", "proposed"),
    [
        ("上海市的电梯多久检一次？", {"city": "上海市"}),
        ("上海市浦东新区的规定", {"city": "上海市浦东新区"}),
        ("上海市浦东新区和上海市的区别", {"city": {"$in": ["上海市", "上海市浦东新区"]}}),
        ("北京市和上海市各是多少", {"city": {"$in": ["上海市", "北京市"]}}),
        ("上海市、北京市、广州市、深圳市比较", None),
        ("2024年的规定", {"year": 2024}),
        ("二〇二四年的规定", {"year": 2024}),
        ("２０２４年", {"year": 2024}),
        ("2024 policy on travel", {"level": "policy", "year": 2024}),
        ("what changed in 2023 and 2024?", {"year": {"$in": [2023, 2024]}}),
        ("赔2024元", None),
        ("20240 人", None),
        ("编号12024", None),
        ("3 天内答复", None),
        ("X200-Pro 的保修", {"model": "X200-Pro"}),
        ("x200 的保修", {"model": "X200"}),
        ("x2000 的保修", None),
        ("The aerodrome is closed", None),
        ("policymakers", None),
        ("offices in SAN  JOSE", {"city": "San Jose"}),
        ("《2023年版》怎么说", {"edition": "2023年版", "year": 2023}),
        ("v2.1.3 的变化", None),
        ("電梯在深圳巿", None),
        ("北京市2024年的合同和X200", None),
        ("没有说什么", None),
        ("物业应当提前通知业主吗？", None),
        ("Which new law needs notice?", None),
        ("what does faq.md say on 保修", None),
    ],
)
def test_values_named_as_a_whole(question: str, proposed: dict[str, Any] | None) -> None:
    assert propose(question, FIELDS) == proposed


def test_without_fields_nothing_is_proposed() -> None:
    assert propose("上海市2024年", {}) is None


VALUES = st.one_of(st.text(max_size=6), st.integers(0, 3000))


@given(st.text(max_size=40), st.dictionaries(st.text(min_size=1, max_size=4), st.lists(VALUES, max_size=6), max_size=5))
def test_a_proposal_is_plain_and_names_known_values_only(
    question: str, fields: dict[str, list[str | int | float]]
) -> None:
    proposed = propose(question, fields)
    assert json.loads(json.dumps(proposed)) == proposed
    for field, wanted in (proposed or {}).items():
        values = wanted["$in"] if isinstance(wanted, dict) else [wanted]
        assert len(values) <= MOST_VALUES
        assert set(values) <= set(fields[field])
