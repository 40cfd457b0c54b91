"""The modes of an ask, as a caller sees them: which are built, which can be used here, and what each does and costs."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, Final, cast, get_args

from context.retrieval import Principal, Retriever, SearchRequest
from errors import BadRequest
from policy.inquiry import RETURNS
from policy.modes import SEARCHES, WAYS, Way, asked
from runs.engine import MODES, Engine
from state import Language, Mode

SUMMARY: Final[dict[Mode, dict[Language, str]]] = {
    "bm25": {
        "en": "One search by keywords for the question as it is.",
        "zh": "按关键词对原问题检索一次。",
    },
    "naive": {
        "en": "One search by vectors for the question as it is.",
        "zh": "按向量对原问题检索一次。",
    },
    "bm25_rerank": {
        "en": "20 hits by keywords, re-ordered by embedding, of which the best 5 are kept.",
        "zh": "按关键词取 20 条，用向量重新排序，保留前 5 条。",
    },
    "hybrid": {
        "en": "One search by keywords and vectors, fused.",
        "zh": "关键词与向量同时检索一次，再融合排序。",
    },
    "hybrid_rerank": {
        "en": "As hybrid, the best hits re-ordered by the deployment's reranker, or else by embedding.",
        "zh": "同 hybrid，再由部署的重排模型（没有则用向量）对靠前的结果重新排序。",
    },
    "self_query": {
        "en": "A checklist of what the answer must establish and queries for it, searched and judged once.",
        "zh": "先列出答案须查明的要点并为其拟定检索词，检索并评估一次。",
    },
    "loop": {
        "en": "As self_query, and then further rounds aimed at exactly what is missing, as long as they pay.",
        "zh": "同 self_query，并针对仍缺的内容继续检索，直到足够或不再有收获。",
    },
    "agent": {
        "en": "The model chooses its tools step by step; the ledger decides whether that was enough.",
        "zh": "由模型逐步选择工具；是否足够由证据台账判定。",
    },
}

NOT_BUILT: Final = "This mode is not built yet."
NO_VECTORS: Final = "The vector lane is off: there is no embedder."
KEYWORDS_ALONE: Final = "The vector lane is off, so only keywords are searched."
NOT_REORDERED: Final = "Hits keep their order: there is no reranker and no embedder."

SEARCH_MODES: Final = tuple(SEARCHES)
"""Those that are one search, and nothing else."""


def checked_mode(mode: Any) -> Mode:
    """The mode, if it is built. Raises `BadRequest` with the list of those that are."""
    if mode not in MODES:
        raise BadRequest(f"The mode '{mode}' is not built yet; these are: {', '.join(MODES)}.")
    return cast(Mode, mode)


def checked_search_mode(mode: str) -> Mode:
    """The mode, if it is one search. Raises `BadRequest` with the list of those that are."""
    if mode not in SEARCHES:
        raise BadRequest(f"The mode '{mode}' is not built yet for a search; these are: {', '.join(SEARCHES)}.")
    return mode


def in_mode(mode: Mode, request: SearchRequest, k: int | None) -> SearchRequest:
    """The request as the mode searches; without `k` it keeps as many hits as the mode, or else the request, says."""
    way = SEARCHES[mode]
    return replace(request, **asked(way, configured=False), top_k=k or way.top_k or request.top_k)


def refuse_unusable(mode: Mode, retriever: Retriever) -> None:
    """Raises `BadRequest` for a mode of which this deployment can search nothing, with those that it can."""
    if (why := why_not(WAYS[mode], retriever)) is not None:
        usable = [name for name, way in WAYS.items() if why_not(way, retriever) is None]
        raise BadRequest(
            f"The mode '{mode}' cannot be used here. {why} These can: {', '.join(usable)}.", code="mode_unavailable"
        )


def why_not(way: Way, retriever: Retriever) -> str | None:
    """The sentence why nothing can be searched in this way, None when something can."""
    return NO_VECTORS if way.lanes == ("vector",) and retriever.embedder_name is None else None


def described(engine: Engine, principal: Principal) -> dict[str, Any]:
    """Every mode, built or not, with what it does and costs here."""
    return {"default": engine.mode, "modes": [_described(mode, engine, principal) for mode in get_args(Mode)]}


def _described(mode: Mode, engine: Engine, principal: Principal) -> dict[str, Any]:
    about = {"mode": mode, "summary": SUMMARY[mode], "default": mode == engine.mode}
    if mode not in WAYS:
        return {**about, "available": False, "why_not": NOT_BUILT, "degraded": [], "search": None, "path": None}
    context, way = engine.context_for(principal), WAYS[mode]
    why = why_not(way, context.retriever)
    return {
        **about,
        "available": why is None,
        "why_not": why,
        "degraded": [] if why else degraded(way, context.retriever),
        "search": {name: value for name, value in asdict(way).items() if name in _SEARCH},
        "path": _path(way, context.dials["max_retries"]),
    }


def degraded(way: Way, retriever: Retriever) -> list[str]:
    """What this deployment leaves out of a mode that it can use."""
    if retriever.embedder_name is not None:
        return []
    reordering = way.rerank == "by_embedding" or (way.rerank == "always" and retriever.reranker_name is None)
    return [*([KEYWORDS_ALONE] if "vector" in way.lanes else []), *([NOT_REORDERED] if reordering else [])]


def _path(way: Way, max_retries: int) -> dict[str, Any]:
    """The nodes of one round; how many rounds there may be; and what a model, where there is one, is asked for."""
    planned = ["rewrite"] if way.plans else []
    if way.tools:
        return _path_of_tools(max_retries)
    return {
        "nodes": ["route", *planned, "retrieve", "evaluate", "generate"],
        "back_to": "rewrite" if way.rounds else None,
        "rounds_at_most": 1 + max_retries if way.rounds else 1,
        "searches_each_round": "one a query" if way.plans else "one",
        "model_calls": {"once": ["route", "answer"], "each_round": [*planned, "grade"]},
    }


def _path_of_tools(max_retries: int) -> dict[str, Any]:
    """One way back to the tools; a step is a tool call, and the choice of it a model call."""
    return {
        "nodes": ["route", "rewrite", "agent", "evaluate", "generate"],
        "back_to": "agent",
        "rounds_at_most": 1 + min(RETURNS, max_retries),
        "searches_each_round": "as the model chooses",
        "model_calls": {"once": ["route", "rewrite", "answer"], "each_round": ["one a tool call", "grade"]},
    }


_SEARCH: Final = ("lanes", "rerank", "rerank_depth", "top_k")
