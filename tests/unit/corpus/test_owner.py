"""One owner at a time, and none after it died."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import errors
from corpus.owner import DataFolder, Owner, owner_of

ROOT = Path(__file__).parents[3]
HOLD = """
import sys, time
from pathlib import Path
from corpus.owner import DataFolder
with DataFolder.acquire(Path(sys.argv[1]), "http://127.0.0.1:4711"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_second_is_refused_and_told_where_the_first_serves(tmp_path: Path) -> None:
    with DataFolder.acquire(tmp_path / "data", "http://127.0.0.1:4711") as owned:
        assert owned.path.is_dir()
        assert owner_of(tmp_path / "data") == Owner(os.getpid(), "http://127.0.0.1:4711")
        with (
            pytest.raises(errors.Conflict, match=r"serves at http://127\.0\.0\.1:4711"),
            DataFolder.acquire(tmp_path / "data"),
        ):
            pass
    assert owner_of(tmp_path / "data") is None


def test_an_address_can_be_published_later(tmp_path: Path) -> None:
    with DataFolder.acquire(tmp_path) as owned:
        assert owner_of(tmp_path) == Owner(os.getpid(), None)
        owned.publish("http://127.0.0.1:1")
        assert owner_of(tmp_path) == Owner(os.getpid(), "http://127.0.0.1:1")


def test_nobody_owns_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert owner_of(tmp_path / "no") is None


def test_a_killed_owner_is_no_obstacle(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"held"
        assert owner_of(tmp_path) == Owner(process.pid, "http://127.0.0.1:4711")
        process.send_signal(signal.SIGKILL)
    assert (tmp_path / "owner.json").exists()
    assert owner_of(tmp_path) is None
    with DataFolder.acquire(tmp_path):
        assert owner_of(tmp_path) == Owner(os.getpid(), None)
