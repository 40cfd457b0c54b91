"""Files become documents, whatever their encoding; mistakes are named."""

from __future__ import annotations

from pathlib import Path

import pytest

import errors
from corpus.documents import NewDocument, Outcome, checked
from corpus.ingest.convert.converter import Converter
from corpus.ingest.folder import read_folder
from corpus.ingest.readers import read as read_with

TEXT = "第六十一条　监控影像保存不少于30日。"


def read(doc_id: str, data: bytes) -> NewDocument:
    return read_with(doc_id, data, Converter())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16"])
def test_encodings_are_told_apart(encoding: str) -> None:
    assert read("a.txt", TEXT.encode(encoding)).text == TEXT


@pytest.mark.parametrize("data", [b"\xff\xff\xff\xff", b"a\x00b\x00", bytes(range(256))])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(errors.BadRequest, match="not text"):
        read("a.txt", data)


def test_front_matter_gives_title_access_and_metadata() -> None:
    source = (
        "---\ntitle: 手册\nyear: 2024\nfrom: 2024-05-01\ndraft: false\ntags: []\naccess: {groups: [hr]}\n---\n\n正文。"
    )
    document = read("a.md", source.encode())
    assert (document.title, document.text, document.groups) == ("手册", "正文。", frozenset({"hr"}))
    assert checked(document).metadata == {"year": 2024, "from": "2024-05-01", "draft": False, "tags": []}


@pytest.mark.parametrize("access", ["hr", "{groups: hr}", "{group: [hr]}", "[hr]", "{groups: [1]}"])
def test_access_that_is_not_understood_is_refused_and_not_public(access: str) -> None:
    with pytest.raises(errors.BadRequest, match="access"):
        read("a.md", f"---\naccess: {access}\n---\nx".encode())


@pytest.mark.parametrize("text", ["---\nno front matter", "--- \n- a\n- b\n---\nrest", "---", ""])
def test_text_that_only_begins_like_front_matter_is_kept(text: str) -> None:
    assert read("a.md", text.encode()).metadata == {}


def test_broken_front_matter_is_named() -> None:
    with pytest.raises(errors.BadRequest, match="YAML"):
        read("a.md", b"---\na: [\n---\nx")


def test_other_kinds_of_file_are_refused() -> None:
    with pytest.raises(errors.BadRequest, match=r"\.md"):
        read("a.exe", b"x")


def test_a_folder_is_read_in_order_and_goes_on_after_a_bad_file(tmp_path: Path) -> None:
    (tmp_path / "部分").mkdir()
    (tmp_path / "部分" / "二.md").write_text("乙", "utf-8")
    (tmp_path / "a.txt").write_bytes(b"\xff\xff\xff\xff")
    (tmp_path / "b.MD").write_text("b", "utf-8")
    (tmp_path / "skip.bin").write_bytes(b"x")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "c.md").write_text("c", "utf-8")
    found = list(read_folder(tmp_path))
    assert [item.doc_id for item in found] == ["a.txt", "b.MD", "部分/二.md"]
    assert [type(item) for item in found] == [Outcome, NewDocument, NewDocument]


def test_one_file_is_a_folder_of_one(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x", "utf-8")
    assert [item.doc_id for item in read_folder(tmp_path / "a.md")] == ["a.md"]


def test_nothing_to_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(errors.BadRequest, match="no file"):
        list(read_folder(tmp_path))
    with pytest.raises(errors.BadRequest, match="no such"):
        list(read_folder(tmp_path / "absent"))


def test_a_link_out_of_the_folder_is_named_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret", "utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "folder" / "own.md").write_text("own", "utf-8")
    (tmp_path / "folder" / "near.md").symlink_to(tmp_path / "folder" / "own.md")
    out, near, own = read_folder(tmp_path / "folder")
    assert isinstance(out, Outcome)
    assert (out.doc_id, out.result) == ("link.md", "failed")
    assert [type(near), type(own)] == [NewDocument, NewDocument]
