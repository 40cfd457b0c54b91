"""Log lines can be read by machines, are found by their ids, and hold nothing that somebody asked, wrote or keeps."""

from __future__ import annotations

import json
import logging
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest

from api.keys import KeyFile, Wanted
from api.logs import OURS, JsonLines, TextLines, configure
from runs.marks import REQUEST, RUN
from server import create_app
from settings import Settings
from tests.fakes.service import client_of, opening, scripted
from tests.test_rooms import MAY_IMPORT

MARKER = "ZQXJ-青鸟"


def record(message: str = "something", **more: Any) -> logging.LogRecord:
    made = logging.LogRecord("runs.x", logging.WARNING, "x.py", 1, message, (), more.pop("exc_info", None))
    made.__dict__.update(more)
    return made


def failed() -> Any:
    try:
        raise ValueError(MARKER)
    except ValueError as error:
        return type(error), error, error.__traceback__


def test_a_line_of_json_has_its_ids_and_what_it_tells() -> None:
    request, run = REQUEST.set("q" * 8), RUN.set("r" * 8)
    try:
        line = json.loads(JsonLines().format(record(told={"status": 200})))
    finally:
        REQUEST.reset(request)
        RUN.reset(run)
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "warning",
        "logger": "runs.x",
        "message": "something",
        "request_id": "q" * 8,
        "run_id": "r" * 8,
        "status": 200,
    }


@pytest.mark.parametrize("form", [JsonLines(), TextLines()])
def test_an_exception_is_told_by_its_kind_and_place_alone(form: logging.Formatter) -> None:
    line = form.format(record(f"Task exception was never retrieved\nfuture: ValueError('{MARKER}')", exc_info=failed()))
    assert "ValueError" in line
    assert "test_logs.py:" in line
    assert MARKER not in line
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize("form", [JsonLines(), TextLines()])
def test_no_message_breaks_its_line(form: logging.Formatter) -> None:
    assert len(form.format(record("a\x1b[2Jb\u2028c\rd")).splitlines()) == 1


def test_every_room_that_logs_has_its_level_set() -> None:
    logs = {
        room
        for room in MAY_IMPORT
        for path in Path(__file__).parents[3].glob(f"{room}/**/*.py")
        if "getLogger(__name__)" in path.read_text("utf-8")
    }
    assert logs - {"cli", "evals"} <= set(OURS)


async def test_nothing_that_was_asked_kept_or_sent_is_in_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings.model_construct(data=tmp_path, log="json")
    configure(settings)
    _, key = KeyFile.of(tmp_path).create(Wanted(MARKER, tenant="hidden-tenant", roles=("ask", "ingest")))

    def grade(request: Any) -> Any:
        raise RuntimeError(MARKER)

    sent = {"Authorization": f"Bearer {key}", "X-Request-Id": "from-the-proxy"}
    async with client_of(create_app(settings, opener=opening(scripted(grade=grade)))) as client:
        document = {"doc_id": MARKER, "title": MARKER, "text": f"paid leave {MARKER}", "metadata": {MARKER: MARKER}}
        await client.post("/documents", json={"documents": [document]}, headers=sent)
        failed = await client.post("/ask", json={"question": f"paid leave {MARKER}?"}, headers=sent)
        await client.get(f"/documents?prefix={MARKER}", headers=sent)
        await client.get(f"/{MARKER}", headers={"Authorization": "Bearer ZQXJ"})
        await client.post("/ask", json={MARKER: MARKER}, headers=sent)
    said = capsys.readouterr().err
    lines = [json.loads(line) for line in said.splitlines()]
    assert not any(secret in said for secret in ("ZQXJ", "青鸟", "hidden-tenant", key, key.rpartition("_")[2]))
    requests = [line for line in lines if line["message"] == "request"]
    assert [(line["route"], line["status"]) for line in requests] == [
        ("/documents", 200),
        ("/ask", 500),
        ("/documents", 200),
        ("none", 401),
        ("/ask", 422),
    ]
    assert requests[1]["caller"] == f"key {key.split('_')[1]}"
    assert requests[1]["request_id"] == failed.json()["request_id"] == "from-the-proxy"
    (run,) = (line for line in lines if line["message"] == "run")
    assert (run["status"], run["error"], run["request_id"]) == ("failed", "internal", "from-the-proxy")
    assert len(run["run_id"]) == len(run["thread_id"]) == 32


def test_the_lines_of_uvicorn_take_the_same_way_and_its_line_a_request_is_off(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logging.getLogger("uvicorn.error").setLevel(logging.INFO)  # as uvicorn itself sets it
    configure(Settings.model_construct(log="json"))
    logging.getLogger("uvicorn.error").info("Started")
    logging.getLogger("uvicorn.access").info("GET /?secret")
    logging.getLogger("httpx").info("POST somewhere")
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["message"] == "Started"


def test_a_level_is_kept_to(capsys: pytest.CaptureFixture[str]) -> None:
    configure(Settings.model_construct(log_level="error"))
    logging.getLogger("runs.x").warning("no")
    logging.getLogger("runs.x").error("yes")
    assert capsys.readouterr().err.strip().endswith("ERROR   yes")


def test_what_python_would_write_itself_is_a_line_without_words_and_paths(capsys: pytest.CaptureFixture[str]) -> None:
    def fails() -> None:
        raise ValueError(MARKER)

    class Cleaning:
        def __del__(self) -> None:
            raise ValueError(MARKER)

    configure(Settings.model_construct(log="json"))
    warnings.showwarning(UserWarning(MARKER), UserWarning, f"/{MARKER}/reader.py", 7)
    thread = threading.Thread(target=fails)
    thread.start()
    thread.join()
    Cleaning()
    said = capsys.readouterr().err
    lines = [json.loads(line) for line in said.splitlines()]
    assert [line["message"] for line in lines] == [
        "UserWarning at reader.py:7",
        "A thread failed",
        "A failure while cleaning up",
    ]
    assert all(line["exception"] == "ValueError" and "test_logs.py:" in line["at"] for line in lines[1:])
    assert MARKER not in said
