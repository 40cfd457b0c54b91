"""A zip is looked at before it is unpacked: whatever is wrong with it is one sentence."""

from __future__ import annotations

import io
import zipfile

import pytest

import errors
from corpus.ingest.convert.archive import check
from corpus.ingest.convert.limits import DEFAULT

MAIN = "word/document.xml"


def packed() -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MAIN, "".join(f"<w:t>{n * n}</w:t>" for n in range(200)))
    return written.getvalue()


def test_a_whole_archive_passes() -> None:
    check(packed(), MAIN, DEFAULT)


def test_any_changed_byte_is_harmless_or_refused_in_a_sentence() -> None:
    whole, refused = packed(), 0
    for place in range(len(whole)):
        damaged = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        try:
            check(damaged, MAIN, DEFAULT)
        except errors.BadRequest:
            refused += 1
    assert refused > len(whole) // 2


def test_a_file_cut_off_is_refused() -> None:
    with pytest.raises(errors.BadRequest, match="damaged"):
        check(packed()[:200], MAIN, DEFAULT)
