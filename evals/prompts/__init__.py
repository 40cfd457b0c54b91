"""Prompts of measurements: Markdown files, one a language, each known by a fingerprint of what it says."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from evals import fingerprint
from reasoner.templates import Prompt, parsed
from state import Language


@lru_cache
def load(stem: str, language: Language) -> Prompt:
    """The prompt of this name."""
    return parsed(_read(stem, language))


@lru_cache
def version(stem: str) -> str:
    """Eight hexadecimal digits that change with any word of the prompt, in either language."""
    return fingerprint.of([_read(stem, language) for language in ("en", "zh")])


def data(text: str) -> str:
    """Text that no element of a prompt can be opened or closed from."""
    return text.replace("<", "&lt;").replace("＜", "&lt;")


def said(text: str) -> str:
    """What a model copied from such a text, as it stood in it."""
    return text.replace("&lt;", "<")


def _read(stem: str, language: str) -> str:
    return (files(__package__) / f"{stem}.{language}.md").read_text(encoding="utf-8")
