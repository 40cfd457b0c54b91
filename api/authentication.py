"""Who asks: the principal of a bearer key, found before a byte of the body is read."""

from __future__ import annotations

import hmac
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.keys import Key, KeyFile, by_hash, hashed
from api.problems import ProblemResponse, problem
from api.security import without_port
from context.retrieval import Principal
from errors import Conflict, Forbidden, GapseekError, Misconfigured, Unauthorized

PRINCIPAL: Final = "gapseek.principal"
CALLER: Final = "gapseek.caller"
"""Where a request's scope says who asks, and under which name limits count them."""

OPEN: Final = frozenset({"/", "/ready", "/openapi.json", "/docs", "/docs/oauth2-redirect"})
OPEN_BELOW: Final = ("/static-offline-docs/", "/web/")
"""What anybody may read: that the service is up, the page, and the API's description, the same everywhere."""

_LISTS: Final = ("x-forwarded-for", "x-real-ip")
"""Headers in which proxies list the addresses that they pass a request on for."""
_FOR: Final = re.compile(r"for\s*=\s*\"?([^;,\"]*)", re.IGNORECASE)
"""Who a proxy passed a request on for, in the header `Forwarded` (RFC 7239, section 4)."""

_CHALLENGE: Final = {"WWW-Authenticate": "Bearer"}
_EVERYBODY: Final = Principal()
_NOBODY: Final = Principal("", frozenset(), frozenset())

Stamp = tuple[int, int, int] | None
Refuse = Callable[[str], Awaitable[ProblemResponse | None]]


class Keys:
    """The keys as they stand now: the file is looked at on every request, and read when it has changed.

    `local` is a key that this process made up for commands on its own machine; it is in no file of keys.
    """

    def __init__(self, folder: Path, local: str | None = None) -> None:
        self._file = KeyFile.of(folder)
        self._local = local
        self._stamp: Stamp = None
        self._keys: Mapping[str, Key] = {}
        self.required = False
        """Whether a key is needed. Once one was, it stays so: a file that vanished opens nothing."""
        self._refresh()

    def principal(self, text: str | None) -> tuple[Principal, str]:
        """Whom a key stands for, and the name that limits count them under; everybody while there are no keys.

        Raises `Unauthorized`, and `Conflict` for a file that cannot be read.
        """
        self._refresh()
        if text is not None and self._local is not None and hmac.compare_digest(text.encode(), self._local.encode()):
            return _EVERYBODY, "local"
        if not self.required:
            return _EVERYBODY, ""
        if text is None:
            raise Unauthorized("An API key is needed: send it as `Authorization: Bearer <key>`.")
        # Found by its hash: how long that takes says nothing of any key.
        key = self._keys.get(hashed(text))
        if key is None or not key.valid(self._file.clock()):
            raise Unauthorized("This API key is not known, was revoked, or has expired.")
        return Principal(key.tenant, frozenset(key.groups), frozenset(key.roles)), f"key {key.id}"

    def _refresh(self) -> None:
        stamp = _stamp_of(self._file.path)
        if stamp != self._stamp or (stamp is None and self._keys):
            self._keys = by_hash(self._file.keys())
            self._stamp = stamp
        self.required = self.required or bool(self._keys)


class Authentication:
    """Puts the principal into the scope, or answers 401; without keys, 403 to whoever is not on this machine."""

    def __init__(self, app: ASGIApp, *, keys: Keys, refuse: Refuse) -> None:
        """`refuse` is told the address of a wrong key, and gives the answer to one that sent too many of them."""
        self.app = app
        self._keys = keys
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            principal, caller = self._who(scope)
        except Conflict:
            unread = problem(
                Misconfigured.status, Misconfigured.code, "The server's own file of API keys cannot be read."
            )
            await unread(scope, receive, send)
            return
        except GapseekError as error:
            await (await self._answer(error, scope))(scope, receive, send)
            return
        # In the same scope and not in a copy, so that whoever looks from outside sees them too.
        scope[PRINCIPAL], scope[CALLER] = principal, caller
        await self.app(scope, receive, send)

    async def _answer(self, error: GapseekError, scope: Scope) -> ProblemResponse:
        if error.status != Unauthorized.status:
            return problem(error.status, error.reason, error.sentence)
        told = problem(error.status, error.reason, error.sentence, headers=_CHALLENGE)
        return await self._refuse(address_of(scope)) or told

    def _who(self, scope: Scope) -> tuple[Principal, str]:
        address, headers = address_of(scope), Headers(scope=scope)
        try:
            principal, caller = self._keys.principal(bearer(headers))
        except Unauthorized:
            if is_open(scope["path"]):
                return _NOBODY, address
            raise
        # A proxy on this machine has a loopback address, and its callers may be anybody.
        if not caller and not all(map(_is_loopback, [address, *_passed_on_for(headers)])):
            raise Forbidden("Without API keys this server answers its own machine only: see `gapseek keys create`.")
        return principal, caller or address


def bearer(headers: Headers) -> str | None:
    """The key of an `Authorization` header, None without one. Raises `Unauthorized` for another scheme or two keys."""
    sent = headers.getlist("authorization")
    if not sent:
        return None
    scheme, _, key = sent[0].partition(" ")
    if len(sent) > 1 or scheme.lower() != "bearer" or not key.strip():
        raise Unauthorized("The `Authorization` header must be `Bearer <key>`.")
    return key.strip()


def address_of(scope: Scope) -> str:
    """The address that a request came from; a test or a socket file has none."""
    return scope["client"][0] if scope.get("client") else ""


def _passed_on_for(headers: Headers) -> Iterator[str]:
    """The addresses for which proxies say that they pass a request on, without their ports."""
    told = [part for name in _LISTS for value in headers.getlist(name) for part in value.split(",")]
    told += [part for value in headers.getlist("forwarded") for part in _FOR.findall(value) or [value]]
    for part in told:
        yield without_port(part.strip()).strip("[]") or "an unknown address"


def _is_loopback(address: str) -> bool:
    try:
        return not address or ip_address(address).is_loopback
    except ValueError:
        return address in ("testclient", "localhost")


def is_open(path: str) -> bool:
    """Whether anybody may read what is at this path."""
    return path in OPEN or path.startswith(OPEN_BELOW)


def _stamp_of(path: Path) -> Stamp:
    try:
        seen = path.stat()
    except FileNotFoundError:
        return None
    return seen.st_mtime_ns, seen.st_ino, seen.st_size
