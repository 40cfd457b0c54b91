"""Refuses every connection and name look-up beyond loopback, and writes it into the file that `ATTEMPTS` names."""

from __future__ import annotations

import errno
import os
import sys
from ipaddress import ip_address
from pathlib import Path
from typing import Any

_WHERE = {"socket.connect": 1, "socket.sendto": 1, "socket.getaddrinfo": 0, "socket.gethostbyname": 0}
"""The place of the address, or of the host, among an audit event's arguments."""


def _host(target: Any) -> str | None:
    """The host of an address; None for a Unix socket and for this machine itself."""
    if isinstance(target, tuple):
        target = target[0]
    elif not isinstance(target, str | bytes) or b"/" in os.fsencode(target):
        return None
    return os.fsdecode(target) or None


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in _WHERE:
        return
    host = _host(arguments[_WHERE[event]])
    if host is not None and not _is_here(host):
        with Path(os.environ["ATTEMPTS"]).open("a", encoding="utf-8") as attempts:
            attempts.write(f"{event} {host}\n")
        raise OSError(errno.ENETUNREACH, "no network in this test")


sys.addaudithook(refuse)
