"""User dictionaries: read in any encoding, wrong lines named, and every entry has an effect (case A23)."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import errors
from text.dictionary import Dictionary, parse
from text.tokens import RULES, fingerprint, tokens, use

LINES = "# 本公司的词\r\n\r\nEdu Trust认证 2000\r\nX200-Pro\r\n兰台通 500 nz\r\n電梯寶\tnz\r\nC++模板\r\n"


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    yield
    use(Dictionary())


def read(text: str) -> Dictionary:
    return parse(text.encode())


@pytest.mark.parametrize(
    "data",
    [
        LINES.encode(),
        codecs.BOM_UTF8 + LINES.encode(),
        LINES.encode("gbk"),
        LINES.encode("utf-16"),
        LINES.encode("utf-16-le"),
        LINES.encode("utf-16-be"),
        LINES.replace("\r\n", "\n").encode(),
    ],
    ids=["utf-8", "bom", "gbk", "utf-16", "utf-16-le", "utf-16-be", "lf"],
)
def test_any_encoding_gives_the_same_entries(data: bytes) -> None:
    dictionary = parse(data)
    assert dictionary.words == {"兰台通": 500, "电梯宝": None}
    assert dictionary.phrases == {"edu trust认证", "x200-pro", "c++模板"}


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("Edu Trust认证 2000", "什么是EDU TRUST 认证？"),
        ("Edu Trust认证 2000", "什么是edu  trust认证？"),
        ("Edu Trust认证", "Ｅｄｕ Ｔｒｕｓｔ認證的流程"),
        ("iphone 15 10", "新iPhone　15手机"),
        ("R&D中心", "我们的r&d 中心"),
        (".NET平台", "在.net平台上"),
    ],
)
def test_an_entry_with_blanks_or_signs_is_one_token_in_any_case_width_and_script(entry: str, text: str) -> None:
    before = tokens(text)
    dictionary = read(entry)
    use(dictionary)
    assert tokens(text) == [*before, *dictionary.phrases]


def test_a_chinese_entry_is_cut_as_a_word_even_with_a_frequency_too_low() -> None:
    assert "青禾贷" not in tokens("青禾贷怎么办")
    use(read("青禾贷 1\n"))
    assert "青禾贷" in tokens("青禾贷怎么办")
    assert "青禾贷" in tokens("青禾貸怎麼辦")


def test_an_entry_that_is_a_token_anyway_is_not_counted_twice() -> None:
    before = tokens("X200-Pro 的说明")
    use(read("x200-pro\n说明\n"))
    assert tokens("X200-Pro 的说明") == before


@pytest.mark.parametrize("text", ["scare", "cars", "vicar", "car2go", "the scare of oscar"])
def test_an_entry_never_breaks_an_english_word(text: str) -> None:
    before = tokens(text)
    use(read("car\nca r\n"))
    assert tokens(text) == before


@settings(max_examples=30)
@given(st.lists(st.text(st.sampled_from("abx2-. 电梯"), min_size=1, max_size=8), max_size=4), st.text(max_size=40))
def test_with_a_dictionary_no_token_of_a_text_without_chinese_is_lost(entries: list[str], text: str) -> None:
    latin = "".join(c for c in text if not "\u2e80" <= c <= "\u9fff")
    before = tokens(latin)
    try:
        use(read("\n".join(entries)))
    except errors.BadRequest:
        return
    after = tokens(latin)
    use(Dictionary())
    assert after[: len(before)] == before


def test_wrong_lines_are_named_with_what_is_wrong() -> None:
    with pytest.raises(errors.BadRequest) as raised:
        read("兰台通 3\n\n---\n词 3.5 n\n词 0\n" + "长" * 61 + "\n")
    assert raised.value.sentence == (
        "The dictionary cannot be used: line 3 has a word without a letter or digit; line 4 has a frequency that is "
        "not a whole number from 1; line 5 has a frequency that is not a whole number from 1, and 1 more."
    )


@pytest.mark.parametrize("data", [b"\xff\xfe\xff", bytes(range(256)), b"\x81\xff\x81\xff"])
def test_what_is_not_text_is_refused(data: bytes) -> None:
    with pytest.raises(errors.BadRequest, match="is not text"):
        parse(data)


def test_the_fingerprint_knows_the_entries_and_nothing_else() -> None:
    assert fingerprint() == str(RULES)
    use(read("# nothing\n"))
    assert fingerprint() == str(RULES)
    use(read("甲乙丙 3\nab c"))
    one = fingerprint()
    use(parse("ab c\r\n# changed\r\n甲乙丙 3 nz".encode("gbk")))
    assert fingerprint() == one != str(RULES)
    use(read("甲乙丙 4\nab c"))
    assert fingerprint() != one
