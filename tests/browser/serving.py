"""A real server in a process of its own, and a proxy before it that slows its streams down or breaks them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).parent.parent.parent
PYTHON = os.environ.get("GAPSEEK_SERVER_PYTHON", sys.executable)
"""That of the environment which Gapseek is installed in: the browser tests have one of their own."""


@contextmanager
def running(data: Path) -> Iterator[str]:
    """A server on the data folder, with the sample in it, at the address that is yielded."""
    port = free_port()
    command = [PYTHON, "-m", "cli", "serve", "--port", str(port), "--data", str(data)]
    with (data.parent / f"{data.name}.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait_until_ready(f"http://127.0.0.1:{port}", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(30)


def make_key(data: Path) -> str:
    """A key for the server on that folder."""
    command = [PYTHON, "-m", "cli", "keys", "create", "browser", "--role", "ask", "--data", str(data)]
    made = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return next(word for word in made.stdout.split() if word.startswith("gsk_"))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise RuntimeError("The server ended before it was ready.")
        try:
            with urlopen(f"{address}/ready", timeout=5):  # noqa: S310
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError("The server did not become ready.")


class Proxy:
    """Passes bytes on to a server: piece by piece with a pause, and cut after so many bytes of a stream's beginning."""

    def __init__(self, address: str, *, pause_s: float = 0.0, cut_after: int | None = None) -> None:
        self._target = ("127.0.0.1", int(address.rpartition(":")[2]))
        self._pause_s = pause_s
        self._cut_after = cut_after
        self.cuts = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(self._target)
            threading.Thread(target=self._forth, args=(client, server), daemon=True).start()
            threading.Thread(target=self._back, args=(client, server), daemon=True).start()

    def _forth(self, client: socket.socket, server: socket.socket) -> None:
        with server:
            for piece in _pieces(client):
                server.sendall(piece)

    def _back(self, client: socket.socket, server: socket.socket) -> None:
        of_stream = 0
        with client:
            for piece in _pieces(server):
                if piece.startswith(b"HTTP/1.1"):
                    of_stream = 0
                if of_stream or b"content-type: text/event-stream" in piece:
                    of_stream += len(piece)
                    if self._is_to_cut(of_stream):
                        client.shutdown(socket.SHUT_RDWR)
                        return
                if not self._send(client, piece, slowly=bool(of_stream)):
                    return

    def _is_to_cut(self, of_stream: int) -> bool:
        if self._cut_after is None or self.cuts or of_stream <= self._cut_after:
            return False
        self.cuts += 1
        return True

    def _send(self, client: socket.socket, piece: bytes, *, slowly: bool) -> bool:
        """Pass a piece on, event by event; False when the client has left."""
        for part in piece.replace(b"\n\n", b"\n\n\0").split(b"\0"):
            if slowly and b"event: node" in part:
                time.sleep(self._pause_s)
            try:
                client.sendall(part)
            except OSError:
                return False
        return True


def _pieces(source: socket.socket) -> Iterator[bytes]:
    while True:
        try:
            piece = source.recv(4_096)
        except OSError:
            return
        if not piece:
            return
        yield piece
