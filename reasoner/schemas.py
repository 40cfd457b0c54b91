"""The forms in which a model must reply. A judgement's reason always comes before the judgement.

Every field is asked for and of a plain type: constraints that some endpoints refuse are checked in reading.py instead.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from evidence import Band


class Form(BaseModel):
    """A reply in JSON. Fields that we did not ask for are ignored, since not every endpoint enforces a schema."""

    model_config = ConfigDict(
        extra="ignore",
        json_schema_extra={"additionalProperties": False},
        json_schema_serialization_defaults_required=True,
    )

    @classmethod
    def json_form(cls) -> dict[str, Any]:
        """Its JSON schema, named by the class: that name is what the endpoint sees."""
        # As serialised: a field that may be absent from what we read is required of the endpoint all the same.
        return cls.model_json_schema(mode="serialization")


class RouteForm(Form):
    model_config = ConfigDict(title="route")

    reason: str
    need_retrieval: bool
    standalone: str


class SubQuestionForm(Form):
    text: str
    required: bool


class QueryForm(Form):
    text: str
    sub_question: int


class RewriteForm(Form):
    model_config = ConfigDict(title="rewrite")

    reason: str
    sub_questions: list[SubQuestionForm]
    queries: list[QueryForm]


class RewriteAgainForm(Form):
    model_config = ConfigDict(title="rewrite_again")

    reason: str
    queries: list[QueryForm]


class GradeForm(Form):
    """`passage` and `sub_question` are the numbers that the prompt gave them; they say what is judged."""

    passage: int
    sub_question: int
    reason: str
    quote: str
    band: Band
    score: float


class ContradictionForm(Form):
    """Two passages, by their numbers, that assert different things for one sub-question."""

    sub_question: int
    reason: str
    first: int
    second: int


class GradesForm(Form):
    model_config = ConfigDict(title="grade")

    reason: str
    grades: list[GradeForm]
    contradictions: list[ContradictionForm] = Field(default_factory=list)


class FactForm(Form):
    field: str
    quote: str
    value: str


class ExtractForm(Form):
    model_config = ConfigDict(title="extract")

    reason: str
    facts: list[FactForm]
