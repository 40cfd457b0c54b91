"""The last guard before anything is shown: no key and no password of the settings gets through."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote, urlsplit

from settings import Settings

_HIDDEN: Final = "***"
_SHORTEST: Final = 4
"""Characters: a shorter key ("none", "x" for a local server) would hide parts of words."""


class Scrub:
    """Takes every secret of the settings out of a text."""

    def __init__(self, settings: Settings) -> None:
        found = {secret for secret in _secrets(settings) if len(secret) > _SHORTEST}
        self._secrets = sorted(found, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return text


def _secrets(settings: Settings) -> Iterator[str]:
    """Keys; passwords of addresses as written, decoded, and as the header has them."""
    for endpoint in (settings.chat, settings.small_chat, settings.embeddings, settings.rerank):
        if endpoint.api_key:
            yield endpoint.api_key.get_secret_value()
        pair = _credentials(endpoint.base_url or "")
        if pair:
            yield from (pair, unquote(pair), b64encode(unquote(pair).encode()).decode())
            password = pair.partition(":")[2]
            yield from (password, unquote(password))


def _credentials(url: str) -> str:
    try:
        return urlsplit(url).netloc.rpartition("@")[0]
    except ValueError:  # an address that cannot be read is never shown
        return ""
