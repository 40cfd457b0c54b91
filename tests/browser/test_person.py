"""A question that waits for a person, and the box to answer it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.acting import answered
from tests.browser.conftest import Opens

Keep = Callable[[Page, str], None]
QUESTION = "What colour is the mayor's bicycle?"


def hand_over(page: Page) -> None:
    page.locator("form.ask summary").click()
    page.get_by_label("Ask a person where the documents do not suffice").check()
    page.locator("#question").fill(QUESTION)
    page.locator("form.ask button[type=submit]").click()
    answered(page)


def test_a_person_answers_and_is_cited(opened: Opens, picture: Keep) -> None:
    page = opened()
    hand_over(page)
    expect(page.locator(".outcome .badge")).to_have_text("waiting for a person")
    page.goto(page.url.partition("#")[0] + "#/threads/waiting")
    waiting = page.locator(".thread", has_text=QUESTION)
    expect(waiting.locator(".badge")).to_have_text("waiting for a person")
    waiting.click()
    page.get_by_label("Your answer").fill("It is <b>green</b>.")
    page.get_by_label("Your name, to be cited").fill("Ms. Wang")
    picture(page, "waiting")
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(page.locator(".outcome")).to_contain_text("A person replied.")
    expect(page.locator(".answer")).to_contain_text("It is <b>green</b>.")
    page.locator(".cite").first.click()
    expect(page.locator("dialog h2")).to_have_text("Ms. Wang")
    expect(page.locator("dialog mark")).to_have_text("It is <b>green</b>.")


def test_a_person_declines(opened: Opens) -> None:
    page = opened()
    hand_over(page)
    page.locator("p.links a").first.click()
    page.get_by_role("button", name="Decline").click()
    expect(page.locator(".outcome .badge")).to_have_text("not answered")
