"""A real nginx before a server of these tests, with its defaults but for what a test says."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

NGINX: Final = shutil.which("nginx", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin")))

DEFAULT_READ_TIMEOUT_S: Final = 60
"""Silence of a server after which nginx cuts its reply, unless `proxy_read_timeout` says otherwise."""

_CONFIG: Final = """
daemon off;
pid {folder}/nginx.pid;
worker_processes 1;
events {{ }}
http {{
    access_log off;
    {places}
    {http}
    server {{
        listen {host}:{port};
        location / {{
            proxy_pass {upstream};
            {location}
        }}
    }}
}}
"""


def temporary_places(folder: Path) -> str:
    """Directives that keep in this folder what nginx has no memory for."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)


needs_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is not installed (Debian: apt-get install nginx-light)")


@contextmanager
def nginx_before(upstream: str, folder: Path, *, http: str = "", location: str = "") -> Iterator[str]:
    """Run nginx with its files in this folder before the server at this URL, on a free loopback port; yields its URL.

    `http` and `location` are further directives of the two blocks.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host, port = listener.getsockname()
        given = {"http": http, "location": location, "places": temporary_places(folder)}
        written = _CONFIG.format(folder=folder, host=host, port=port, upstream=upstream, **given)
        (folder / "nginx.conf").write_text(written, encoding="utf-8")
        with subprocess.Popen(
            [NGINX or "nginx", "-p", folder, "-e", "stderr", "-c", folder / "nginx.conf"],
            # As nginx hands its sockets to the next nginx: so the port is taken from here on.
            env={"NGINX": f"{listener.fileno()};"},
            pass_fds=[listener.fileno()],
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                yield f"http://{host}:{port}"
                assert process.poll() is None, process.stderr.read() if process.stderr else ""
            finally:
                process.terminate()
                process.wait(10)
