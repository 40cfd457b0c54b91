"""The page: nothing of a question becomes markup, nothing is fetched, everything is there without a script."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.report.blocks import Plot, Report, Section, Table, Text
from evals.report.html import page

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</td></table><iframe src='http://example.org'>",
    "</style><script>1</script>",
    "<!-- --><svg/onload=alert(1)>",
    "&lt;b&gt; &amp; javascript:alert(1)",
    "\x00\x1b[31m\ud800 NUL and half a pair",
]
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "ul", "li", "nav", "ol", "a"),
    *("section", "figure", "figcaption", "img", "div", "table", "thead", "tbody", "tr", "th", "td", "strong"),
}


class Read(HTMLParser):
    """What a browser would make of it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.said: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def report(words: str) -> Report:
    table = Table(words, ("kind", words), ((words, words),), source=words, note=words)
    plot = Plot(words, b"<svg xmlns='http://www.w3.org/2000/svg'/>", words, words)
    return Report(words, (Section(words, (table, plot, Text(words))),), (words,), words, (words,))


@pytest.mark.parametrize("words", HOSTILE)
def test_words_stay_words_wherever_they_stand(words: str) -> None:
    found = Read(page(report(words)))
    assert found.tags <= TAGS
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    assert {value for name, value in found.attributes if name == "href"} == {"#s0"}


@given(st.text())
def test_no_text_becomes_an_element(words: str) -> None:
    assert Read(page(report(words))).tags <= TAGS


def test_nothing_is_fetched_and_no_script_is_run() -> None:
    written = page(report("plain"))
    found = Read(written)
    sources = [value for name, value in found.attributes if name in ("src", "srcset", "data", "action")]
    assert sources
    assert all(value and value.startswith("data:image/svg+xml;base64,") for value in sources)
    assert "default-src 'none'" in written
    assert "@import" not in written
    assert "url(" not in written
    assert "<script" not in written


def test_questions_in_chinese_and_english_are_shown_as_they_are() -> None:
    written = page(report("电梯“维修费”谁付？ — who pays?"))
    assert "电梯“维修费”谁付？ — who pays?" in written
    assert '<meta charset="utf-8">' in written
    assert "电梯“维修费”谁付？ — who pays?" in "".join(Read(written).said)


def test_it_is_dark_where_the_reader_wants_that_and_a_wide_table_scrolls_by_itself() -> None:
    written = page(report("plain"))
    assert "prefers-color-scheme: dark" in written
    assert '<div class="wide" tabindex="0">' in written
    assert 'alt="plain"' in written
    assert "plain</a>" in written


def test_it_can_be_written_as_utf_8() -> None:
    page(report(HOSTILE[-1])).encode("utf-8")
    assert "\x00" not in page(report(HOSTILE[-1]))
