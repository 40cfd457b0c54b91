"""What this process counts of itself for Prometheus. No label takes a caller's value: all come from fixed lists."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.registry import Collector

from runs.tally import Tally

SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 45, 60, 120)
ROUNDS: Final = (0, 1, 2, 3, 4, 6, 8, 12, 20)


class RunMeasures:
    """Counters of runs that ended, asks as well as replays and replies."""

    def __init__(self) -> None:
        self.registry = of = CollectorRegistry()
        ended = ("mode", "status", "stop_reason")
        self._runs = Counter("gapseek_runs", "Runs that ended, replays and replies too.", ended, registry=of)
        self._errors = Counter("gapseek_run_errors", "Runs that failed, by code.", ("code",), registry=of)
        self._seconds = Histogram("gapseek_run_seconds", "Of a run.", ("mode",), registry=of, buckets=SECONDS)
        self._nodes = Histogram("gapseek_node_seconds", "Of a node.", ("node",), registry=of, buckets=SECONDS)
        self._rounds = Histogram("gapseek_run_rounds", "Rounds judged.", ("mode",), registry=of, buckets=ROUNDS)
        self._spent = Counter("gapseek_spent", "Searches, model and tool calls.", ("what",), registry=of)
        self._tokens = Counter("gapseek_tokens", "Tokens of models.", ("source", "direction"), registry=of)
        self._cost = Counter("gapseek_cost", "Cost of models, in the currency of their prices.", registry=of)
        searched = ("lane", "outcome")
        self._lanes = Counter("gapseek_lane_searches", "Lists asked of a lane in runs.", searched, registry=of)

    def run_over(self, tally: Tally) -> None:
        """Count a run."""
        self._runs.labels(tally.mode, tally.status, tally.stop_reason or "none").inc()
        self._seconds.labels(tally.mode).observe(tally.seconds)
        self._rounds.labels(tally.mode).observe(tally.rounds)
        if tally.error is not None:
            self._errors.labels(tally.error).inc()
        for node, seconds in tally.nodes:
            self._nodes.labels(node).observe(seconds)
        for lane, cached, failed in tally.lanes:
            self._lanes.labels(lane, "failed" if failed else "cached" if cached else "searched").inc()
        self._count_spent(tally)

    def _count_spent(self, tally: Tally) -> None:
        for what in ("searches", "model_calls", "tool_calls"):
            self._spent.labels(what).inc(tally.spent(what))
        for source in ("reported", "estimated"):
            for direction in ("input", "output"):
                self._tokens.labels(source, direction).inc(tally.tokens(source, direction))
        self._cost.inc(tally.cost)


class Measures:
    """All counters of one app. `run_over` and `request_over` are told of each run and request at its end.

    Runs are counted twice: for the whole server, and for the tenant that ran them, who is shown nothing else.
    """

    def __init__(self) -> None:
        self._process = of = CollectorRegistry()
        for kind in (ProcessCollector, PlatformCollector, GCCollector):
            kind(registry=of)
        answered = ("method", "route", "status")
        self._requests = Counter("gapseek_http_requests", "Requests answered.", answered, registry=of)
        self._answering = Histogram(
            "gapseek_http_request_seconds", "To the last byte.", ("route",), registry=of, buckets=SECONDS
        )
        self._all = RunMeasures()
        self._of: defaultdict[str, RunMeasures] = defaultdict(RunMeasures)

    def run_over(self, tally: Tally) -> None:
        """Count a run."""
        self._all.run_over(tally)
        self._of[tally.tenant].run_over(tally)

    def request_over(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request; `method` and `route` must come from a fixed list."""
        self._requests.labels(method, route, str(status)).inc()
        self._answering.labels(route).observe(seconds)

    def text(self, *now: Collector) -> bytes:
        """All of it and what can be seen now, in Prometheus's text format."""
        return _texts(self._process, self._all.registry, *map(_seen, now))

    def text_of(self, tenant: str, *now: Collector) -> bytes:
        """What the tenant did, and of what can be seen now this."""
        ours = self._of[tenant] if tenant in self._of else RunMeasures()
        return _texts(ours.registry, *map(_seen, now))


def _seen(now: Collector) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(now)
    return registry


def _texts(*registries: CollectorRegistry) -> bytes:
    return b"".join(map(generate_latest, registries))
