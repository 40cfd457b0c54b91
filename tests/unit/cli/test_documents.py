"""`gapseek documents`, `reindex`, `backup` and `restore` on a real index without vectors."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import server
from cli.main import app
from corpus.embeddings.e5 import E5Embedder
from corpus.owner import DataFolder
from server import create_app
from tests.fakes.service import opening_index, scripted

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command in a folder of its own, whose `data` holds three documents."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(E5Embedder, "load", lambda: None)
    opener = opening_index(tmp_path / "data", lambda index: scripted(), None)
    monkeypatch.setattr(server, "create_app", partial(create_app, opener=opener))
    (tmp_path / "papers" / "甲").mkdir(parents=True)
    for name, text in (("甲/a.md", "---\nyear: 2023\n---\n录像保存三十日。"), ("b.md", "食堂。"), ("c.md", "车位。")):
        (tmp_path / "papers" / name).write_text(text, "utf-8")
    invoke = partial(CliRunner().invoke, app)
    assert invoke(["ingest", "papers"]).exit_code == 0
    return invoke


def kept(run: Run, doc_id: str) -> Any:
    return json.loads(run(["documents", "show", doc_id, "--json"]).stdout)


def test_documents_are_listed_by_page_and_prefix(run: Run) -> None:
    assert [line.split()[0] for line in run(["documents", "list"]).stdout.splitlines()[1:]] == [
        "b.md",
        "c.md",
        "甲/a.md",
    ]
    first = run(["documents", "list", "--limit", "2"])
    assert first.stderr == "2 of 3 shown; the next ones: --after 'c.md'\n"
    rest = json.loads(run(["documents", "list", "--after", "c.md", "--json"]).stdout)
    assert [document["doc_id"] for document in rest["documents"]] == ["甲/a.md"]
    assert json.loads(run(["documents", "list", "--prefix", "甲/", "--json"]).stdout)["total"] == 1
    assert run(["documents", "list", "--prefix", "nothing"]).exit_code == 1


def test_a_document_is_shown_with_where_its_metadata_comes_from(run: Run) -> None:
    run(["documents", "set", "甲/a.md", "city=上海"])
    shown = run(["documents", "show", "甲/a.md"])
    assert shown.exit_code == 0
    lines = [line.split() for line in shown.stdout.splitlines()]
    assert ["year", "2023", "given"] in lines
    assert ["city", '"上海"', "set"] in lines
    assert ["access", "everybody", "given"] in lines
    assert "录像保存三十日。" in shown.stdout
    assert "(current)" in shown.stdout


def test_values_are_json_where_they_can_be_and_text_otherwise(run: Run) -> None:
    values = [
        "year=2024",
        "draft=null",
        "page=0",
        "tags=[1, null]",
        'code="007"',
        "city=上海",
        "note=a=b",
        "empty=",
        "x=NaN",
        "big=1e999",
        "deep=" + "[" * 20_000,
    ]
    texts = {"x": "NaN", "big": "1e999", "deep": "[" * 20_000}
    assert run(["documents", "set", "甲/a.md", *values]).exit_code == 0
    by_hand = {"year": 2024, "draft": None, "page": 0, "tags": [1, None], "code": "007"}
    assert kept(run, "甲/a.md")["layers"]["set"] == by_hand | {"city": "上海", "note": "a=b", "empty": "", **texts}
    assert run(["documents", "set", "甲/a.md", "--unset", "year", "--unset", "city"]).exit_code == 0
    assert kept(run, "甲/a.md")["metadata"]["year"] == 2023


def test_access_is_set_opened_and_given_back(run: Run) -> None:
    assert run(["documents", "set", "b.md", "--group", "hr", "--group", "board"]).exit_code == 0
    assert run(["documents", "show", "b.md"]).exit_code == 2
    assert run(["documents", "set", "b.md", "--everybody"]).exit_code == 0
    assert kept(run, "b.md")["access"] == {"given": [], "set": []}
    assert run(["documents", "set", "b.md", "--access-as-given"]).exit_code == 0
    assert kept(run, "b.md")["access"] == {"given": [], "set": None}


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["documents", "show", "nothing"], "no such document"),
        (["documents", "show", ".."], "no such document"),
        (["documents", "show", "b.md", "--version", "x"], "no such version"),
        (["documents", "set", "b.md"], "sets or unsets something"),
        (["documents", "set", "b.md", "title=x"], "upload the document anew"),
        (["documents", "set", "b.md", "--unset", "yaer"], "'yaer'"),
        (["documents", "set", "b.md", "year"], "not KEY=VALUE"),
        (["documents", "set", "b.md", "--everybody", "--group", "hr"], "exclude each other"),
        (["restore", "nothing.zip", "--data", "new"], "no such file"),
        (["restore", "papers/b.md", "--data", "new"], "no backup"),
        (["backup", "x.zip", "--data", "nothing"], "no index"),
        (["reindex", "--data", "nothing"], "no index"),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_exit_status_2(run: Run, command: list[str], sentence: str) -> None:
    result = run(command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_a_folder_that_holds_no_index_is_left_as_it_was(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for folder in ("typo", "mine"):
        assert run(["reindex", "--data", folder]).exit_code == 2
    assert not (tmp_path / "typo").exists()
    assert not list((tmp_path / "mine").iterdir())


def test_deleting_names_what_is_not_there_and_goes_on(run: Run) -> None:
    result = run(["documents", "delete", "b.md", "nothing", "甲/a.md"])
    assert (result.exit_code, result.stderr) == (1, "gapseek: nothing: There is no such document.\n")
    assert run(["documents", "delete", "c.md"]).exit_code == 0
    assert run(["documents", "list"]).exit_code == 1


def test_a_backup_is_restored_into_an_empty_folder_or_by_force(run: Run) -> None:
    made = run(["backup", "b.zip"])
    assert made.exit_code == 0
    assert made.stdout.startswith("b.zip: schema 2, generation 1, ")
    run(["documents", "delete", "b.md"])
    refused = run(["restore", "b.zip"])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--force" in refused.stderr
    assert run(["restore", "b.zip", "--force"]).stdout == "Restored: schema 2, generation 1\n"
    assert kept(run, "b.md")["chunks"] == 1
    assert run(["backup", "b.zip"]).exit_code == 2
    assert run(["backup", "b.zip", "--force"]).exit_code == 0


@pytest.mark.parametrize("file", ["nothing.zip", "papers/b.md"])
def test_a_restore_that_fails_leaves_no_folder_behind(run: Run, tmp_path: Path, file: str) -> None:
    (tmp_path / "mine").mkdir()
    for folder in ("new/inside", "mine"):
        assert run(["restore", file, "--data", folder]).exit_code == 2
    assert not (tmp_path / "new").exists()
    assert not list((tmp_path / "mine").iterdir())


def test_a_restore_tells_of_the_threads_that_it_replaces(run: Run) -> None:
    assert run(["backup", "without.zip"]).exit_code == 0
    run(["ask", "Who?"])
    assert "1 thread among it" in run(["restore", "without.zip"]).stderr
    restored = run(["restore", "without.zip", "--force"])
    assert restored.stderr == "gapseek: The folder held 1 thread; now it holds no threads, of the backup.\n"


@pytest.mark.parametrize("emptied", [True, False])
def test_a_backup_says_that_there_are_no_threads(run: Run, tmp_path: Path, emptied: bool) -> None:
    threads = tmp_path / "data" / "threads.sqlite"
    threads.write_bytes(b"") if emptied else threads.unlink(missing_ok=True)
    assert "file of threads is gone" in run(["backup", "b.zip"]).stderr


def test_what_is_restored_is_still_the_same_files(run: Run, tmp_path: Path) -> None:
    assert run(["ingest", "papers", "--groups", "hr"]).exit_code == 0
    assert run(["backup", "b.zip"]).exit_code == 0
    (tmp_path / "data").rename(tmp_path / "former")
    restored = run(["restore", "b.zip"])
    assert (restored.exit_code, restored.stderr) == (0, "")
    assert run(["ingest", "papers/甲"]).exit_code == 0
    assert listed(run) == []  # no key here has groups, so that whatever is seen was opened


def test_a_restore_says_where_the_files_are_not_known(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data" / "origins.json").unlink()
    assert run(["backup", "b.zip"]).exit_code == 0
    (tmp_path / "data").rename(tmp_path / "former")
    restored = run(["restore", "b.zip"])
    assert restored.exit_code == 0
    assert "from its top first" in restored.stderr
    assert str(tmp_path) not in restored.output


def listed(run: Run) -> Any:
    return json.loads(run(["documents", "list", "--json"]).stdout)["documents"]


@pytest.mark.parametrize(
    "command", [["search", "x"], ["documents", "list"], ["reindex"], ["backup", "b.zip"], ["threads"], ["ask", "x"]]
)
def test_a_store_that_is_gone_is_no_folder_that_never_held_one(run: Run, tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "data" / "threads.sqlite").write_text("something")
    (tmp_path / "data" / "index" / "documents.sqlite3").unlink()
    result = run(command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "gapseek restore" in result.stderr
    assert "gapseek ingest" not in result.stderr


def test_an_owned_folder_is_backed_up_but_neither_restored_nor_rebuilt(run: Run, tmp_path: Path) -> None:
    with DataFolder.acquire(tmp_path / "data"):
        assert run(["backup", "b.zip"]).exit_code == 0
        for command in (["restore", "b.zip", "--force"], ["reindex"]):
            result = run(command)
            assert (result.exit_code, result.stdout) == (2, "")
            assert "in use by process" in result.stderr


def test_a_rebuild_says_what_it_did(run: Run) -> None:
    result = run(["reindex"])
    assert (result.exit_code, result.stdout) == (0, "0 documents cut, 0 texts counted, 0 texts embedded\n")


def test_what_new_documents_state_about_themselves_is_shown_when_asked_for(run: Run, tmp_path: Path) -> None:
    (tmp_path / "papers" / "b.md").write_text("# 上海市食堂办法\n\n本办法自2024年3月1日起施行。", "utf-8")
    shown = run(["ingest", "papers", "--found"])
    assert shown.stdout == (
        "b.md: year 2024 (rules), kind 办法 (rules), place 上海市 (rules), effective_from 2024-03-01 (rules)\n"
        "0 added, 1 updated, 2 unchanged, 0 failed\n"
    )
