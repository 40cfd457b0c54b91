import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.plain import MAX_DEPTH, clean, plain

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(JSON)
def test_what_is_plain_stays_as_it_is(value: Any) -> None:
    assert plain(value) == value


@given(st.text(st.characters(categories=("Cs", "Lu")), max_size=6))
def test_every_text_can_be_encoded_afterwards(text: str) -> None:
    clean(text).encode()
    json.dumps(plain({text: [text]}), ensure_ascii=False).encode()


def test_a_surrogate_pair_is_one_character_and_a_lone_one_is_replaced() -> None:
    assert clean("\ud83d\ude00") == "😀"
    assert clean("a\ud800b") == "a\ufffdb"


@pytest.mark.parametrize("value", [math.nan, math.inf, 2**63, {"a": [-(2**63) - 1]}])
def test_a_number_that_cannot_be_kept_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="number"):
        plain(value)


def test_nesting_has_a_limit_long_before_recursion_has() -> None:
    deep: Any = 1
    for _ in range(MAX_DEPTH):
        deep = [deep]
    assert plain(deep) == deep
    with pytest.raises(ValueError, match="nested"):
        plain([deep])
