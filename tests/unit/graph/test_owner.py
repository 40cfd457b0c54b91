import subprocess
import sys
from pathlib import Path

import pytest

from errors import Conflict
from graph.owner import owner, owner_address

HOLD = """
import sys
from pathlib import Path
from graph.owner import owner
with owner(Path(sys.argv[1]), "http://127.0.0.1:1"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_folder_has_one_owner_at_a_time(tmp_path: Path) -> None:
    second = owner(tmp_path / "new", None)
    with owner(tmp_path / "new", None), pytest.raises(Conflict, match="owns this data folder"), second:
        pass
    with owner(tmp_path / "new", None):
        assert owner_address(tmp_path / "new") is None


def test_the_owner_in_another_process_is_found_by_its_address_and_not_after_it_was_killed(tmp_path: Path) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        assert owner_address(tmp_path) == "http://127.0.0.1:1"
        with pytest.raises(Conflict), owner(tmp_path, None):
            pass
        other.kill()
        other.wait()
        assert owner_address(tmp_path) is None
        with owner(tmp_path, "http://127.0.0.1:2"):
            pass
    assert not (tmp_path / "owner.address").exists()


def test_a_folder_that_nobody_ever_owned_has_no_address(tmp_path: Path) -> None:
    assert owner_address(tmp_path / "absent") is None
