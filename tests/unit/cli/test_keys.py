"""`gapseek keys`."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from api.keys import NAME
from cli.main import app


def run(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["keys", *words, "--data", str(folder)])


def test_a_key_is_made_listed_without_itself_and_revoked(tmp_path: Path) -> None:
    made = run(tmp_path, "create", "内网", "--role", "ask", "--role", "review", "--group", "staff", "--days", "30")
    assert made.exit_code == 0, made.output
    key = made.stdout.strip()
    assert key.startswith("gsk_")
    listed = run(tmp_path, "list", "--json")
    (entry,) = json.loads(listed.stdout)["keys"]
    assert (entry["name"], entry["groups"], entry["roles"]) == ("内网", ["staff"], ["ask", "review"])
    assert "hash" not in entry
    assert key not in listed.stdout
    assert "valid until" in run(tmp_path, "list").stdout
    assert run(tmp_path, "revoke", entry["id"]).exit_code == 0
    assert "revoked" in run(tmp_path, "list").stdout


def test_what_is_wrong_is_a_sentence_and_exit_status_2(tmp_path: Path) -> None:
    for words in (("create", "x", "--role", "root"), ("create", "x", "--tenant", "../y"), ("revoke", "00000000")):
        said = run(tmp_path, *words)
        assert said.exit_code == 2, words
        assert said.stderr.startswith("gapseek: ")
    assert not (tmp_path / NAME).exists()


def test_an_empty_list_is_nothing_found(tmp_path: Path) -> None:
    assert run(tmp_path, "list").exit_code == 1
