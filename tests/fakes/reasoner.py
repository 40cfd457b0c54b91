"""A reasoner that says what its script says: a real object at the seam, so that nodes are tested without mocks."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, TypeVar, cast

from context.reasoning import (
    AnswerRequest,
    GradeRequest,
    Judgement,
    Reasoned,
    Rewrite,
    RewriteRequest,
    Route,
    RouteRequest,
    Usage,
)
from context.tools import Point, SummaryRequest, ToolChoice, ToolRequest

T = TypeVar("T")

Script = Sequence[Any] | Callable[[Any], Any]
"""A list of steps, used up one a call, or one callable for every call.

A step is a value, a `Reasoned` value with its own usage, an exception to raise, or a (possibly async) callable from the
request to any of these.
"""


class ScriptExhaustedError(AssertionError):
    """The code under test called a method more often than its script foresaw."""


class ScriptedReasoner:
    """Implements `context.Reasoner` from a script per method and records every request.

    A step of `answer` is a whole text, or the pieces to yield: strings, a `Usage`, or an exception to raise there.
    """

    name = "scripted"

    def __init__(
        self,
        *,
        calls_models: bool = True,
        route: Script = (),
        rewrite: Script = (),
        grade: Script = (),
        answer: Script = (),
        choose_tool: Script = (),
        summarize: Script = (),
        usage: tuple[Usage, ...] = (),
    ) -> None:
        self._scripts = {
            kind: script if callable(script) else list(script)
            for kind, script in {
                "route": route,
                "rewrite": rewrite,
                "grade": grade,
                "answer": answer,
                "choose_tool": choose_tool,
                "summarize": summarize,
            }.items()
        }
        self.calls_models = calls_models
        self._usage = usage
        self.calls: list[str] = []
        self.exhausted: list[str] = []
        self.route_requests: list[RouteRequest] = []
        self.rewrite_requests: list[RewriteRequest] = []
        self.grade_requests: list[GradeRequest] = []
        self.answer_requests: list[AnswerRequest] = []
        self.tool_requests: list[ToolRequest] = []
        self.summary_requests: list[SummaryRequest] = []

    async def route(self, request: RouteRequest) -> Reasoned[Route]:
        self.route_requests.append(request)
        return self._reasoned(await self._step("route", request))

    async def rewrite(self, request: RewriteRequest) -> Reasoned[Rewrite]:
        self.rewrite_requests.append(request)
        return self._reasoned(await self._step("rewrite", request))

    async def grade(self, request: GradeRequest) -> Reasoned[tuple[Judgement, ...]]:
        self.grade_requests.append(request)
        return self._reasoned(await self._step("grade", request))

    async def choose_tool(self, request: ToolRequest) -> Reasoned[ToolChoice]:
        self.tool_requests.append(request)
        return self._reasoned(await self._step("choose_tool", request))

    async def summarize(self, request: SummaryRequest) -> Reasoned[tuple[Point, ...]]:
        self.summary_requests.append(request)
        return self._reasoned(await self._step("summarize", request))

    async def answer(self, request: AnswerRequest) -> AsyncIterator[str | Usage]:
        self.answer_requests.append(request)
        said = await self._step("answer", request)
        pieces: Sequence[Any] = [said, *self._usage] if isinstance(said, str) else said
        for piece in pieces:
            if isinstance(piece, BaseException):
                raise piece
            yield piece

    def assert_spent(self) -> None:
        """Every step of every list was used and none was missing."""
        left = {kind: script for kind, script in self._scripts.items() if isinstance(script, list) and script}
        assert not left, f"steps never used: {left}"
        assert not self.exhausted, f"called more often than scripted: {self.exhausted}"

    async def _step(self, kind: str, request: object) -> Any:
        self.calls.append(kind)
        step = self._next(kind)
        if callable(step):
            step = step(request)
        if inspect.isawaitable(step):
            step = await step
        if isinstance(step, BaseException):
            raise step
        return step

    def _next(self, kind: str) -> Any:
        script = self._scripts[kind]
        if callable(script):
            return script
        if not script:
            self.exhausted.append(kind)
            raise ScriptExhaustedError(f"the script of `{kind}` ran out at call {self.calls.count(kind)}")
        return script.pop(0)

    def _reasoned(self, value: T | Reasoned[T]) -> Reasoned[T]:
        return cast(Reasoned[T], value) if isinstance(value, Reasoned) else Reasoned(value, self._usage)
