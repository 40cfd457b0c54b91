from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from evals import commit
from evals.fingerprint import ANSWERING, fingerprint


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit of the file that answers."""
    monkeypatch.setattr(commit, "ROOT", tmp_path)
    (tmp_path / "state.py").write_text("", "utf-8")
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "First"],
    ):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    return tmp_path


def head(repository: Path) -> str:
    said = subprocess.run(
        ["git", "-C", str(repository), "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True
    )
    return said.stdout.strip()


def test_the_code_that_stands_here_is_of_its_last_commit(repository: Path) -> None:
    assert commit.commit(fingerprint(ANSWERING)) == head(repository)


def test_other_code_and_uncommitted_code_are_of_none(repository: Path) -> None:
    assert commit.commit("01d") is None
    (repository / "state.py").write_text("changed = True\n", "utf-8")
    assert commit.commit(fingerprint(ANSWERING)) is None


def test_without_a_repository_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "ROOT", tmp_path / "nowhere")
    assert commit.commit(fingerprint(ANSWERING)) is None
