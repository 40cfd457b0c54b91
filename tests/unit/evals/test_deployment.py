from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals.deployment import described, name_of
from settings import Settings

KEY = "sk-not-to-be-shown"
CHAT = {"base_url": "http://host.internal:8000/v1", "api_key": KEY, "model": "qwen"}


def settings(**given: Any) -> Settings:
    return Settings(_env_file=None, **given)  # type: ignore[call-arg]  # known at run time


def test_no_key_no_address_and_no_path_is_told(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("电梯", "utf-8")
    told = json.dumps(
        described(settings(chat=CHAT, data=tmp_path, dictionary=words, embeddings=CHAT), {"max_retries": 1})
    )
    assert not [hidden for hidden in (KEY, "host.internal", str(tmp_path), "127.0.0.1") if hidden in told]
    assert '"model": "qwen"' in told
    assert '"budget": {"max_retries": 1}' in told


@pytest.mark.parametrize(
    "changed",
    [
        {"threshold": 0.8},
        {"chat": {**CHAT, "model": "glm"}},
        {"chat": {**CHAT, "base_url": "http://other/v1"}},
        {"chat": {**CHAT, "extra_body": {"enable_thinking": False}}},
        {"rerank": {"kind": "embedding"}},
    ],
)
def test_what_changes_an_answer_changes_the_name(changed: dict[str, Any]) -> None:
    assert name_of(settings(**{"chat": CHAT, **changed}), {}) != name_of(settings(chat=CHAT), {})


def test_own_words_change_the_name(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("电梯", "utf-8")
    first = name_of(settings(dictionary=words), {})
    words.write_text("电梯\n扶梯", "utf-8")
    assert len({first, name_of(settings(dictionary=words), {}), name_of(settings(), {})}) == 3


def test_another_key_folder_or_port_does_not(tmp_path: Path) -> None:
    other = settings(chat={**CHAT, "api_key": "another"}, data=tmp_path, port=1)
    assert name_of(other, {}) == name_of(settings(chat=CHAT), {})
    assert name_of(settings(), {"max_retries": 1}) != name_of(settings(), {})
