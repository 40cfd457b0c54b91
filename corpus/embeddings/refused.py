"""Texts that an endpoint gives no vector for, while it does for others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import errors
from context.retrieval import Embedder, Vectors

TEXT_REFUSED: Final = "text_refused"
"""The error's code when it is the texts that cannot be embedded, now or later."""
_NAMED: Final = 3
_SHOWN_CHARACTERS: Final = 30


class TextsRefused(errors.Unavailable):
    """`texts` are those that have no vector; all others that were asked for with them can be had at no further cost."""

    retryable = False

    def __init__(self, texts: Sequence[str], embedder: str) -> None:
        super().__init__(
            f"The embeddings endpoint gave no vector for {_named(texts)} for {embedder}.", code=TEXT_REFUSED
        )
        self.texts = tuple(texts)
        self.embedder = embedder

    def among(self, texts: Collection[str]) -> TextsRefused:
        """The same of these texts alone."""
        return TextsRefused([text for text in self.texts if text in texts], self.embedder)


async def passages_taken(embedder: Embedder, texts: Mapping[str, str]) -> tuple[dict[str, Vectors], list[str]]:
    """Vectors by key of all texts that the embedder takes, and the texts that it does not.

    Raises `errors.Unavailable` when it fails otherwise.
    """
    refused: tuple[str, ...] = ()
    try:
        vectors = await embedder.passages(list(texts.values()))
    except TextsRefused as error:
        refused = error.texts
        texts = {key: text for key, text in texts.items() if text not in refused}
        vectors = await embedder.passages(list(texts.values()))
    return dict(zip(texts, vectors, strict=True)), list(refused)


def _named(texts: Sequence[str]) -> str:
    """The beginnings of some texts, so that their author recognises them."""
    beginnings = ", ".join(f"“{text[:_SHOWN_CHARACTERS]}”" for text in texts[:_NAMED])
    if len(texts) == 1:
        return f"the text that begins {beginnings}"
    more = f" and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return f"the texts that begin {beginnings}{more}"
