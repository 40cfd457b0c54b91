"""How many texts providers take in one embeddings request: as known, as they say themselves, else found out."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

UNKNOWN: Final = 64
"""Where nothing is known; a smaller limit is found out from what was refused."""

_BY_HOST: Final = {
    "aliyuncs.com": 10,  # DashScope's text-embedding-v3 and v4
    "siliconflow.cn": 32,  # 64 by its own errors: the smaller of what is said
    "siliconflow.com": 32,
    "bigmodel.cn": 64,
}
_BY_MODEL: Final = {"text-embedding-v1": 25, "text-embedding-v2": 25}  # DashScope's older ones, at the same host


def most_texts(base_url: str | None, model: str) -> int:
    """The limit (docs/providers.md, 2026-12-01), by the address and, where that says too little, by the model."""
    host = urlsplit(base_url or "").hostname or ""
    of_host = next((most for known, most in _BY_HOST.items() if host == known or host.endswith(f".{known}")), None)
    if of_host is None:
        return UNKNOWN
    return _BY_MODEL.get(model, of_host)


_STATED: Final = re.compile(
    r"(?:than|most|exceed\w*|max\w*|limit\w*|up to|<=|≤|超过|大于|最多|最大|上限)\D{0,30}?(?P<number>\d{1,4})(?!\d)",
    re.IGNORECASE,
)


def fewer(sent: int, said: str) -> int:
    """How many texts to try after so many were refused with these words, 1 at least.

    The number that the provider states, else the largest limit of a known provider below, else half.
    """
    stated = (int(found["number"]) for found in _STATED.finditer(said))
    known = (most for most in sorted({*_BY_HOST.values(), *_BY_MODEL.values()}, reverse=True) if most < sent)
    return next((number for number in stated if 1 <= number < sent), None) or next(known, sent // 2)
