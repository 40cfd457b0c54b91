"""LangGraph Studio can open the graph: the file that names it is valid, and a question alone starts a run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import cast

from langchain_core.runnables import RunnableConfig

from graph.build import build
from graph.studio import SAMPLE, graph
from graph.turn import recursion_limit
from settings import Settings
from state import RAGState

ROOT = Path(__file__).parents[2]


def test_langgraph_json_is_valid() -> None:
    command = Path(sys.executable).with_name("langgraph")
    checked = subprocess.run(
        [str(command), "validate"],
        cwd=ROOT,
        env={**os.environ, "LANGGRAPH_CLI_NO_ANALYTICS": "1"},
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stderr
    assert "1 graph found" in checked.stdout
    assert "warning" not in checked.stdout


def test_studio_shows_the_machine_as_it_is() -> None:
    assert graph.get_graph().draw_mermaid() == build().get_graph().draw_mermaid()


async def test_a_question_alone_starts_a_run_and_the_next_one_is_a_turn_of_its_own() -> None:
    limit: RunnableConfig = {"recursion_limit": recursion_limit(Settings.model_construct().dials())}
    try:
        first = await graph.ainvoke(cast(RAGState, {"question": "电梯困人了，多久要有人赶到？"}), limit)
        assert first["citations"]
        assert first["history"][-1]["answer"] == first["answer"]
        second = await graph.ainvoke(cast(RAGState, {**first, "question": "谢谢"}), limit)
        assert (second["stop_reason"], second["citations"], second["docs"]) == ("direct", [], [])
        assert [turn["question"] for turn in second["history"]] == ["电梯困人了，多久要有人赶到？", "谢谢"]
    finally:
        await SAMPLE.close()
