"""An embeddings endpoint as a patient: the way there, texts as strings, how many at once, what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

import errors
from context.doctor.address import look_at
from context.doctor.door import Door, is_late, status_of
from context.doctor.findings import Finding, Step
from context.reasoning import Usage
from corpus.embeddings.openai import OpenAIEmbedder
from corpus.store.fingerprints import recorded_embedder

PREFIX: Final = "GAPSEEK_EMBEDDINGS"
BATCH: Final = "GAPSEEK_EMBEDDINGS_BATCH"
TEXT: Final = "电梯维修费由谁承担？ Who pays for the lift?"
SAME: Final = 0.999
"""Cosine of two vectors of one text: servers that batch round differently in the fourth decimal."""

_MALFORMED: Final = (AttributeError, LookupError, TypeError, ValueError)


class EmbeddingsPatient:
    """`url` is the address that the embedder was given or would take by itself; `store` is the document store."""

    target = "embeddings"
    spent: Sequence[Usage] = ()
    expects = 0

    def __init__(self, embedder: OpenAIEmbedder, url: str, has_key: bool, store: Path) -> None:
        self._embedder = embedder
        self._url = url
        self._has_key = has_key
        self._store = store
        self._error: errors.GapseekError | None = None
        self.steps: Sequence[Step] = (
            Step("address", self.address),
            Step("reach", self.reach, ("address",)),
            Step("auth", self.auth, ("reach",)),
            Step("model", self.model, ("auth",)),
            Step("strings", self.strings, ("model",)),
            Step("batch", self.batch, ("strings",)),
            Step("dimension", self.dimension, ("strings",)),
            Step("stable", self.stable, ("strings",)),
        )

    def uses(self) -> dict[str, Any]:
        return {
            "embedder": self._embedder.name,
            "batch": self._embedder.batch,
            "dimension": self._embedder.dimension or None,
        }

    async def address(self) -> Finding:
        return look_at(self._url, f"{PREFIX}__BASE_URL")

    async def reach(self) -> Finding:
        """The first call, of one text, answers for the steps after it too."""
        try:
            await self._embedder.learn_dimension()
        except errors.GapseekError as error:
            self._error = error
        return self._door.reach()

    async def auth(self) -> Finding:
        return self._door.auth()

    async def model(self) -> Finding:
        if status_of(self._error) == 404:
            sentence = "The embeddings endpoint does not know this model or this address."
            return Finding("fail", sentence, f"{PREFIX}__MODEL", "a name that it knows; or the address up to /v1")
        return Finding("ok", "The embeddings endpoint says nothing against the model.")

    async def strings(self) -> Finding:
        """Texts go out as strings, numbers come back: floats or base64, as the client reads them."""
        if self._error is None:
            return Finding("ok", "A text sent as a string gives a vector.")
        status = status_of(self._error)
        if status in (400, 413, 422):
            sentence = "The embeddings endpoint refuses a text sent as a string."
            return Finding("fail", sentence, f"{PREFIX}__MODEL", "a model for embeddings of text")
        if status is not None:
            return Finding("fail", f"The embeddings endpoint answers with status {status}.")
        if is_late(self._error):
            return Finding("fail", "No vector comes in time.", f"{PREFIX}__TIMEOUT_S", "more seconds than now")
        sentence = "The embeddings endpoint answers without a vector that can be read."
        return Finding("fail", sentence, f"{PREFIX}__MODEL", "a model for embeddings, at an address ending in /v1")

    async def batch(self) -> Finding:
        """As many texts in one request as Gapseek would send."""
        wanted = self._embedder.batch
        try:
            await self._embedder.passages([f"{number}. {TEXT}" for number in range(wanted)])
        except errors.GapseekError:
            sentence = f"{wanted} short texts cannot be embedded, though one can."
            return Finding("fail", sentence, BATCH, "fewer, such as 10")
        taken = self._embedder.batch
        if taken < wanted:
            sentence = (
                f"The endpoint takes {taken} texts in a request and not {wanted}: each start finds that out anew."
            )
            return Finding("warn", sentence, BATCH, str(taken))
        return Finding("ok", f"{wanted} texts go into a request.")

    async def dimension(self) -> Finding:
        """The same model and length as the vectors that the index holds."""
        name, length = self._embedder.name, self._embedder.dimension
        try:
            held = recorded_embedder(self._store)
        except errors.GapseekError as error:
            return Finding("fail", error.sentence)
        return compared(held, name, length)

    async def stable(self) -> Finding:
        """One text twice: behind one name there may be two models."""
        try:
            first, again = [await self._embedder.queries([TEXT]) for _ in range(2)]
        except errors.GapseekError as error:
            return Finding("fail", f"Of one text no vector comes: {error.sentence}")
        if float(np.sum(first * again)) < SAME:
            sentence = "One text twice gives two vectors: searches would find what they find by chance."
            return Finding("fail", sentence, f"{PREFIX}__MODEL", "a model that one name stands for")
        return Finding("ok", "One text twice gives the same vector.")

    async def aclose(self) -> None:
        await self._embedder.close()

    @property
    def _door(self) -> Door:
        return Door("The embeddings endpoint", PREFIX, self._url, self._has_key, self._error)


def compared(held: tuple[str, int] | None, name: str, length: int) -> Finding:
    """What the index holds (name and dimension, None without one) against what is set."""
    if held is None:
        return Finding("ok", f"Vectors have {length} numbers; there is no index yet that they must fit.")
    if held == (name, length):
        return Finding("ok", f"Vectors have {length} numbers, as those of the index.")
    told = f"The index holds vectors of {held[0]} with {held[1]} numbers, and {name} with {length} is set"
    return Finding(
        "fail", f"{told}: no start until they agree.", f"{PREFIX}__MODEL", "the former, or run `gapseek reindex`"
    )
