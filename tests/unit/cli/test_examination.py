"""How an examination reads, in a terminal and out of it."""

from __future__ import annotations

import pytest

from cli.examination import Examination, lines, spent_line, verdict
from context.doctor.findings import Finding, Status
from context.reasoning import Usage
from graph.doctor import Found, Report
from graph.doctor.local import Local


def found(step: str, status: Status, sentence: str = "So it is.", setting: str | None = None) -> Found:
    return Found("chat", step, Finding(status, sentence, setting, "this" if setting else None), 0.1)


def shown(*steps: Found) -> None:
    with Examination(silent=False) as examination:
        for step in steps:
            examination.begins(Local("chat"), step.step)
            examination.told(step)
        examination.ends(Report(found=list(steps)))


def test_a_setting_stands_below_its_finding() -> None:
    first, second = lines("auth", Finding("fail", "No.", "GAPSEEK_CHAT__API_KEY", "a key"))
    assert first.plain.split() == ["fail", "auth", "No."]
    assert second.plain.strip() == "→ GAPSEEK_CHAT__API_KEY: a key"


def test_a_terminal_is_told_nothing_to_obey() -> None:
    (line,) = lines("model", Finding("ok", "red \x1b[31m"))
    assert "\x1b" not in line.plain


def test_what_is_skipped_for_one_reason_stands_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    shown(found("reach", "fail"), found("auth", "skipped", "Since."), found("model", "skipped", "Since."))
    out = capsys.readouterr().out
    assert out.count("Since.") == 1
    assert "(auth, model)" in out


def test_what_is_skipped_stands_before_what_follows(capsys: pytest.CaptureFixture[str]) -> None:
    shown(found("limit", "skipped", "Since."), found("window", "ok", "Whole."))
    out = capsys.readouterr().out
    assert out.index("Since.") < out.index("Whole.")


def test_a_terminal_sees_colour_and_what_is_at_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown(found("reach", "ok"))
    said = capsys.readouterr()
    assert "\x1b[32m" in said.out
    assert "chat: reach" in said.err


@pytest.mark.parametrize(
    ("statuses", "sentence"),
    [
        (["ok"], "Questions can be answered as configured."),
        (["warn"], "Questions can be answered as configured; 1 warning."),
        (["fail", "warn", "warn"], "Questions cannot be answered as configured: 1 fault; 2 warnings."),
    ],
)
def test_the_verdict(statuses: list[Status], sentence: str) -> None:
    assert verdict(Report(found=[found("x", status) for status in statuses])).plain == sentence


def test_what_was_estimated_is_said_to_be() -> None:
    assert spent_line(Report()) == "No chat model was called."
    assert spent_line(Report(spent=[Usage("m", 900, 100, False)])) == "Spent: 1 call of chat models, 1,000 tokens."
    both = Report(spent=[Usage("m", 900, 100, False), Usage("m", 5, 5, True)])
    assert spent_line(both) == "Spent: 2 calls of chat models, about 1,010 tokens."
