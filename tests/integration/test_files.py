"""A folder with one file of each kind, and with the worst of each: the good are found, the bad named."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx_sse import aconnect_sse
from typer.testing import CliRunner, Result

import server
from cli.main import app as command
from context.retrieval import Principal, Vectors
from corpus.index import Index
from corpus.ingest.convert.converter import Converter
from server import Opener, create_app
from settings import Settings
from tests.fakes import files
from tests.fakes.embedder import HashEmbedder
from tests.fakes.service import on_a_port, opening_index, scripted

GOOD: dict[str, tuple[bytes, str]] = {
    "a.md": ("# 假期\n\n员工每年有二十天年假。".encode(), "年假"),
    "b.txt": ("监控影像保存不少于三十日，申请调取的应当提出。".encode("gbk"), "监控影像"),
    "c.html": (b"<title>T</title><nav>menu</nav><p>The notice period is three months.", "notice period"),
    "d.pdf": (
        files.pdf([f"第{n}行讲电梯。" for n in range(40)], [f"第{n}行讲装修押金。" for n in range(40)]),
        "装修押金",
    ),
    "e.docx": (files.docx(("heading 1", "Parking"), "Bicycles stand in the cellar."), "bicycles cellar"),
    "f.pptx": (files.slides(("预算", "明年总额一百万元", "")), "预算总额"),
    "g.csv": ("城市,补贴\n杭州,三百\n宁波,二百\n".encode(), "宁波补贴"),
    "子/h.xlsx": (files.xlsx(费用=[["项目", "金额"], ["绿化", 1200]]), "绿化金额"),
    "i.json": (b'[{"question": "Who pays for water?", "answer": "The tenant pays."}]', "water tenant"),
    "j.jsonl": (b'{"name": "Key", "rule": "Lost keys are reported."}\n', "lost keys"),
    "📚.md": ("只有书架上的人才知道的暗号。".encode("utf-16"), "暗号"),
}
BAD: dict[str, tuple[bytes, str]] = {
    "x-bomb.docx": (files.zipped({"word/document.xml": b"<a>" + b"\0" * 90_000_000}), "unpacks to more"),
    "x-empty.md": (b"", "empty"),
    "x-garbage.txt": (bytes(range(256)), "not text"),
    "x-laughs.pptx": (files.rezipped(files.slides(("a", "b", "")), slide1=files.laughs()), "entities"),
    "x-locked.pdf": (files.pdf(["text"], trailer=files.ENCRYPTED), "encrypted"),
    "x-scan.pdf": (files.pdf([], []), "scan without a text layer"),
    "x-zip.pdf": (files.docx("text"), "another kind"),
}

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    opener = opening_index(tmp_path / "data", lambda index: scripted(), HashEmbedder())
    monkeypatch.setattr(server, "create_app", partial(create_app, opener=opener))
    return partial(CliRunner().invoke, command)


def written(folder: Path, contents: dict[str, tuple[bytes, str]]) -> Path:
    for name, (data, _) in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_every_good_file_is_found_and_every_bad_one_named(run: Run, tmp_path: Path) -> None:
    folder = written(tmp_path / "papers", GOOD | BAD)
    result = run(["ingest", str(folder)])
    assert result.exit_code == 1
    assert result.stdout == f"{len(GOOD)} added, 0 updated, 0 unchanged, {len(BAD)} failed\n"
    named = [line.split(": ", 2)[1:] for line in result.stderr.splitlines()]
    assert [name for name, _ in named] == list(BAD)
    assert all(why in sentence for (_, sentence), (_, why) in zip(named, BAD.values(), strict=True))
    for name, (_, query) in GOOD.items():
        assert name in run(["search", "--json", query, "-k", "2"]).stdout, name
    assert run(["ingest", str(folder)]).stdout.startswith(f"0 added, 0 updated, {len(GOOD)} unchanged")


async def test_what_chunking_knows_of_a_file_is_found_with_the_chunk(tmp_path: Path) -> None:
    opener = opening_index(tmp_path, lambda index: scripted(), HashEmbedder())
    async with serving(opener) as client:
        parts = [("files", (name, data)) for name, (data, _) in GOOD.items()]
        assert (await client.post("/documents", files=parts)).status_code == 200
        paged = (await client.post("/search", json={"query": "装修押金", "filters": {"page": 2}, "k": 1})).json()
        below = (await client.post("/search", json={"query": "绿化", "filters": {"folder": "子"}, "k": 1})).json()
    assert paged["hits"][0]["metadata"] == {"file": "d.pdf", "page": 2}
    assert below["hits"][0]["metadata"] == {"file": "h.xlsx", "folder": ["子"]}


@asynccontextmanager
async def serving(opener: Opener) -> AsyncIterator[httpx.AsyncClient]:
    """The whole app on a port, as a client over the network sees it; one that waits, for the machine may be busy."""
    app = create_app(Settings.model_construct(), opener=opener)
    async with on_a_port(app) as address, httpx.AsyncClient(base_url=address, timeout=600) as client:
        yield client


class Halting(HashEmbedder):
    """Embeds the first document and then halts, as a slow endpoint does."""

    def __init__(self) -> None:
        super().__init__()
        self.halted = asyncio.Event()

    async def passages(self, texts: Any) -> Vectors:
        if self.embedded:
            self.halted.set()
            await asyncio.Event().wait()
        return await super().passages(texts)


async def test_a_client_that_leaves_keeps_what_was_indexed_and_leaves_nothing_half(tmp_path: Path) -> None:
    embedder = Halting()
    opener = opening_index(tmp_path, lambda index: scripted(), embedder)
    async with serving(opener) as client:
        parts = [("files", (f"{n:02}.md", f"text of {n:02}".encode())) for n in range(33)]
        async with aconnect_sse(client, "POST", "/documents", files=parts) as source:
            async for event in source.aiter_sse():
                assert event.event in ("chunks", "document")
                if event.event == "document":
                    await embedder.halted.wait()
                    break
        await client.delete("/documents/absent")  # waits for whoever writes
        hits = (await client.post("/search", json={"query": "text", "mode": "bm25", "k": 100})).json()["hits"]
        assert len(hits) == 32
    index = await Index.open(tmp_path / "index", HashEmbedder())
    assert [document.doc_id for document in index.catalogue.visible(Principal())] == [f"{n:02}.md" for n in range(32)]
    await index.close()


async def test_progress_within_a_long_document_is_told(tmp_path: Path) -> None:
    opener = opening_index(tmp_path, lambda index: scripted(), HashEmbedder())
    text = "".join(f"第{n}条　一共有{n}条规定，各不相同。\n" for n in range(1, 151))
    told = []
    async with serving(opener) as client:
        parts = [("files", ("long.md", text.encode()))]
        async with aconnect_sse(client, "POST", "/documents", files=parts) as source:
            told = [(event.event, event.json()) async for event in source.aiter_sse()]
    assert [(data["done"], data["total"]) for name, data in told if name == "chunks"] == [
        (64, 150),
        (128, 150),
        (150, 150),
    ]


def test_no_key_of_the_environment_reaches_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAPSEEK_CHAT__API_KEY", "hunter2")
    with Converter() as converter:
        converter.convert("a.html", b"<p>text")
        environment = Path(f"/proc/{converter._idle[0]._process.pid}/environ")
        assert not environment.exists() or b"hunter2" not in environment.read_bytes()
    assert os.environ["GAPSEEK_CHAT__API_KEY"] == "hunter2"
