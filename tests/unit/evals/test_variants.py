from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.retrieval import Principal
from context.run import Context
from errors import BadRequest
from evals.studies import STUDIES, expanded
from evals.variants import DIALS, FEEDBACK, QUESTION, RERANK, Variant, turned, variant
from runs import engine, modes
from tests.fakes.index import MemoryIndex
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.run import dials
from tests.unit.evals.records import record

PARTS = st.lists(st.sampled_from([QUESTION, FEEDBACK, RERANK]), unique=True)
THRESHOLDS = st.integers(50, 100).map(lambda n: n / 100)


def deployed() -> Context:
    return Context(ScriptedReasoner(), MemoryIndex({}), time.time, Principal(), dials())


@given(PARTS, THRESHOLDS, st.integers(0, 20))
def test_a_name_says_all_of_a_variant(parts: list[str], threshold: float, retries: int) -> None:
    made = Variant("loop", tuple(parts), (("threshold", threshold), ("max_retries", retries)))
    assert variant(made.name) == made


def test_dials_are_set_and_the_budget_stays() -> None:
    found = variant("loop@threshold=0.6@max_retries=1@top_k=12").given(deployed()).dials
    assert found == {**dials(), "threshold": 0.6, "max_retries": 1, "top_k": 12}
    assert set(DIALS).isdisjoint({"max_tokens", "max_model_calls", "max_searches", "deadline_s"})
    assert variant("first_round").given(deployed()).dials == {**dials(), "max_retries": 0}


def test_a_plain_variant_changes_nothing() -> None:
    context = deployed()
    assert variant("loop").given(context) == context
    assert (variant("loop").plain, variant("loop-feedback").plain, variant("loop@top_k=3").plain) == (
        True,
        False,
        False,
    )


def test_what_is_taken_out_is_taken_out_anew_for_each_ask() -> None:
    context = deployed()
    one, two = (variant("loop-feedback").given(context) for _ in range(2))
    assert one.reasoner is not context.reasoner
    assert one.retriever is not two.retriever


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("loops", "no mode named 'loops'; there are bm25"),
        ("", "no mode named ''"),
        ("loop-memory", "'memory' cannot be taken out of a mode; these can: question"),
        ("loop@max_tokens=1", "'max_tokens' is no dial of a variant; these are: threshold"),
        ("loop@threshold=0.2", "'threshold=0.2': Input should be greater than or equal to 0.5"),
        ("loop@threshold", "'threshold': Input should be a valid number"),
        ("loop@top_k=x", "'top_k=x'"),
    ],
)
def test_a_name_that_means_nothing_is_refused_with_what_there_is(name: str, said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        variant(name)


def test_without_rerank_there_is_nothing_to_leave_out() -> None:
    with pytest.raises(BadRequest, match="set GAPSEEK_RERANK__KIND"):
        variant("loop-rerank").given(deployed())
    index = MemoryIndex({})
    index.reranker_name = "embedding"
    context = Context(ScriptedReasoner(), index, time.time, Principal(), dials())
    assert variant("loop-rerank").given(context).retriever.reranker_name is None


def test_a_mode_that_is_not_built_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (engine, modes):
        monkeypatch.setattr(module, "MODES", ("loop",))
    with pytest.raises(BadRequest, match="not built"):
        variant("hybrid").given(deployed())
    assert expanded("ladder", reranks=True) == ("loop-feedback@max_retries=1", "loop")


def test_a_study_stands_for_its_variants() -> None:
    assert expanded("loop, ablation,loop", reranks=False) == ("loop", "loop-question", "loop-feedback")
    assert expanded("ablation", reranks=True) == STUDIES["ablation"]
    assert len(expanded("sweep", reranks=False)) == 20
    with pytest.raises(BadRequest, match="no mode named 'sweeps'"):
        expanded("sweeps", reranks=False)


def test_only_the_loop_with_just_these_dials_set_is_a_point() -> None:
    names = ("loop", "loop@top_k=3", "loop-feedback@top_k=3", "loop@top_k=3@threshold=0.7", "hybrid")
    assert list(turned([record(mode=name) for name in names], ("top_k",))) == ["loop@top_k=3"]
