"""What a replay may change in a kept state, and what else must change with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, TypeVar, cast

from pydantic import BaseModel, ConfigDict, StringConstraints, TypeAdapter, ValidationError

from errors import BadRequest
from policy import ledger
from policy.modes import way_of, whole
from state import MAX_SUB_QUESTIONS, Query, RAGState, SubQuestion

EDITABLE: Final = ("question", "sub_questions", "rewritten_queries", "docs", "filters", "mode", "dials")

_MAX_QUERIES: Final = 16

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4_000)]
M = TypeVar("M", bound=BaseModel)


class _SubQuestion(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    text: Text
    required: bool = True
    id: str | None = None


class _Query(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    text: Text
    gap: str | None = None


def with_edits(kept: RAGState, edits: Mapping[str, Any], *, written_by: str, upcoming: str) -> RAGState:
    """The kept state with the edits in it, after node `written_by` and before node `upcoming` ran.

    Question, docs, filters, mode and dials come checked. Raises `BadRequest` for a value that cannot be used, and for
    an edit that nothing after this step would read: to take it silently would look like an effect.
    """
    state = cast(
        RAGState, {**kept, **{name: edits[name] for name in ("docs", "filters", "mode", "dials") if name in edits}}
    )
    if "mode" in edits:
        _check_mode_read(written_by, upcoming)
        if written_by == "route":
            state, upcoming = _planned_as(state, kept), way_of(state).first
    _check_read(state, edits, upcoming)
    if "question" in edits:
        state = cast(RAGState, {**state, "question": edits["question"], "standalone": edits["question"]})
    if "sub_questions" in edits:
        state = _with_checklist(state, _sub_questions(state["sub_questions"], edits["sub_questions"]))
    if "rewritten_queries" in edits:
        state = cast(RAGState, {**state, "rewritten_queries": _queries(state, edits["rewritten_queries"])})
    return state


def _check_mode_read(written_by: str, upcoming: str) -> None:
    """After evaluate, whose reason to stop is found anew, a mode may still open the way back or close it."""
    if upcoming in ("handoff", "generate") and written_by != "evaluate":
        raise BadRequest("'mode' can be edited as long as something is still searched for or judged: not at this step.")


def _planned_as(state: RAGState, kept: RAGState) -> RAGState:
    """The state as the new mode's route leaves it: the checklist is the question, or not written yet."""
    if way_of(state).plans == way_of(kept).plans:
        return state
    questions = [] if way_of(state).plans else whole(state["standalone"])
    return cast(RAGState, {**state, "sub_questions": questions, "rewritten_queries": []})


def _check_read(kept: RAGState, edits: Mapping[str, Any], upcoming: str) -> None:
    before_checklist = upcoming == "route" or (upcoming == "rewrite" and not kept["sub_questions"])
    if "sub_questions" in edits and before_checklist:
        raise BadRequest("'sub_questions' can be edited after the first rewrite, which would replace them here.")
    if "rewritten_queries" in edits and upcoming != "retrieve":
        raise BadRequest("'rewritten_queries' can be edited only right after a rewrite, before they are searched for.")
    if "docs" in edits and upcoming != "evaluate":
        raise BadRequest("'docs' can be edited only right after a retrieve, before they are judged.")
    late = [name for name in ("question", "filters") if name in edits and upcoming != "route"]
    if late:
        raise BadRequest(
            f"'{late[0]}' can be edited at the step 'start' only: what was found after it belongs to the recorded one."
        )


def _sub_questions(known: Sequence[SubQuestion], wanted: Any) -> list[SubQuestion]:
    """The new checklist; one that keeps its text, or names its id, keeps its id."""
    items = _parsed(_SubQuestion, "sub_questions", wanted, MAX_SUB_QUESTIONS)
    by_text = {q["text"]: q["id"] for q in known}
    taken = {q["id"] for q in known}
    checklist: list[SubQuestion] = []
    for item in items:
        name = item.id if item.id in taken else by_text.get(item.text)
        if name is None:
            name = next(f"q{n}" for n in range(1, 100) if f"q{n}" not in taken)
        taken.add(name)
        checklist.append({"id": name, "text": item.text, "required": item.required})
    if len({q["id"] for q in checklist}) < len(checklist):
        raise BadRequest("Two of the 'sub_questions' are the same.")
    if not any(q["required"] for q in checklist):
        raise BadRequest("At least one of the 'sub_questions' must be required.")
    return checklist


def _with_checklist(state: RAGState, checklist: list[SubQuestion]) -> RAGState:
    """The state with a new checklist; what was found for a sub-question stays only if that is still the same."""
    texts = {q["id"]: q["text"] for q in state["sub_questions"]}
    kept = {q["id"] for q in checklist if texts.get(q["id"]) == q["text"]}
    entries = ledger.record(checklist, [entry for entry in state["ledger"] if entry["sub_question_id"] in kept], ())
    conflicts = [conflict for conflict in state["conflicts"] if conflict["sub_question_id"] in kept]
    ids = {q["id"] for q in checklist}
    changed = {
        "sub_questions": checklist,
        "ledger": entries,
        "conflicts": conflicts,
        "graded": [pair for pair in state["graded"] if pair["sub_question_id"] in kept],
        "strategies": [one for one in state.get("strategies", ()) if one["sub_question_id"] in kept],
        "gaps": ledger.gaps(checklist, entries, conflicts, state["tried"], state["dials"]["threshold"]),
        "relevance_score": ledger.relevance_score(checklist, entries, conflicts),
        "rewritten_queries": [
            query if query["gap"] in ids else {**query, "gap": None} for query in state["rewritten_queries"]
        ],
    }
    return cast(RAGState, {**state, **changed})


def _queries(state: RAGState, wanted: Any) -> list[Query]:
    ids = [q["id"] for q in state["sub_questions"]]
    queries = _parsed(_Query, "rewritten_queries", wanted, _MAX_QUERIES)
    for query in queries:
        if query.gap is not None and query.gap not in ids:
            raise BadRequest(f"A query's 'gap' must be one of: {', '.join(ids)}, or null.")
    return [{"text": query.text, "gap": query.gap} for query in queries]


def _parsed(model: type[M], name: str, wanted: Any, most: int) -> list[M]:
    try:
        items = TypeAdapter(list[model]).validate_python(wanted)  # type: ignore[valid-type]  # the model is a parameter
    except ValidationError as error:
        raise BadRequest(f"'{name}' must be a list of objects with a 'text': {_first(error)}.") from error
    if not 1 <= len(items) <= most:
        raise BadRequest(f"'{name}' must have 1 to {most} entries.")
    return items


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(step) for step in problem["loc"])
    return f"{place}: {problem['msg']}" if place else problem["msg"]
