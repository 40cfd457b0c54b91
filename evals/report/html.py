"""A report as one HTML file. Elements are built, not written: no text of a question can become markup."""

from __future__ import annotations

from base64 import b64encode
from functools import singledispatch
from pathlib import Path
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from evals.report.blocks import Plot, Report, Section, Table, Text
from text.normalise import printable

STYLE: Final = Path(__file__).with_name("style.css")
POLICY: Final = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""What a browser may load for the page: the pictures in it, and nothing from anywhere."""


def page(report: Report) -> str:
    """The whole document, to be written as UTF-8."""
    html = Element("html", lang="en")
    head = SubElement(html, "head")
    SubElement(head, "meta", charset="utf-8")
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": POLICY})
    SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    _say(head, "title", report.title)
    SubElement(head, "style").text = STYLE.read_text("utf-8")
    main = SubElement(SubElement(html, "body"), "main")
    _opening(main, report)
    for place, section in enumerate(report.sections):
        main.append(_section(section, place))
    return "<!doctype html>\n" + ElementTree.tostring(html, encoding="unicode", method="html") + "\n"


def _opening(main: Element, report: Report) -> None:
    _say(main, "h1", report.title)
    for warning in report.warnings:
        _say(SubElement(main, "p", role="alert"), "strong", warning)
    findings = SubElement(main, "ul")
    for finding in report.findings:
        _say(findings, "li", finding)
    _say(main, "p", report.source, "source")
    contents = SubElement(SubElement(main, "nav", {"aria-label": "Contents"}), "ol")
    for place, section in enumerate(report.sections):
        _say(SubElement(contents, "li"), "a", section.title).set("href", f"#s{place}")


def _section(section: Section, place: int) -> Element:
    found = Element("section", id=f"s{place}")
    _say(found, "h2", section.title)
    found.extend(map(_block, section.blocks))
    return found


@singledispatch
def _block(block: object) -> Element:
    raise TypeError(f"A report has no {type(block).__name__}.")


@_block.register
def _(block: Text) -> Element:
    found = Element("p")
    found.text = printable(block.words)
    return found


@_block.register
def _(block: Plot) -> Element:
    found = Element("figure")
    _say(found, "figcaption", block.title)
    SubElement(
        found, "img", src=f"data:image/svg+xml;base64,{b64encode(block.svg).decode()}", alt=printable(block.told)
    )
    _say(found, "p", block.source, "source")
    return found


@_block.register
def _(block: Table) -> Element:
    found = Element("figure")
    _say(found, "figcaption", block.title)
    # A table that is wider than the screen scrolls by itself; the tab stop lets the keyboard do it.
    table = SubElement(SubElement(found, "div", {"class": "wide", "tabindex": "0"}), "table")
    head = SubElement(SubElement(table, "thead"), "tr")
    for place, cell in enumerate(block.head):
        _say(head, "th", cell, _class(place, block.words)).set("scope", "col")
    body = SubElement(table, "tbody")
    for row in block.rows:
        line = SubElement(body, "tr")
        for place, cell in enumerate(row):
            _say(line, "td", cell, _class(place, block.words)).set("dir", "auto")
    for words, kind in ((block.note, "note"), (block.source, "source")):
        if words:
            _say(found, "p", words, kind)
    return found


def _class(place: int, words: int) -> str:
    return "word" if place < words else ""


def _say(parent: Element, tag: str, words: str, kind: str = "") -> Element:
    found = SubElement(parent, tag, {"class": kind} if kind else {})
    found.text = printable(words)
    return found
