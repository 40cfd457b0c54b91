"""What this process counts of itself for Prometheus. No label takes a caller's value: all come from fixed lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
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
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from runs.tally import Tally

SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 45, 60, 120)
ROUNDS: Final = (0, 1, 2, 3, 4, 6, 8, 12, 20)


@dataclass(frozen=True)
class Now:
    """How things stand at the moment of a look; `caches` are hits and misses by cache."""

    documents: int
    chunks: int
    generation: int
    caches: Mapping[str, Mapping[str, int]]
    live_runs: int
    open_requests: int
    open_streams: int
    draining: bool
    circuit_open: bool

    def collect(self) -> Iterator[Metric]:
        """As Prometheus has it."""
        yield GaugeMetricFamily("gapseek_documents", "Documents indexed, of all tenants.", self.documents)
        yield GaugeMetricFamily("gapseek_chunks", "Chunks of their current versions.", self.chunks)
        yield GaugeMetricFamily("gapseek_index_generation", "Rises with every change of the index.", self.generation)
        yield GaugeMetricFamily("gapseek_live_runs", "Runs at work.", self.live_runs)
        yield GaugeMetricFamily("gapseek_open_requests", "Requests not answered yet.", self.open_requests)
        yield GaugeMetricFamily("gapseek_open_streams", "Event streams that somebody reads.", self.open_streams)
        yield GaugeMetricFamily("gapseek_draining", "1 while the server is stopping.", self.draining)
        yield GaugeMetricFamily(
            "gapseek_circuit_open", "1 while the chat endpoint is left alone after failures.", self.circuit_open
        )
        asked = CounterMetricFamily("gapseek_cache_requests", "Look-ups in caches.", labels=("cache", "outcome"))
        for cache, counts in self.caches.items():
            asked.add_metric((cache, "hit"), counts["hits"])
            asked.add_metric((cache, "miss"), counts["misses"])
        yield asked


class Measures:
    """All counters of one app. `run_over` and `request_over` are told of each run and request at its end."""

    def __init__(self) -> None:
        self.registry = of = CollectorRegistry()
        for kind in (ProcessCollector, PlatformCollector, GCCollector):
            kind(registry=of)
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
        answered = ("method", "route", "status")
        self._requests = Counter("gapseek_http_requests", "Requests answered.", answered, registry=of)
        self._answering = Histogram(
            "gapseek_http_request_seconds", "To the last byte.", ("route",), registry=of, buckets=SECONDS
        )

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

    def request_over(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request; `method` and `route` must come from a fixed list."""
        self._requests.labels(method, route, str(status)).inc()
        self._answering.labels(route).observe(seconds)

    def text(self, now: Now) -> bytes:
        """All of it, in Prometheus's text format."""
        return generate_latest(self.registry) + generate_latest(_Once(now))

    def _count_spent(self, tally: Tally) -> None:
        for what in ("searches", "model_calls", "tool_calls"):
            self._spent.labels(what).inc(tally.spent(what))
        for source in ("reported", "estimated"):
            for direction in ("input", "output"):
                self._tokens.labels(source, direction).inc(tally.tokens(source, direction))
        self._cost.inc(tally.cost)


class _Once(CollectorRegistry):
    """A registry of what was just looked at."""

    def __init__(self, now: Now) -> None:
        super().__init__()
        self.register(_Looked(now))


class _Looked(Collector):
    def __init__(self, now: Now) -> None:
        self._now = now

    def collect(self) -> Iterable[Metric]:
        return self._now.collect()
