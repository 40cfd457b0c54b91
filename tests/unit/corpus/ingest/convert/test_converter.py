"""Every kind of file becomes Markdown; every bad one is one sentence, and the next file is read all the same."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

import errors
from corpus.ingest.convert.converter import Converter
from corpus.ingest.convert.limits import DEFAULT
from tests.fakes import files

SMALL = replace(DEFAULT, timeout_s=20.0, memory_mb=400, pages=50, cells=500)
WORD = files.docx("电梯由业主维修。")


@pytest.fixture(scope="module")
def converter() -> Iterator[Converter]:
    with Converter(SMALL) as converter:
        yield converter


def text(converter: Converter, name: str, data: bytes) -> str:
    return converter.convert(name, data).text


def test_word_keeps_headings_lists_and_tables(converter: Converter) -> None:
    data = files.docx(
        ("Title", "电梯手册"),
        ("heading 2", "Fees"),
        "业主 &amp; 租户分担。",
        [["年", "金额"], ["2024", "1|2"]],
        title="Props",
    )
    converted = converter.convert("a.DOCX", data)
    assert converted.text == (
        "# 电梯手册\n\n## Fees\n\n业主 & 租户分担。\n\n| 年 | 金额 |\n| --- | --- |\n| 2024 | 1\\|2 |"
    )
    assert converted.title == "Props"


def test_slides_are_pages_with_titles_and_notes(converter: Converter) -> None:
    data = files.slides(("预算", "总额 100 万", "备注在此"), ("Plan", "Next year", ""))
    assert text(converter, "a.pptx", data) == "## 预算\n\n总额 100 万\n\n备注在此\n\f## Plan\n\nNext year\n\f"


def test_sheets_are_tables_under_their_names(converter: Converter) -> None:
    data = files.xlsx(费用=[["2024 年费用表"], ["项目", "金额"], [], ["维修", 1200.5], ["Power", 3]], Empty=[])
    assert text(converter, "a.xlsx", data) == (
        "## 费用\n\n2024 年费用表\n\n| 项目 | 金额 |\n| --- | --- |\n| 维修 | 1200.5 |\n| Power | 3 |"
    )


def test_a_pdf_keeps_its_pages_and_joins_what_was_only_wrapped(converter: Converter) -> None:
    wrapped = [
        "物业服务人应当按照约定履行维修和养护的义务，相关的费用由全体业",
        "主共同承担。",
        "第二条 另有约定的除外。",
    ]
    english = ["The manager keeps the lifts in order and tells the owners of every re-", "pair in time."]
    assert text(converter, "a.pdf", files.pdf(wrapped, english)) == (
        "物业服务人应当按照约定履行维修和养护的义务，相关的费用由全体业主共同承担。\n第二条 另有约定的除外。\n\f"
        "The manager keeps the lifts in order and tells the owners of every repair in time.\n\f"
    )


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "utf-16"])
def test_a_page_is_read_without_scripts_and_navigation(converter: Converter, encoding: str) -> None:
    page = (
        "<html><head><meta charset=gb2312><title>标题</title><script>steal()</script><style>p{}</style></head>"
        "<body><nav>首页</nav><h1>电梯</h1><p>业主<b>应当</b>爱护。<!-- no --></p></body></html>"
    )
    converted = converter.convert("a.html", page.encode(encoding))
    assert (converted.text, converted.title) == ("# 电梯\n\n业主应当爱护。", "标题")


def test_a_page_in_the_encoding_that_it_names(converter: Converter) -> None:
    page = "<meta charset='windows-1252'><p>Café élève</p>".encode("cp1252")
    assert text(converter, "a.htm", page) == "Café élève"


GARBAGE = random.Random(1).randbytes(5_000)  # noqa: S311 - the same on every run
LYING = files.zipped({"word/document.xml": b"<a>" + b" " * 120_000_000})
ONE_SHEET = files.xlsx(a=[["x"]])
FAR = b'<worksheet xmlns="%s"><sheetData><row r="1"><c r="A1"><v>1</v></c></row>%s</sheetData></worksheet>' % (
    b"http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    b'<row r="1048576"><c r="XFD1048576"><v>2</v></c></row>',
)
PART = b'<?xml version="1.0"?>%s<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>'

BAD = {
    "bomb.docx": (LYING, "unpacks to more"),
    "bomb.pptx": (files.zipped({"ppt/presentation.xml": b"<a>" + b"\0" * 120_000_000}), "unpacks to more"),
    "laughs.docx": (files.rezipped(WORD, document=PART % files.laughs()), "entities"),
    "outside.docx": (files.rezipped(WORD, document=PART % b'<!DOCTYPE x SYSTEM "file:///etc/passwd">'), "entities"),
    "wide.docx": (files.rezipped(WORD, document=(PART % files.laughs()).decode().encode("utf-16")), "entities"),
    "nested.docx": (files.docx("<w:r>" * 5_000 + "</w:r>" * 5_000), "nested|damaged"),
    "far.xlsx": (files.rezipped(ONE_SHEET, sheet1=FAR), "memory|cells"),
    "cells.xlsx": (files.xlsx(a=[["x"] * 26] * 20), "500 cells"),
    "cells.html": (b"<table><tr>" + b"<td colspan=99>x" * 99, "500 cells"),
    "long.pdf": (files.pdf(*[["text"]] * 51), "50 pages"),
    "scan.pdf": (files.pdf([], []), "scan"),
    "stamped.pdf": (files.pdf(["CamScanner"], ["CamScanner"]), "scan"),
    "locked.pdf": (files.pdf(["text"], trailer=files.ENCRYPTED), "encrypted"),
    "locked.xlsx": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "encrypted"),
    "garbage.pdf": (b"%PDF-1.4\n" + GARBAGE, "damaged"),
    "garbage.pptx": (b"PK\x03\x04" + GARBAGE, "damaged"),
    "a.zip.pdf": (WORD, "another kind"),
    "a.word.xlsx": (WORD, "another kind"),
    "a.pdf.docx": (files.pdf(["text"]), "another kind"),
    "garbage.html": (GARBAGE, "not text"),
    "cells.csv": (b"x," * 501, "500 cells"),
    "large.json": (b"[" + b"{}," * 6_000_000 + b"{}]", "memory"),
    "deep.json": (b"[" * 100_000, "not valid JSON"),
    "garbage.jsonl": (GARBAGE, "not text"),
    "script.html": (b"<script>document.write('all of it')</script>", "no text"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_sentence_and_the_next_one_is_read(converter: Converter, name: str) -> None:
    data, why = BAD[name]
    with pytest.raises(errors.BadRequest, match=why):
        converter.convert(name, data)
    assert text(converter, "next.docx", WORD) == "电梯由业主维修。"


def test_a_directory_that_lies_about_sizes_gains_nothing(converter: Converter) -> None:
    lying = bytearray(LYING)
    directory = lying.rfind(b"PK\x01\x02")
    lying[directory + 24 : directory + 28] = lying[22:26] = (1_000).to_bytes(4, "little")
    with pytest.raises(errors.BadRequest, match=r"damaged|unpacks"):
        converter.convert("a.docx", bytes(lying))


def test_a_picture_from_outside_is_not_fetched(converter: Converter, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret", "utf-8")
    data = files.docx(files.LINKED_PICTURE + "Text beside it.", picture=(tmp_path / "secret").as_uri())
    assert text(converter, "a.docx", data) == "Text beside it."


def test_a_file_that_takes_too_long_is_cut_and_named() -> None:
    endless = files.pdf(*[[f"text {n}" for n in range(40)]] * 50)
    slow = pytest.raises(errors.BadRequest, match=r"more than 0\.05 seconds")
    with Converter(replace(SMALL, timeout_s=0.05)) as converter, slow:
        converter.convert("slow.pdf", endless)


def test_one_child_reads_many_files_and_a_dead_one_is_replaced(converter: Converter) -> None:
    text(converter, "a.docx", WORD)
    (child,) = converter._idle[:1]
    for _ in range(3):
        text(converter, "a.docx", WORD)
    assert converter._idle[0] is child
    os.kill(child._process.pid, 9)
    child._process.wait()
    assert text(converter, "a.docx", WORD) == "电梯由业主维修。"
    assert converter._idle[0] is not child


def test_files_that_wait_are_counted() -> None:
    with Converter(SMALL) as converter, ThreadPoolExecutor(3) as pool:
        begun = [converter._places.acquire(timeout=1) for _ in range(2)]
        reading = pool.submit(text, converter, "a.docx", WORD)
        for _ in range(1_000):
            if converter.waiting:
                break
            time.sleep(0.01)
        waited = converter.waiting
        for _ in begun:
            converter._places.release()
        assert reading.result() == "电梯由业主维修。"
        assert (begun, waited, converter.waiting) == ([True, True], 1, 0)


def test_a_closed_converter_reads_nothing_and_leaves_no_child() -> None:
    converter = Converter(SMALL)
    text(converter, "a.docx", WORD)
    child = converter._idle[0]
    converter.close()
    assert child._process.returncode is not None
    with pytest.raises(errors.Unavailable):
        text(converter, "a.docx", WORD)
