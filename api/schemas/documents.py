"""One document with all that is kept of it, and what may be corrected about it."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from api.plain import PlainObject, Text
from api.schemas.body import MOST_ITEMS, Body
from api.schemas.replies import Shown
from corpus.correction import Correction


class ShownLayers(Shown):
    """Where the values of `metadata` come from; a later layer goes over an earlier one."""

    extracted: dict[str, Any] = Field(description="Found in the document.")
    given: dict[str, Any] = Field(description="By the uploader, or in the front matter.")
    set: dict[str, Any] = Field(description="By hand; no ingest overwrites them.")


class ShownAccess(Shown):
    given: list[str] = Field(description="Groups of the last ingest.")
    set: list[str] | None = Field(description="Groups set by hand, which hold instead; null when there are none.")


class ShownVersion(Shown):
    version: str
    title: str
    chunks: int
    created: float | None = Field(description="Seconds since the epoch; null for one older than the keeping of times.")
    current: bool


class ShownChunk(Shown):
    chunk_id: str
    heading: str
    text: str
    start: int
    end: int
    metadata: dict[str, Any]


class ShownChunks(Shown):
    version: str
    total: int
    offset: int
    chunks: list[ShownChunk]


class DocumentDetail(Shown):
    doc_id: str
    version: str
    title: str
    metadata: dict[str, Any] = Field(description="What filters see: the layers, merged.")
    groups: list[str]
    chunks: int
    layers: ShownLayers
    access: ShownAccess
    versions: list[ShownVersion] = Field(description="Newest first.")
    shown: ShownChunks = Field(description="Chunks of the version that was asked for.")


class MetadataChange(Body):
    """`set` puts values over those given, null included; `unset` takes values set by hand away again."""

    set: PlainObject = Field(default_factory=dict, examples=[{"year": 2024, "draft": None}])
    unset: list[Text] = Field(default_factory=list, max_length=MOST_ITEMS, examples=[["kind"]])


class AccessChange(Body):
    """Other groups, or back to those of the last ingest. An empty list opens a document to the whole tenant."""

    groups: list[Text] | None = Field(default=None, max_length=MOST_ITEMS, examples=[["hr"]])
    as_given: bool = False


class CorrectionBody(Body):
    """What to correct by hand. The text, and with it the version, stays as it is."""

    metadata: MetadataChange = Field(default_factory=MetadataChange)
    access: AccessChange = Field(default_factory=AccessChange)

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"metadata": {"set": {"year": 2024, "draft": None}, "unset": ["kind"]}},
                {"access": {"groups": ["hr"]}},
            ]
        }
    )

    def correction(self) -> Correction:
        groups = None if self.access.groups is None else frozenset(self.access.groups)
        return Correction(self.metadata.set, frozenset(self.metadata.unset), groups, self.access.as_given)
