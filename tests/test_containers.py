"""Dockerfile, compose.yaml and docs/deploy.md: what the image gets, and what they say twice."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.local import GRACE_S
from settings import Settings
from tests.fakes.nginx import block_of, once
from tests.test_docs import settings_rows

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/deploy.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
SERVICE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]["gapseek"]
PATTERNS = [
    line for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"
]
DEFAULTS = Settings.model_construct()


def seconds(text: str) -> float:
    """A time as compose and the Dockerfile write it."""
    return float(text[:-1]) * {"s": 1, "m": 60}[text[-1]]


def matches(pattern: str, path: str) -> bool:
    """By Docker's rules: a star stays within a folder, two may be folders, and what is below a match matches."""
    written = re.escape(pattern.rstrip("/")).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
    return re.match(f"{written}(?:/|$)", path) is not None


def is_sent(path: str) -> bool:
    """Whether the build sees this file: the last pattern that matches decides."""
    last = next((p for p in reversed(PATTERNS) if matches(p.removeprefix("!"), path)), "!")
    return last.startswith("!")


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no git work tree")
    return listed.stdout.rstrip("\0").split("\0")


def test_the_build_gets_what_the_wheel_is_made_of_and_nothing_else() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    copied = {"pyproject.toml", "README.md", "requirements-build.lock", "requirements.lock"}
    wanted = {name for name in tracked() if name in copied or name.partition("/")[0] in build["only-include"]}
    assert {name for name in tracked() if is_sent(name)} == wanted


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".env.local",
        "api/.env",
        "gapseek.env",
        "web/server.key",
        "web/fullchain.pem",
        "keys.json",
        ".git/config",
        "data/keys.json",
        "data/index/documents.sqlite3",
        "corpus/data/threads.sqlite",
        "api/threads.sqlite-wal",
        "backup/2026-12-01.zip",
        "tests/test_rooms.py",
        ".venv/bin/python",
        "api/__pycache__/ask.cpython-311.pyc",
    ],
)
def test_no_data_key_history_or_test_is_sent(path: str) -> None:
    assert not is_sent(path)


def test_compose_checks_health_as_the_image_does() -> None:
    (options, command) = re.findall(r"HEALTHCHECK (.*?)\\\n\s+CMD (\[.*?\])\n", DOCKERFILE, re.DOTALL)[0]
    check = SERVICE["healthcheck"]
    assert check["test"] == ["CMD", *json.loads(command)]
    given = dict(re.findall(r"--([a-z-]+)=(\w+)", options))
    for name in ("interval", "timeout", "start-period"):
        assert seconds(check[name.replace("-", "_")]) == seconds(given[name])
    assert check["retries"] == int(given["retries"])


def test_nobody_is_stopped_before_its_asks_are_drained() -> None:
    needed = DEFAULTS.grace_s + GRACE_S
    assert seconds(SERVICE["stop_grace_period"]) > needed
    (given,) = re.findall(r"^TimeoutStopSec=(\d+)$", block_of(PAGE, "ini"), re.MULTILINE)
    assert int(given) > needed


def test_the_container_may_write_nothing_but_its_volume_and_tmp_and_has_no_rights() -> None:
    assert SERVICE["read_only"] is True
    assert SERVICE["cap_drop"] == ["ALL"]
    assert SERVICE["security_opt"] == ["no-new-privileges:true"]
    assert SERVICE["volumes"] == ["data:/data"]
    assert [place.partition(":")[0] for place in SERVICE["tmpfs"]] == ["/tmp"]
    assert all(port.startswith("127.0.0.1:") for port in SERVICE["ports"])
    assert re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE) == ["10001:10001"]


def test_every_requirement_is_pinned_with_its_hash() -> None:
    for line in re.findall(r"pip (?:install|wheel) .*", DOCKERFILE):
        assert "--require-hashes" in line or "--no-deps" in line, line


def test_nginx_takes_uploads_up_to_our_limit() -> None:
    (given,) = re.findall(r"client_max_body_size (\d+)m;", block_of(PAGE, "nginx"))
    assert int(given) * 2**20 >= DEFAULTS.max_upload_bytes


def test_the_page_and_compose_name_no_setting_that_is_not() -> None:
    known = {name.strip("`") for name, _, _ in settings_rows()} | {"GAPSEEK_TAG"}
    named = set(re.findall(r"GAPSEEK_[A-Z_]+[A-Z]", PAGE + DOCKERFILE + (ROOT / "compose.yaml").read_text("utf-8")))
    assert named
    assert named <= known


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not on this machine")
def test_systemd_reads_the_unit_without_a_word(tmp_path: Path) -> None:
    unit = tmp_path / "gapseek.service"
    unit.write_text(once(block_of(PAGE, "ini"), "/opt/gapseek/bin/gapseek serve", "/bin/true"))
    said = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert (said.returncode, said.stdout + said.stderr) == (0, "")
