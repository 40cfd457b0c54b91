"""Pick a step, change something, run anew, and see both runs side by side."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.acting import ELEVATOR, PATIENCE_MS, ask, open_thread
from tests.browser.conftest import Opens

Keep = Callable[[Page, str], None]


def step(page: Page, name: str) -> None:
    page.locator(f".timeline > li.{name} button", has_text="Replay from here").first.click()
    expect(page.locator("form.replay h3")).to_be_focused()


def test_a_dial_and_a_sub_question_are_changed_and_both_runs_shown(opened: Opens, picture: Keep) -> None:
    page = opened()
    ask(page, ELEVATOR)
    open_thread(page)
    recorded = page.locator(".timeline > li").all_inner_texts()
    picture(page, "thread")
    step(page, "rewrite")
    page.get_by_label("Threshold (0.5 to 1)").fill("1")
    page.get_by_label("Sub-question").first.fill("电梯维修费用由谁来付？")
    picture(page, "replay-form")
    page.get_by_role("button", name="Run anew").click()
    expect(page.get_by_role("heading", name="Both runs side by side")).to_be_visible(timeout=PATIENCE_MS)
    table = page.locator("table")
    expect(table.locator("tr", has_text="Status")).to_contain_text("answered")
    expect(page.locator(".sides .card")).to_have_count(2)
    expect(page.locator(".note", has_text="Changed")).to_contain_text("sub_questions")
    picture(page, "side-by-side")

    here = page.url
    page.locator("a", has_text="Open the replayed thread").click()
    page.wait_for_url(lambda url: url != here)
    page.goto(here)
    expect(page.locator(".timeline > li")).to_have_count(len(recorded))


def test_what_a_step_no_longer_reads_is_not_offered(opened: Opens) -> None:
    page = opened()
    ask(page, ELEVATOR)
    open_thread(page)
    step(page, "start")
    expect(page.get_by_label("Your question")).to_have_value(ELEVATOR)
    expect(page.get_by_label("Queries")).to_have_count(0)
    step(page, "rewrite")
    expect(page.locator("form.replay").get_by_label("Queries")).not_to_have_value("")
    step(page, "evaluate")
    expect(page.locator("form.replay").get_by_label("Queries")).to_have_count(0)


def test_a_change_that_is_refused_says_why(opened: Opens) -> None:
    page = opened(expects_errors=True)
    ask(page, ELEVATOR)
    open_thread(page)
    step(page, "rewrite")
    page.get_by_label("Threshold (0.5 to 1)").fill("3")
    page.get_by_role("button", name="Run anew").click()
    expect(page.locator("[role=alert]:visible")).to_contain_text("'threshold' must be a number from 0.5 to 1.")
