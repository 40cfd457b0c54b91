"""How many passages a context window has room for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from policy.window import LEAST, OVERHEAD, fitted, room, shortened
from tests.fakes.run import state
from text.token_estimate import estimate_tokens


@dataclass(frozen=True)
class Page:
    text: str
    title: str = ""
    heading: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


def pages(*lengths: int) -> list[Page]:
    """Of so many tokens: ten Chinese characters are six."""
    return [Page("字" * (tokens * 10 // 6)) for tokens in lengths]


def lengths(texts: list[Page], tokens: int | None) -> list[int]:
    return [estimate_tokens(text) for _, text in fitted(texts, tokens).shown]


def test_without_a_window_everything_is_shown() -> None:
    assert lengths(pages(600, 600, 600), None) == [600, 600, 600]


def test_the_best_come_first_and_what_is_too_long_is_passed_over() -> None:
    fit = fitted(pages(600, 900, 300), 1_000)
    assert [estimate_tokens(text) for _, text in fit.shown] == [600, 300]
    assert fit.left_out == 1


def test_the_first_is_cut_and_not_left_out() -> None:
    assert lengths(pages(6_000), 600) == [600 - OVERHEAD]
    assert lengths(pages(6_000), -5_000) == [LEAST - OVERHEAD]


def test_title_heading_and_metadata_count() -> None:
    bare, dressed = Page("字" * 500), Page("字" * 500, title="题" * 500, metadata={"note": "注" * 5_000})
    assert fitted([bare, bare], 700).left_out == 0
    assert fitted([bare, dressed], 700).left_out == 1
    assert fitted([bare, dressed], 1_100).left_out == 0


def test_the_conversation_takes_room() -> None:
    turn = {"question": "问" * 500, "standalone": "", "answer": "答" * 5_000}
    quiet, talked = state("谁付？"), state("谁付？", history=[turn] * 9)
    assert room(quiet, 16_000) - room(talked, 16_000) == 6 * 720
    assert room(quiet, 4_096) > 1_000


@given(st.lists(st.integers(1, 900), max_size=8), st.integers(LEAST, 3_000))
def test_what_is_shown_fits_in_its_order(sizes: list[int], tokens: int) -> None:
    given_pages = pages(*sizes)
    fit = fitted(given_pages, tokens)
    assert sum(OVERHEAD + estimate_tokens(text) for _, text in fit.shown) <= tokens
    shown = [page for page, _ in fit.shown]
    assert shown == [page for page in given_pages if any(page is one for one in shown)]
    assert len(shown) + fit.left_out == len(given_pages)
    assert bool(shown) == bool(given_pages)


@given(st.text(max_size=200), st.integers(0, 50))
def test_a_shortened_text_is_the_longest_beginning_that_fits(text: str, tokens: int) -> None:
    short = shortened(text, tokens)
    assert text.startswith(short)
    assert estimate_tokens(short) <= tokens
    assert short == text or estimate_tokens(text[: len(short) + 1]) > tokens
