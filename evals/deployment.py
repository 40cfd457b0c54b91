"""What of the settings an answer depends on, without a key, a path or an address: to be shown, and as a fingerprint."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from evals import fingerprint
from settings import Settings

_OF_THE_SERVER: Final = {
    *("data", "host", "port", "allowed_hosts", "dictionary", "mode", "handoff", "durability"),
    *("max_body_bytes", "max_upload_bytes", "max_file_bytes", "max_file_pages", "max_file_cells"),
    *("convert_timeout_s", "convert_memory_mb", "keep_versions", "extract_metadata"),
}
"""What changes no answer, or names a place of this machine."""
_HIDDEN: Final = ("api_key", "base_url", "extra_body")
_ENDPOINTS: Final = ("chat", "small_chat", "embeddings", "rerank")


def described(settings: Settings, budget: Mapping[str, Any]) -> dict[str, Any]:
    """Plain JSON. Of an endpoint's address, and of what else is sent to it, there is only a fingerprint."""
    plain = settings.model_dump(mode="json", exclude=_OF_THE_SERVER)
    for name in _ENDPOINTS:
        plain[name] = _endpoint(plain[name])
    words = settings.dictionary.read_bytes() if settings.dictionary and settings.dictionary.is_file() else b""
    return {**plain, "dictionary": sha256(words).hexdigest()[:8] if words else None, "budget": dict(budget)}


def name_of(settings: Settings, budget: Mapping[str, Any]) -> str:
    """The fingerprint of settings and budget."""
    return fingerprint.of(described(settings, budget))


def _endpoint(plain: dict[str, Any]) -> dict[str, Any]:
    shown = {name: value for name, value in plain.items() if name not in _HIDDEN}
    if not plain["model"]:
        return {"model": None, **({"kind": shown["kind"], "depth": shown["depth"]} if "kind" in shown else {})}
    return {**shown, "at": fingerprint.of([plain["base_url"], plain.get("extra_body")])}
