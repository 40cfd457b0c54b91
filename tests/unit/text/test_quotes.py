from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from text.quotes import locate

TEXTS = st.text(alphabet="甲乙ab \n\t", max_size=30)


def test_white_space_does_not_matter() -> None:
    assert locate("保存 不少于30日", "影像保存\n不少于 30 日。") == (2, 13)


def test_absent_or_blank_is_none() -> None:
    assert locate("没有的话", "影像保存") is None
    assert locate(" \n", "影像保存") is None


@given(TEXTS, TEXTS, TEXTS)
def test_what_is_found_reads_as_the_quote(before: str, quote: str, after: str) -> None:
    text = before + quote + after
    span = locate(quote, text)
    if quote.strip():
        assert span is not None
        assert "".join(text[span[0] : span[1]].split()) == "".join(quote.split())
