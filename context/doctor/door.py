"""How the first call to an endpoint went: was it reached, did it take the key. Vendors' exceptions are told by kind,
so that one account holds for all of their clients; nothing that they say is shown."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from context.doctor.address import origin
from context.doctor.findings import Finding

_BROKEN: Final = frozenset({"TransportError", "APIConnectionError"})
"""The bases of what httpx, httpx2 and openai raise when no answer came."""
_PROXY_WANTS_KEY: Final = 407


@dataclass(frozen=True)
class Door:
    """`who` is as in "The chat endpoint"; `error` is what the first call raised, None where it was answered."""

    who: str
    prefix: str
    url: str
    has_key: bool
    error: BaseException | None

    def reach(self) -> Finding:
        """DNS, connection, TLS and proxy."""
        status = status_of(self.error)
        if status == _PROXY_WANTS_KEY:
            return Finding("fail", "The proxy asks for a password.", *self._proxy())
        if status is not None and 300 <= status < 400:
            sentence = f"{self.who} sends calls on to another address, and none is followed."
            return Finding("fail", sentence, self._base_url, "the address that it sends them to, often https")
        if status is None and self.error is not None and is_broken(self.error):
            return self._unreached(self.error)
        return Finding("ok", f"{self.who} is reached at {origin(self.url)}.")

    def auth(self) -> Finding:
        """Whether the key is taken, as far as the endpoint says so."""
        status, setting = status_of(self.error), f"{self.prefix}__API_KEY"
        if status == 401 and not self.has_key:
            return Finding("fail", f"{self.who} wants an API key, and none is set.", setting, "a key of this provider")
        if status == 401:
            return Finding("fail", f"{self.who} does not accept the API key.", setting, "a valid key of this provider")
        if status == 403:
            sentence = f"{self.who} does not let this API key do that."
            return Finding("fail", sentence, setting, "a key that may use this model, from this place")
        key = "The API key is accepted." if self.has_key else "No API key is set, and none is asked for."
        return Finding("ok", key if self.error is None else f"{self.who} does not object to the API key.")

    def _unreached(self, error: BaseException) -> Finding:
        chain = list(causes(error))
        if setting := self._through_proxy():
            sentence = f"{self.who} is not reached through the proxy that the environment names."
            return Finding("fail", sentence, setting, "the right proxy, or add the host to NO_PROXY")
        if any(isinstance(one, socket.gaierror) for one in chain):
            return Finding(
                "fail", "The name of the host is not known.", self._base_url, "an address with this name right"
            )
        if any(isinstance(one, ssl.SSLError) for one in chain):
            return self._without_tls(chain)
        if any(isinstance(one, ConnectionRefusedError) for one in chain):
            sentence = "Nothing listens at this host and port."
            return Finding("fail", sentence, self._base_url, "the right port, or start the server there")
        if any("Timeout" in type(one).__name__ for one in chain):
            return Finding(
                "fail", "The host does not answer.", self._base_url, "an address that this machine can reach"
            )
        sentence = f"{self.who} broke the connection off before it answered."
        return Finding("fail", sentence, self._base_url, "the right port, with http or https as the server speaks it")

    def _without_tls(self, chain: list[BaseException]) -> Finding:
        if any(isinstance(one, ssl.SSLCertVerificationError) for one in chain):
            sentence = "The certificate of the host is not trusted on this machine."
            return Finding("fail", sentence, "SSL_CERT_FILE", "the file of the certificates to trust")
        sentence = "TLS does not come about; the server may speak plain http."
        return Finding("fail", sentence, self._base_url, "the same with http:// in place of https://")

    def _through_proxy(self) -> str | None:
        """The variable of the proxy that a call would go through."""
        parts = urlsplit(self.url)
        proxies = getproxies()
        name = next((name for name in (parts.scheme, "all") if name in proxies), None)
        return f"{name.upper()}_PROXY" if name and not proxy_bypass(parts.hostname or "") else None

    def _proxy(self) -> tuple[str, str]:
        return self._through_proxy() or "HTTPS_PROXY", "a proxy with its user and password, or add the host to NO_PROXY"

    @property
    def _base_url(self) -> str:
        return f"{self.prefix}__BASE_URL"


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and all that led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def status_of(error: BaseException | None) -> int | None:
    """The HTTP status that an exception came of."""
    for one in causes(error):
        status = getattr(one, "status_code", None) or getattr(getattr(one, "response", None), "status_code", None)
        if isinstance(status, int):
            return status
    return None


def is_late(error: BaseException | None) -> bool:
    """Whether there was a connection, and no answer in time."""
    kinds = {base.__name__ for one in causes(error) for base in type(one).__mro__}
    return bool(kinds & {"ReadTimeout", "TimeoutError"}) and "ConnectTimeout" not in kinds


def is_broken(error: BaseException) -> bool:
    """Whether there was no answer at all; one that only came too late was reached."""
    known = {base.__name__ for one in causes(error) for base in type(one).__mro__}
    return bool(known & _BROKEN) and "ReadTimeout" not in known
