"""What of an address may be shown, and what is one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.doctor.address import is_address, look_at, origin


@given(st.text(), st.sampled_from(["", "http://", "https://", "http://[", "ftp://"]))
def test_any_text_is_looked_at_and_none_of_it_is_shown_but_the_origin(text: str, scheme: str) -> None:
    url = scheme + text
    finding = look_at(url, "X")
    if not is_address(url):
        assert finding.status == "fail"
        assert len(finding.sentence) < 80
    elif finding.status == "ok":
        assert finding.sentence == f"The address is well-formed, at {origin(url)}."


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://api.example.com/v1", "https://api.example.com"),
        ("https://me:secret@api.example.com:8443/acct-secret/v1?key=secret#secret", "https://api.example.com:8443"),
    ],
)
def test_only_the_origin_is_shown(url: str, shown: str) -> None:
    assert origin(url) == shown


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("http://127.0.0.1:11434/v1", "ok"),
        ("https://[::1]:8000/v1/", "ok"),
        ("https://api.example.com/v1?x=1", "warn"),
        ("https://api.example.com/v1/embeddings", "fail"),
        ("http://host:0/v1", "fail"),
        ("http://host:port/v1", "fail"),
        ("api.example.com/v1", "fail"),
        ("", "fail"),
    ],
)
def test_what_is_wrong_with_an_address(url: str, status: str) -> None:
    finding = look_at(url, "GAPSEEK_CHAT__BASE_URL")
    assert finding.status == status
    assert (finding.setting is None) == (status == "ok")
