"""A file of arrays is whole, ours, and readable by its owner only, or it is not taken."""

from __future__ import annotations

import stat
from pathlib import Path

import numpy as np
import pytest

from corpus.segments import container

ARRAYS = {
    "numbers": np.arange(10_000, dtype=np.int32),
    "matrix": np.arange(12, dtype=np.float32).reshape(3, 4),
    "empty": np.zeros((0, 4), np.float32),
    "flags": np.array([True, False]),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "one.segment"
    container.write(path, {"generation": 7}, ARRAYS)
    return path


def test_what_was_written_is_read(file: Path) -> None:
    about, arrays = container.read(file)
    assert about == {"generation": 7}
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype
        assert not arrays[name].flags.writeable or not len(array)


def test_only_the_owner_may_read_it_and_nothing_else_is_left(file: Path) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(file.parent.iterdir()) == [file]


def test_a_mapped_file_outlives_its_replacement(file: Path) -> None:
    _, before = container.read(file)
    container.write(file, {}, {"numbers": np.zeros(3, np.int32)})
    np.testing.assert_array_equal(before["numbers"], ARRAYS["numbers"])
    assert container.read(file)[1]["numbers"].tolist() == [0, 0, 0]


def test_a_write_that_fails_leaves_the_old_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="space"):
        container.write(file, {}, {"numbers": np.zeros(3, np.int32)})
    assert container.read(file)[0] == {"generation": 7}
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"garbage" * 1000,
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data + b"\0",
        lambda data: b"\0" * 200 + data[200:],
        lambda data: data[:-30] + b"x" + data[-29:],
        lambda data: data[: 64 + 39_990] + b"\xff" * 10 + data[64 + 40_000 :],
    ],
)
def test_a_damaged_file_is_not_taken(file: Path, damage: object) -> None:
    assert callable(damage)
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(container.Damaged):
        container.read(file)


def test_a_file_that_is_not_there_is_said_to_be_absent(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        container.read(tmp_path / "none")
