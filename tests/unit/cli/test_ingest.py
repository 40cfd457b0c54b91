"""`gapseek ingest` over the whole app: what goes in, what is named, how it ends."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import server
from api.client import Client
from cli import sending
from cli.main import app
from corpus.documents import Outcome
from server import create_app
from tests.fakes import files
from tests.fakes.index import MemoryIndex
from tests.fakes.service import opening, scripted

Run = Callable[..., Result]


@pytest.fixture
def index() -> MemoryIndex:
    return MemoryIndex({})


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, index: MemoryIndex) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(server, "create_app", partial(create_app, opener=opening(scripted(), index)))
    return partial(CliRunner().invoke, app)


def papers(tmp_path: Path, **texts: str) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, "utf-8")
    return folder


def test_several_paths_go_in_together(run: Run, index: MemoryIndex, tmp_path: Path) -> None:
    folder = papers(tmp_path, a="A.", b="B.")
    (tmp_path / "c.docx").write_bytes(files.docx("C."))
    result = run(["ingest", str(folder), str(tmp_path / "c.docx")])
    assert (result.exit_code, result.stdout) == (0, "3 added, 0 updated, 0 unchanged, 0 failed\n")
    assert index.passages["c.docx-1"].text == "C."


def test_two_files_of_one_name_are_two_documents(run: Run, index: MemoryIndex, tmp_path: Path) -> None:
    folder = papers(tmp_path, a="A.")
    (tmp_path / "a.md").write_text("other", "utf-8")
    result = run(["ingest", str(folder), str(tmp_path / "a.md")])
    assert (result.exit_code, result.stdout) == (0, "2 added, 0 updated, 0 unchanged, 0 failed\n")
    assert [(p.doc_id, p.text) for p in index.passages.values()] == [
        ("a.md", "A."),
        (f"{tmp_path.name}/a.md", "other"),
    ]


def test_metadata_and_groups_are_given_to_every_file(run: Run, index: MemoryIndex, tmp_path: Path) -> None:
    folder = papers(tmp_path, a="A.", b="---\nyear: 1999\naccess: {groups: [own]}\n---\nB.")
    assert run(["ingest", str(folder), "--metadata", '{"year": 2024}', "--groups", "hr, legal"]).exit_code == 0
    assert index.passages["a.md-1"].metadata["year"] == 2024
    assert index.passages["b.md-1"].metadata["year"] == 1999
    assert index.groups == {"a.md": frozenset({"hr", "legal"}), "b.md": frozenset({"own"})}


@pytest.mark.parametrize("options", [["--groups", " , "], ["--metadata", "[1]"], ["--metadata", "[" * 20_000]])
def test_options_that_say_nothing_are_wrong_usage(
    run: Run, index: MemoryIndex, tmp_path: Path, options: list[str]
) -> None:
    assert run(["ingest", str(papers(tmp_path, a="A.")), *options]).exit_code == 2
    assert index.passages == {}


def test_a_dry_run_lists_and_sends_nothing(run: Run, index: MemoryIndex, tmp_path: Path) -> None:
    folder = papers(tmp_path, a="A.", b="B.")
    (folder / "c.exe").write_bytes(b"x")
    result = run(["ingest", str(folder), "--dry-run"])
    assert (result.exit_code, result.stdout, index.passages) == (0, "a.md\nb.md\n", {})
    assert "1 file of another kind skipped" in result.stderr


def test_files_that_cannot_even_be_read_are_named_and_not_sent(
    run: Run, index: MemoryIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = papers(tmp_path, a="A.", b="x" * 101, c="")
    (folder / "d.md").symlink_to("/etc/passwd")
    monkeypatch.setenv("GAPSEEK_MAX_FILE_BYTES", "100")
    result = run(["ingest", str(folder)])
    assert (result.exit_code, result.stdout) == (1, "1 added, 0 updated, 0 unchanged, 3 failed\n")
    named = [line.split(": ", 2)[1:] for line in result.stderr.splitlines()]
    assert named == [
        ["b.md", "The file is larger than 100 bytes."],
        ["c.md", "The file is empty."],
        ["d.md", "The file is a link out of the folder and is not followed."],
    ]


def test_many_files_go_in_batches(
    run: Run, index: MemoryIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "_FILES", 3)
    monkeypatch.setattr(sending, "_BYTES", 10)
    folder = papers(tmp_path, **{f"n{n}": "x" * n for n in range(1, 12)})
    assert run(["ingest", str(folder)]).stdout == "11 added, 0 updated, 0 unchanged, 0 failed\n"
    assert len(index.passages) == 11


def test_a_batch_that_the_server_refuses_is_the_failure_of_its_files(
    run: Run, index: MemoryIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "_FILES", 1)
    monkeypatch.setenv("GAPSEEK_MAX_UPLOAD_BYTES", "1500")
    result = run(["ingest", str(papers(tmp_path, a="A.", b="x" * 2_000))])
    assert (result.exit_code, result.stdout) == (1, "1 added, 0 updated, 0 unchanged, 1 failed\n")
    assert "gapseek: b.md: A body may have at most 1,500 bytes." in result.stderr


@pytest.mark.parametrize("name", ['quote".md', "百分%22.md", "a\\b.md", "📚 二〇二四.md"])
def test_odd_names_arrive_as_they_are(run: Run, index: MemoryIndex, tmp_path: Path, name: str) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / name).write_text("x", "utf-8")
    assert run(["ingest", "papers"]).exit_code == 0
    assert list(index.passages) == [f"{name}-1"]


def made(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{folder.name} {name}", "utf-8")
    return folder


def held(index: MemoryIndex) -> dict[str, str]:
    return {passage.doc_id: passage.text for passage in index.passages.values()}


def test_the_same_name_in_two_folders_stays_two_documents(run: Run, index: MemoryIndex, tmp_path: Path) -> None:
    one, two = made(tmp_path / "a", "x.md"), made(tmp_path / "b", "x.md", "y.md")
    assert run(["ingest", str(one)]).exit_code == 0
    second = run(["ingest", str(two)])
    assert "its ids begin with 'b/'" in second.stderr
    assert held(index) == {"x.md": "a x.md", "b/x.md": "b x.md", "b/y.md": "b y.md"}
    for folder in (two, one):
        again = run(["ingest", str(folder)])
        assert "added" not in again.stdout.replace("0 added", "")
        assert again.stderr == ""


def test_a_folder_in_a_folder_is_the_same_files(run: Run, index: MemoryIndex, tmp_path: Path) -> None:
    docs = made(tmp_path / "docs", "hr/x.md", "y.md")
    run(["ingest", str(docs)])
    made(docs, "hr/new.md")
    assert run(["ingest", str(docs / "hr")]).stdout == "1 added, 1 updated, 0 unchanged, 0 failed\n"
    assert run(["ingest", str(docs / "hr" / "x.md")]).stdout == "0 added, 1 updated, 0 unchanged, 0 failed\n"
    assert sorted(held(index)) == ["hr/new.md", "hr/x.md", "y.md"]


def test_a_dry_run_lists_the_ids_that_an_ingest_would_give(run: Run, tmp_path: Path) -> None:
    run(["ingest", str(made(tmp_path / "a", "x.md"))])
    folder = made(tmp_path / "b", "x.md")
    assert run(["ingest", str(folder), "--dry-run"]).stdout == "b/x.md\n"
    assert run(["ingest", str(folder), "--dry-run"]).stdout == "b/x.md\n"


def test_a_name_that_is_no_utf_8_fails_alone_and_is_shown_escaped(run: Run, index: MemoryIndex, tmp_path: Path) -> None:
    folder = made(tmp_path / "papers", "a.md", "new\nline.md", "z\x1b[2J.md")
    (folder / os.fsdecode(b"bad\xff.md")).write_text("x", "utf-8")
    result = run(["ingest", str(folder)])
    assert (result.exit_code, result.stdout) == (1, "3 added, 0 updated, 0 unchanged, 1 failed\n")
    assert result.stderr == "gapseek: bad\\xff.md: The file's name is not valid UTF-8: rename it.\n"
    listed = run(["ingest", str(folder), "--dry-run"]).stdout
    assert sorted(listed.splitlines()) == ["a.md", "bad\\xff.md", "new\\nline.md", "z\\x1b[2J.md"]


def test_of_two_names_that_look_the_same_one_is_named_as_failed(run: Run, index: MemoryIndex, tmp_path: Path) -> None:
    folder = made(tmp_path / "papers", "e\u0301.md", "\u00e9.md")
    for result in (run(["ingest", str(folder)]), run(["ingest", str(folder)])):
        assert result.exit_code == 1
        assert "looks the same" in result.stderr
    assert held(index) == {"\u00e9.md": "papers e\u0301.md"}


def test_an_interrupted_ingest_says_what_is_done_and_that_it_can_go_on(
    run: Run, index: MemoryIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = sending.uploaded

    def cut(client: Client, batch: sending.Batch, *more: Any) -> Iterator[Outcome]:
        if "b.md" in batch:
            raise KeyboardInterrupt
        yield from whole(client, batch, *more)

    monkeypatch.setattr(sending, "_FILES", 1)
    monkeypatch.setattr(sending, "uploaded", cut)
    result = run(["ingest", str(papers(tmp_path, a="A.", b="B.", c="C."))])
    assert (result.exit_code, result.stdout) == (130, "1 added, 0 updated, 0 unchanged, 0 failed\n")
    assert result.stderr == "gapseek: Interrupted. 1 of 3 files are done and stay; run it again to go on.\n"


def test_a_note_that_holds_of_many_files_is_told_once(run: Run, tmp_path: Path) -> None:
    folder = papers(tmp_path, **{f"n{n}": "" for n in range(5)})
    for file in folder.iterdir():
        file.write_bytes("Le règlement intérieur de la société a été voté.".encode("cp1252"))
    result = run(["ingest", str(folder)])
    assert result.exit_code == 0
    assert result.stderr == (
        "gapseek: n0.md, n1.md, n2.md and 2 more: The file names no encoding and was read as Windows-1252.\n"
    )
