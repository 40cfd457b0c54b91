"""By what providers say in an error that it is of a kind that its status does not tell."""

from __future__ import annotations

import re
from typing import Final

import openai

REFUSALS: Final = frozenset(
    {
        "content_filter",
        "data_inspection_failed",
        "DataInspectionFailed",
        "sensitive",
        "1301",
        "content_policy_violation",
    }
)
"""Error codes and finish reasons by which OpenAI, Azure, DashScope and Zhipu say that they refuse the content."""

_REFUSED: Final = re.compile(
    r"content exists risk|data_inspection_failed|datainspectionfailed|content management policy|high risk"
    r"|inappropriate content|敏感内容|不安全或敏感",
    re.IGNORECASE,
)
"""In the message of those that give no code of their own, such as DeepSeek and Moonshot."""

_FOR_LEGAL_REASONS: Final = 451
"""RFC 7725."""

_OVERFLOW: Final = re.compile(
    r"context[_ ](?:length|size|window)|maximum context|prompt is too long|range of input length"
    r"|model token limit|maximum model length|max_(?:seq|model)_len|prompt 超长|'1261'",
    re.IGNORECASE,
)
"""In the code or message by which OpenAI, DeepSeek, vLLM, llama.cpp, DashScope, Moonshot, SiliconFlow and Zhipu refuse
a prompt that is too long."""

_NO_CREDIT: Final = re.compile(
    r"insufficient[_ ](?:quota|balance)|balance is insufficient|exceeded[_ ](?:your[_ ])?current[_ ]quota|arrearage"
    r"|欠费|余额不足",
    re.IGNORECASE,
)
"""In the code, type or message by which OpenAI, SiliconFlow, Moonshot, DashScope and Zhipu say that the account cannot
pay."""

_BAD_KEY: Final = re.compile(
    r"api[_ ]key[_ ](?:not[_ ]valid|invalid)|(?:invalid|incorrect)[_ ]api[_ ]?key", re.IGNORECASE
)
"""In the 400 by which Gemini and others say that the key is wrong."""

_NO_MODEL: Final = re.compile(
    r"model (?:does )?not exist|model[_ ]not[_ ]found|unknown model|invalid model|模型不存在", re.IGNORECASE
)
"""In the 400 by which DeepSeek, SiliconFlow and Zhipu say that they have no such model."""

_NO_NUMBER: Final = re.compile(r"\bnan\b|unsupported value", re.IGNORECASE)
"""In the 500 by which Ollama says that a text came out as no number, and with it the whole request."""

FORM_WORDS: Final = re.compile(
    r"response_format|json_schema|json_object|json mode|structured output|grammar|tool_choice|\btools?\b"
    r"|function.?call",
    re.IGNORECASE,
)
"""What an endpoint names that does not offer the way in which a form was asked for."""


def is_refusal(exc: Exception) -> bool:
    """Whether a provider's moderation refused what the prompt holds."""
    if isinstance(exc, openai.APIStatusError) and exc.status_code == _FOR_LEGAL_REASONS:
        return True
    if not isinstance(exc, (openai.BadRequestError, openai.PermissionDeniedError)):
        return False
    return str(exc.code) in REFUSALS or bool(_REFUSED.search(exc.message))


def is_overflow(exc: Exception) -> bool:
    """Whether the prompt is too long for the model."""
    told = isinstance(exc, openai.APIStatusError) and exc.status_code in (400, 413, 422, 500)
    return told and bool(_OVERFLOW.search(said(exc)))


def status_in_words(exc: Exception) -> int | None:
    """401, 402 or 404 where an error of another status says in words that the key is wrong, the account cannot pay or
    there is no such model; None where its status has to be believed."""
    if not isinstance(exc, openai.APIStatusError):
        return None
    words = said(exc)
    if exc.status_code in (400, 403, 429) and _NO_CREDIT.search(words):
        return 402
    if exc.status_code in (400, 422):
        return 401 if _BAD_KEY.search(words) else 404 if _NO_MODEL.search(words) else None
    return None


def is_without_credit(exc: Exception) -> bool:
    """Whether the account cannot pay; DeepSeek says so with 402, others with 429 and a code."""
    if not isinstance(exc, openai.APIStatusError):
        return False
    return 402 in (exc.status_code, status_in_words(exc))


def is_no_number(exc: Exception) -> bool:
    """Whether one text of a request for embeddings came out as NaN."""
    return isinstance(exc, openai.APIStatusError) and exc.status_code == 500 and bool(_NO_NUMBER.search(said(exc)))


def said(exc: Exception) -> str:
    """Code and message of an endpoint's error. It may hold a prompt: it is looked at and never shown."""
    return f"{getattr(exc, 'code', '')} {getattr(exc, 'message', '')} {getattr(exc, 'body', '')}"
