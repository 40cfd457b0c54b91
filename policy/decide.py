"""Why to stop: one typed reason, by the precedence of DESIGN section 5. Routes read what a node wrote from here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, get_args

from policy import budget, conflicts, inquiry, ledger
from policy.modes import way_of
from state import Dials, NodeName, RAGState, Status, StopReason

Rule = Callable[[RAGState, Dials, float], bool]

PRECEDENCE: Final[tuple[StopReason, ...]] = get_args(StopReason)
"""Of several reasons the first of these counts: the type lists them in the order of the design."""


def _direct(state: RAGState, dials: Dials, now: float) -> bool:
    return not state["need_retrieval"]


def _empty_corpus(state: RAGState, dials: Dials, now: float) -> bool:
    return state["visible_chunks"] == 0


def _source_unavailable(state: RAGState, dials: Dials, now: float) -> bool:
    return bool(state["lanes"]) and all(lane["error"] is not None for lane in state["lanes"])


def _sufficient(state: RAGState, dials: Dials, now: float) -> bool:
    return state["relevance_score"] >= dials["threshold"]


def _conflict(state: RAGState, dials: Dials, now: float) -> bool:
    """A conflict had its one round, and no other gap is worth one."""
    return _disputed(state) and not conflicts.worth_a_round(state["gaps"], state["conflicts"], state["retry_count"])


def _conflict_untried(state: RAGState, dials: Dials, now: float) -> bool:
    return _disputed(state) and _nothing_new_to_try(state, dials, now)


def _disputed(state: RAGState) -> bool:
    """Whether a required sub-question is in conflict after the one round that this was worth."""
    held = {c["sub_question_id"] for c in state["conflicts"] if conflicts.had_its_round(c, state["retry_count"])}
    return any(gap["kind"] == "conflict" and gap["sub_question_id"] in held for gap in state["gaps"])


def _nothing_new_to_try(state: RAGState, dials: Dials, now: float) -> bool:
    return state["retry_count"] > 0 and not state["rewritten_queries"]


def _single_pass(state: RAGState, dials: Dials, now: float) -> bool:
    """One pass by its mode, or what was recorded, judged anew."""
    return not way_of(state).rounds or bool(state.get("rejudged"))


def _barren(state: RAGState, dials: Dials, now: float) -> bool:
    return way_of(state).rounds and state["spent"]["barren_rounds"] >= dials["max_barren_rounds"]


def _max_retries(state: RAGState, dials: Dials, now: float) -> bool:
    return way_of(state).rounds and state["retry_count"] >= dials["max_retries"]


def _no_grading(state: RAGState, dials: Dials, now: float) -> bool:
    return _call_budget(state, dials, before_the_answer=1)


def _no_round(state: RAGState, dials: Dials, now: float) -> bool:
    return _call_budget(state, dials, before_the_answer=2)


def _call_budget(state: RAGState, dials: Dials, *, before_the_answer: int) -> bool:
    # A reasoner that has called no model by now, as the offline one, needs no share kept back for its answer.
    calls = state["spent"]["model_calls"]
    no_call = calls > 0 and calls + before_the_answer + 1 > dials["max_model_calls"]
    return budget.searches_left(state) == 0 or no_call


def _token_budget(state: RAGState, dials: Dials, now: float) -> bool:
    spent = budget.tokens_spent(state["spent"])
    return spent > 0 and spent >= dials["max_tokens"] - budget.generate_tokens(dials)


def _deadline(state: RAGState, dials: Dials, now: float) -> bool:
    return budget.time_left(state, now) <= budget.generate_seconds(dials)


def _tools_given_up(state: RAGState, dials: Dials, now: float) -> bool:
    return inquiry.inquiry_of(state)["ended"] in ("gave_up", "barren")


def _tools_over(state: RAGState, dials: Dials, now: float) -> bool:
    return inquiry.is_over(state)


def _no_tool_call(state: RAGState, dials: Dials, now: float) -> bool:
    spent = state["spent"]["tool_calls"] >= dials["max_tool_calls"]
    return spent or inquiry.inquiry_of(state)["ended"] == "call_budget"


def _no_way_back(state: RAGState, dials: Dials, now: float) -> bool:
    """The way back to the agent takes a choice and a grading before the answer."""
    calls = state["spent"]["model_calls"]
    return _no_tool_call(state, dials, now) or (calls > 0 and calls + 3 > dials["max_model_calls"])


def _no_tokens_for_tools(state: RAGState, dials: Dials, now: float) -> bool:
    return inquiry.inquiry_of(state)["ended"] == "token_budget" or _token_budget(state, dials, now)


def _no_time_for_tools(state: RAGState, dials: Dials, now: float) -> bool:
    return inquiry.inquiry_of(state)["ended"] == "deadline" or _deadline(state, dials, now)


RULES: Final[dict[NodeName, tuple[tuple[StopReason, Rule], ...]]] = {
    "route": (("direct", _direct), ("empty_corpus", _empty_corpus)),
    "rewrite": (
        ("conflict", _conflict_untried),
        ("no_new_evidence", _nothing_new_to_try),
        ("call_budget", _no_grading),
        ("token_budget", _token_budget),
        ("deadline", _deadline),
    ),
    "agent": (
        ("no_new_evidence", _tools_given_up),
        ("call_budget", _no_tool_call),
        ("token_budget", _no_tokens_for_tools),
        ("deadline", _no_time_for_tools),
    ),
    "evaluate": (
        ("source_unavailable", _source_unavailable),
        ("sufficient", _sufficient),
        ("conflict", _conflict),
        ("no_new_evidence", _barren),
        ("single_pass", _single_pass),
        ("max_retries", _max_retries),
        ("call_budget", _no_round),
        ("token_budget", _token_budget),
        ("deadline", _deadline),
    ),
}
"""What each node that can stop asks, in order. A rule stands only where its facts are known."""

AFTER_TOOLS: Final[tuple[tuple[StopReason, Rule], ...]] = (
    ("source_unavailable", _source_unavailable),
    ("sufficient", _sufficient),
    ("conflict", _conflict),
    ("no_new_evidence", _tools_over),
    ("no_new_evidence", _barren),
    ("single_pass", _single_pass),
    ("max_retries", _max_retries),
    ("call_budget", _no_way_back),
    ("token_budget", _no_tokens_for_tools),
    ("deadline", _no_time_for_tools),
)
"""What evaluate asks in agent mode, where the way back leads to the agent."""


LEFT_OPEN: Final = ("conflict", "no_new_evidence", "single_pass")
"""What nobody knows after a call that was lost."""


def decide(
    state: RAGState, dials: Dials, now: float, *, at: NodeName, lost: StopReason | None = None
) -> StopReason | None:
    """The first reason that applies after node `at` has done its work, or None to go on.

    `lost` is why a call of this node was not made or did not come back. It takes its own place in the precedence, and
    leaves open whether there was anything new, or anything that settles a conflict, or what one pass would have
    established. A conflict that its round did not settle
    is the reason for a stop, whichever budget ended the search for the rest.
    """
    rules = AFTER_TOOLS if at == "evaluate" and way_of(state).tools else RULES[at]
    reasons = [reason for reason, applies in rules if applies(state, dials, now)]
    if reasons and at == "evaluate" and _disputed(state):
        reasons.append("conflict")
    if lost:
        reasons = [lost, *(reason for reason in reasons if reason not in LEFT_OPEN)]
    return min(reasons, key=PRECEDENCE.index, default=None)


def status(state: RAGState) -> Status:
    """What the reply says of itself, from the stop reason and the ledger."""
    match state["stop_reason"]:
        case "cancelled":
            return "cancelled"
        case "human" | "direct" | "sufficient":
            return "answered"
        case "empty_corpus":
            return "insufficient"
        case "source_unavailable":
            return "partial" if tells_a_part(state) else "failed"
        case "conflict":
            return "partial"
        case _:
            return "partial" if tells_a_part(state) else "insufficient"


def tells_a_part(state: RAGState) -> bool:
    """Whether a part of what the answer must establish is established, or in conflict: then both sides are shown."""
    required = {question["id"] for question in state["sub_questions"] if question["required"]}
    shown = any(c["sub_question_id"] in required and c["sides"] for c in state["conflicts"])
    return shown or _any_required_confirmed(state)


def _any_required_confirmed(state: RAGState) -> bool:
    established = ledger.confirmed(
        state["sub_questions"], state["ledger"], state["conflicts"], state["dials"]["threshold"]
    )
    return any(q["required"] for q in established)
