"""The sets of a deployment, by the names that its settings give them."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from pydantic import ValidationError

from errors import BadRequest, Conflict
from graph.prompt_sets import NO_PROMPTS, PromptSets, by_prompts, export, open_prompts, told, unwise
from policy.budget import PROMPT_TOKENS
from reasoner.prompt_check import advice
from reasoner.prompt_set import built_in
from settings import Prompts, Settings
from tests.fakes.reasoner import ScriptedReasoner


def folder_with(folder: Path, old: str, new: str) -> Path:
    """A folder whose only prompt is the built-in route.en.md with a change."""
    folder.mkdir()
    markdown = built_in().texts["route.en.md"]
    assert old in markdown
    (folder / "route.en.md").write_text(markdown.replace(old, new), encoding="utf-8")
    return folder


def opened(**prompts: object) -> PromptSets:
    return open_prompts(Settings.model_construct(prompts=Prompts.model_validate(prompts)))


def test_without_a_setting_all_is_built_in() -> None:
    assert opened() == PromptSets()
    assert list(opened().all()) == ["default", "built-in"]
    assert opened().named("default") is built_in()
    assert opened(folder="") == PromptSets()


def test_sets_go_by_name(tmp_path: Path) -> None:
    mine = folder_with(tmp_path / "mine", "You stand at", "You sit at")
    strict = folder_with(tmp_path / "strict", "You stand at", "You guard")
    sets = opened(folder=str(mine), sets={"strict": str(strict)})
    assert list(sets.all()) == ["default", "built-in", "strict"]
    begins = {name: one.get("route", "en").system[:8] for name, one in sets.all().items()}
    assert begins == {"default": "You sit ", "built-in": "You stan", "strict": "You guar"}
    assert len({one.fingerprint for one in sets.all().values()}) == 3
    with pytest.raises(BadRequest, match="there are default, built-in, strict"):
        sets.named("../mine")


def test_an_error_says_which_set(tmp_path: Path) -> None:
    bad = folder_with(tmp_path / "bad", "$history", "")
    with pytest.raises(BadRequest, match=r"^GAPSEEK_PROMPTS__FOLDER: route.en.md, `# User`: \$history is missing"):
        opened(folder=str(bad))
    with pytest.raises(BadRequest, match=r"^GAPSEEK_PROMPTS__SETS, strict: route\.en\.md"):
        opened(sets={"strict": str(bad)})


@pytest.mark.parametrize("sets", [{"default": "x"}, {"built-in": "x"}, {"A b": "x"}, {"": "x"}, {"a": ""}])
def test_a_set_needs_a_free_name_and_a_folder(sets: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="set"):
        Prompts.model_validate({"sets": sets})


def test_sets_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAPSEEK_PROMPTS__FOLDER", "mine")
    monkeypatch.setenv("GAPSEEK_PROMPTS__SETS__STRICT", "strict")
    assert Settings().prompts == Prompts(folder=Path("mine"), sets={"strict": Path("strict")})


def test_what_is_unwise_is_logged_and_no_obstacle(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    long = folder_with(tmp_path / "long", "You stand at", "very " * 1_000 + "You stand at")
    sets = opened(sets={"long": str(long)})
    with caplog.at_level(logging.WARNING):
        told(sets)
    (record,) = caplog.records
    assert record.getMessage().startswith("Prompt set long: route.en.md, `# User`: it takes some ")
    assert [*unwise(sets.named("long"))] == [record.getMessage().removeprefix("Prompt set long: ")]


def test_budgets_count_on_as_much_as_the_longest_built_in_prompt_takes() -> None:
    assert not [told for file, markdown in built_in().texts.items() for told in advice(file, markdown, PROMPT_TOKENS)]


def test_a_reasoner_without_prompts_takes_none() -> None:
    with pytest.raises(BadRequest, match=NO_PROMPTS):
        by_prompts(ScriptedReasoner(), built_in())


def test_what_is_exported_is_a_good_set_of_the_same_fingerprint(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "er"
    assert len(export(folder)) == len(built_in().texts)
    assert opened(folder=str(folder)).default.fingerprint == built_in().fingerprint
    with pytest.raises(Conflict, match=r"evaluate\.en\.md"):
        export(folder)


def test_no_file_is_written_where_one_exists(tmp_path: Path) -> None:
    (tmp_path / "route.zh.md").write_text("mine")
    with pytest.raises(Conflict, match="nothing was written"):
        export(tmp_path, ["evaluate.en.md", "route.zh.md"])
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]
