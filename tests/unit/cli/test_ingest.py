"""`gapseek ingest` over the whole app: what goes in, what is named, how it ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import server
from cli import ingest
from cli.main import app
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


def test_two_files_of_one_name_are_refused_before_anything_is_sent(
    run: Run, index: MemoryIndex, tmp_path: Path
) -> None:
    folder = papers(tmp_path, a="A.")
    (tmp_path / "a.md").write_text("other", "utf-8")
    result = run(["ingest", str(folder), str(tmp_path / "a.md")])
    assert (result.exit_code, index.passages) == (2, {})
    assert "'a.md' is there twice" in result.stderr


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
    monkeypatch.setattr(ingest, "_FILES", 3)
    monkeypatch.setattr(ingest, "_BYTES", 10)
    folder = papers(tmp_path, **{f"n{n}": "x" * n for n in range(1, 12)})
    assert run(["ingest", str(folder)]).stdout == "11 added, 0 updated, 0 unchanged, 0 failed\n"
    assert len(index.passages) == 11


def test_a_batch_that_the_server_refuses_is_the_failure_of_its_files(
    run: Run, index: MemoryIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "_FILES", 1)
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
