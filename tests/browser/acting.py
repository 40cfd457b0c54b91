"""What a person does on the page, in steps that several tests take."""

from __future__ import annotations

from playwright.sync_api import Page, expect

ELEVATOR = "电梯坏了，修理费用由谁承担？"
PATIENCE_MS = 60_000


def ask(page: Page, question: str) -> None:
    """Ask, and wait until the run has ended with an answer."""
    page.locator("#question").fill(question)
    page.locator("form.ask button[type=submit]").click()
    answered(page)


def answered(page: Page) -> None:
    expect(page.locator(".outcome .badge").first).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator(".answer").first).to_be_visible()


def open_thread(page: Page) -> None:
    """From an answer to its thread."""
    page.locator("p.links a").first.click()
    expect(page.locator(".timeline > li").first).to_be_visible(timeout=PATIENCE_MS)


def upload(page: Page, *files: tuple[str, str]) -> None:
    """Put texts in as files, and wait until each has its outcome."""
    payload = [{"name": name, "mimeType": "text/markdown", "buffer": text.encode()} for name, text in files]
    page.locator("input[type=file]").set_input_files(payload)
    page.locator("form.drop button[type=submit]").click()
    expect(page.locator(".uploads .badge.open")).to_have_count(0, timeout=PATIENCE_MS)


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
