"""What a document may be."""

from __future__ import annotations

from typing import Any

import pytest

import errors
from corpus.documents import NewDocument, checked, indexed_text, plain_metadata


@pytest.mark.parametrize(
    "doc_id", ["", "  ", "a\nb", "a\tb", "a\u2028b", "a\x00", "a\x1b[2J", "\u202e", "\ud800", "x" * 513]
)
def test_a_doc_id_that_cannot_be_shown_is_refused(doc_id: str) -> None:
    with pytest.raises(errors.BadRequest, match="doc_id"):
        checked(NewDocument(doc_id, "x"))


UPWARDS = ["../x", "a/../x", "a/..", "..", ".", "./a", "a\\..\\x", "/etc/x", "\\\\host\\x", "C:\\x.md", "c:/x.md"]


@pytest.mark.parametrize("doc_id", UPWARDS)
def test_a_doc_id_that_leads_out_of_the_knowledge_base_is_refused(doc_id: str) -> None:
    with pytest.raises(errors.BadRequest, match="begins with no `/`"):
        checked(NewDocument(doc_id, "x"))


LONG = "关于进一步规范既有住宅加装电梯维修费用分摊与监控录像调取工作的若干意见" * 3


@pytest.mark.parametrize(
    "doc_id",
    [
        "a",
        "产品手册/2024 Q1#2.md",
        "😀",
        "👩‍💻/家庭👨‍👩‍👧.md",
        LONG[:80],
        "a..b/...",
        ".hidden",
        "https://x.example/a?b=c",
        "a:b",
    ],
)
def test_any_other_doc_id_will_do(doc_id: str) -> None:
    assert checked(NewDocument(doc_id, "x")).doc_id == doc_id


def test_false_zero_null_and_nested_values_are_kept() -> None:
    metadata: dict[str, Any] = {"page": 0, "draft": False, "note": None, "tags": [], "nested": {"a": [1, "b"]}}
    assert plain_metadata(metadata) == metadata


@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"x", {1}, object(), {"$x": 1}, {1: 2}])
def test_metadata_that_json_has_not_is_refused(value: Any) -> None:
    with pytest.raises(errors.BadRequest):
        plain_metadata({"a": value})


def test_metadata_that_is_too_deep_or_too_large_is_refused() -> None:
    deep: Any = 1
    for _ in range(9):
        deep = [deep]
    for metadata in ({"a": deep}, {"a": "x" * 70_000}):
        with pytest.raises(errors.BadRequest):
            plain_metadata(metadata)


def test_indexed_text_repeats_nothing() -> None:
    assert indexed_text("题", "节", "文") == "题\n节\n文"
    assert indexed_text("题", "", "文") == "题\n文"
