"""Files of every kind that is read, made here byte by byte, and what attackers make of them."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pptx

_XML: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_TYPES: Final = (
    f'{_XML}<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)

Block = str | tuple[str, str] | list[list[str]]


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip of these parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return buffer.getvalue()


def rezipped(data: bytes, **parts: bytes) -> bytes:
    """The zip with the parts whose file names (without folder and suffix) are given replaced."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        old = {name: archive.read(name) for name in archive.namelist()}
    return zipped({name: parts.get(name.rpartition("/")[2].partition(".")[0], part) for name, part in old.items()})


def relations(**targets: str) -> str:
    """Relationships by id: `rId1="worksheet:worksheets/sheet1.xml"`."""
    lines = (
        f'<Relationship Id="{name}" Type="{_OFFICE}/{target.partition(":")[0]}" Target="{target.partition(":")[2]}"/>'
        for name, target in targets.items()
    )
    return f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">{"".join(lines)}</Relationships>'


def docx(*blocks: Block, title: str = "", picture: str = "") -> bytes:
    """Paragraphs, (style, text) pairs and tables; `picture` is the address of one that is linked and not held."""
    body = "".join(_block(block) for block in blocks)
    return zipped(
        {
            "[Content_Types].xml": _TYPES,
            "_rels/.rels": relations(rId1="officeDocument:word/document.xml"),
            "word/_rels/document.xml.rels": relations(rId1="styles:styles.xml", rId9=f"image:{picture}").replace(
                f'{picture}"/>', f'{picture}" TargetMode="External"/>'
            ),
            "word/styles.xml": _styles("Title", "heading 1", "heading 2"),
            "word/document.xml": f'{_XML}<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>',
            "docProps/core.xml": f'{_XML}<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></c>',
        }
    )


def _styles(*names: str) -> str:
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/></w:style>' for name in names
    )
    return f'{_XML}<w:styles xmlns:w="{_WORD}">{styles}</w:styles>'


def _block(block: Block) -> str:
    if isinstance(block, list):
        rows = ("".join(f"<w:tc>{_block(cell)}</w:tc>" for cell in row) for row in block)
        return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"
    style, text = block if isinstance(block, tuple) else ("", block)
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def xlsx(**sheets: Sequence[Sequence[str | float | None]]) -> bytes:
    """Sheets of rows."""
    names = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(sheets, start=1))
    targets = {f"rId{n}": f"worksheet:worksheets/sheet{n}.xml" for n in range(1, len(sheets) + 1)}
    return zipped(
        {
            "[Content_Types].xml": _TYPES,
            "_rels/.rels": relations(rId1="officeDocument:xl/workbook.xml"),
            "xl/_rels/workbook.xml.rels": relations(**targets),
            "xl/workbook.xml": (
                f'{_XML}<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>{names}</sheets></workbook>'
            ),
            **{f"xl/worksheets/sheet{n}.xml": _rows(rows) for n, rows in enumerate(sheets.values(), start=1)},
        }
    )


def _rows(rows: Sequence[Sequence[str | float | None]]) -> str:
    lines = (
        f'<row r="{n}">{"".join(_cell(f"{chr(65 + place)}{n}", value) for place, value in enumerate(row))}</row>'
        for n, row in enumerate(rows, start=1)
    )
    return f'{_XML}<worksheet xmlns="{_SHEET}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def _cell(place: str, value: str | float | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


def slides(*shown: tuple[str, str, str]) -> bytes:
    """Slides of a title, a text and notes."""
    presentation: Any = pptx.Presentation()
    for title, text, notes in shown:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    buffer = io.BytesIO()
    presentation.save(buffer)
    return buffer.getvalue()


_LATIN: Final = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
_CHINESE: Final = (
    b"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[<</Type/Font"
    b"/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 0>>>>]>>"
)


def pdf(*pages: Sequence[str], trailer: bytes = b"") -> bytes:
    """Pages of lines, 18 points apart; a page without lines shows a grey square only."""
    first = 5
    kids = b" ".join(b"%d 0 R" % (first + 2 * place) for place in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(pages), kids),
        _LATIN,
        _CHINESE,
    ]
    for place, lines in enumerate(pages):
        contents = first + 2 * place + 1
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R"
            b"/Resources<</Font<</L 3 0 R/C 4 0 R>>>>>>" % contents
        )
        objects.append(
            stream(b"\n".join(_shown(line, 760 - 18 * n) for n, line in enumerate(lines)) or b"0 0 9 9 re f")
        )
    return _file(objects, trailer)


def stream(content: bytes) -> bytes:
    """A compressed stream object."""
    packed = zlib.compress(content, 9)
    return b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed)


def _shown(line: str, height: int) -> bytes:
    font = b"L" if line.isascii() else b"C"
    text = b"(%s)" % line.encode() if line.isascii() else b"<%s>" % line.encode("utf-16-be").hex().encode()
    return b"BT /%s 11 Tf 40 %d Td %s Tj ET" % (font, height, text)


def _file(objects: Sequence[bytes], trailer: bytes) -> bytes:
    parts, places = [b"%PDF-1.4\n"], list[int]()
    for number, content in enumerate(objects, start=1):
        places.append(sum(map(len, parts)))
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF"
    return b"".join(parts) + end % (size, table, size, trailer, sum(map(len, parts)))


ENCRYPTED: Final = b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>/ID[<00><00>]" % (b"41" * 32, b"42" * 32)
"""A PDF's trailer with this wants a password."""


def laughs() -> bytes:
    """A document type whose last entity is a thousand million times as long as its first."""
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE x [<!ENTITY e0 "ha">{entities}]>'.encode()


LINKED_PICTURE: Final = (
    '</w:t></w:r><w:r><w:drawing xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/'
    'officeDocument/2006/relationships"><wp:inline><a:graphic><a:graphicData><a:blip r:link="rId9"/></a:graphicData>'
    "</a:graphic></wp:inline></w:drawing></w:r><w:r><w:t>"
)
"""Within a paragraph's text: the picture that `docx` was given the address of."""
