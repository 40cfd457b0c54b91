"""What each mode would send to a model, and get back: rules decide, and each decision is counted as a model's call.

`python -m evals.metered SET... --out DIR [--limit N] [--seed N]` asks each set in every mode and leaves a folder a set
in DIR, as `gapseek eval` does. Tokens are estimated from the prompts that a model would be sent, and from what was
decided, written as JSON. Budgets hold as with a model. What a model would decide otherwise, or would think aloud, is in
no figure.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from langchain_core.messages import BaseMessage
from rich.console import Console

from context.reasoning import (
    AnswerRequest,
    GradeRequest,
    Judgement,
    Reasoned,
    Reasoner,
    Rewrite,
    RewriteRequest,
    Route,
    RouteRequest,
    Usage,
)
from context.run import Context
from context.tools import Point, SummaryRequest, ToolChoice, ToolRequest
from errors import GapseekError
from evals.evaluation import ALL_MODES, Wanted, evaluate
from evals.gate import embedded
from evals.modes import Position, plain
from evals.progress import bars
from evals.sets import CARRIED
from reasoner.asking import evaluate_messages, generate_messages, rewrite_messages, route_messages
from reasoner.prompt_set import built_in
from reasoner.tool_messages import choose_messages, summarize_messages
from state import Mode
from text.token_estimate import estimate_tokens

T = TypeVar("T")

PROGRAM: Final = "python -m evals.metered"
MODES: Final = ALL_MODES
MODEL: Final = "estimated"
"""The model's name in the usage."""


class Metered:
    """Implements `context.Reasoner`: the decisions of another one, with the calls that a model would have made."""

    calls_models = True

    def __init__(self, inner: Reasoner) -> None:
        self._inner = inner
        self._prompts = built_in()
        self.name = f"{inner.name}-metered"

    async def route(self, request: RouteRequest) -> Reasoned[Route]:
        return _counted(await self._inner.route(request), route_messages(request, self._prompts))

    async def rewrite(self, request: RewriteRequest) -> Reasoned[Rewrite]:
        return _counted(await self._inner.rewrite(request), rewrite_messages(request, self._prompts))

    async def grade(self, request: GradeRequest) -> Reasoned[tuple[Judgement, ...]]:
        return _counted(await self._inner.grade(request), evaluate_messages(request, self._prompts))

    async def choose_tool(self, request: ToolRequest) -> Reasoned[ToolChoice]:
        return _counted(await self._inner.choose_tool(request), choose_messages(request, self._prompts))

    async def summarize(self, request: SummaryRequest) -> Reasoned[tuple[Point, ...]]:
        return _counted(await self._inner.summarize(request), summarize_messages(request, self._prompts))

    async def answer(self, request: AnswerRequest) -> AsyncIterator[str | Usage]:
        said = ""
        async for piece in self._inner.answer(request):
            if isinstance(piece, str):
                said += piece
                yield piece
        yield _usage(generate_messages(request, self._prompts), said)


@dataclass(frozen=True)
class MeteredPosition:
    """A mode, asked of a reasoner whose decisions are counted."""

    asked: Position

    @property
    def mode(self) -> Mode:
        return self.asked.mode

    def given(self, context: Context) -> Context:
        made = self.asked.given(context)
        return replace(made, reasoner=Metered(made.reasoner))


def position(name: str) -> Position:
    """The mode of this name, counted. Raises `BadRequest` with those that there are."""
    return MeteredPosition(plain(name))


def _counted(found: Reasoned[T], messages: Sequence[BaseMessage]) -> Reasoned[T]:
    return replace(found, usage=(_usage(messages, _written(found.value)),))


def _usage(messages: Sequence[BaseMessage], said: str) -> Usage:
    sent = sum(estimate_tokens(message.text) for message in messages)
    return Usage(MODEL, sent, estimate_tokens(said), estimated=True, cost=0.0)


def _written(decided: Any) -> str:
    """A decision as the JSON that a model would write: what it names by ids of the store, it names by numbers."""
    values = decided if isinstance(decided, tuple) else (decided,)
    plain_data = [{key: _short(key, value) for key, value in asdict(one).items()} for one in values]
    return json.dumps(plain_data, ensure_ascii=False)


def _short(key: str, value: Any) -> Any:
    if key == "arguments":
        return {name: _short(name, of) for name, of in value.items()}
    return 1 if key in ("chunk_id", "sub_question_id", "doc", "chunk", "sub_question") else value


def measure(names: Sequence[str], out: Path, limit: int | None, seed: int, console: Console) -> None:
    """Ask each set in every mode; a set that was asked already goes on where it was."""
    for name in names:
        given = Wanted(name, out / Path(name).name, MODES, limit=limit, at_once=2, seed=seed)
        wanted = replace(given, position=position, program=PROGRAM)
        with bars(console) as tick:
            evaluate(wanted, embedded(wanted.out), tick)


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line, read."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", metavar="SET", help=f"a folder, or one of {', '.join(CARRIED)}")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a folder of results a set goes here")
    parser.add_argument("--limit", type=int, metavar="N", help="only so many questions of each set")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="draws them")
    return parser.parse_args(arguments)


def run(arguments: Sequence[str]) -> None:
    """The command; a set that cannot be read ends it with one sentence."""
    given = options(arguments)
    try:
        measure(given.sets, given.out, given.limit, given.seed, Console(stderr=True))
    except GapseekError as error:
        sys.exit(f"evals.metered: {error.sentence}")


if __name__ == "__main__":
    run(sys.argv[1:])
