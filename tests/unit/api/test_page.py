"""The page as a server hands it out, and what holds of its files without a browser."""

from __future__ import annotations

import json
import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args

import pytest
from httpx import Response

from api.keys import KeyFile, Wanted
from api.page import FILES, FOLDER
from policy.budget import BUDGETS
from state import NodeName, Status, StopReason, Verdict
from tests.fakes.service import serving

SOURCES = {path.name: path.read_text("utf-8") for path in FOLDER.iterdir() if path.is_file()}
SCRIPTS = {name: source for name, source in SOURCES.items() if name.endswith(".js")}
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def texts() -> dict[str, dict[str, str]]:
    """The table of texts, which is written as JSON so that this can read it."""
    source = SOURCES["texts.js"]
    found: dict[str, dict[str, str]] = json.loads(source[source.index("{") : source.rindex("}") + 1])
    return found


async def fetched(path: str, **headers: str) -> Response:
    async with serving() as client:
        return await client.get(path, headers=headers)


@pytest.mark.parametrize("name", sorted(SOURCES))
async def test_every_file_is_served_as_what_it_is(name: str) -> None:
    answer = await fetched(f"/web/{name}")
    assert answer.status_code == 200
    assert answer.content == SOURCES[name].encode()
    assert answer.headers["content-type"].partition(";")[0] == TYPES[name.rpartition(".")[2]]


@pytest.mark.parametrize("path", ["/", "/web/app.js"])
async def test_the_page_may_load_nothing_from_elsewhere_and_stands_in_no_frame(path: str) -> None:
    headers = (await fetched(path)).headers
    policy = headers["content-security-policy"].split("; ")
    assert {"default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} <= set(policy)
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("name", ["", "none.js", "..%2fserver.py", "%2e%2e/server.py", "__init__.py", "a/app.js"])
async def test_nothing_else_is_served(name: str) -> None:
    assert (await fetched(f"/web/{name}")).status_code == 404


async def test_what_did_not_change_is_not_sent_again() -> None:
    first = await fetched("/")
    again = await fetched("/", **{"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["content-security-policy"] == first.headers["content-security-policy"]


async def test_a_head_of_the_page_has_its_headers() -> None:
    async with serving() as client:
        answer = await client.head("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")


def test_what_is_served_is_what_the_folder_holds_and_the_wheel_takes_it_along() -> None:
    assert set(FILES) == set(SOURCES)
    built = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    assert FOLDER.name in built["only-include"]


FORBIDDEN = (
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|srcdoc|javascript:"
    r"|\beval\b|new Function|\.on[a-z]+\s*=[^=]"
)


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_no_script_makes_markup_or_code_of_a_text(name: str) -> None:
    assert not re.findall(FORBIDDEN, SCRIPTS[name], re.IGNORECASE)
    assert not re.findall(r"setAttribute\(\s*[\"'`](?:on|style|href)", SCRIPTS[name])


class _Inline(HTMLParser):
    """Collects what a strict policy would refuse: handlers, styles and scripts within the page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        self.found += [name for name in names if name.startswith("on") or name == "style"]
        if tag == "style" or (tag == "script" and "src" not in names):
            self.found.append(tag)


@pytest.mark.parametrize("name", ["index.html", "icon.svg"])
def test_no_markup_holds_code_or_style(name: str) -> None:
    parser = _Inline()
    parser.feed(SOURCES[name])
    assert parser.found == []


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_no_file_names_an_address_elsewhere(name: str) -> None:
    outside = re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"']*", SOURCES[name])
    assert [found for found in outside if found != "http://www.w3.org/2000/svg"] == []
    assert "@import" not in SOURCES[name]


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_every_import_is_a_file_of_the_page(name: str) -> None:
    imported = re.findall(r"""^import .*["'](.+)["'];$""", SCRIPTS[name], re.MULTILINE)
    assert len(imported) == len(re.findall(r"\bimport\b", SCRIPTS[name]))
    assert all(path.startswith("./") and path[2:] in SCRIPTS for path in imported)


def test_every_text_is_there_in_both_languages_with_the_same_blanks() -> None:
    for key, both in texts().items():
        assert set(both) == {"en", "zh"}, key
        assert all(both.values()), key
        blanks = {language: sorted(re.findall(r"\{\w+\}", said)) for language, said in both.items()}
        assert blanks["en"] == blanks["zh"], key


def test_every_text_that_is_asked_for_is_there_and_every_text_is_asked_for() -> None:
    known = set(texts())
    sources = "\n".join(source for name, source in SOURCES.items() if name != "texts.js")
    asked = set(re.findall(r"[\"'`]([a-z]+\.[a-z_]+(?:\.[a-z_]+)*)[\"'`]", sources))
    families = set(re.findall(r"`([a-z]+\.)\$\{", sources))
    ours = {key.partition(".")[0] for key in known}
    named = {key for key in asked if key.partition(".")[0] in ours and not key.endswith((".js", ".css", ".svg"))}
    assert named <= known
    assert {key for key in known if key not in sources and not key.startswith(tuple(families))} == set()


WORDS: list[tuple[str, Any]] = [
    ("node", NodeName),
    ("stop", StopReason),
    ("status", Status),
    ("verdict", Verdict),
]


@pytest.mark.parametrize(("family", "words"), WORDS)
def test_the_words_of_the_service_have_a_text(family: str, words: Any) -> None:
    assert {f"{family}.{word}" for word in get_args(words)} <= set(texts())


async def test_the_page_needs_no_key_and_counts_against_no_limit(tmp_path: Path) -> None:
    KeyFile.of(tmp_path).create(Wanted("someone"))
    async with serving(data=tmp_path, requests_per_minute=1) as client:
        answers = [await client.get(path) for path in ("/", "/web/app.js", "/web/page.css", "/")]
        closed = await client.get("/threads")
    assert [answer.status_code for answer in answers] == [200] * 4
    assert closed.status_code == 401


async def test_a_run_tells_its_budget_so_that_the_page_can_draw_what_is_left() -> None:
    async with serving() as client:
        body = {"question": "How much leave is there?", "stream": True, "budget": {"max_retries": 1}}
        lines = (await client.post("/ask", json=body)).text.splitlines()
    begun = json.loads(lines[1].removeprefix("data: "))
    assert begun["budget"]["max_retries"] == 1
    assert set(begun["budget"]) == set(BUDGETS)
