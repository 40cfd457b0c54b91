"""Two sources that disagree, from what is found to what is answered: DESIGN sections 4 and 5."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from context.reasoning import AnswerRequest, GradeRequest, Judgement, ProposedQuery, Rewrite, RewriteRequest
from context.retrieval import Passage
from corpus.index import Index
from policy.decide import status
from reasoner.offline import OfflineReasoner
from server import create_app
from settings import Settings
from tests.fakes.machine import Ran, ask
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.retriever import MemoryRetriever, passage
from tests.fakes.service import client_of, grading, opening_index, scripted

ASKED = "how long is footage kept"
LONG = passage("The footage is kept for 30 days.", doc_id="handbook")
SHORT = passage("The footage is kept for 7 days.", doc_id="memo")
NOTICE = passage("Notice of amendment: recordings stay for 90 days.", doc_id="notice")
OTHER = passage("The footage gate is locked for 5 hours.", doc_id="gate")


def dated(of: Passage, **metadata: Any) -> Passage:
    return replace(of, metadata=metadata)


def run(*passages: Passage, reasoner: ScriptedReasoner | None = None, **changed: Any) -> tuple[Ran, ScriptedReasoner]:
    thinking = reasoner or settling()
    return ask(thinking, MemoryRetriever(passages), ASKED, **changed), thinking


def settling(**scripts: Any) -> ScriptedReasoner:
    """Looks for an amendment where a source is disputed; says what the first of its sources says."""

    def rewrite(request: RewriteRequest) -> Rewrite:
        aim = "amendment notice" if request.gaps else f"{request.question} please"
        return Rewrite(((request.question, True),), (ProposedQuery(aim, 1),))

    return scripted(**{"rewrite": rewrite, **scripts})


def told(ran: Ran) -> tuple[str | None, str, int]:
    return ran.state["stop_reason"], status(ran.state), ran.state["retry_count"]


def sides(ran: Ran) -> list[tuple[str, str | None]]:
    return [(side["doc_id"], side.get("value")) for c in ran.state["conflicts"] for side in c["sides"]]


def test_after_one_more_round_both_sides_are_shown() -> None:
    ran, reasoner = run(LONG, SHORT)
    assert told(ran) == ("conflict", "partial", 1)
    assert sides(ran) == [("handbook", "30 days"), ("memo", "7 days")]
    assert [gap["kind"] for gap in ran.state["gaps"]] == ["conflict"]
    assert ran.state["relevance_score"] == 0.0
    assert ran.state["answer"] == (
        "The footage is kept for 30 days [1]. (another source says otherwise)\n"
        f'On "{ASKED}" the sources disagree: "The footage is kept for 30 days" [1]; '
        '"The footage is kept for 7 days" [2].'
    )
    assert [c["doc_id"] for c in ran.state["citations"]] == ["handbook", "memo"]
    (again,) = reasoner.rewrite_requests[1:]
    assert [side["doc_id"] for conflict in again.conflicts for side in conflict["sides"]] == ["handbook", "memo"]


def test_the_newer_source_wins_and_the_answer_says_so() -> None:
    ran, _ = run(dated(LONG, effective_from="1960-01-01"), dated(SHORT, effective_from="1969-01-01"))
    assert told(ran) == ("sufficient", "answered", 0)
    assert ran.state["answer"] == (
        "The footage is kept for 7 days [1].\n"
        'This follows "memo", in force since 1969-01-01 [1]; it replaces the earlier "handbook".'
    )
    assert [c["doc_id"] for c in ran.state["citations"]] == ["memo"]
    marks = {e["doc_id"]: e.get("superseded", {}).get("why") for e in ran.state["ledger"][0]["evidence"]}
    assert marks == {"handbook": "newer", "memo": None}


def test_what_held_on_the_day_that_the_question_names_wins() -> None:
    reasoner, question = settling(), "how long was footage kept in 1965"
    passages = [dated(LONG, effective_from="1960-01-01"), dated(SHORT, effective_from="1969-01-01")]
    ran = ask(reasoner, MemoryRetriever(passages), question)
    assert told(ran) == ("sufficient", "answered", 0)
    assert ran.state["answer"].startswith("The footage is kept for 30 days [1].")
    assert '"memo" takes effect only on 1969-01-01.' in ran.state["answer"]


def test_a_source_found_in_the_round_of_the_conflict_settles_it() -> None:
    named = {"superseded_by": "notice"}
    ran, _ = run(dated(LONG, **named), dated(SHORT, **named), NOTICE)
    assert told(ran) == ("sufficient", "answered", 1)
    assert ran.state["conflicts"] == []
    assert ran.state["answer"].startswith("Notice of amendment: recordings stay for 90 days [1].\nThis follows")
    assert '"memo" has been superseded' in ran.state["answer"]


@pytest.mark.parametrize("other", [replace(SHORT, text="The footage is kept for thirty days."), OTHER])
def test_another_notation_or_another_subject_is_no_conflict(other: Passage) -> None:
    ran, _ = run(LONG, other)
    assert told(ran) == ("sufficient", "answered", 0)
    assert ran.state["conflicts"] == []


def test_both_sides_told_by_the_reasoner_are_not_told_again() -> None:
    said = "One source says 30 days [1], the other 7 days [2]."
    ran, _ = run(LONG, SHORT, reasoner=settling(answer=lambda request: said))
    assert ran.state["answer"] == said


def test_a_middle_of_both_sides_does_not_pass_for_them() -> None:
    ran, _ = run(LONG, SHORT, reasoner=settling(answer=lambda request: "It is kept for about 18 days [1][2]."))
    assert "18 days" not in ran.state["answer"]
    assert '"The footage is kept for 30 days" [1]; "The footage is kept for 7 days" [2]' in ran.state["answer"]


def test_an_optional_conflict_causes_no_round_and_is_shown() -> None:
    checklist = (("who pays the fee", True), (ASKED, False))
    paid = passage("The manager pays the fee.", doc_id="fees")

    def grade(request: GradeRequest) -> Any:
        about = {"q1": {"fees"}, "q2": {"handbook", "memo"}}
        return [j for j in grading(0.95)(request) if j.chunk_id.split("#")[0] in about[j.sub_question_id]]

    reasoner = settling(
        rewrite=lambda request: Rewrite(checklist, (ProposedQuery("footage", 2),)),
        grade=lambda request: tuple(grade(request)),
        answer=lambda request: f"The manager pays the fee [{number_of(request, 'fees')}].",
    )
    ran = ask(reasoner, MemoryRetriever([paid, LONG, SHORT]), "who pays the fee")
    assert told(ran) == ("sufficient", "answered", 0)
    assert 'the sources disagree: "The footage is kept for 30 days"' in ran.state["answer"]


def number_of(request: AnswerRequest, doc_id: str) -> int:
    return next(source.number for source in request.sources if source.passage.doc_id == doc_id)


def test_nothing_to_try_for_a_conflict_is_its_round() -> None:
    first = Rewrite(((ASKED, True),), ())
    ran, _ = run(LONG, SHORT, reasoner=settling(rewrite=[first, Rewrite((), ())]))
    assert told(ran) == ("conflict", "partial", 1)
    assert ran.nodes[-2:] == ["rewrite", "generate"]


def test_a_conflict_that_had_its_round_leaves_the_others_theirs() -> None:
    """The second part stays open: it is searched for alone, until a budget ends it, and the conflict is the reason."""
    checklist = ((ASKED, True), ("who may see it", True))
    count = iter(range(1, 10))

    def rewrite(request: RewriteRequest) -> Rewrite:
        return Rewrite(checklist, (ProposedQuery(f"footage {'again ' * next(count)}", 2),))

    def grade(request: GradeRequest) -> Any:
        return tuple(j for j in grading(0.95)(request) if j.sub_question_id == "q1")

    reasoner = settling(rewrite=rewrite, grade=grade)
    ran, _ = run(LONG, SHORT, reasoner=reasoner, max_retries=2, max_barren_rounds=9)
    assert told(ran) == ("conflict", "partial", 2)
    assert [[g["kind"] for g in r.gaps] for r in reasoner.rewrite_requests] == [
        [],
        ["conflict", "missing"],
        ["missing"],
    ]


def test_without_a_retry_the_budget_is_the_reason_and_both_sides_are_shown() -> None:
    ran, _ = run(LONG, SHORT, max_retries=0)
    assert told(ran) == ("max_retries", "partial", 0)
    assert "the sources disagree" in ran.state["answer"]


def test_what_a_model_names_counts_only_with_both_quotes() -> None:
    one = passage("The manager stores the footage.", doc_id="one")
    two = passage("The developer alone retains the footage.", doc_id="two")

    def named(request: GradeRequest, quote: str = "") -> tuple[Judgement, ...]:
        return tuple(
            replace(j, quote=quote if quote and j.chunk_id == "two#1" else j.quote, contradicts=("one#1", "two#1"))
            for j in grading(0.95)(request)
        )

    ran, _ = run(one, two, reasoner=settling(grade=named))
    assert sides(ran) == [("one", None), ("two", None)]
    ran, _ = run(one, two, reasoner=settling(grade=lambda request: named(request, "The tenant keeps it.")))
    assert told(ran) == ("sufficient", "answered", 0)
    assert ran.state["repairs"]["unquoted"] == 1
    assert ran.state["ledger"][0]["evidence"][-1]["grade"] == {
        "reason": "as the script says",
        "band": "inference",
        "score": 0.89,
    }


def test_a_side_that_is_deleted_before_the_answer_leaves_no_conflict() -> None:
    class Forgetful(MemoryRetriever):
        """Loses one document once its searches are done."""

        async def read(self, chunk_ids: Any, principal: Any) -> Any:
            found = await super().read(chunk_ids, principal)
            return {k: p for k, p in found.items() if k != "memo#1" or len(self.requests) < 2 or len(found) == 1}

    reasoner = settling()
    ran = ask(reasoner, Forgetful([LONG, SHORT]), ASKED)
    assert told(ran) == ("sufficient", "answered", 1)
    assert (ran.state["conflicts"], ran.state["answer"]) == ([], "The footage is kept for 30 days [1].")


@asynccontextmanager
async def offline(folder: Path) -> Any:
    """The service on a real index with the offline reasoner, by words alone."""
    opener = opening_index(folder, lambda index: thinking(index), None)
    async with client_of(create_app(Settings.model_construct(), opener=opener)) as client:
        yield client


def thinking(index: Index) -> OfflineReasoner:
    return OfflineReasoner(index.statistics, None)


async def reply(folder: Path, question: str, *documents: dict[str, Any]) -> dict[str, Any]:
    async with offline(folder) as client:
        assert (await client.post("/documents", json={"documents": list(documents)})).status_code == 200
        said = (await client.post("/ask", json={"question": question})).json()
        again = (await client.get(f"/threads/{said['thread_id']}")).json()["reply"]
        assert again["conflicts"] == said["conflicts"]
    return dict(said)


OLD = {"doc_id": "old", "title": "录像管理规定", "text": "监控录像保存三十日。"}
NEW = {"doc_id": "new", "title": "录像管理通知", "text": "监控录像保存15天。"}


async def test_offline_two_documents_disagree(tmp_path: Path) -> None:
    said = await reply(tmp_path, "监控录像怎样保存？", OLD, NEW)
    assert (said["stop_reason"], said["status"], said["retry_count"]) == ("conflict", "partial", 1)
    (conflict,) = said["conflicts"]
    assert (conflict["text"], conflict["required"]) == ("监控录像怎样保存？", True)
    assert {(side["doc_id"], side["title"], side["quote"], side["value"]) for side in conflict["sides"]} == {
        ("old", "录像管理规定", "监控录像保存三十日。", "30日"),
        ("new", "录像管理通知", "监控录像保存15天。", "15天"),
    }
    assert all(side["version"] and side["chunk_id"] for side in conflict["sides"])
    assert said["answer"].startswith("关于“监控录像怎样保存”，资料说法不一：“监控录像保存")
    assert {c["doc_id"] for c in said["citations"]} == {"old", "new"}
    assert said["missing"] == []


async def test_offline_the_newer_document_answers(tmp_path: Path) -> None:
    old = {**OLD, "metadata": {"effective_from": "2020-01-01"}}
    new = {**NEW, "metadata": {"effective_from": "2024-03-01"}}
    said = await reply(tmp_path, "监控录像怎样保存？", old, new)
    assert (said["stop_reason"], said["status"], said["conflicts"]) == ("sufficient", "answered", [])
    assert said["answer"] == (
        "监控录像保存15天[1]。\n以上依据“录像管理通知”（自2024-03-01起施行）[1]，它取代了较早的“录像管理规定”。"
    )
    marks = {e["doc_id"]: e.get("superseded") for e in said["ledger"][0]["evidence"]}
    assert marks["new"] is None
    assert (marks["old"]["doc_id"], marks["old"]["since"]) == ("new", "2024-03-01")


async def test_offline_another_notation_is_no_conflict(tmp_path: Path) -> None:
    said = await reply(tmp_path, "监控录像怎样保存？", OLD, {**NEW, "text": "监控录像保存30天。"})
    assert (said["stop_reason"], said["conflicts"]) == ("sufficient", [])
