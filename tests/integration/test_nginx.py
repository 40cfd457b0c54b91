"""A real nginx with the very block of docs/deploy.md before a real `gapseek serve`: cases A33, A35 and A36."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPSConnection
from pathlib import Path

import httpx
import pytest
from httpx_sse import EventSource, ServerSentEvent, connect_sse

from api.keys import ROLES, KeyFile, Wanted
from api.limits import WRONG_KEYS
from tests.fakes.default_nginx import NGINX
from tests.fakes.endpoint import FakeEndpoint, serve
from tests.fakes.held_model import HeldModel
from tests.fakes.modelled import DOCUMENT, QUESTION
from tests.fakes.nginx import MISSING, NAME, OPENSSL, Proxy, free_port, proxied, running

pytestmark = pytest.mark.skipif(not (NGINX and OPENSSL), reason=MISSING)

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/deploy.md").read_text(encoding="utf-8")
CURL = shutil.which("curl")
SERVE = """
import api.sse
from corpus.embeddings.e5 import E5Embedder
from cli.app import app
import cli.main
api.sse.PING_S = 0.1
E5Embedder.load = lambda: None
app(["serve", "--port", "0", "--no-sample"])
"""


@dataclass(frozen=True)
class Site:
    """The server, and nginx before it."""

    model: HeldModel
    server: int
    key: str
    proxy: Proxy

    def client(self, **headers: str) -> httpx.Client:
        """A browser's way in, with the key, by the public name."""
        port = self.proxy.port
        return httpx.Client(
            base_url=f"https://127.0.0.1:{port}",
            headers={"Host": f"{NAME}:{port}", "Authorization": f"Bearer {self.key}"} | headers,
            verify=self.proxy.trusted,
            timeout=30,
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("nginx")
    key = KeyFile.of(folder / "data").create(Wanted("reader", roles=ROLES))[1]
    with serve() as endpoint:
        model = HeldModel(endpoint)
        with served(folder, endpoint) as port, proxied(PAGE, port, folder) as proxy:
            there = Site(model, port, key, proxy)
            with there.client() as client:
                assert client.post("/documents", json={"documents": [DOCUMENT]}).status_code == 200
            yield there


@contextmanager
def served(folder: Path, endpoint: FakeEndpoint) -> Iterator[int]:
    """`gapseek serve` as the page sets it up: the port that it listens on."""
    env = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "GAPSEEK_DATA": str(folder / "data"),
        "GAPSEEK_ALLOWED_HOSTS": json.dumps([NAME]),
        "GAPSEEK_TRUSTED_PROXIES": json.dumps(["127.0.0.1"]),
        "GAPSEEK_CHAT__BASE_URL": endpoint.url,
        "GAPSEEK_CHAT__MODEL": "any",
        "GAPSEEK_CHAT__API_KEY": "sk-any",
    }
    with (
        (folder / "log").open("w+") as log,
        subprocess.Popen([sys.executable, "-c", SERVE], cwd=folder, env=env, stderr=log) as process,
    ):
        try:
            while not (said := re.search(r"answers at http://127\.0\.0\.1:(\d+)", (folder / "log").read_text())):
                assert process.poll() is None, (folder / "log").read_text()
                time.sleep(0.05)
            yield int(said[1])
        finally:
            process.kill()


@contextmanager
def asked(client: httpx.Client, **headers: str) -> Iterator[EventSource]:
    with connect_sse(client, "POST", "/ask", json={"question": QUESTION, "stream": True}, headers=headers) as source:
        assert source.response.status_code == 200, source.response.read()
        yield source


def until_rewrite(events: Iterator[ServerSentEvent]) -> list[ServerSentEvent]:
    """What comes until queries are asked for; no more does while the model is held."""
    seen = [next(events)]
    while not (seen[-1].event == "node" and json.loads(seen[-1].data)["name"] == "rewrite"):
        seen.append(next(events))
    return seen


def test_events_pass_one_by_one_also_where_all_else_is_compressed(site: Site) -> None:
    """Case A36: the first node is over for the reader while the next one still waits for the model."""
    with site.client() as client, site.model.held(), asked(client) as source:
        events = source.iter_sse()
        seen = until_rewrite(events)
        assert not site.model.gate.is_set()
        site.model.gate.set()
        seen.extend(event for event in events if event.data)  # httpx-sse makes an empty one of a ping
        headers = source.response.headers
    assert seen[0].event == "run"
    assert [event.event for event in seen][-2:] == ["answer", "done"]
    assert (
        "".join(json.loads(event.data)["text"] for event in seen if event.event == "token")
        == (json.loads(seen[-2].data)["answer"])
    )
    assert headers["content-type"] == "text/event-stream; charset=utf-8"
    assert "content-encoding" not in headers


def test_a_quiet_stream_outlives_the_time_out_of_a_proxy(site: Site, tmp_path: Path) -> None:
    """Case A35, sixty times faster: nginx cuts at 1 s of silence, and there are 30 pings 0.1 s apart."""
    port = free_port()
    block = f"""server {{ listen 127.0.0.1:{port}; location / {{
        proxy_pass http://127.0.0.1:{site.server}; proxy_read_timeout 1s; }} }}"""
    headers = {"Host": NAME, "Authorization": f"Bearer {site.key}"}
    (tmp_path / "nginx").mkdir()
    with running(block, tmp_path / "nginx", port), site.model.held():
        body = {"question": QUESTION, "stream": True}
        with httpx.stream("POST", f"http://127.0.0.1:{port}/ask", json=body, headers=headers, timeout=30) as answer:
            lines = answer.iter_lines()
            pings = 0
            while pings < 30:
                pings += next(lines).startswith(":")
            site.model.gate.set()
            assert "event: done" in list(lines)


def test_a_client_that_leaves_cancels_its_run_through_the_proxy(site: Site) -> None:
    """Case A33."""
    with site.client() as client, site.model.held():
        with asked(client) as source:
            thread = json.loads(until_rewrite(source.iter_sse())[0].data)["thread_id"]
        while (shown := client.get(f"/threads/{thread}").json())["running"]:
            time.sleep(0.2)
        assert (shown["status"], shown["stop_reason"]) == ("cancelled", "cancelled")
        assert not site.model.gate.is_set()


def test_a_file_far_over_nginx_s_own_limit_comes_through(site: Site) -> None:
    files = [
        ("files", ("notice.md", b"The notice period is three months.", "text/markdown")),
        ("files", ("film.mp4", b"\0" * 20_000_000, "video/mp4")),
    ]
    with site.client() as client:
        answer = client.post("/documents", files=files)
    assert [(one["doc_id"], one["result"]) for one in answer.json()["documents"]] == [
        ("notice.md", "added"),
        ("film.mp4", "failed"),
    ]


@pytest.mark.parametrize(
    ("length", "key", "status", "code"),
    [(200_000_000, "wrong", 401, "unauthorized"), (200_000_001, None, 413, "too_large")],
)
def test_up_to_the_limit_gapseek_answers_and_before_the_body_has_come(
    site: Site, length: int, key: str | None, status: int, code: str
) -> None:
    """Not a byte of the body is sent."""
    connection = HTTPSConnection("127.0.0.1", site.proxy.port, context=site.proxy.trusted, timeout=30)
    connection.putrequest("POST", "/documents", skip_host=True)
    for name, value in {
        "Host": f"{NAME}:{site.proxy.port}",
        "Authorization": f"Bearer {key or site.key}",
        "Content-Type": "multipart/form-data; boundary=x",
        "Content-Length": str(length),
    }.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["code"]) == (status, code)
    connection.close()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://{name}:{port}"}, 200),
        ({"Origin": "https://{name}"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": NAME}, 200),
    ],
)
def test_the_public_name_and_its_own_page_are_served(site: Site, headers: dict[str, str], status: int) -> None:
    filled = {name: value.format(name=NAME, port=site.proxy.port) for name, value in headers.items()}
    with site.client(**filled) as client:
        assert client.get("/health").status_code == status


@pytest.mark.skipif(CURL is None, reason="curl is not on this machine")
def test_a_browser_s_http2_keeps_the_name_and_its_port(site: Site, tmp_path: Path) -> None:
    """In HTTP/2 there is no Host header: nginx makes one."""
    at = f"{NAME}:{site.proxy.port}"
    (tmp_path / "headers").write_text(f"Authorization: Bearer {site.key}\nOrigin: https://{at}\n")
    sent = ["--header", f"@{tmp_path}/headers", "--http2", "--insecure", "--silent", "--output", f"{tmp_path}/body"]
    where = ["--resolve", f"{at}:127.0.0.1", "--write-out", "%{http_version} %{http_code}", f"https://{at}/health"]
    said = subprocess.run([str(CURL), *sent, *where], capture_output=True, text=True, check=True)
    assert said.stdout == "2 200"


def test_nobody_chooses_the_address_under_which_wrong_keys_are_counted(site: Site) -> None:
    with site.client(Authorization="Bearer wrong") as client:
        said = [
            client.get("/health", headers={"X-Forwarded-For": f"8.8.8.{n}"}).status_code for n in range(WRONG_KEYS + 2)
        ]
    assert said[0] == 401
    assert said[-1] == 429


def test_plain_http_leads_to_the_encrypted_one(site: Site) -> None:
    answer = httpx.get(f"http://127.0.0.1:{site.proxy.plain}/modes?x=1", headers={"Host": NAME})
    assert (answer.status_code, answer.headers["location"]) == (301, f"https://{NAME}/modes?x=1")
