"""The file of weights, here one with a word or two in it."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from corpus.embeddings.e5.weights import Weights

PIECES = ["<s>", "电梯", "▁a"]
NUMBERS = np.array([1.5, -2.0], "<f4")
SCALES = np.array([0.5, 2.0, 1.0, -1.0], "<f2")  # two rows of two blocks
NIBBLES = np.arange(64, dtype=np.uint8).reshape(4, 16)


def directory(offsets: dict[str, tuple[int, int, int]]) -> bytes:
    entries = [
        struct.pack(f"<H{len(name)}sBIQQ", len(name), name.encode(), kind, count, offset, 0)
        for name, (kind, count, offset) in offsets.items()
    ]
    return struct.pack("<i", len(entries)) + b"".join(entries)


def content(magic: bytes = b"E5S1", block: int = 32) -> bytes:
    spelled = [piece.encode() for piece in PIECES]
    edges = np.cumsum([0, *map(len, spelled)])
    head = magic + struct.pack("<I7ifi", 1, 64, 12, 4, 128, 3, 512, 2, 1e-12, block)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, edges[-1]) + edges.astype("<u4").tobytes()
    head += np.array([0, -1, -2.5], "<f4").tobytes() + b"".join(spelled)
    head += struct.pack("<iIIB2IIB", 2, 18, ord("½"), 2, ord("1"), ord("2"), 7, 0)
    blocks = b"".join(s.tobytes() + n.tobytes() for s, n in zip(SCALES, NIBBLES, strict=True))
    size = len(head) + len(directory({"n": (0, 2, 0), "b": (1, 128, 0)}))
    return head + directory({"n": (0, 2, size), "b": (1, 128, size + 8)}) + NUMBERS.tobytes() + blocks


@pytest.fixture
def weights(tmp_path: Path) -> Weights:
    file = tmp_path / "weights.bin"
    file.write_bytes(content())
    return Weights(file)


def test_sizes_and_pieces_are_read(weights: Weights) -> None:
    sizes, pieces = weights.sizes, weights.pieces
    assert (sizes.width, sizes.layers, sizes.heads, sizes.inner, sizes.vocabulary, sizes.positions) == (
        64,
        12,
        4,
        128,
        3,
        512,
    )
    assert sizes.epsilon == pytest.approx(1e-12)
    assert (pieces.texts, pieces.scores) == (PIECES, [0, -1, -2.5])
    assert (pieces.begin, pieces.end, pieces.unknown) == (0, 2, 3)
    assert pieces.replacements == {ord("½"): "12", 7: ""}


def test_numbers_are_read(weights: Weights) -> None:
    assert weights.numbers("n").tolist() == [1.5, -2.0]


def test_rows_of_blocks_come_out_in_full(weights: Weights) -> None:
    full = weights.blocks("b", 2).rows(np.array([1, 0, 1]))
    assert full.shape == (3, 64)
    np.testing.assert_array_equal(full[0], full[2])
    for row, block, column in ((0, 0, 0), (0, 1, 33), (1, 0, 20), (1, 1, 63)):
        byte = NIBBLES[2 * row + block, column % 16]
        nibble = byte >> 4 if column % 32 >= 16 else byte & 15
        assert full[1 - row, column] == (int(nibble) - 8) * SCALES[2 * row + block]


@pytest.mark.parametrize(
    ("wrong", "sentence"), [({"magic": b"GGUF"}, "another format"), ({"block": 64}, "block length")]
)
def test_another_format_is_refused(tmp_path: Path, wrong: dict[str, object], sentence: str) -> None:
    file = tmp_path / "weights.bin"
    file.write_bytes(content(**wrong))  # type: ignore[arg-type]  # one of two keyword arguments
    with pytest.raises(ValueError, match=sentence):
        Weights(file)
