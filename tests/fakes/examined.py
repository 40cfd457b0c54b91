"""A chat endpoint that does all that an examination asks of it, and the examination itself without a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import SecretStr

from graph.doctor import TARGETS, Report, Target, examine
from reasoner.doctor.window import WORD
from settings import Address, Endpoint, RerankEndpoint, Settings
from tests.fakes.chat_reply import Body, Reply
from tests.fakes.endpoint import FakeEndpoint

KEY = "sk-marker-90ab"
GRADE = {"passage": 1, "sub_question": 1, "reason": "it says so", "quote": "20 days", "band": "direct", "score": 0.95}


def graded(body: Body) -> Body:
    """The passage answers, as it does."""
    return {"reason": "", "grades": [GRADE], "contradictions": []}


def said(body: Body) -> Reply:
    """The code word, a count that is cut at the limit, a count, or one word."""
    asked = str(body["messages"][-1]["content"])
    if "code word" in asked:
        return Reply([WORD], usage=(len(asked) // 4, 5))
    if "200" in asked:
        return Reply(
            ["1, 2, 3, 4, 5, 6, ", "7, 8, 9, 10, 11, 12, 13, 14, 15, 16"], finish_reason="length", usage=(30, 16)
        )
    return Reply(["1, 2, ", "3, 4"] if "Count" in asked else ["ready"])


def healthy(endpoint: FakeEndpoint) -> None:
    """Script the endpoint so that nothing is wrong with it."""
    endpoint.always("grade", graded)
    endpoint.always("answer", said)
    endpoint.models = ["any", "other"]


def chat_at(endpoint: FakeEndpoint, **more: Any) -> Endpoint:
    given: dict[str, Any] = {
        "base_url": endpoint.url,
        "api_key": SecretStr(KEY),
        "model": "any",
        "retries": 0,
        "timeout_s": 10.0,
    }
    return Endpoint(**(given | more))


def settings_for(folder: Path, **more: Any) -> Settings:
    """Nothing from the environment but what is given."""
    none = {"chat": Endpoint(), "small_chat": Endpoint(), "embeddings": Address(), "rerank": RerankEndpoint()}
    return Settings(**(none | {"data": folder / "data"} | more))


async def examined(settings: Settings, *only: Target, timeout_s: float = 60.0, whole_window: bool = False) -> Report:
    """The whole report."""
    report = Report()
    await examine(
        settings,
        report,
        only=only or TARGETS,
        timeout_s=timeout_s,
        whole_window=whole_window,
        begins=lambda patient, step: None,
        told=lambda found: None,
    )
    return report


def found_in(report: Report) -> dict[str, tuple[str, str | None]]:
    """Status and setting of each step but those that are well."""
    return {one.step: (one.finding.status, one.finding.setting) for one in report.found if one.finding.status != "ok"}
