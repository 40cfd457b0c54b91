"""Sets of prompts: built in, and with files of a folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from errors import BadRequest
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.prompt_folder import LARGEST, NO_FOLDER, NO_PROMPT
from reasoner.prompt_set import Prompted, built_in, read_set
from reasoner.templates import file_names
from tests.fakes.endpoint import FakeEndpoint
from tests.unit.reasoner import samples
from tests.unit.reasoner.conftest import Open

ROUTE = built_in().texts["route.zh.md"]
OWN = ROUTE.replace("你守在", "你站在")


def refused(folder: Path) -> str:
    with pytest.raises(BadRequest) as caught:
        read_set("default", folder, "GAPSEEK_X")
    assert caught.value.reason == "bad_prompts"
    assert str(folder) not in caught.value.sentence
    return caught.value.sentence


def test_a_file_replaces_the_built_in_one_and_the_others_stay(tmp_path: Path) -> None:
    (tmp_path / "route.zh.md").write_text(OWN, encoding="utf-8")
    one = read_set("mine", tmp_path, "GAPSEEK_X")
    assert (one.name, sorted(one.own)) == ("mine", ["route.zh.md"])
    assert one.get("route", "zh").system.startswith("你站在")
    assert one.get("route", "en") == built_in().get("route", "en")
    assert one.fingerprint != built_in().fingerprint


def test_a_fingerprint_is_eight_hex_digits_of_what_is_said(tmp_path: Path) -> None:
    assert len(built_in().fingerprint) == 8
    assert int(built_in().fingerprint, 16) >= 0
    for name in file_names():
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + built_in().texts[name].replace("\n", "\r\n").encode())
    copied = read_set("copy", tmp_path, "GAPSEEK_X")
    assert copied.fingerprint == built_in().fingerprint
    assert copied.get("rewrite", "zh", "later round") == built_in().get("rewrite", "zh", "later round")


def test_a_folder_must_exist_and_hold_a_prompt(tmp_path: Path) -> None:
    assert refused(tmp_path / "none") == f"GAPSEEK_X: {NO_FOLDER}"
    (tmp_path / "README.md").write_text("What this is.")
    (tmp_path / ".hidden").write_text("")
    (tmp_path / "below").mkdir()
    assert refused(tmp_path) == f"GAPSEEK_X: {NO_PROMPT}"
    assert NO_FOLDER in refused(tmp_path / "README.md")


@pytest.mark.parametrize("name", ["rout.zh.md", "route.md", "Route.zh.md", "route.zh.txt", "route.zh.md~"])
def test_a_file_named_like_no_prompt_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(OWN, encoding="utf-8")
    assert refused(tmp_path).startswith(f"GAPSEEK_X: {name} is named like no prompt: was route.")


def test_a_name_near_none_lists_them(tmp_path: Path) -> None:
    (tmp_path / "0815").write_text(OWN, encoding="utf-8")
    assert refused(tmp_path).endswith(f"prompts are named {', '.join(file_names())}.")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "route.zh.md").write_bytes("# System\n你".encode("gb18030"))
    (tmp_path / "route.en.md").write_bytes(b"x" * (LARGEST + 1))
    (tmp_path / "extract.en.md").symlink_to("nowhere")
    os.mkfifo(tmp_path / "extract.zh.md")
    sentence = refused(tmp_path)
    assert "route.zh.md is not UTF-8 text: byte 10 is none" in sentence
    for name in ("route.en.md", "extract.en.md", "extract.zh.md"):
        assert f"{name} is no regular file of at most 100,000 bytes." in sentence


def test_of_many_problems_the_first_are_told_and_the_others_counted(tmp_path: Path) -> None:
    for name in file_names():
        (tmp_path / name).write_text("")
    sentence = refused(tmp_path)
    assert "agent.en.md has no section `# System: choose`." in sentence
    assert sentence.endswith(" more.")


async def test_a_reasoner_goes_by_the_set_that_it_is_given(
    tmp_path: Path, endpoint: FakeEndpoint, chat_endpoint: ChatEndpoint, open_reasoner: Open
) -> None:
    (tmp_path / "route.zh.md").write_text(OWN, encoding="utf-8")
    own = read_set("mine", tmp_path, "GAPSEEK_X")
    first = open_reasoner(chat_endpoint)
    assert isinstance(first, Prompted)
    second = first.with_prompts(own)
    assert first.name == f"llm:large-model:prompts-{built_in().fingerprint}"
    assert second.name == f"llm:large-model:prompts-{own.fingerprint}"
    said = {"reason": "r", "need_retrieval": True, "standalone": "s"}
    endpoint.script("route", said, said)
    for reasoner in (second, first):
        await reasoner.route(samples.route_request("zh"))
    assert ["你站在" in call.prompt for call in endpoint.of("route")] == [True, False]
