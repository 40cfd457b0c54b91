"""Which language a text is in, as far as answers need to know: Chinese or English."""

from __future__ import annotations

import re
from typing import Literal

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")


def language(text: str) -> Literal["zh", "en"]:
    """Chinese when it has at least as many Han characters as Latin words: 'X200-Pro 保修' is Chinese."""
    han = len(_HAN.findall(text))
    return "zh" if han and han >= len(_LATIN_WORD.findall(text)) else "en"
