"""Documents in, and what a hostile one may do: nothing."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.acting import ask, upload
from tests.browser.conftest import Opens

Keep = Callable[[Page, str], None]

HOSTILE = """# Zebrafish <img src=x onerror="window.hacked=1"> licence

The zebrafish licence costs 77 crowns. <script>window.hacked = 1</script>
The zebrafish licence is issued by <b onclick="window.hacked=1">the office</b> [here](javascript:window.hacked=1).
The zebrafish emoji 🐟🐟 comes before <svg onload="window.hacked=1"></svg> the stamp of the harbour office.
"""


def test_each_file_has_its_progress_and_its_outcome(opened: Opens, picture: Keep) -> None:
    page = opened("/#/documents")
    upload(page, ("kiosk.md", "# Kiosk\n\nThe kiosk sells 40 kinds of tea."), ("kiosk.exe", "MZ"))
    expect(page.locator(".uploads li", has_text="kiosk.md").locator(".badge")).to_have_text("added")
    expect(page.locator(".uploads li", has_text="kiosk.exe").locator(".badge")).to_have_text("failed")
    expect(page.locator(".uploads li", has_text="kiosk.exe").locator("small").first).not_to_be_empty()
    expect(page.locator(".uploads")).to_contain_text("1 added, 0 updated, 0 unchanged, 1 failed.")
    expect(page.locator(".documents li", has_text="kiosk.md")).to_be_visible()
    picture(page, "documents")


def test_a_document_is_opened_and_deleted(opened: Opens) -> None:
    page = opened("/#/documents")
    upload(page, ("passing.md", "# Passing\n\nThis will be gone soon."))
    row = page.locator(".documents li", has_text="passing.md")
    row.locator(".source").click()
    expect(page.locator("dialog")).to_contain_text("This will be gone soon.")
    page.keyboard.press("Escape")
    row.get_by_role("button", name="Delete").click()
    row.get_by_role("button", name="Delete for good?").click()
    expect(page.locator(".documents li", has_text="passing.md")).to_have_count(0)


def test_nothing_in_a_document_becomes_markup_or_code(opened: Opens, picture: Keep) -> None:
    page = opened("/#/documents")
    upload(page, ('a"><img src=x onerror=alert(1)>.md'.replace("/", ""), HOSTILE))
    page.locator("#views a").first.click()
    ask(page, "How much does the zebrafish licence cost?")
    expect(page.locator(".answer")).to_contain_text("77 crowns")
    picture(page, "hostile")
    page.locator(".cite").first.click()
    expect(page.locator("dialog mark").first).to_be_visible()
    expect(page.locator("dialog")).to_contain_text("<script>window.hacked = 1</script>")
    picture(page, "hostile-passage")
    page.keyboard.press("Escape")
    for view in ("#/documents", "#/threads"):
        page.goto(page.url.partition("#")[0] + view)
        expect(page.locator("main .card").first).to_be_visible()
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script, main b, main a[href^=javascript], [onerror], [onclick]").count() == 0


def test_a_quote_behind_an_emoji_is_marked_to_the_letter(opened: Opens) -> None:
    page = opened("/#/documents")
    words = "🐳🐳🐳 Whales are counted every 11 days by the lighthouse keeper."
    upload(page, ("whales.md", f"# Whales\n\nThe 🐋 book of whales is blue.\n\n{words}"))
    page.locator("#views a").first.click()
    ask(page, "How often are whales counted by the lighthouse keeper?")
    page.locator(".source", has_text="Whales").first.click()
    expect(page.locator("dialog mark")).to_be_visible()
    marked = page.locator("dialog mark").inner_text()
    assert marked.endswith(".")
    assert marked[0] in "🐳TW"
