"""The error tree. Each error knows its HTTP status, a stable code, and whether trying again can help.

GapseekError
├── Unauthorized    401   no key, or one we do not know
├── Forbidden       403   known, but not allowed
├── NotFound        404   absent, or somebody else's
├── Conflict        409   the thread is running, or another process owns the data folder
├── TooLarge        413   a body, question or upload over its limit
├── BadRequest      422   question, filter, file or dial that cannot be used
├── TooMany         429   a rate or concurrency limit
└── Unavailable     503   a collaborator failed; retryable
    └── Misconfigured     503   it goes on failing until a setting or an account is mended

Every message is one sentence that is safe to show: it names no key, path, host or other tenant.
"""

from __future__ import annotations

from typing import Any, ClassVar


class GapseekError(Exception):
    """Base of all errors that a caller may see; `made` holds the usage of model calls that it had cost by then."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal"
    retryable: ClassVar[bool] = False

    def __init__(self, sentence: str, *, code: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.reason = code or self.code
        self.made: tuple[Any, ...] = ()


class Unauthorized(GapseekError):
    status, code = 401, "unauthorized"


class Forbidden(GapseekError):
    status, code = 403, "forbidden"


class NotFound(GapseekError):
    status, code = 404, "not_found"


class Conflict(GapseekError):
    status, code = 409, "conflict"


class TooLarge(GapseekError):
    status, code = 413, "too_large"


class BadRequest(GapseekError):
    status, code = 422, "bad_request"


class TooMany(GapseekError):
    status, code, retryable = 429, "too_many", True


class Unavailable(GapseekError):
    status, code, retryable = 503, "unavailable", True


class Misconfigured(Unavailable):
    code, retryable = "misconfigured", False
