"""The HTTP API from the caller's side: JSON calls, event streams, and a server's problems as this project's errors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, Final, Self

import httpx
from httpx_sse import SSEError, connect_sse

from errors import GapseekError, Unavailable

Told = tuple[str, dict[str, Any]]
"""An event's name and its data."""

PATIENCE: Final = httpx.Timeout(10, read=None)
"""Reading waits: a large document takes minutes to embed, and a stream pings while nothing happens."""

_KINDS: Final = {kind.status: kind for kind in GapseekError.__subclasses__()}


class Client:
    """One server. Every method raises the `errors` that the server names, or `Unavailable` when it is not there."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    @classmethod
    def at(cls, address: str, key: str | None = None) -> Self:
        """A client of a server on this machine; proxies of the environment are not for it."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return cls(httpx.Client(base_url=address, timeout=PATIENCE, trust_env=False, headers=headers))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._http.close()

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and give the JSON object that comes back, empty when there is no body."""
        with _translated():
            response = self._http.request(method, path, json=body)
        _refuse(response)
        return _object(response) if response.content else {}

    def stream(self, path: str, body: Mapping[str, Any]) -> Iterator[Told]:
        """Post, and yield each event as it comes. An `error` event is raised, as is a stream without its `done`."""
        return self._events(path, json=body)

    def upload(self, path: str, files: Mapping[str, BinaryIO], fields: Mapping[str, Any]) -> Iterator[Told]:
        """Post files by their doc_ids, with JSON fields beside them, and yield events as `stream` does."""
        parts = [("files", (doc_id.rpartition("/")[2], file)) for doc_id, file in files.items()]
        beside = {name: json.dumps(value) for name, value in ({**fields, "doc_ids": list(files)}).items()}
        return self._events(path, files=parts, data=beside)

    def _events(self, path: str, **request: Any) -> Iterator[Told]:
        with _translated(), connect_sse(self._http, "POST", path, **request) as source:
            _refuse(source.response)
            for event in source.iter_sse():
                if not event.data:
                    continue  # httpx-sse gives a ping that follows an id as an event without data
                data = json.loads(event.data)
                if event.event == "error":
                    raise _problem(data.get("status", 500), data)
                yield event.event, data
                if event.event == "done":
                    return
        raise Unavailable("The server's stream broke off before its end.")


def _object(response: httpx.Response) -> dict[str, Any]:
    try:
        return dict(response.json())
    except ValueError as exc:
        raise Unavailable("What answers at the address that the data folder names is not Gapseek.") from exc


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except httpx.ConnectError as exc:
        raise Unavailable("No server answers at the address that the data folder names.") from exc
    except (httpx.TransportError, SSEError) as exc:
        raise Unavailable("The connection to the server was lost.") from exc


def _refuse(response: httpx.Response) -> None:
    if response.is_success:
        return
    response.read()
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    raise _problem(response.status_code, problem)


def _problem(status: int, problem: Mapping[str, Any]) -> GapseekError:
    """The error that a problem+json object speaks of; of documents that failed, their own reasons."""
    reasons = [document["sentence"] for document in problem.get("documents", ()) if document["sentence"]]
    sentence = " ".join(reasons) or problem.get("detail") or f"The server answered with status {status} and no reason."
    return _KINDS.get(status, GapseekError)(str(sentence), code=problem.get("code"))
