"""What the documents say is what the code does: the diagram, the settings, the addresses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel, SecretStr

from graph.build import build
from reasoner.templates import NEEDED
from server import create_app
from settings import Settings

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.zh-CN.md")
EDGE = re.compile(r"^\s*(\w+) (-->|-\.(?: .+? \.)?->) (\w+);?$", re.MULTILINE)

TOLD = ("chat", "rerank", "prompts")

Row = tuple[str, str, str]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def edges(diagram: str) -> set[tuple[str, str, str]]:
    """From, to, and whether the edge is conditional."""
    return {(source, target, "if" if "." in arrow else "always") for source, arrow, target in EDGE.findall(diagram)}


def shown(value: object) -> str:
    """A default as one writes it in the environment."""
    if value is None or isinstance(value, SecretStr):
        return ""
    return f"`{json.dumps(value)}`" if isinstance(value, tuple) else f"`{value}`"


def settings_rows(model: type[BaseModel] = Settings, prefix: str = "GAPSEEK_") -> Iterator[Row]:
    """Name, default and meaning of every setting; the parts of a chat endpoint are told once."""
    for name, field in model.model_fields.items():
        if isinstance(field.default, BaseModel):
            yield f"`{prefix}{name.upper()}__*`", "", field.description or ""
            if name in TOLD:
                yield from settings_rows(type(field.default), f"{prefix}{name.upper()}__")
        else:
            yield f"`{prefix}{name.upper()}`", shown(field.default), field.description or ""


def table_rows(page: str) -> list[Row]:
    """The rows of a page whose first cell is a setting."""
    return re.findall(r"^\| (`GAPSEEK_[^|]+`) \| ([^|]*?) ?\| (.+) \|$", page, re.MULTILINE)


@pytest.mark.parametrize("readme", READMES)
def test_the_diagram_is_the_graph(readme: str) -> None:
    drawn = re.search(r"```mermaid\n(.*?)```", text_of(readme), re.DOTALL)
    assert drawn is not None
    assert edges(drawn.group(1)) == edges(build().get_graph().draw_mermaid())


def test_a_missing_edge_would_be_seen() -> None:
    assert edges("a -. why .-> b\n\tb --> c;") == {("a", "b", "if"), ("b", "c", "always")}


def test_the_page_of_settings_tells_every_one() -> None:
    expected = list(settings_rows())
    page = "\n".join(f"| {name} | {default} | {meaning} |" for name, default, meaning in expected)
    assert table_rows(text_of("docs/settings.md")) == expected, f"the table should be:\n{page}"


def test_the_chinese_page_tells_the_same_settings() -> None:
    told = [(name, default) for name, default, _ in table_rows(text_of("docs/settings.zh-CN.md"))]
    assert told == [(name, default) for name, default, _ in settings_rows()]


def test_the_api_page_lists_every_address() -> None:
    spec = create_app(Settings.model_construct()).openapi()
    served = {f"{method.upper()} {path}" for path, methods in spec["paths"].items() for method in methods}
    listed = set(re.findall(r"^\| `([A-Z]+ /[^`]*)` \|", text_of("docs/http-api.md"), re.MULTILINE))
    assert listed == {re.sub(r"\{\w+\}", "{id}", address) for address in served}


def test_the_page_of_prompts_lists_every_placeholder() -> None:
    table = re.findall(
        r"^\| `(\w+)` \| (?:`([^`|]+)`)? ?\| ((?:`\$\w+` ?)+)\|$", text_of("docs/prompts.md"), re.MULTILINE
    )
    told = {(stem, case): frozenset(re.findall(r"\$(\w+)", named)) for stem, case, named in table}
    assert told == {(stem, case): named for stem, cases in NEEDED.items() for case, named in cases.items()}


@pytest.mark.parametrize("readme", READMES)
def test_a_readme_is_short(readme: str) -> None:
    assert len(text_of(readme).splitlines()) < 150


def links() -> Iterator[tuple[str, str]]:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
            yield str(page.relative_to(ROOT)), target


@pytest.mark.parametrize(("page", "target"), list(links()))
def test_a_link_leads_somewhere(page: str, target: str) -> None:
    assert (ROOT / page).parent.joinpath(target).exists()
