"""Where settings come from, and what is refused at the start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from settings import Settings


def settings_beside(folder: Path) -> Settings:
    """With the files of this folder as secrets."""
    more: dict[str, Any] = {"_secrets_dir": folder}
    return Settings(**more)


def test_a_file_of_secrets_holds_a_key_beside_an_environment_that_holds_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAPSEEK_CHAT__MODEL", "large")
    (tmp_path / "GAPSEEK_CHAT__API_KEY").write_text("sk-of-a-file\n")
    (tmp_path / "gapseek_rerank__api_key").write_text("rr-of-a-file")
    (tmp_path / "of-another-program").write_text("x")
    settings = settings_beside(tmp_path)
    assert (settings.chat.model, settings.chat.api_key) == ("large", SecretStr("sk-of-a-file"))
    assert settings.rerank.api_key == SecretStr("rr-of-a-file")


def test_the_environment_comes_before_a_file_of_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "GAPSEEK_CHAT__API_KEY").write_text("of-a-file")
    monkeypatch.setenv("GAPSEEK_CHAT__API_KEY", "of-the-environment")
    assert settings_beside(tmp_path).chat.api_key == SecretStr("of-the-environment")


def test_without_such_a_folder_there_are_no_secrets(tmp_path: Path) -> None:
    assert settings_beside(tmp_path / "none").chat.api_key is None


@pytest.mark.parametrize("proxies", [("127.0.0.1",), ("10.0.0.0/8", "fd00::/8"), ()])
def test_proxies_are_addresses_or_networks(proxies: tuple[str, ...]) -> None:
    assert Settings(trusted_proxies=proxies).trusted_proxies == proxies


@pytest.mark.parametrize("proxy", ["*", "nginx", "10.0.0.1/8", "0.0.0.0/0", "::/0", ""])
def test_what_is_no_address_or_would_trust_everybody_is_refused(proxy: str) -> None:
    with pytest.raises(ValidationError, match=r"address|everybody"):
        Settings(trusted_proxies=(proxy,))
