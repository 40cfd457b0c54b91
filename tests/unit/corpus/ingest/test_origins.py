"""No two files become one document and no file becomes two, in whatever order folders are ingested."""

from __future__ import annotations

import tempfile
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import errors
from corpus.ingest import origins
from corpus.ingest.folder import find_files
from corpus.ingest.origins import Origins
from corpus.places import ORIGINS


def made(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name, "utf-8")
    return root


def ids(known: Origins, path: Path) -> list[str]:
    return [file.doc_id for file in known.place(find_files(path)[0], path if path.is_dir() else None)]


def test_a_folder_keeps_its_ids_whatever_comes_after(tmp_path: Path) -> None:
    known = Origins()
    a, b = made(tmp_path / "a", "x.md"), made(tmp_path / "b", "y.md")
    assert (ids(known, a), ids(known, b)) == (["x.md"], ["y.md"])
    made(b, "x.md")
    made(a, "y.md")
    assert ids(known, b) == ["b/x.md", "y.md"]
    assert ids(known, a) == ["x.md", "a/y.md"]
    assert ids(known, b) == ["b/x.md", "y.md"]


def test_folders_of_one_name_are_numbered(tmp_path: Path) -> None:
    known = Origins()
    roots = [made(tmp_path / str(year) / "hr", "x.md") for year in (1, 2, 3)]
    assert [ids(known, root) for root in roots] == [["x.md"], ["hr/x.md"], ["hr-2/x.md"]]


def test_one_file_names_no_folder_for_others(tmp_path: Path) -> None:
    known = Origins()
    docs = made(tmp_path / "docs", "hr/x.md")
    made(tmp_path, "note.md")
    assert ids(known, tmp_path / "note.md") == ["note.md"]
    assert ids(known, docs) == ["hr/x.md"]


def test_a_folder_around_one_that_is_known_leaves_it_as_it_is(tmp_path: Path) -> None:
    known = Origins()
    docs = made(tmp_path / "docs", "hr/x.md", "x.md", "y.md")
    assert ids(known, docs / "hr") == ["x.md"]
    assert ids(known, docs) == ["x.md", "docs/x.md", "docs/y.md"]


def test_a_folder_that_was_moved_keeps_its_ids(tmp_path: Path) -> None:
    known = Origins()
    old = made(tmp_path / "old", "x.md", "in/y.md")
    before = ids(known, old)
    old.rename(tmp_path / "new")
    assert ids(known, tmp_path / "new") == before == ["in/y.md", "x.md"]
    assert ids(known, tmp_path / "new") == before


def test_two_ways_to_a_folder_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = Origins()
    made(tmp_path / "docs", "x.md")
    (tmp_path / "link").symlink_to(tmp_path / "docs")
    monkeypatch.chdir(tmp_path / "docs")
    paths = (tmp_path / "docs", tmp_path / "link", Path(), tmp_path / "link" / "x.md", Path("../docs/x.md"))
    assert [ids(known, path) for path in paths] == [["x.md"]] * 5


FOLDERS = ("a", "a/b", "a/b/c", "b", "c/b")


@given(st.lists(st.sampled_from(FOLDERS), min_size=1, max_size=6), st.lists(st.sampled_from(FOLDERS)))
def test_ids_and_files_are_one_to_one_in_any_order(order: list[str], later: list[str]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        for folder in FOLDERS:
            made(root / folder, "x.md", "y.md")
        known = Origins()
        first = {folder: ids(known, root / folder) for folder in order}
        for folder in later:
            made(root / folder, "z.md")
        second = {folder: known.place(find_files(root / folder)[0], root / folder) for folder in order}
        found = list(chain.from_iterable(second.values()))
        assert len({file.doc_id for file in found}) == len({file.path for file in found})
        assert len({(file.doc_id, file.path) for file in found}) == len({file.path for file in found})
        for folder, before in first.items():
            assert set(before) <= {file.doc_id for file in second[folder]}


def test_what_is_known_is_kept_beside_the_index_and_a_block_that_fails_changes_nothing(tmp_path: Path) -> None:
    docs = made(tmp_path / "docs", "é.md")
    with origins.kept(tmp_path / "data") as known:
        assert ids(known, docs) == ["é.md"]
    made(docs, "z.md")

    def cut() -> None:
        with origins.kept(tmp_path / "data") as known:
            assert ids(known, docs) == ["z.md", "é.md"]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cut()
    assert origins.load(tmp_path / "data").files == {"é.md": str(docs / "é.md")}
    assert origins.load(tmp_path / "data").folders == {str(docs): ""}


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"form": 1, "files": 1, "folders": {}}', '{"form": 2}'])
def test_a_file_that_cannot_be_read_is_said_to_be_one_and_nothing_is_overwritten(tmp_path: Path, content: str) -> None:
    (tmp_path / ORIGINS).write_text(content, "utf-8")
    with pytest.raises(errors.Conflict) as raised:
        origins.load(tmp_path)
    assert str(tmp_path) not in raised.value.sentence
    assert (tmp_path / ORIGINS).read_text("utf-8") == content
