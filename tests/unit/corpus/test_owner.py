"""One owner at a time, and none after it died."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import errors
from corpus.owner import DataFolder, Owner, owner_of
from corpus.store.faults import StoreFailed

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


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES])
def test_a_folder_that_cannot_be_written_is_said_without_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refused(*args: object, **more: object) -> None:
        raise OSError(code, os.strerror(code), str(tmp_path / "owner.lock"))

    monkeypatch.setattr("filelock.FileLock.acquire", refused)
    for use in (lambda: DataFolder.acquire(tmp_path).__enter__(), lambda: owner_of(tmp_path)):
        with pytest.raises(StoreFailed, match=r"^The data folder cannot be opened or written: [a-z ]+\.$") as failed:
            use()
        assert failed.value.reason == "store_unwritable"


def test_a_file_where_the_folder_should_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    for place in (tmp_path / "file", tmp_path / "file" / "data"):
        with pytest.raises(errors.BadRequest, match="name another one"), DataFolder.acquire(place):
            pass
    assert (tmp_path / "file").read_text() == "precious"


def test_what_fails_in_a_folder_that_was_made_for_it_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="failed"), DataFolder.acquire(tmp_path / "a" / "b"):
        raise RuntimeError("failed")
    assert not (tmp_path / "a").exists()


def test_what_fails_leaves_what_was_made_and_the_lock_of_a_folder_in_use(tmp_path: Path) -> None:
    def fail_half_way() -> None:
        (tmp_path / "new" / "kept").touch()
        raise RuntimeError("failed")

    with pytest.raises(RuntimeError, match="failed"), DataFolder.acquire(tmp_path / "new"):
        fail_half_way()
    assert (tmp_path / "new" / "kept").exists()
    with DataFolder.acquire(tmp_path / "used"):
        pass
    with pytest.raises(RuntimeError, match="failed"), DataFolder.acquire(tmp_path / "used"):
        raise RuntimeError("failed")
    assert (tmp_path / "used" / "owner.lock").exists()
