"""Codes and a trade's own words through the whole index: the right document comes first (cases A22, A23)."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

import errors
from context.retrieval import Principal, SearchRequest
from corpus.dictionary import in_force, load
from corpus.documents import NewDocument
from corpus.embeddings.e5 import E5Embedder
from corpus.fuser import Fusing
from corpus.index import Index
from graph.knowledge import open_index
from settings import Endpoint, Settings
from text.tokens import RULES, fingerprint

ME = Principal()
CODES = ["X200", "X200-Pro", "X200-Max", "SK-II", "V2.3.1", "GB/T 5972", "E1001"]
TEXTS = {
    "X200": "X200 是基本款，适合家庭使用。它的外壳是白色的，附一年保修，详细参数见随机附带的说明书。",
    "X200-Pro": "X200-Pro 的额定功率更高。与 X200-Max 相比，X200-Pro 多一个接口；X200-Pro 可以换购。",
    "X200-Max": "X200-Max 面向商用场所。",
    "SK-II": "SK-II 精华露的保质期。",
    "V2.3.1": "V2.3.1 修复了登录问题，V2.3 与 V2.3.2 不受影响。",
    "GB/T 5972": "钢丝绳按 GB/T 5972 报废，不按 GB/T 5973 或 GB 5972。",
    "E1001": "E1001 表示门锁回路断开，E1002、E100 另见附录。",
}
ASKED = ["{}", "请问{}怎么样", "我想了解{}的情况", "tell me about {}"]


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[Index]:
    index = await Index.open(tmp_path, None)
    others = [NewDocument(f"other-{n}", f"第{n}号通知 - 关于卫生检查的安排. 版本 - 终稿") for n in range(12)]
    await index.add([NewDocument(code, text, title="说明") for code, text in TEXTS.items()] + others, ME)
    yield index
    await index.close()


async def found(index: Index, query: str) -> list[str]:
    return [doc["doc_id"] for doc in (await index.search(SearchRequest((query,), ME))).docs]


@pytest.mark.parametrize("code", CODES)
async def test_the_document_of_exactly_this_code_comes_first(index: Index, code: str) -> None:
    for sentence in ASKED:
        for spelt in (code, code.upper(), code.lower()):
            assert (await found(index, sentence.format(spelt)))[:1] == [code], sentence


async def test_punctuation_finds_nothing(index: Index) -> None:
    for query in ("-", ".", " - . - ", "/", "+", "#", "–", "=", "…", "？"):
        assert await found(index, query) == [], query


RELEASES = {f"V2.3.{n}": f"V2.3.{n} 修复了登录与打印的问题，建议所有用户升级。" for n in range(1, 7)}


async def test_beside_vectors_the_very_code_still_comes_first_and_punctuation_finds_nothing(tmp_path: Path) -> None:
    """To an embedder V2.3.1 and V2.3.2 are one."""
    embedder = E5Embedder.load()
    assert embedder is not None
    index = await Index.open(tmp_path, embedder, Fusing({"keyword": 1.0, "vector": 4.0}))
    texts = TEXTS | {f"发布 {code}": text for code, text in RELEASES.items()}
    await index.add([NewDocument(code, text, title="说明") for code, text in texts.items()], ME)
    for code in RELEASES:
        first = (await found(index, f"{code} 修复了什么问题？"))[0]
        assert code in texts[first], code
    for code in ("X200", "X200-Pro", "SK-II", "GB/T 5972", "E1001"):
        assert (await found(index, f"请问{code}怎么样"))[0] == code
    for query in ("-", " . ", "？"):
        assert await found(index, query) == [], query
    await index.close()
    await embedder.close()


DICTIONARY = "\ufeff# 产品\r\n\r\nEdu Trust认证 2000\r\n青禾贷\r\n"
TRADE = {
    "right": "办理Ｅｄｕ　ＴＲＵＳＴ認證需要三周，之后每年复核，费用另计，申请人应当在到期前提交材料，逾期不予受理。",
    "apart": "Edu 是域名。Trust 是信托。认证 由第三方做。Edu 与 Trust 的认证无关，Edu Trust 是两个词，认证 是主题。",
    "loan": "青禾貸的利息按日计算，随借随还，本合同约定的还款日遇节假日顺延到下一个工作日。",
    "green": "青禾公司的贷款。青禾，贷。青禾也叫青禾镇，贷是贷款的贷，青禾和贷两个字分开写。",
}


@pytest.mark.parametrize(("query", "right"), [("edu trust认证", "right"), ("青禾贷", "loan")])
async def test_an_entry_changes_what_is_found(tmp_path: Path, query: str, right: str) -> None:
    file = tmp_path / "words.txt"
    file.write_bytes(DICTIONARY.encode("utf-8"))
    first: list[str] = []
    for words in (None, file):
        with in_force(load(words)):
            index = await Index.open(tmp_path / str(words is None), None)
            await index.add([NewDocument(doc_id, text) for doc_id, text in TRADE.items()], ME)
            first += (await found(index, query))[:1]
            await index.close()
    assert first[1] == right != first[0]


def settings(tmp_path: Path, dictionary: Path) -> Settings:
    return Settings(data=tmp_path / "data", dictionary=dictionary, embeddings=Endpoint())


async def test_the_words_hold_while_the_index_is_open(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_bytes(DICTIONARY.encode("gbk", "ignore"))
    async with AsyncExitStack() as stack:
        await open_index(settings(tmp_path, file), stack)
        assert fingerprint() != str(RULES)
    assert fingerprint() == str(RULES)


@pytest.mark.parametrize("kind", ["device", "pipe", "folder", "large"])
def test_a_dictionary_is_a_regular_file_of_bounded_size(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "words.txt"
    if kind == "device":
        file = Path("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    else:
        with file.open("wb") as sparse:
            sparse.truncate(20_000_001)
    with pytest.raises(errors.BadRequest, match="regular file of at most 20,000,000 bytes"):
        load(file)


@pytest.mark.parametrize(("content", "sentence"), [("青禾贷\n***\n", "line 2"), (None, "GAPSEEK_DICTIONARY")])
async def test_a_dictionary_that_cannot_be_used_refuses_the_start(
    tmp_path: Path, content: str | None, sentence: str
) -> None:
    file = tmp_path / "words.txt"
    if content is not None:
        file.write_text(content, "utf-8")
    async with AsyncExitStack() as stack:
        with pytest.raises(errors.BadRequest, match=sentence) as raised:
            await open_index(settings(tmp_path, file), stack)
    assert str(tmp_path) not in raised.value.sentence
    assert fingerprint() == str(RULES)
