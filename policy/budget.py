"""What an ask may still spend. Pure: time comes in as a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from state import Dials, ModelSpent, RAGState, Spent, Tokens
from text.token_estimate import estimate_tokens

BUDGETS: Final = (
    "max_retries",
    "max_searches",
    "max_model_calls",
    "max_tokens",
    "deadline_s",
    "max_barren_rounds",
    "max_tool_calls",
)
"""The names that a caller may lower (DESIGN, section 5)."""

GENERATE_TOKENS: Final = 6_000
"""Tokens kept back for the answer: about 9 sources of 500 characters, the prompt and 1,000 tokens of answer."""
PROMPT_TOKENS: Final = 800
DECISION_TOKENS: Final = 600
ANSWER_TOKENS: Final = 1_000
"""What a call is expected to cost beside its data: our longest prompt, a decision's form, an answer's text."""


class ModelCall(Protocol):
    """What one model call cost."""

    @property
    def model(self) -> str: ...
    @property
    def input_tokens(self) -> int: ...
    @property
    def output_tokens(self) -> int: ...
    @property
    def estimated(self) -> bool: ...
    @property
    def cost(self) -> float | None: ...


def nothing_spent() -> Spent:
    """The counters of a turn that has not begun."""
    return {
        "searches": 0,
        "model_calls": 0,
        "tool_calls": 0,
        "barren_rounds": 0,
        "reported": None,
        "estimated": {"input_tokens": 0, "output_tokens": 0},
        "models": {},
    }


def settle(
    spent: Spent,
    calls: Iterable[ModelCall] = (),
    *,
    searches: int = 0,
    tool_calls: int = 0,
    barren_rounds: int = 0,
) -> Spent:
    """New counters with these calls and searches added; reported and estimated tokens are kept apart."""
    done = list(calls)
    reported = [call for call in done if not call.estimated]
    estimated = [call for call in done if call.estimated]
    before = spent["reported"]
    return {
        "searches": spent["searches"] + searches,
        "model_calls": spent["model_calls"] + len(done),
        "tool_calls": spent["tool_calls"] + tool_calls,
        "barren_rounds": spent["barren_rounds"] + barren_rounds,
        "reported": _add(before or {"input_tokens": 0, "output_tokens": 0}, reported) if reported else before,
        "estimated": _add(spent["estimated"], estimated),
        "models": by_model(spent.get("models", {}), done),
    }


def by_model(models: Mapping[str, ModelSpent], calls: Iterable[ModelCall]) -> dict[str, ModelSpent]:
    """What each model was used for, with these calls added."""
    added = dict(models)
    for call in calls:
        before = added.get(call.model)
        costs = [cost for cost in (before and before["cost"], call.cost) if cost is not None]
        added[call.model] = {
            "calls": (before["calls"] if before else 0) + 1,
            "input_tokens": (before["input_tokens"] if before else 0) + call.input_tokens,
            "output_tokens": (before["output_tokens"] if before else 0) + call.output_tokens,
            "estimated": bool(before and before["estimated"]) or (call.estimated and call.input_tokens > 0),
            "cost": sum(costs) if costs else None,
        }
    return added


def tokens_spent(spent: Spent) -> int:
    """All tokens so far, reported and estimated, sent and received."""
    known: list[Tokens] = [spent["estimated"], *([spent["reported"]] if spent["reported"] else [])]
    return sum(tokens["input_tokens"] + tokens["output_tokens"] for tokens in known)


def time_left(state: RAGState, now: float) -> float:
    """Seconds until the deadline of this ask, never negative."""
    return max(0.0, state["started_at"] + state["dials"]["deadline_s"] - now)


def generate_seconds(dials: Dials) -> float:
    """Seconds kept back for the answer: 3, or a quarter of the deadline if that is more, but never over half of it."""
    return min(max(3.0, 0.25 * dials["deadline_s"]), 0.5 * dials["deadline_s"])


def time_for_call(state: RAGState, now: float) -> float:
    """Longest that a call before the answer may take, in seconds: the time left less the answer's share, or 0."""
    return max(0.0, time_left(state, now) - generate_seconds(state["dials"]))


def generate_tokens(dials: Dials) -> int:
    """Tokens kept back for the answer, but never over half of the budget."""
    return min(GENERATE_TOKENS, dials["max_tokens"] // 2)


def expected_tokens(data: Iterable[str], *, output: int = DECISION_TOKENS) -> int:
    """What a call with these texts in its prompt is expected to cost, in tokens."""
    return PROMPT_TOKENS + sum(map(estimate_tokens, data)) + output


def searches_left(state: RAGState) -> int:
    """Queries that may still be sent."""
    return max(0, state["dials"]["max_searches"] - state["spent"]["searches"])


def _add(tokens: Tokens, calls: Iterable[ModelCall]) -> Tokens:
    spent = list(calls)
    return {
        "input_tokens": tokens["input_tokens"] + sum(call.input_tokens for call in spent),
        "output_tokens": tokens["output_tokens"] + sum(call.output_tokens for call in spent),
    }
