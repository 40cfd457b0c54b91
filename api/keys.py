"""API keys in a file of the data folder: whose they are and what they may, and of the key itself only its hash.

A key is 32 random bytes, so one round of SHA-256 cannot be guessed back; a password would need a slow hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from filelock import FileLock

from errors import BadRequest, Conflict, NotFound

NAME: Final = "keys.json"
ROLES: Final = ("ask", "ingest", "review", "admin")
_PREFIX: Final = "gsk"
_BYTES: Final = 32
_TENANT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LONGEST: Final = 100

Clock = Callable[[], datetime]


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Key:
    """What is kept of a key. Times are ISO 8601 in UTC; a revoked key stays in the list, so that its id is not given
    twice and a list of nothing but revoked keys lets nobody in."""

    id: str
    name: str
    hash: str
    tenant: str = "default"
    groups: Sequence[str] = ()
    roles: Sequence[str] = ("ask",)
    created: str = ""
    expires: str | None = None
    revoked: str | None = None

    def valid(self, at: datetime) -> bool:
        """Whether it opens anything at this moment."""
        return self.revoked is None and (self.expires is None or datetime.fromisoformat(self.expires) > at)


@dataclass(frozen=True)
class Wanted:
    """A key to be made. `days` is how long it is valid, None for ever."""

    name: str
    tenant: str = "default"
    groups: Sequence[str] = ()
    roles: Sequence[str] = ("ask",)
    days: int | None = None

    def checked(self) -> Wanted:
        """The same. Raises `BadRequest` for what could not be told apart or would open nothing."""
        if not _TENANT.fullmatch(self.tenant):
            raise BadRequest("A tenant is named by 1 to 64 letters, digits, dots, dashes and underscores.")
        if not self.name.strip() or not all(_printable(text) for text in (self.name, *self.groups)):
            raise BadRequest(f"A name and a group are 1 to {_LONGEST} printable characters.")
        unknown = [role for role in self.roles if role not in ROLES]
        if unknown or not self.roles:
            raise BadRequest(f"A key needs one or more of these roles: {', '.join(ROLES)}.")
        if self.days is not None and not 1 <= self.days <= 36_500:
            raise BadRequest("A key is valid for 1 to 36500 days, or for ever.")
        return self


@dataclass(frozen=True)
class KeyFile:
    """The keys of a data folder. Every change replaces the file as a whole, readable by its owner only."""

    path: Path
    clock: Clock = field(default=now)

    @classmethod
    def of(cls, folder: Path, clock: Clock = now) -> KeyFile:
        return cls(folder / NAME, clock)

    def keys(self) -> list[Key]:
        """All of them, oldest first. Raises `Conflict` for a file that is damaged or of another program."""
        try:
            kept = json.loads(self.path.read_text("utf-8"))
            return [Key(**entry) for entry in kept["keys"]]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise Conflict("The file of API keys cannot be read: restore it, or remove it to begin anew.") from error

    def create(self, wanted: Wanted) -> tuple[Key, str]:
        """A new key as it is kept, and its text, which is told this once. Raises `BadRequest`, `Conflict`."""
        wanted.checked()
        made, secret = self.clock(), secrets.token_urlsafe(_BYTES)
        with self._changing() as kept:
            identifier = _new_id({key.id for key in kept})
            text = f"{_PREFIX}_{identifier}_{secret}"
            expires = None if wanted.days is None else _stamp(made + timedelta(days=wanted.days))
            key = Key(
                identifier,
                wanted.name.strip(),
                hashed(text),
                wanted.tenant,
                sorted(set(wanted.groups)),
                [role for role in ROLES if role in wanted.roles],
                _stamp(made),
                expires,
            )
            kept.append(key)
        return key, text

    def revoke(self, identifier: str) -> Key:
        """End a key at once. Raises `NotFound`."""
        with self._changing() as kept:
            place = next((n for n, key in enumerate(kept) if key.id == identifier), None)
            if place is None:
                raise NotFound("There is no such key; `gapseek keys list` shows them.")
            if kept[place].revoked is None:
                kept[place] = replace(kept[place], revoked=_stamp(self.clock()))
            return kept[place]

    def _changing(self) -> _Changing:
        return _Changing(self)

    def replaced(self, kept: Sequence[Key]) -> None:
        """Put these keys in place of those there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        written = self.path.with_suffix(".new")
        content = json.dumps({"keys": [asdict(key) for key in kept]}, ensure_ascii=False, indent=1)
        with os.fdopen(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        written.replace(self.path)


class _Changing:
    """The keys between reading and writing, which no other process changes meanwhile."""

    def __init__(self, file: KeyFile) -> None:
        self._file = file
        file.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(file.path.with_suffix(".lock"))
        self._kept: list[Key] = []

    def __enter__(self) -> list[Key]:
        self._lock.acquire(timeout=10)
        try:
            self._kept = self._file.keys()
        except BaseException:
            self._lock.release()
            raise
        return self._kept

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._file.replaced(self._kept)
        finally:
            self._lock.release()


def made_up() -> str:
    """A key for this process only, which is kept nowhere."""
    return secrets.token_urlsafe(_BYTES)


def hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def by_hash(keys: Sequence[Key]) -> Mapping[str, Key]:
    return {key.hash: key for key in keys}


def _new_id(taken: set[str]) -> str:
    while (identifier := secrets.token_hex(4)) in taken:
        pass
    return identifier


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


def _printable(text: str) -> bool:
    return len(text.strip()) > 0 and len(text) <= _LONGEST and text.isprintable()
