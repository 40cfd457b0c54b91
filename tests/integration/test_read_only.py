"""The server as a container runs it: only the data and temporary folders can be written, and SIGTERM drains it.

The image itself is built and run by `make container-check`, where there is an engine.
"""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest
from pptx import Presentation

from api.keys import ROLES, KeyFile, Wanted
from tests.fakes.endpoint import serve
from tests.fakes.held_model import HeldModel
from tests.fakes.modelled import DOCUMENT, QUESTION
from tests.fakes.nginx import free_port

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
READ_ONLY = """
for kept in "$1" "$2"; do mount --bind "$kept" "$kept"; done
shift 2
mount -o remount,bind,ro /
[ ! -w "$PYTHONPATH" ] || { echo "the root can be written" >&2; exit 1; }
exec "$@"
"""
"""In a mount namespace: two folders stay as they are, and the rest becomes read-only."""


def in_a_namespace(*command: str | Path) -> list[str | Path]:
    return ["unshare", "--map-root-user", "--mount", *command]


def none_here() -> bool:
    """Whether this machine allows no such namespace."""
    try:
        return subprocess.run(in_a_namespace("true"), capture_output=True).returncode != 0
    except FileNotFoundError:
        return True


pytestmark = pytest.mark.skipif(none_here(), reason="a mount namespace is needed, and this machine allows none")


@dataclass(frozen=True)
class Running:
    """A server on a read-only root, over a model that can be held."""

    process: subprocess.Popen[str]
    model: HeldModel
    client: httpx.Client
    env: dict[str, str]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    data, temporary = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("tmp")
    key, port = KeyFile.of(data).create(Wanted("any", roles=ROLES))[1], free_port()
    with serve() as endpoint:
        env = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(temporary),
            "GAPSEEK_DATA": str(data),
            "GAPSEEK_PORT": str(port),
            "GAPSEEK_CHAT__BASE_URL": endpoint.url,
            "GAPSEEK_CHAT__MODEL": "any",
            "GAPSEEK_CHAT__API_KEY": "sk-any",
            **dict(re.findall(r"(PYTHON\w+)=(1)", DOCKERFILE)),
        }
        serving = [sys.executable, "-m", "cli", "serve", "--no-sample"]
        command = in_a_namespace("sh", "-ec", READ_ONLY, "sh", data, temporary, *serving)
        with subprocess.Popen(command, cwd="/", env=env, text=True, stderr=subprocess.PIPE) as process:
            assert process.stderr is not None
            assert process.stderr.readline().startswith("Gapseek answers at "), process.stderr.read()
            there = httpx.Client(
                base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {key}"}, timeout=60
            )
            with there as client:
                yield Running(process, HeldModel(endpoint), client, env)
            process.kill()


def test_the_health_check_of_the_image_says_yes_and_no(running: Running) -> None:
    command = json.loads(re.findall(r"HEALTHCHECK.*?CMD (\[.*?\])\n", DOCKERFILE, re.DOTALL)[0])
    assert command[0] == "python"
    for port, status in ((running.env["GAPSEEK_PORT"], 0), (str(free_port()), 1)):
        env = running.env | {"GAPSEEK_PORT": port}
        checked = subprocess.run([sys.executable, *command[1:]], cwd="/", env=env, capture_output=True, check=False)
        assert checked.returncode == status, checked.stderr


def test_a_file_is_spooled_converted_embedded_and_found(running: Running) -> None:
    slides, file = Presentation(), io.BytesIO()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = "Notice", "The notice period is three months."
    slides.save(file)
    with ZipFile(file, "a") as packed:
        packed.writestr("picture.bin", os.urandom(100_000))  # too much for memory, so it goes to disk
    added = running.client.post("/documents", files={"files": ("notice.pptx", file.getvalue())})
    assert added.json()["documents"][0]["result"] == "added", added.text
    found = running.client.post("/search", json={"query": "How long is the notice period?"}).json()["hits"]
    assert {lane["lane"] for lane in found[0]["lanes"]} == {"keyword", "vector"}


def test_told_to_stop_it_takes_no_new_ask_and_ends_when_the_running_one_has_its_answer(running: Running) -> None:
    client, model = running.client, running.model
    assert client.post("/documents", json={"documents": [DOCUMENT]}).status_code == 200
    with ThreadPoolExecutor(1) as pool, model.held():
        first = pool.submit(client.post, "/ask", json={"question": QUESTION})
        assert model.asked.wait(60)
        running.process.send_signal(signal.SIGTERM)
        while (second := client.post("/ask", json={"question": "Thanks!"})).status_code != 503:
            time.sleep(0.05)
        assert second.json()["code"] == "stopping"
        model.gate.set()
        assert first.result(60).json()["status"] == "answered"
    assert running.process.wait(60) == 0
