"""Files become documents, whatever their encoding; mistakes are named."""

from __future__ import annotations

from pathlib import Path

import pytest

import errors
from corpus.documents import NewDocument, Outcome, checked
from corpus.ingest.convert.converter import Converter
from corpus.ingest.convert.limits import Limits
from corpus.ingest.folder import find_files, read_folder
from corpus.ingest.readers import Given
from corpus.ingest.readers import read as read_with
from tests.fakes import files


def read(doc_id: str, data: bytes) -> NewDocument:
    with Converter() as converter:
        return read_with(doc_id, data, converter)


def test_front_matter_gives_title_access_and_metadata() -> None:
    source = (
        "---\ntitle: 手册\nyear: 2024\nfrom: 2024-05-01\ndraft: false\ntags: []\naccess: {groups: [hr]}\n---\n\n正文。"
    )
    document = read("a.md", source.encode())
    assert (document.title, document.text, document.groups) == ("手册", "正文。", frozenset({"hr"}))
    assert document.extracted == {"file": "a.md"}
    assert checked(document).metadata == {
        "year": 2024,
        "from": "2024-05-01",
        "draft": False,
        "tags": [],
    }


@pytest.mark.parametrize("access", ["hr", "{groups: hr}", "{group: [hr]}", "[hr]", "{groups: [1]}"])
def test_access_that_is_not_understood_is_refused_and_not_public(access: str) -> None:
    with pytest.raises(errors.BadRequest, match="access"):
        read("a.md", f"---\naccess: {access}\n---\nx".encode())


@pytest.mark.parametrize(
    "head",
    [
        "---\naccess: {groups: [hr]}\ndate: 2024-02-30\n---\n",
        "---\ntitle: T\naccess: {groups: [hr]}\n\n",
        "+++\naccess = {groups = ['hr']}\n+++\n",
        "---\naccess: {groups: [hr]}\nn: !!int 'x'\n---\n",
        "---toml\naccess = {groups = ['hr']}\n---\n",
        "+++\n[access]\ngroups = ['hr']\n+++\n",
        ';;;\n"access": {"groups": ["hr"]}\n;;;\n',
        '{\n  "title": "T",\n  "access": {"groups": ["hr"]}\n}\n',
        "--- front matter\nAccess: {groups: [hr]}\n---\n",
    ],
)
def test_front_matter_that_names_access_and_cannot_be_read_is_refused_and_not_public(head: str) -> None:
    with pytest.raises(errors.BadRequest, match="front matter"):
        read("a.md", f"{head}salaries".encode())


@pytest.mark.parametrize("fence", ["---yaml", "--- yml ", "---"])
def test_the_first_rule_may_name_its_language(fence: str) -> None:
    document = read("a.md", f"{fence}\nyear: 2024\naccess: {{groups: [hr]}}\n---\nx".encode())
    assert (document.text, document.metadata, document.groups) == ("x", {"year": 2024}, frozenset({"hr"}))


def test_front_matter_in_json_is_read() -> None:
    document = read("a.md", b'---json\n{"year": 2024, "access": {"groups": ["hr"]}}\n---\nx')
    assert (document.text, document.metadata, document.groups) == ("x", {"year": 2024}, frozenset({"hr"}))


@pytest.mark.parametrize("close", ["---", "...", "-----"])
def test_front_matter_ends_at_a_rule_or_at_the_mark_of_yaml(close: str) -> None:
    document = read("a.md", f"\n---\nyear: 2024\naccess: {{groups: [hr]}}\n{close}\n---\nx".encode())
    assert (document.text, document.metadata, document.groups) == ("---\nx", {"year": 2024}, frozenset({"hr"}))


@pytest.mark.parametrize(
    "text",
    [
        "---\nno front matter",
        "--- \n- a\n- b\n---\nrest",
        "---",
        '{\n"a": 1\n}\nrest',
        "---\nWe ask:\n\naccess: to what?",
        "So it is written:\n```yaml\naccess: {groups: [hr]}\n```",
        "So it is written:\n\n```yaml\ntitle: T\naccess: {groups: [hr]}\n```\n\nand no otherwise.",
        "# The house\n\nA text.\n\nHours: 9 to 5\nAccess: the building opens at 9",
        "Access: the building opens at 9, and nobody is let in before.",
        "# The house\n\nAccess: [the map](map.html)\n\nA text.",
        "---\nA text.\n---\nAccess: the building opens at 9",
        "The house\n---------\nAccess: the building opens at 9",
        "Some text.\n\n- Access: by the east door\n- Parking: none",
        "Accessibility: a ramp\nParking: none\n\ntext",
        "---toml\nyear = 2024\n---\nx",
    ],
)
def test_text_that_only_begins_like_front_matter_is_kept(text: str) -> None:
    document = read("a.md", text.encode())
    assert (document.text, document.metadata) == (text, {})


def test_broken_front_matter_is_named() -> None:
    with pytest.raises(errors.BadRequest, match="YAML"):
        read("a.md", b"---\na: [\n---\nx")


def test_other_kinds_of_file_are_refused() -> None:
    with pytest.raises(errors.BadRequest, match=r"\.md"):
        read("a.exe", b"x")


def test_a_folder_is_read_in_order_and_goes_on_after_a_bad_file(tmp_path: Path) -> None:
    (tmp_path / "部分").mkdir()
    (tmp_path / "部分" / "二.md").write_text("乙", "utf-8")
    (tmp_path / "a.txt").write_bytes(b"\xff\xff\xff\xff")
    (tmp_path / "b.MD").write_text("b", "utf-8")
    (tmp_path / "skip.bin").write_bytes(b"x")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "c.md").write_text("c", "utf-8")
    found = list(read_folder(tmp_path))
    assert [item.doc_id for item in found] == ["a.txt", "b.MD", "部分/二.md"]
    assert [type(item) for item in found] == [Outcome, NewDocument, NewDocument]


def test_one_file_is_a_folder_of_one(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x", "utf-8")
    assert [item.doc_id for item in read_folder(tmp_path / "a.md")] == ["a.md"]


def test_nothing_to_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(errors.BadRequest, match="no file"):
        list(read_folder(tmp_path))
    with pytest.raises(errors.BadRequest, match="no such"):
        list(read_folder(tmp_path / "absent"))


def test_a_link_out_of_the_folder_is_named_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret", "utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "folder" / "own.md").write_text("own", "utf-8")
    (tmp_path / "folder" / "near.md").symlink_to(tmp_path / "folder" / "own.md")
    out, near, own = read_folder(tmp_path / "folder")
    assert isinstance(out, Outcome)
    assert (out.doc_id, out.result) == ("link.md", "failed")
    assert [type(near), type(own)] == [NewDocument, NewDocument]


def test_folders_and_name_are_found_and_what_the_caller_and_the_file_itself_say_is_given() -> None:
    given = Given({"year": 2020, "kind": "law", "file": "given"}, frozenset({"hr"}))
    with Converter() as converter:
        plain = read_with("制度/人事/假期.csv", b"a,b\n1,2", converter, given)
        marked = read_with("x/a.md", b"---\nyear: 2024\naccess: {groups: [legal]}\n---\ntext", converter, given)
    assert plain.extracted == {"file": "假期.csv", "folder": ["制度", "人事"]}
    assert plain.metadata == {"file": "given", "year": 2020, "kind": "law"}
    assert marked.extracted == {"file": "a.md", "folder": ["x"]}
    assert marked.metadata == {"file": "given", "year": 2024, "kind": "law"}
    assert (plain.groups, marked.groups) == (frozenset({"hr"}), frozenset({"legal"}))


def test_a_title_is_the_front_matters_the_headings_the_files_own_or_its_name() -> None:
    titles = {
        "a.md": b"---\ntitle: T\n---\n# H",
        "b.md": b"# H\n\ntext",
        "c.txt": b"text",
        "d.docx": files.docx(("heading 1", "H"), title="P"),
        "e.docx": files.docx("text", title="P"),
        "f.docx": files.docx("text"),
        "x/g.csv": b"a,b",
        "h.html": b"<title>P</title>text",
    }
    with Converter() as converter:
        found = [read_with(name, data, converter).title for name, data in titles.items()]
    assert found == ["T", "H", "c", "H", "P", "f", "g", "P"]


def test_a_text_file_starts_no_child_and_every_other_kind_is_read_in_one() -> None:
    with Converter() as converter:
        read_with("a.md", b"text", converter)
        assert converter._idle == []
        for name, data in {"a.csv": b"a,b\n1,2", "a.json": b'{"a": 1}', "a.ndjson": b'{"a": 1}\n'}.items():
            read_with(name, data, converter)
            (child,) = converter._idle
        assert child._files == 3


@pytest.mark.parametrize("name", ["a.md", "a.csv", "a.pdf", "a.json"])
def test_an_empty_file_is_refused(name: str) -> None:
    with pytest.raises(errors.BadRequest, match="empty"):
        read(name, b"")


def test_a_file_over_the_limit_is_refused() -> None:
    with pytest.raises(errors.BadRequest, match="larger than 9 bytes"):
        read_with("a.md", b"0123456789", Converter(Limits(file_bytes=9)))


@pytest.mark.parametrize("name", ["a.md", "a.csv", "a.json"])
def test_binary_garbage_under_the_name_of_a_text_is_refused(name: str) -> None:
    with pytest.raises(errors.BadRequest, match="not text"):
        read(name, files.pdf(["text"]) + bytes(range(256)))


def test_front_matter_that_grows_by_aliases_is_refused() -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{f'*a{n - 1}, ' * 9}]" for n in range(1, 30))]
    for before in ("", "\n", " \n\n"):
        with pytest.raises(errors.BadRequest, match="aliases"):
            read("a.md", f"{before}---\n{chr(10).join(lines)}\n---\ntext".encode())


def test_what_is_too_long_for_front_matter_is_text() -> None:
    assert not read("a.md", f"---\na: &a [x]\n# {'x' * 70_000}\nb: [*a, *a]\n---\ntext".encode()).metadata


@pytest.mark.parametrize("start", ["a: " + "[" * 50_000, "&x " * 20_000])
def test_front_matter_that_is_nested_without_end_is_refused(start: str) -> None:
    with pytest.raises(errors.BadRequest, match="front matter"):
        read("a.md", f"---\n{start}\n---\ntext".encode())


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ("{a: ", "}"), ("\n{}- ", ""), ("\n{}a: ", "")])
def test_front_matter_may_be_nested_a_hundred_deep_and_no_deeper(opened: str, closed: str) -> None:
    """Refused as soon as it is too deep, and not after all of it was read."""

    def nested(depth: int) -> bytes:
        levels = [opened.replace("{}", " " * level) for level in range(1, depth)]
        return f"---\na: {''.join(levels)}1{closed * (depth - 1)}\n---\ntext".encode()

    assert read("a.md", nested(100)).metadata
    with pytest.raises(errors.BadRequest, match="nested too deeply"):
        read("a.md", nested(101))


def test_other_kinds_are_counted_and_hidden_ones_are_not(tmp_path: Path) -> None:
    for name in ("a.md", "b.exe", "c", ".hidden.md", ".hidden"):
        (tmp_path / name).write_text("x", "utf-8")
    found, others = find_files(tmp_path)
    assert ([file.doc_id for file in found], others) == (["a.md"], 2)


def test_a_name_in_two_forms_of_unicode_is_one_name(tmp_path: Path) -> None:
    (tmp_path / "Cafe\u0301 📚.md").write_text("x", "utf-8")
    assert find_files(tmp_path)[0][0].doc_id == "Caf\xe9 📚.md"


def test_links_that_lead_nowhere_or_in_a_circle_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.md").symlink_to(tmp_path / "b.md")
    (tmp_path / "b.md").symlink_to(tmp_path / "a.md")
    (tmp_path / "c.md").symlink_to(tmp_path / "absent.md")
    (tmp_path / "d.md").write_text("x", "utf-8")
    assert [type(one) for one in read_folder(tmp_path)] == [Outcome, Outcome, Outcome, NewDocument]


def test_a_name_that_stands_twice_is_refused_and_opens_nothing() -> None:
    with pytest.raises(errors.BadRequest, match="'access' twice"):
        read("a.md", b"---\naccess: {groups: [hr]}\naccess:\n---\nx")


@pytest.mark.parametrize("name", ["Access", "ACCESS", '"access "'])
def test_access_spelled_otherwise_is_refused_and_opens_nothing(name: str) -> None:
    with pytest.raises(errors.BadRequest, match="lower case"):
        read("a.md", f"---\n{name}: {{groups: [hr]}}\n---\nx".encode())


UNREAD = [
    "---\raccess: {groups: hr}\r---\rx",
    "---\n\u200baccess: {groups: [hr]}\n---\nx",
    ";;;\naccess: board\n;;;\nx",
    "```yaml\naccess: {groups: [hr]}\n```\nx",
    "~~~\ntitle: T\naccess: board\n~~~\nx",
    '{"title": "T", "access": {"groups": ["hr"]}}\n\nx',
    "title: T\naccess: board\n\nx",
    "access: board\n\nx",
    "Title: T\nACCESS : board\n\nx",
    "<!-- ours -->\n---\naccess: board\n---\nx",
    "# T\n\n\n---\naccess: board\n---\nx",
    "A text.\n\n---\naccess: board\n---\nx",
    "title: T\n访问权限：董事会\n\nx",
    "title: T\nａｃｃｅｓｓ：board\n\nx",
    "title: T\naccess_groups: hr\n\nx",
    "---\ntitle: T\naccess:\n  groups: [hr]\n\nx",
    "---\n---\n---\naccess: board\n---\nx",
    "--- {title: T, access: {groups: [hr]}}\nx",
    "---\naccess:\n---\nx",
    "---\naccess: ~\n---\nx",
    "---\nａｃｃｅｓｓ: {groups: [hr]}\n---\nx",
    "---\nacces: {groups: [hr]}\n---\nx",
    "---\n访问: {groups: [hr]}\n---\nx",
    "---\n访问权限: [hr]\n---\nx",
    "---\nmeta: {access: {groups: [hr]}}\n---\nx",
    "---\nmeta: [{more: {access: {groups: [hr]}}}]\n---\nx",
    "---\naccess_groups: [hr]\n---\nx",
    "**Author:** me\n**Access:** board\n\nx",
]


@pytest.mark.parametrize("text", UNREAD)
@pytest.mark.parametrize("mark", ["", "\ufeff", "\u200b\n"])
def test_a_file_that_seems_to_state_access_is_refused_and_not_public(text: str, mark: str) -> None:
    with pytest.raises(errors.BadRequest, match="access"):
        read("a.md", (mark + text).encode())


@pytest.mark.parametrize(
    "text",
    [
        "---\raccess: {groups: [hr]}\r---\rx",
        "  ---\n  access: {groups: [hr]}\n  ---\nx",
        "\u200b---\naccess: {groups: [hr]}\n---\nx",
        "\ufeff\ufeff---\naccess: {groups: [hr]}\n---\nx",
        "\xa0---\naccess: {groups: [hr]}\n---\nx",
        "---\u2028access: {groups: [hr]}\u2028---\u2028x",
        "---\x85access: {groups: [hr]}\x85---\x85x",
        "\u2014\u2014\u2014\naccess: {groups: [hr]}\n\u2014\u2014\u2014\nx",
        "\uff0d\uff0d\uff0d\naccess: {groups: [hr]}\n\uff0d\uff0d\uff0d\nx",
        "---\u200b\naccess: {groups: [hr]}\n--- \u200b\nx",
    ],
)
def test_front_matter_is_known_by_what_a_reader_sees(text: str) -> None:
    document = read("a.md", text.encode())
    assert (document.text, document.groups) == ("x", frozenset({"hr"}))


@pytest.mark.parametrize("text", ["---\naccess: board\n---\n<p>x</p>", "<!-- a -->\n---\naccess: board\n---\n<p>x</p>"])
def test_front_matter_of_a_page_that_names_access_is_refused(text: str) -> None:
    with pytest.raises(errors.BadRequest, match="access"):
        read("a.html", text.encode())


def test_an_empty_list_of_groups_opens_and_other_words_are_metadata() -> None:
    document = read("a.md", b"---\naccess: {groups: []}\naccessed: 2024-05-01\n---\nx")
    assert (document.groups, "accessed" in document.metadata) == (frozenset(), True)


def test_a_line_far_from_the_top_states_nothing() -> None:
    text = "word " * 500 + "\n\n---\naccess: {groups: [hr]}\n---\nx"
    assert read("a.md", text.encode()).text == text
