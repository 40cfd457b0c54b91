"""How many texts known providers take in one embeddings request."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

UNKNOWN: Final = 64
"""Where nothing is known; a smaller limit is found out by halving what was refused."""

_BY_HOST: Final = {
    "aliyuncs.com": 10,  # DashScope's text-embedding-v3 and v4
    "siliconflow.cn": 32,
    "siliconflow.com": 32,
    "bigmodel.cn": 64,
}
_BY_MODEL: Final = {"text-embedding-v1": 25, "text-embedding-v2": 25}  # DashScope's older ones, at the same host


def most_texts(base_url: str | None, model: str) -> int:
    """The provider's limit as documented in 2026, by the address and, where that is not enough, by the model."""
    host = urlsplit(base_url or "").hostname or ""
    of_host = next((most for known, most in _BY_HOST.items() if host == known or host.endswith(f".{known}")), None)
    if of_host is None:
        return UNKNOWN
    return _BY_MODEL.get(model, of_host)
