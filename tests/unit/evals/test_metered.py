"""Decisions stay what they are, and each is counted as the call that a model would have been sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from context.reasoning import Judgement, Reasoner, Rewrite, Route, Usage
from context.tools import Point, ToolChoice
from corpus.embeddings.e5 import E5Embedder
from evals.condensed import measured
from evals.metered import MODEL, Metered, run
from evals.report.write import command, read
from reasoner import asking, tool_messages
from reasoner.prompt_set import built_in
from tests.fakes.reasoner import ScriptedReasoner
from tests.unit.evals.test_answers import DOCUMENTS, QUESTIONS
from tests.unit.reasoner import samples
from text.token_estimate import estimate_tokens

ROUTE = Route(True, "documents", "Who pays?")
JUDGED = (Judgement("sq-a", "a-very-long-id-of-the-store", "the owner pays", "says it", "direct", 0.9),)


def rules(**script: object) -> ScriptedReasoner:
    return ScriptedReasoner(calls_models=False, **script)  # type: ignore[arg-type]  # the script is each test's own


async def test_every_decision_is_the_rules_and_costs_its_prompt() -> None:
    choice, points = ToolChoice("search", {"query": "gate"}), (Point("c1", "noon"),)
    inner = rules(
        route=[ROUTE],
        rewrite=[Rewrite((("who?", True),), ())],
        grade=[JUDGED],
        choose_tool=[choice],
        summarize=[points],
    )
    metered: Reasoner = Metered(inner)
    prompts = built_in()
    route = await metered.route(samples.route_request())
    rewrite = await metered.rewrite(samples.first_rewrite())
    grade = await metered.grade(samples.grade_request())
    chosen = await metered.choose_tool(samples.tool_request())
    summary = await metered.summarize(samples.summary_request())
    assert (route.value, grade.value, chosen.value, summary.value) == (ROUTE, JUDGED, choice, points)
    used = [found.usage[0].input_tokens for found in (route, rewrite, grade, chosen, summary)]
    assert used == [
        sum(estimate_tokens(message.text) for message in messages)
        for messages in (
            asking.route_messages(samples.route_request(), prompts),
            asking.rewrite_messages(samples.first_rewrite(), prompts),
            asking.evaluate_messages(samples.grade_request(), prompts),
            tool_messages.choose_messages(samples.tool_request(), prompts),
            tool_messages.summarize_messages(samples.summary_request(), prompts),
        )
    ]
    assert metered.calls_models
    assert metered.name == "scripted-metered"


async def test_what_is_written_is_counted_without_the_ids_of_the_store() -> None:
    found = await Metered(rules(grade=[JUDGED])).grade(samples.grade_request())
    longer = (Judgement("sq-a", "a" * 500, "the owner pays", "says it", "direct", 0.9),)
    same = await Metered(rules(grade=[longer])).grade(samples.grade_request())
    assert found.usage[0].output_tokens == same.usage[0].output_tokens > estimate_tokens("the owner pays says it")


async def test_an_answer_is_told_as_it_is_and_then_counted() -> None:
    metered = Metered(rules(answer=[["The owner ", "pays [1]."]]))
    *said, used = [piece async for piece in metered.answer(samples.cited_answer())]
    assert said == ["The owner ", "pays [1]."]
    assert isinstance(used, Usage)
    assert (used.model, used.estimated) == (MODEL, True)
    assert used.output_tokens == estimate_tokens("The owner pays [1].")
    prompt = asking.generate_messages(samples.cited_answer(), built_in())
    assert used.input_tokens == sum(estimate_tokens(message.text) for message in prompt)


def test_the_command_leaves_a_folder_that_the_page_is_written_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(E5Embedder, "load", lambda: None)
    made = tmp_path / "made"
    made.mkdir()
    for name, lines in (("corpus", DOCUMENTS), ("questions", QUESTIONS[:1])):
        (made / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    monkeypatch.setattr("evals.metered.MODES", "bm25,loop")
    run([str(made), "--out", str(tmp_path / "out"), "--seed", "3"])
    kept, _ = read(tmp_path / "out" / "made")
    assert command(kept) == "python -m evals.metered made --limit 1 --seed 3"
    [found] = measured(tmp_path / "out" / "made")
    assert [mode["mode"] for mode in found["modes"]] == ["bm25", "loop"]
    assert all(mode["effort"]["model calls"] >= 2 and mode["input_tokens"] > 500 for mode in found["modes"])


def test_a_set_that_is_not_there_ends_the_command(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"evals\.metered: There is no such set"):
        run(["nowhere", "--out", str(tmp_path)])
