"""How things stand at the moment of a look, for Prometheus: what is counted nowhere because it can be seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from corpus.store.catalogue import Counts


@dataclass(frozen=True, eq=False)
class Held(Collector):
    """What one tenant has, as far as its asker may see it, or all tenants together."""

    counts: Counts
    generation: int
    live_runs: int

    def collect(self) -> Iterator[Metric]:
        """As Prometheus has it."""
        yield GaugeMetricFamily("gapseek_documents", "Documents indexed.", self.counts.documents)
        yield GaugeMetricFamily("gapseek_chunks", "Chunks of their current versions.", self.counts.chunks)
        yield GaugeMetricFamily("gapseek_index_generation", "Rises with every change of the index.", self.generation)
        yield GaugeMetricFamily("gapseek_live_runs", "Runs at work.", self.live_runs)


@dataclass(frozen=True, eq=False)
class Process(Collector):
    """What the process is at; `caches` are hits and misses by cache, `waiting` lengths of queues by what waits."""

    caches: Mapping[str, Mapping[str, int]]
    waiting: Mapping[str, int]
    open_requests: int
    open_streams: int
    draining: bool
    circuit_open: bool

    def collect(self) -> Iterator[Metric]:
        """As Prometheus has it."""
        yield GaugeMetricFamily("gapseek_open_requests", "Requests not answered yet.", self.open_requests)
        yield GaugeMetricFamily("gapseek_open_streams", "Event streams that somebody reads.", self.open_streams)
        yield GaugeMetricFamily("gapseek_draining", "1 while the server is stopping.", self.draining)
        yield GaugeMetricFamily(
            "gapseek_circuit_open", "1 while a chat endpoint is left alone after failures.", self.circuit_open
        )
        queues = GaugeMetricFamily("gapseek_waiting", "What waits for its turn.", labels=("what",))
        for what, length in self.waiting.items():
            queues.add_metric((what,), length)
        yield queues
        asked = CounterMetricFamily("gapseek_cache_requests", "Look-ups in caches.", labels=("cache", "outcome"))
        for cache, counts in self.caches.items():
            asked.add_metric((cache, "hit"), counts["hits"])
            asked.add_metric((cache, "miss"), counts["misses"])
        yield asked
