"""What a server may tell and the sample never brings about: told by hand, word for word as a stream has it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Opens

Keep = Callable[[Page, str], None]
RUN = ("run", {"thread_id": "t1", "run_id": "r1", "mode": "loop", "budget": {"max_retries": 3, "max_searches": 16}})
STEPS: list[tuple[str, int, dict[str, Any]]] = [
    ("rewrite", 0, {"sub_questions": [{"id": "q1", "text": "How long?", "required": True}]}),
    ("evaluate", 0, {"gaps": [{"sub_question_id": "q1", "kind": "conflict", "text": "How long?", "tried": ["long"]}]}),
    ("rewrite", 1, {}),
]


def node(name: str, round_: int, phase: str, changed: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return "node", {"name": name, "round": round_, "phase": phase, "duration_ms": 1_400.0, "changed": changed}


def told(page: Page, *events: tuple[str, dict[str, Any]]) -> None:
    """Ask, and have the events answered in place of the server's."""
    lines = [f"event: {name}\ndata: {json.dumps(data)}\nid: {at}\n\n" for at, (name, data) in enumerate(events, 1)]

    def answer(route: Route) -> None:
        route.fulfill(status=200, content_type="text/event-stream", body=": ping\n\n" + "".join(lines))

    page.route("**/ask", answer)
    page.locator("#question").fill("How long is footage kept?")
    page.locator("form.ask button[type=submit]").click()


def steps() -> list[tuple[str, dict[str, Any]]]:
    return [
        node(name, round_, phase, changed if phase == "end" else {})
        for name, round_, changed in STEPS
        for phase in ("start", "end")
    ]


def test_a_second_round_is_drawn_and_counted(opened: Opens, picture: Keep) -> None:
    page = opened()
    told(page, RUN, *steps(), ("done", {"status": "cancelled", "stop_reason": "cancelled"}))
    expect(page.locator(".outcome")).to_contain_text("The run was stopped.")
    expect(page.locator(".checklist .badge")).to_have_text("conflict")
    expect(page.locator(".node[data-node=rewrite] .detail")).to_have_text("round 2 · 2.8 s")
    assert page.locator(".budgets div", has_text="Rounds").inner_text().split()[-3:] == ["2", "/", "3"]
    picture(page, "second-round")


def test_both_sides_of_a_conflict_and_what_is_missing_are_shown(opened: Opens, picture: Keep) -> None:
    place = {"chunk_id": "c", "version": "v", "start": 0, "end": 7, "grade": {"reason": "says it", "score": 0.9}}
    sides = [
        {**place, "doc_id": f"{n}.md", "title": f"Rules {n}", "quote": f"{n} days.", "value": f"{n}"} for n in (15, 30)
    ]
    reply = {
        "answer": "Sources disagree: 15 days [1] or 30 days [2].",
        "status": "partial",
        "stop_reason": "conflict",
        "mode": "loop",
        "relevance_score": 0.0,
        "retry_count": 1,
        "warnings": ["The vector lane failed."],
        "citations": [{**side, "number": at} for at, side in enumerate(sides, 1)],
        "ledger": [
            {
                "sub_question_id": "q1",
                "text": "How long?",
                "required": True,
                "status": "conflict",
                "score": 0.0,
                "evidence": sides,
            }
        ],
        "missing": [{"sub_question_id": "q2", "text": "Who asks?", "required": True, "tried": ["asks footage"]}],
        "conflicts": [{"sub_question_id": "q1", "text": "How long?", "required": True, "sides": sides}],
        "usage": {
            "reported": None,
            "estimated": {"input_tokens": 0, "output_tokens": 0},
            "searches": 4,
            "model_calls": 0,
            "tool_calls": 0,
        },
        "timings": {"total_ms": 812.0, "nodes": []},
        "thread_id": "t1",
        "run_id": "r1",
    }
    page = opened()
    told(page, RUN, *steps(), ("answer", reply), ("done", {"status": "partial", "stop_reason": "conflict"}))
    expect(page.locator(".outcome")).to_contain_text("Sources still disagree after a round spent on it.")
    expect(page.locator(".side .notice .source")).to_have_count(2)
    expect(page.locator(".side .notice .source").first).to_contain_text("15 — Rules 15")
    expect(page.locator(".missing")).to_contain_text("Who asks?")
    expect(page.locator(".missing")).to_contain_text("asks footage")
    expect(page.locator(".notice.warn", has_text="The vector lane failed.")).to_be_visible()
    picture(page, "conflict")


def test_a_failure_in_the_middle_is_its_sentence(opened: Opens) -> None:
    page = opened()
    failure = {"status": 503, "code": "unavailable", "detail": "The model did not answer.", "retryable": True}
    told(page, RUN, *steps(), ("error", failure), ("done", {"status": "failed", "stop_reason": None}))
    expect(page.locator("[role=alert]:visible")).to_have_text("The model did not answer.")
