"""A real nginx on loopback that runs the block of docs/deploy.md, or one of a test's own."""

from __future__ import annotations

import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.default_nginx import NGINX, temporary_places

OPENSSL = shutil.which("openssl")
MISSING = "nginx and openssl are needed: Debian has both as packages"
NAME = "kb.example.com"

_AROUND = """daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log; {user}
events {{}}
http {{
    access_log off; {temporary}
    gzip on; gzip_types *;
    {block}
}}
"""


@dataclass(frozen=True)
class Proxy:
    """Where nginx listens, and what vouches for its certificate."""

    plain: int
    port: int
    trusted: ssl.SSLContext


def block_of(page: str, language: str) -> str:
    """The one block of code in this language."""
    (block,) = re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)
    return str(block)


def once(text: str, old: str, new: str) -> str:
    """The text with what must be in it, once, replaced."""
    assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
    return text.replace(old, new)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextmanager
def proxied(page: str, upstream: int, folder: Path) -> Iterator[Proxy]:
    """nginx with the block of this page before a server on the port `upstream`; only places are others."""
    certify(folder)
    plain, port = free_port(), free_port()
    block = once(block_of(page, "nginx"), "server 127.0.0.1:8765;", f"server 127.0.0.1:{upstream};")
    block = once(block, "listen 80;", f"listen 127.0.0.1:{plain};")
    block = once(block, "listen 443 ", f"listen 127.0.0.1:{port} ")
    with running(block.replace("/etc/ssl/gapseek", str(folder)), folder, port):
        yield Proxy(plain, port, ssl.create_default_context(cafile=folder / "fullchain.pem"))


@contextmanager
def running(block: str, folder: Path, port: int) -> Iterator[None]:
    """nginx with this block, once it takes connections on the port."""
    assert NGINX is not None
    # Started by root it would become another user, who may not read the test's folder.
    user = "user root;" if folder.owner() == "root" else ""
    (folder / "nginx.conf").write_text(
        _AROUND.format(folder=folder, temporary=temporary_places(folder), user=user, block=block)
    )
    told = folder / "said"
    with told.open("w") as said:
        process = subprocess.Popen([NGINX, "-p", folder, "-c", folder / "nginx.conf"], stderr=said)
    try:
        _wait_for(port, process, told)
        yield
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(port: int, process: subprocess.Popen[bytes], told: Path) -> None:
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise AssertionError(told.read_text())


def certify(folder: Path) -> None:
    """A key, and a certificate for the name that vouches for itself."""
    assert OPENSSL is not None
    made = ["-keyout", f"{folder}/privkey.pem", "-out", f"{folder}/fullchain.pem", "-days", "2", "-nodes"]
    names = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME},IP:127.0.0.1"]
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    subprocess.run([OPENSSL, "req", "-x509", *curve, *made, *names], check=True, capture_output=True)
