"""Of a page everything is kept that is read, in the order it is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.ingest.convert.markdown import markdown


def text(html: str) -> str:
    return markdown(html, 10_000)[0]


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ("<p>2*3 a_b</p><p>next<br>line", "2*3 a_b\n\nnext\nline"),
        ("<ul><li>a<ul><li>b</li></ul></li></ul><ol><li>x<li>y</ol>", "- a\n  - b\n1. x\n2. y"),
        ("<h2>Fees <i>now</i></h2><h3></h3><p>x", "## Fees now\n\nx"),
        ("<pre>\nif a:\n    b\n</pre>tail", "```\nif a:\n    b\n```\n\ntail"),
        ("a<script>x('<p>')</script>b<style>p{}</style>c<template>d</template>", "abc"),
        ("<head><title>t</title><p>no end of the head", "no end of the head"),
        ("<nav>never closed <p>text", "never closed\n\ntext"),
        ("<nav>menu</nav><form>field</form>", "field"),
        ("a <!-- b --> c <![CDATA[d]]> e <!-- f", "a c e"),
        ("&lt;b&gt; &amp; &#30005;梯", "<b> & 电梯"),
        ("<div>" * 5_000 + "deep" + "</div>" * 5_000, "deep"),
        ("</table></li></ul></td>x", "x"),
    ],
)
def test_blocks(html: str, kept: str) -> None:
    assert text(html) == kept


def test_cells_that_span_stand_in_their_first_place() -> None:
    html = "<table><caption>Fees<tr><th rowspan=2>a<th colspan=2>b|c<tr><td>d<p>e</p><td><ul><li>1<li>2</ul></table>"
    assert text(html) == "Fees\n\n| a | b\\|c |  |\n| --- | --- | --- |\n|  | d e | 1 2 |"


def test_a_table_within_a_table_is_text_of_its_cell() -> None:
    html = "<table><tr><td>a<td>b</tr><tr><td>c<td><table><tr><td>d<td>e</table></table>after"
    assert all(word in text(html) for word in ("a", "b", "c", "d", "e", "after"))


@given(
    st.lists(st.sampled_from(["<td>", "<tr>", "<table>", "</table>", "<li>", "<ul>", "</ul>", "<p>", "<pre>", "<h1>"]))
)
def test_whatever_tags_come_no_word_is_lost_or_out_of_order(tags: list[str]) -> None:
    html = "".join(f"{tag}word{place} " for place, tag in enumerate(tags)) + "</pre></table>" * len(tags)
    found = [word for word in text(html).replace("\\|", "|").split() if word.startswith("word")]
    assert sorted(found) == sorted(f"word{place}" for place in range(len(tags)))
