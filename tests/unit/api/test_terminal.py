"""A run in a terminal: every step, every word of the answer, every source; and no control of the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from api.client import Told
from api.terminal import RunView, harmless, node_lines
from errors import Unavailable


def node(name: str, changed: dict[str, Any], round_: int = 0) -> Told:
    return "node", {"name": name, "round": round_, "phase": "end", "duration_ms": 12.4, "changed": changed}


REPLY: dict[str, Any] = {
    "answer": "由行为人承担[1]。",
    "status": "partial",
    "stop_reason": "max_retries",
    "mode": "loop",
    "relevance_score": 0.72,
    "retry_count": 2,
    "citations": [{"number": 1, "title": "六、费用与承担", "doc_id": "06.md", "quote": "由实施损坏行为的人承担"}],
    "missing": [{"text": "检修记录"}],
    "conflicts": [{"sides": [{"title": "甲"}, {"title": "乙"}]}],
    "timings": {"total_ms": 1234.0},
    "thread_id": "abc",
}


def seen(*events: Told) -> tuple[str, str, dict[str, Any]]:
    out, progress = StringIO(), StringIO()
    if not any(name == "answer" for name, _ in events):
        events = (*events, ("answer", REPLY))
    reply = RunView(Console(file=out, width=60), Console(file=progress, width=60)).show(iter(events))
    return out.getvalue(), progress.getvalue(), reply


def test_the_answer_and_its_sources_stand_alone_on_the_output() -> None:
    out, progress, reply = seen(
        node("route", {"need_retrieval": True, "route_reason": "a fact"}),
        ("token", {"text": "由行为人"}),
        ("token", {"text": "承担[1]。"}),
        node("generate", {"citations": [1]}),
        ("answer", REPLY),
        ("done", {}),
    )
    assert "由行为人承担[1]。\n\n[1] 六、费用与承担  06.md\n    由实施损坏行为的人承担\n" in out
    assert "Not established: 检修记录" in out
    assert "Sources disagree: 甲, 乙" in out
    assert "route" not in out
    assert "look up (a fact)" in progress
    assert "partial (max_retries) · mode loop · relevance 0.72 · 2 retries · 1.2 s · thread abc" in progress
    assert reply == REPLY


def test_a_round_shows_what_was_asked_found_and_missing() -> None:
    _, progress, _ = seen(
        node(
            "rewrite",
            {"sub_questions": [{"text": "谁付", "required": True}], "rewritten_queries": [{"text": "维修费用"}]},
        ),
        node(
            "retrieve",
            {"docs": [1, 2], "lanes": [{"lane": "vector", "error": "it is away"}, {"lane": "keyword", "error": None}]},
        ),
        node("evaluate", {"relevance_score": 0.61, "gaps": [{"kind": "missing", "text": "谁付"}]}, round_=1),
    )
    for words in ("? 谁付", "→ 维修费用", "2 hits kept of 2 lists", "vector lane failed: it is away"):
        assert words in progress
    assert "round 1  rewrite" in progress
    assert "round 2  evaluate" in progress
    assert "relevance 0.61" in progress
    assert "missing: 谁付" in progress


def test_a_long_line_is_not_broken() -> None:
    out, _, _ = seen(("token", {"text": "字" * 200}))
    assert "字" * 200 in out


@pytest.mark.parametrize("text", ["\x1b[2J", "\x9b31m", "a\rb", "\x07", "\ud800"])
def test_a_document_cannot_drive_the_terminal(text: str) -> None:
    assert not set(harmless(text)) & set("\x1b\x9b\r\x07\ud800")


def test_printable_keeps_lines_tabs_and_every_script() -> None:
    assert harmless("甲\t乙\n👩‍🔧 [1] [bold]x[/bold]") == "甲\t乙\n👩‍🔧 [1] [bold]x[/bold]"


def test_markup_in_a_question_is_only_text() -> None:
    assert "[bold]谁[/bold]" in seen(node("rewrite", {"rewritten_queries": [{"text": "[bold]谁[/bold]"}]}))[1]


def test_an_unknown_node_is_still_shown() -> None:
    (line,) = node_lines(node("handoff", {"anything": 1})[1])
    assert "handoff" in line.plain


def test_the_checklist_is_shown_in_its_first_round_only() -> None:
    checklist = {"sub_questions": [{"text": "谁付", "required": False}], "rewritten_queries": []}
    assert [line.plain.strip() for line in node_lines(node("rewrite", checklist)[1])][1:] == ["? 谁付 (optional)"]
    assert len(list(node_lines(node("rewrite", checklist, round_=1)[1]))) == 1


def test_a_run_that_breaks_off_leaves_the_line_it_was_on() -> None:
    def broken() -> Iterator[Told]:
        yield "token", {"text": "由行为人"}
        raise Unavailable("The model is away.")

    out = StringIO()
    with pytest.raises(Unavailable, match="away"):
        RunView(Console(file=out), Console(file=out)).show(broken())
    assert out.getvalue().endswith("由行为人\n\n")


def test_a_run_without_an_answer_is_no_success() -> None:
    with pytest.raises(Unavailable, match="without an answer"):
        RunView(Console(file=StringIO()), Console(file=StringIO())).show(iter([("done", {})]))


def test_a_long_quote_is_cut() -> None:
    long = {**REPLY, "citations": [{**REPLY["citations"][0], "quote": "字" * 200}]}
    out, _, _ = seen(("answer", long))
    assert f"    {'字' * 80}…\n" in out


def test_a_filter_that_the_question_names_is_said_with_the_queries() -> None:
    _, told = node("rewrite", {"rewritten_queries": [], "proposed_filter": {"city": "上海市"}})
    assert [line.plain.strip() for line in node_lines(told)][1:] == ['= also within {"city": "上海市"}']


def test_no_text_is_shown_in_another_order_than_it_has() -> None:
    assert harmless("file\u202etxt.exe \u2066x\u2069") == "filetxt.exe x"


def test_a_draft_is_shown_beside_the_steps_and_judged_at_the_end() -> None:
    reply = REPLY | {"draft": {"text": "By the owners [1].", "verdict": "changed"}}
    out, progress, _ = seen(("draft", {"text": "By the \x1bowners [1].", "verified": False}), ("answer", reply))
    assert "owners" not in out
    assert "draft, not verified: By the owners [1].\n" in progress
    assert "1.2 s · draft changed · thread abc" in progress
