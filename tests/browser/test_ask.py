"""Ask, watch, read: the way of every question."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.request import urlopen

from playwright.sync_api import Page, expect

from tests.browser.acting import ELEVATOR, PATIENCE_MS, answered, ask, open_thread
from tests.browser.conftest import Opens
from tests.browser.serving import Proxy

Keep = Callable[[Page, str], None]
NODES = ("route", "rewrite", "retrieve", "evaluate", "generate")


def test_the_answer_cites_and_a_citation_opens_its_passage_with_the_quote_marked(opened: Opens, picture: Keep) -> None:
    page = opened()
    ask(page, ELEVATOR)
    expect(page.locator(".outcome")).to_contain_text("Everything that was needed is established.")
    for node in NODES:
        expect(page.locator(f".node.done[data-node={node}]")).to_have_count(1)
    picture(page, "answer")

    cite = page.locator(".cite").first
    cite.click()
    quote = page.locator("dialog mark")
    expect(quote).to_be_visible()
    assert len(quote.inner_text()) > 10
    assert quote.inner_text() in page.locator("dialog .words:has(mark)").inner_text()
    picture(page, "passage")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    expect(cite).to_be_focused()


def test_the_checklist_and_the_budgets_stand_beside_the_answer(opened: Opens) -> None:
    page = opened()
    ask(page, "装修工人没有登记，电梯被损坏由谁负责？")
    expect(page.locator(".checklist > li .badge.confirmed").first).to_be_visible()
    page.locator(".checklist summary").first.click()
    expect(page.locator(".checklist .source").first).to_be_visible()
    expect(page.locator(".budgets")).to_contain_text("Searches")
    left, _, limit = page.locator(".budgets div", has_text="Searches").inner_text().split()[-3:]
    assert int(left) < int(limit) == 16


def test_nodes_light_up_one_after_the_other(opened: Opens, server: str, picture: Keep) -> None:
    slow = Proxy(server, pause_s=0.7)
    page = opened(at=slow.address)
    page.evaluate("""() => {
        window.lit = [];
        new MutationObserver(() => {
            const name = document.querySelector(".node.running")?.dataset.node;
            if (name && window.lit.at(-1) !== name) window.lit.push(name);
        }).observe(document.body, { subtree: true, childList: true });
    }""")
    page.locator("#question").fill(ELEVATOR)
    page.locator("form.ask button[type=submit]").click()
    page.wait_for_selector(".node.running[data-node=evaluate]", state="attached", timeout=PATIENCE_MS)
    picture(page, "running")
    answered(page)
    assert page.evaluate("window.lit") == list(NODES)
    slow.close()


def test_a_stream_that_broke_goes_on_without_loss_or_repeat(opened: Opens, server: str) -> None:
    broken = Proxy(server, cut_after=3_000)
    page = opened(at=broken.address, expects_errors=True)
    ask(page, ELEVATOR)
    assert broken.cuts == 1
    shown = [line.split("\n")[0] for line in page.locator(".side .timeline > li").all_inner_texts()]
    assert len(shown) == len(NODES)
    open_thread(page)
    thread = page.url.rpartition("/")[2]
    with urlopen(f"{server}/threads/{thread}") as response:  # noqa: S310
        answer = json.load(response)["reply"]["answer"]
    plain = page.locator(".answer .words").inner_text()
    assert plain.replace("\n", "") == answer.replace("[", "").replace("]", "").replace("\n", "")
    broken.close()


def test_a_draft_comes_first_and_is_judged_at_the_end(opened: Opens) -> None:
    page = opened()
    page.locator("form.ask summary").click()
    page.get_by_label("Show an unverified draft first").check()
    ask(page, ELEVATOR)
    page.locator("summary", has_text="The draft that came first").click()
    expect(page.locator("details", has_text="this draft").last).to_be_visible()


def test_an_error_is_its_sentence(opened: Opens, picture: Keep) -> None:
    page = opened(expects_errors=True)
    page.locator("form.ask summary").click()
    page.get_by_label("Rounds after the first").fill("99")
    page.locator("#question").fill(ELEVATOR)
    page.locator("form.ask button[type=submit]").click()
    expect(page.locator("[role=alert]:visible")).to_contain_text("may be lowered but not raised")
    picture(page, "error")


def test_a_follow_up_goes_on_in_its_thread(opened: Opens) -> None:
    page = opened()
    ask(page, ELEVATOR)
    page.locator("p.links a", has_text="Ask a follow-up").click()
    expect(page.locator("form.ask")).to_contain_text("earlier turns are taken into account")
    ask(page, "那需要多少天？")
    open_thread(page)
    expect(page.locator("details.card summary")).to_have_text(ELEVATOR)
