"""The page for operators tells every metric and every field of a log line, and none that is not there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from api.keys import KeyFile, Wanted
from api.logs import configure
from reasoner.offline import OfflineReasoner
from server import create_app
from settings import Settings
from tests.fakes.embedder import HashEmbedder
from tests.fakes.index import MemoryIndex
from tests.fakes.service import TEXTS, client_of, opening, opening_index

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "operations.md").read_text("utf-8")
METRIC = re.compile(r"^\| `(gapseek_\w+)` \| (\w+) \| ([^|]*?) ?\| (yes)? ?\| [^|]+ \|$", re.MULTILINE)
FIELD = re.compile(r"^\| `(\w+)` \| ([^|]+?) \| [^|]*\|$", re.MULTILINE)
WAYS = ("searched", "cached")
ASK = {"question": "How many days of paid leave?"}


def told(text: str) -> dict[str, tuple[str, set[str]]]:
    """The metrics of ours by name: type and labels."""
    return {_name(one): (one.type, _labels(one)) for one in text_string_to_metric_families(text) if _ours(one)}


def _ours(one: Metric) -> bool:
    return one.name.startswith("gapseek_") and not one.name.endswith("_created")


def _name(one: Metric) -> str:
    return f"{one.name}_total" if one.type == "counter" else one.name


def _labels(one: Metric) -> set[str]:
    return {name for sample in one.samples for name in sample.labels} - {"le"}


async def metrics(folder: Path, tenant: str) -> str:
    """What an admin of this tenant is told after an ask of theirs that was answered and one that failed."""
    _, key = KeyFile.of(folder).create(Wanted("admin", tenant=tenant, roles=("ask", "admin")))
    index = MemoryIndex(TEXTS)
    app = create_app(Settings.model_construct(data=folder), opener=opening(index=index))
    async with client_of(app, headers={"Authorization": f"Bearer {key}"}) as client:
        assert (await client.post("/ask", json=ASK)).status_code == 200
        index.broken = {"keyword", "vector"}
        assert (await client.post("/ask", json={"question": "What is the notice period?"})).status_code == 503
        return (await client.get("/metrics")).text


async def test_every_metric_is_on_the_page_with_its_type_and_labels(tmp_path: Path) -> None:
    page = {name: (kind, set(re.findall(r"`(\w+)`", labels))) for name, kind, labels, _ in METRIC.findall(PAGE)}
    assert told(await metrics(tmp_path, "default")) == page


async def test_the_numbers_of_real_asks_over_a_real_index(tmp_path: Path) -> None:
    """The second ask's searches come from the cache, and both are in the counts of lanes, rounds and nodes."""
    opener = opening_index(tmp_path, lambda index: OfflineReasoner(index.statistics, None), HashEmbedder())
    async with client_of(create_app(Settings.model_construct(data=tmp_path), opener=opener)) as client:
        documents = [{"doc_id": name, "text": text} for name, text in TEXTS.items()]
        await client.post("/documents", json={"documents": documents})
        replies = [(await client.post("/ask", json=ASK)).json() for _ in range(2)]
        text = (await client.get("/metrics")).text
    value = {
        f"{s.name}{sorted(s.labels.items())}": s.value for f in text_string_to_metric_families(text) for s in f.samples
    }
    outcome = [("mode", "loop"), ("status", "answered"), ("stop_reason", "sufficient")]
    lanes = {way: value[f"gapseek_lane_searches_total{[('lane', 'keyword'), ('outcome', way)]}"] for way in WAYS}
    cached = [("cache", "results"), ("outcome", "hit")]
    assert [reply["stop_reason"] for reply in replies] == ["sufficient"] * 2
    assert value[f"gapseek_runs_total{outcome}"] == 2
    assert lanes["searched"] == lanes["cached"] > 0
    assert value[f"gapseek_cache_requests_total{cached}"] == 2 * lanes["cached"]
    assert value["gapseek_run_rounds_sum[('mode', 'loop')]"] == 2
    assert value["gapseek_node_seconds_count[('node', 'evaluate')]"] == 2
    assert value["gapseek_spent_total[('what', 'searches')]"] == sum(reply["usage"]["searches"] for reply in replies)
    assert (value["gapseek_documents[]"], value["gapseek_index_generation[]"]) == (2, 1)


async def test_those_of_a_tenant_are_marked_so(tmp_path: Path) -> None:
    page = {name for name, _, _, by_tenant in METRIC.findall(PAGE) if by_tenant}
    assert told(await metrics(tmp_path, "acme")).keys() == page


async def test_every_field_of_a_line_is_on_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(Settings.model_construct(log="json"))
    index = MemoryIndex(TEXTS)
    app = create_app(Settings.model_construct(data=tmp_path), opener=opening(index=index))
    async with client_of(app) as client:
        await client.post("/ask", json=ASK)
        index.broken = {"keyword", "vector"}
        await client.post("/ask", json={"question": "What is the notice period?"})
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    table = PAGE.partition("\n## Logs\n")[2].partition("\n## ")[0]
    page = dict(FIELD.findall(table))
    for message in ("request", "run"):
        seen = {name for line in lines if line["message"] == message for name in line}
        common = {name for name, where in page.items() if where.startswith(("every", "all"))}
        assert seen == common | {name for name, where in page.items() if f"`{message}`" in where}
    assert {name for name, where in page.items() if where == "where something failed"} == {"exception", "at"}


def test_every_code_of_ready_is_one_that_the_code_has() -> None:
    table = PAGE.partition("\n## Is it ready?\n")[2].partition("\n## ")[0]
    codes = {
        code for row in re.findall(r"^\| 503 \| ([^|]+) \|", table, re.MULTILINE) for code in re.findall("`(.+?)`", row)
    }
    sources = [path for room in ("api", "corpus", "reasoner", "runs") for path in (ROOT / room).rglob("*.py")]
    code = "\n".join(path.read_text("utf-8") for path in sources)
    assert codes
    assert {one for one in codes if f'"{one}"' not in code} == set()
