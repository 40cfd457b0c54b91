"""Documents in and out, and bare searches."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field

from api.plain import PlainObject, Text
from api.schemas.body import MOST_ITEMS, Body
from api.schemas.replies import Shown
from corpus.documents import LONGEST_ID, NewDocument
from runs.modes import SEARCH_MODES
from state import Stage

MOST_DOCUMENTS: Final = 1_000
"""In one request, as JSON or as files."""


class Access(Body):
    """Who may see a document; an empty list of groups: everybody of the tenant."""

    groups: Annotated[list[Text], Field(max_length=MOST_ITEMS)]


class DocumentBody(Body):
    """One document. A `doc_id` that exists gets a new version."""

    doc_id: Text = Field(examples=["policies/leave.md"], json_schema_extra={"minLength": 1, "maxLength": LONGEST_ID})
    title: Text | None = Field(default=None, examples=["Leave policy"])
    text: Text = Field(description="Plain text or Markdown.")
    metadata: PlainObject = Field(default_factory=dict, examples=[{"year": 2024}])
    access: Access | None = Field(
        default=None, description="Without it a known document keeps the access it has, and a new one is open."
    )

    def document(self) -> NewDocument:
        groups = frozenset(self.access.groups) if self.access else None
        return NewDocument(self.doc_id, self.text, self.title, self.metadata, groups)


class DocumentsBody(Body):
    """Documents to index, each on its own: one that fails does not stop the others."""

    documents: Annotated[list[DocumentBody], Field(min_length=1, max_length=MOST_DOCUMENTS)]

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "documents": [
                        {
                            "doc_id": "policies/leave.md",
                            "title": "Leave policy",
                            "text": "# Leave\n\nEmployees have 20 days of paid leave a year.",
                            "metadata": {"year": 2024},
                        }
                    ]
                }
            ]
        }
    )


class UploadFields(Body):
    """What stands beside the files of a form; a file's own front matter goes before it."""

    metadata: PlainObject = Field(default_factory=dict)
    access: Access | None = None
    doc_ids: list[Text] = Field(default_factory=list, max_length=MOST_DOCUMENTS)

    def groups(self) -> frozenset[str] | None:
        return frozenset(self.access.groups) if self.access else None


class ShownOutcome(Shown):
    doc_id: str
    result: Literal["added", "updated", "unchanged", "failed"]
    chunks: int
    sentence: str | None = Field(description="Why it failed, or what failed although it did not.")
    found: str | None = Field(
        description="What a new version states about itself: year 2024 (rules), place 上海市 (model)."
    )
    code: str | None = Field(description="Of the error that made it fail; `unavailable`: trying again can help.")
    notes: list[str] = Field(description="What to know of it although it did not fail, such as who sees it.")


class Outcomes(Shown):
    documents: list[ShownOutcome]


class ShownDocument(Shown):
    doc_id: str
    version: str
    title: str
    metadata: dict[str, Any]
    groups: list[str]
    chunks: int


class Documents(Shown):
    """One page of the list, by doc_id."""

    documents: list[ShownDocument]
    total: int = Field(description="In all of the list.")
    next: str | None = Field(description="The `after` of the next page; null on the last one.")


class SearchBody(Body):
    """A bare search: no reasoning, no answer."""

    query: Text = Field(examples=["电梯 维修费"], json_schema_extra={"minLength": 1})
    filters: PlainObject | None = Field(default=None, examples=[{"year": 2024}])
    mode: Text = Field(
        default="hybrid",
        description="bm25 (keywords), naive (vectors), hybrid (both), bm25_rerank (20 by keyword, re-ordered by "
        "embedding) or hybrid_rerank (re-ordered by the deployment's reranker, else by embedding).",
        json_schema_extra={"enum": list(SEARCH_MODES)},
    )
    k: Annotated[int, Field(ge=1, le=100)] | None = Field(
        default=None, description="How many hits; null for 10, and for 5 in `bm25_rerank`."
    )
    merge: bool = Field(default=False, description="Neighbouring chunks of one document become one hit.")


class ShownRank(Shown):
    query: str
    lane: Stage
    rank: int
    score: float = Field(description="The lane's own score; it orders, and says nothing of relevance by itself.")


class Hit(Shown):
    chunk_id: str
    doc_id: str
    version: str
    title: str
    text: str
    metadata: dict[str, Any]
    rank: int
    lanes: list[ShownRank]
    also_in: list[str] | None = Field(default=None, description="Other documents found to say the same.")
    span: list[int] | None = Field(default=None, description="Start and end in the version's text, of a merged hit.")
    merged: list[str] | None = Field(default=None, description="The chunks of a merged hit, in the text's order.")


class Hits(Shown):
    hits: list[Hit]
    warnings: list[str] | None = Field(default=None, description="What failed while something else answered.")
