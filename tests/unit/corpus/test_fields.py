"""The fields that sort documents, and their values, as far as they may be seen."""

from __future__ import annotations

from pathlib import Path

from context.retrieval import Principal
from corpus.documents import NewDocument
from corpus.fields import LONGEST_VALUE, MOST_VALUES, values_by_field
from corpus.index import Index

ME = Principal()
HR = Principal(groups=frozenset({"hr"}))


def test_texts_numbers_and_items_of_lists_count_and_nothing_else() -> None:
    documents = [
        {"city": ["上海市", "浦东新区"], "year": 2024, "draft": False, "tags": [], "note": None},
        {"city": "北京市", "year": 2023.5, "nested": {"a": 1}, "empty": "", "long": "长" * (LONGEST_VALUE + 1)},
    ]
    assert values_by_field(documents) == {"city": {"上海市", "浦东新区", "北京市"}, "year": {2024, 2023.5}}


def test_a_field_of_too_many_values_is_left_out_whole() -> None:
    documents = [{"id": n, "half": n // 2} for n in range(MOST_VALUES + 1)]
    assert set(values_by_field(documents)) == {"half"}


async def test_only_what_the_principal_sees_and_as_it_is_now(tmp_path: Path) -> None:
    index = await Index.open(tmp_path, None)
    await index.add([NewDocument("a", "甲", metadata={"city": "上海市"})], ME)
    secret = NewDocument("b", "乙", metadata={"city": "秘密市"}, groups=frozenset({"hr"}))
    assert (await index.fields(ME))["city"] == {"上海市"}
    await index.add([secret], HR)
    assert (await index.fields(ME))["city"] == {"上海市"}
    assert (await index.fields(HR))["city"] == {"上海市", "秘密市"}
    assert not await index.fields(Principal(tenant="other"))
    await index.delete("a", ME)
    assert not await index.fields(ME)
    await index.close()
