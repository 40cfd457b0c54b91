"""Why a run went on to its next node, as a code and a sentence: read from the state that stood before it. Pure."""

from __future__ import annotations

from typing import Final, TypedDict

from state import Language, RAGState, StopReason
from text.language import language


class Why(TypedDict):
    """`code` is stable; `sentence` says it in the language of the question."""

    code: str
    sentence: str


Said = dict[Language, str]

STOPS: Final[dict[StopReason, Said]] = {
    "cancelled": {"zh": "运行被取消。", "en": "The run was cancelled."},
    "human": {"zh": "已由人工答复。", "en": "A person replied."},
    "direct": {"zh": "无需查阅资料，直接回答。", "en": "Nothing has to be looked up, so it is answered directly."},
    "empty_corpus": {
        "zh": "没有可供查阅的资料，或筛选条件没有匹配到任何文档。",
        "en": "There is nothing that the asker may see, or the filter matches nothing.",
    },
    "source_unavailable": {"zh": "所有检索通道都失败了。", "en": "Every search lane was lost."},
    "sufficient": {
        "zh": "最弱的必答子问题得分 {score:.2f}，达到阈值 {threshold:.2f}。",
        "en": "The weakest required sub-question has {score:.2f}, which reaches the threshold {threshold:.2f}.",
    },
    "conflict": {
        "zh": "资料相互矛盾，专门的一轮也未能化解。",
        "en": "Sources disagree, and the round for that did not settle it.",
    },
    "no_new_evidence": {
        "zh": "没有新的检索可做，或连续 {barren} 轮没有更好的证据；仍缺 {open} 项。",
        "en": "Nothing new is left to try, or {barren} rounds in a row brought no better evidence; {open} still open.",
    },
    "single_pass": {
        "zh": "本次只评判一遍，不再检索；仍缺 {open} 项。",
        "en": "This is judged once, without a way back; {open} still open.",
    },
    "max_retries": {
        "zh": "重试次数已用完（{rounds} 轮）；仍缺 {open} 项。",
        "en": "No retry is left after {rounds} rounds; {open} still open.",
    },
    "call_budget": {
        "zh": "检索、模型或工具调用次数的预算不足以再来一轮；仍缺 {open} 项。",
        "en": "The budget of searches or calls has no room for more; {open} still open.",
    },
    "token_budget": {
        "zh": "词元预算不足以再来一轮；仍缺 {open} 项。",
        "en": "The budget of tokens has no room for more; {open} still open.",
    },
    "deadline": {"zh": "时间不够再来一轮；仍缺 {open} 项。", "en": "There is no time for more; {open} still open."},
}
"""Why a node that can stop sent the run to its answer."""

PLAIN: Final[dict[str, Said]] = {
    "asked": {
        "zh": "提问开始时先判断是否需要查阅资料。",
        "en": "Every question is first looked at: does it need the documents?",
    },
    "needs_documents": {
        "zh": "需要查阅资料，先列出要查明的事项和检索词。",
        "en": "It needs the documents: first a checklist and queries.",
    },
    "searched_as_asked": {
        "zh": "需要查阅资料；该模式直接用问题本身检索。",
        "en": "It needs the documents, and this mode searches for the question itself.",
    },
    "new_queries": {"zh": "有 {queries} 条检索词要查。", "en": "There are {queries} queries to search for."},
    "tools": {
        "zh": "清单已列出，由智能体逐步使用工具。",
        "en": "The checklist stands; an agent uses tools on it, step by step.",
    },
    "judge": {
        "zh": "找到 {hits} 段，评判其是否回答了子问题。",
        "en": "{hits} hits are to be judged against the checklist.",
    },
    "next_tool": {"zh": "智能体继续使用工具。", "en": "The agent goes on with another tool call."},
    "tools_done": {
        "zh": "智能体的检索结束，评判其记下的内容。",
        "en": "The agent's search has ended; what it noted is judged.",
    },
    "gap": {
        "zh": "仍缺 {open} 项：{gap}（得分 {score:.2f}，低于阈值 {threshold:.2f}），再检索一轮。",
        "en": "{open} still open: {gap} (score {score:.2f}, under the threshold {threshold:.2f}), so another round.",
    },
    "conflict_gap": {
        "zh": "资料就“{gap}”相互矛盾，再为此检索一轮。",
        "en": 'Sources disagree on "{gap}", which is worth one more round.',
    },
    "to_a_person": {
        "zh": "资料不足以回答（{reason}），转请人工答复。",
        "en": "The documents do not suffice ({reason}), so a person is asked.",
    },
    "person_done": {
        "zh": "人工已答复或谢绝，据此作答。",
        "en": "The person has replied or declined, and the turn is closed.",
    },
    "answered": {"zh": "已作答，本轮结束。", "en": "The answer stands; the turn is over."},
}
"""What needs no reason to stop."""


def why_next(state: RAGState, node: str, onward: str | None) -> Why:
    """Why, after `node` (`start` before any) had left this state, `onward` is next; None where nothing is."""
    reason = state["stop_reason"]
    if onward == "generate" and node != "handoff" and reason is not None:
        return _said(reason, STOPS[reason], state)
    code = _code(state, node, onward)
    return _said(code, PLAIN[code], state)


def _code(state: RAGState, node: str, onward: str | None) -> str:
    """The code of an edge that no reason to stop was needed for."""
    if onward is None:
        return "answered"
    if onward == "handoff":
        return "to_a_person"
    if onward == "agent":
        return {"evaluate": _gap(state), "agent": "next_tool"}.get(node, "tools")
    if node == "evaluate":
        return _gap(state)
    return _BY_NODE.get((node, onward), "answered")


_BY_NODE: Final[dict[tuple[str, str], str]] = {
    ("start", "route"): "asked",
    ("route", "rewrite"): "needs_documents",
    ("route", "retrieve"): "searched_as_asked",
    ("rewrite", "retrieve"): "new_queries",
    ("retrieve", "evaluate"): "judge",
    ("agent", "evaluate"): "tools_done",
    ("handoff", "generate"): "person_done",
}


def _gap(state: RAGState) -> str:
    return "conflict_gap" if any(gap["kind"] == "conflict" for gap in state["gaps"][:1]) else "gap"


def _said(code: str, said: Said, state: RAGState) -> Why:
    """The sentence with its numbers in; texts of the state stand in it as they are."""
    numbers = {
        "score": state["relevance_score"],
        "threshold": state["dials"]["threshold"],
        "barren": state["spent"]["barren_rounds"],
        "open": len(state["gaps"]),
        "rounds": state["retry_count"] + 1,
        "queries": len(state["rewritten_queries"]) or 1,
        "hits": len(state["docs"]),
        "gap": state["gaps"][0]["text"] if state["gaps"] else state["standalone"],
        "reason": state["stop_reason"],
    }
    # Of a turn that has just begun nobody has told the language yet.
    spoken = state["language"] if state["timings"] else language(state["question"])
    return {"code": code, "sentence": said[spoken].format(**numbers)}
