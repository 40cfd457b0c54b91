"""What the check finds in a prompt file that somebody changed, one change a test."""

from __future__ import annotations

import pytest

from context.reasoning import BANDS
from reasoner.prompt_check import advice, after_the_data, problems
from reasoner.prompt_set import built_in
from reasoner.templates import file_names

MOST = 800


def changed(file: str, old: str, new: str, times: int = -1) -> str:
    markdown = built_in().texts[file]
    assert old in markdown
    return markdown.replace(old, new, times)


@pytest.mark.parametrize("file", file_names())
def test_nothing_is_wrong_with_what_is_built_in(file: str) -> None:
    assert problems(file, built_in().texts[file]) == []
    assert advice(file, built_in().texts[file], MOST) == []


WRONG = [
    ("route.zh.md", "# System\n", "# system\n", "route.zh.md has no section `# System`."),
    ("route.zh.md", "# System\n", "Hello\n# System\n", "route.zh.md has text before its first heading"),
    ("route.en.md", "# User\n", "# System\n", "route.en.md has no section `# User`."),
    ("route.en.md", "# User\n", "# System\n", "route.en.md has 2 sections `# System`."),
    ("rewrite.en.md", "# User: later round", "# User: later", "rewrite.en.md has no section `# User: later round`."),
    ("rewrite.en.md", "# User: later round", "# User: later", "a section `# User: later` that nothing asks for"),
    ("route.en.md", "$question", "$qeustion", "route.en.md, `# User`: $question is missing."),
    ("route.en.md", "$question", "$qeustion", "$qeustion is no placeholder here; there are $history, $question."),
    ("generate.zh.md", "$gaps", "none", "generate.zh.md, `# User: cited`: $gaps is missing."),
    ("route.en.md", "Everything above", "It costs $5. Everything above", "the $ before '5. Everyth' begins no"),
    ("route.en.md", "Everything above", "It ends in $", "a dollar sign itself is written $$."),
    (
        "route.en.md",
        "You stand at",
        "$question You stand at",
        "`# System`: $question stands where nothing is filled in",
    ),
    ("evaluate.en.md", "<passages>", "<texts>", "$passages must stand alone between a tag and its end"),
    ("evaluate.en.md", "</passages>", "", "such as <passages> and </passages>"),
    ("evaluate.en.md", "$passages", "see: $passages", "$passages must stand alone"),
    ("generate.en.md", "<reason>\n$route_reason", "<x>\n$route_reason", "such as <reason> and </reason>"),
]


@pytest.mark.parametrize(("file", "old", "new", "sentence"), WRONG)
def test_a_fault_is_named(file: str, old: str, new: str, sentence: str) -> None:
    found = problems(file, changed(file, old, new))
    assert any(sentence in problem for problem in found), found
    assert all(problem.startswith(file) for problem in found)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("band", BANDS)
def test_every_anchor_must_be_stated(language: str, band: str) -> None:
    file = f"evaluate.{language}.md"
    edge = BANDS[band][0] or BANDS[band][1]  # type: ignore[index]  # parametrised by its keys
    missing = f"{file} does not state the anchor `{band}` beside {edge}."
    assert problems(file, changed(file, band, "something")) == [missing]
    assert missing in problems(file, changed(file, str(edge), "much"))


def test_exchanged_anchors_are_seen() -> None:
    exchanged = changed("evaluate.en.md", "0.9", "0.x").replace("0.7", "0.9").replace("0.x", "0.7")
    assert problems("evaluate.en.md", exchanged)


def test_anchors_in_other_words_will_do() -> None:
    own = "# System\nBands: direct from 0.90, inference 0.70, partial 0.50, irrelevant under 0.5.\n# User\n" + "".join(
        f"<{name}>${{{name}}}</{name}>" for name in ("passages", "question", "checklist")
    )
    assert problems("evaluate.zh.md", own) == []
    assert problems("evaluate.zh.md", own.replace("0.70", "0.75"))


def test_a_dollar_sign_may_be_written() -> None:
    markdown = changed("route.en.md", "Everything above", "It costs $$5. Everything above")
    assert problems("route.en.md", markdown) == []


def test_an_empty_section_is_named() -> None:
    user = built_in().texts["extract.en.md"].partition("# User")[2]
    assert problems("extract.en.md", f"# System\n\n# User{user}") == ["extract.en.md, `# System`: it is empty."]


def test_advice_is_for_servers_that_cut_and_for_budgets() -> None:
    user = built_in().get("route", "en").user
    bare = changed("route.en.md", after_the_data(user), "")
    assert problems("route.en.md", bare) == []
    assert advice("route.en.md", bare, MOST) == [
        "route.en.md, `# User`: no instruction stands after the data, where no server cuts it off."
    ]
    (told,) = advice("evaluate.en.md", changed("evaluate.en.md", "`direct` 0.9", "`direct` much"), MOST)
    assert "the anchors do not stand again after the data" in told
    (long,) = advice("route.en.md", changed("route.en.md", "You stand", "x" * 3_000 + " You stand"), MOST)
    assert "tokens, where budgets count on 800" in long
