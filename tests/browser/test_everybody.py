"""The page for everybody: by keyboard, on a small screen, in both languages, in the dark, by ear, and with a key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.acting import ELEVATOR, ask, open_thread, overflow
from tests.browser.conftest import Opens
from tests.browser.serving import make_key, running

Keep = Callable[[Page, str], None]
GRAVE = ("serious", "critical")


def faults(page: Page) -> list[str]:
    """What axe-core finds that keeps somebody from using the page."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found if one["impact"] in GRAVE]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_view_has_a_serious_fault_of_accessibility(opened: Opens, scheme: str, picture: Keep) -> None:
    page = opened(color_scheme=scheme)
    assert faults(page) == []
    page.locator("form.ask summary").click()
    ask(page, ELEVATOR)
    assert faults(page) == []
    page.locator(".cite").first.click()
    expect(page.locator("dialog mark")).to_be_visible()
    assert faults(page) == []
    page.keyboard.press("Escape")
    picture(page, f"ask-{scheme}")
    open_thread(page)
    page.locator(".timeline > li.rewrite button").first.click()
    assert faults(page) == []
    picture(page, f"thread-{scheme}")
    for view in ("#/threads", "#/documents"):
        page.goto(page.url.partition("#")[0] + view)
        expect(page.locator("main .card").first).to_be_visible()
        assert faults(page) == []


def test_nothing_is_wider_than_a_small_window(opened: Opens, picture: Keep) -> None:
    page = opened(viewport={"width": 360, "height": 740})
    assert overflow(page) == 0
    ask(page, ELEVATOR)
    assert overflow(page) == 0
    picture(page, "narrow-answer")
    open_thread(page)
    page.locator(".timeline > li.rewrite button").first.click()
    assert overflow(page) == 0
    page.get_by_role("button", name="Run anew").click()
    expect(page.get_by_role("heading", name="Both runs side by side")).to_be_visible(timeout=60_000)
    assert overflow(page) == 0
    picture(page, "narrow-replay")
    for view in ("threads", "documents"):
        page.goto(page.url.partition("#")[0] + f"#/{view}")
        expect(page.locator("main .card").first).to_be_visible()
        assert overflow(page) == 0
        picture(page, f"narrow-{view}")


def tab_to(page: Page, selector: str) -> None:
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"The keyboard does not reach {selector}.")


def test_the_keyboard_alone_asks_reads_and_replays(opened: Opens) -> None:
    page = opened()
    tab_to(page, "#question")
    page.keyboard.type(ELEVATOR)
    page.keyboard.press("Enter")
    expect(page.locator(".cite").first).to_be_visible(timeout=60_000)
    tab_to(page, ".cite")
    page.keyboard.press("Enter")
    expect(page.locator("dialog mark")).to_be_visible()
    page.keyboard.press("Escape")
    tab_to(page, "p.links a")
    page.keyboard.press("Enter")
    expect(page.locator(".timeline > li").first).to_be_visible()
    tab_to(page, ".timeline > li.rewrite button")
    page.keyboard.press("Enter")
    tab_to(page, "form.replay button[type=submit]")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Both runs side by side")).to_be_visible(timeout=60_000)


@pytest.mark.parametrize(
    ("locale", "asks", "other", "then"), [("zh-CN", "提问", "English", "Ask"), ("en-US", "Ask", "中文", "提问")]
)
def test_the_page_speaks_the_browsers_language_and_the_other_one(
    opened: Opens, locale: str, asks: str, other: str, then: str, picture: Keep
) -> None:
    page = opened(locale=locale)
    submit = page.locator("form.ask button[type=submit]")
    expect(submit).to_have_text(asks)
    ask(page, ELEVATOR)
    picture(page, f"language-{locale}")
    before = page.locator(".answer .words").inner_text()
    page.get_by_role("button", name=other).click()
    expect(submit).to_have_text(then)
    expect(page.locator(".answer .words")).to_have_text(before)
    assert page.evaluate("document.documentElement.lang") in ("zh-CN", "en")
    page.reload()
    expect(submit).to_have_text(then)


def ground(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_light_and_dark_follow_the_system_until_they_are_switched(opened: Opens) -> None:
    page = opened(color_scheme="dark")
    dark = ground(page)
    page.locator("#theme").click()
    assert ground(page) != dark
    page.locator("#theme").click()
    assert ground(page) == dark
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_where_keys_are_needed_the_page_asks_for_one_and_keeps_it_in_the_tab_alone(
    opened: Opens, tmp_path: Path, picture: Keep
) -> None:
    data = tmp_path / "keyed"
    key = make_key(data)
    with running(data) as address:
        page = opened(at=address, expects_errors=True)
        expect(page.locator("dialog.key")).to_contain_text("needs an API key")
        assert faults(page) == []
        picture(page, "key")
        page.locator("dialog.key input").fill(key)
        page.keyboard.press("Enter")
        ask(page, ELEVATOR)
        assert key not in page.url
        assert page.evaluate("JSON.stringify(localStorage)").find(key) < 0
        assert key in page.evaluate("JSON.stringify(sessionStorage)")
