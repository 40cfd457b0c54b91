"""What once held a store is never taken for a new folder."""

from __future__ import annotations

from pathlib import Path

import pytest

import errors
from corpus.lost import refuse_lost
from corpus.places import STORE


def test_a_new_folder_and_one_with_a_store_are_fine(tmp_path: Path) -> None:
    refuse_lost(tmp_path / "none")
    refuse_lost(tmp_path)
    write(tmp_path / "index" / STORE)
    write(tmp_path / "threads.sqlite")
    refuse_lost(tmp_path)


def test_what_a_first_start_that_was_cut_off_leaves_is_a_new_folder(tmp_path: Path) -> None:
    for name in ("owner.lock", "owner.json", f"index/{STORE}-journal"):
        write(tmp_path / name)
    for name in (f"index/{STORE}", f"index/{STORE}-wal", "threads.sqlite"):
        write(tmp_path / name, "")
    refuse_lost(tmp_path)


@pytest.mark.parametrize("emptied", [True, False])
@pytest.mark.parametrize(
    "left", ["threads.sqlite", "index/index/a.segment", "index/vectors/chroma.sqlite3", f"index/{STORE}-wal"]
)
def test_a_store_that_is_gone_is_missed(tmp_path: Path, emptied: bool, left: str) -> None:
    write(tmp_path / left)
    if emptied:
        write(tmp_path / "index" / STORE, "")
    with pytest.raises(errors.Conflict, match="gapseek restore") as refused:
        refuse_lost(tmp_path)
    assert refused.value.reason == "store_damaged"


def write(file: Path, text: str = "something") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
