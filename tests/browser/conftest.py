"""A real Chromium on a real server. Every test holds: no error on the console, and no request to anywhere else."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright

from tests.browser.serving import ROOT, running

RESULTS = ROOT / "browser-results"
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
"""A browser under root needs no sandbox of its own here, and asks its maker for nothing."""

Opens = Callable[..., Page]


@pytest.fixture(scope="session")
def chromium() -> str:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("There is no chromium on this machine; Debian's package is called chromium.")
    return found


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=list(QUIET))
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def server(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("served") / "data") as address:
        yield address


@pytest.fixture
def opened(browser: Browser, server: str) -> Iterator[Opens]:
    """Opens the page, in English and light unless told otherwise."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def open_page(path: str = "/", *, at: str = server, expects_errors: bool = False, **options: object) -> Page:
        settings = {"locale": "en-GB", "viewport": {"width": 1280, "height": 900}, **options}
        context = browser.new_context(**settings)
        contexts.append(context)
        page = context.new_page()

        def on_console(message: ConsoleMessage) -> None:
            # A server without comparisons says so, and the page compares by itself.
            if message.type == "error" and not expects_errors and "/diff/" not in message.location["url"]:
                wrong.append(message.text)

        def on_request(request: Request) -> None:
            if not request.url.startswith(at):
                wrong.append(f"asked elsewhere: {request.url}")

        page.on("console", on_console)
        page.on("request", on_request)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(at + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def picture(request: pytest.FixtureRequest) -> Callable[[Page, str], None]:
    """Keeps a screenshot of the whole page among the results."""
    RESULTS.mkdir(exist_ok=True)

    def take(page: Page, name: str) -> None:
        page.screenshot(path=Path(RESULTS / f"{name}.png"), full_page=True)

    return take
