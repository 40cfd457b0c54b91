"""Encodings are told apart by what is readable; what cannot be told is refused, never guessed."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import errors
from corpus.ingest.decode import WESTERN, Decoded, decode
from corpus.ingest.western import western
from graph.sample import SAMPLE

SIMPLIFIED = "第六十一条　监控影像保存不少于30日；申请调取的，应当自纠纷发生之日起七日内提出。"
TRADITIONAL = "第六十一條　監控影像保存不少於30日；申請調取的，應當自糾紛發生之日起七日內提出。"
ENGLISH = "Footage is kept for at least 30 days."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [SIMPLIFIED, f"{ENGLISH}\n{SIMPLIFIED}"])
def test_simplified_text_comes_back(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_an_emoji_among_gb18030_comes_back() -> None:
    text = f"{SIMPLIFIED}\U0001f468\u200d\U0001f469"
    assert decode(text.encode("gb18030")).text == text


@pytest.mark.parametrize("encoding", ["utf-8", "big5", "big5hkscs", "gb18030", "utf-16-le", "utf-32"])
def test_traditional_text_comes_back(encoding: str) -> None:
    assert decode(TRADITIONAL.encode(encoding)).text == TRADITIONAL


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_english_in_two_bytes_a_character_comes_back(encoding: str) -> None:
    assert decode(ENGLISH.encode(encoding)).text == ENGLISH


def test_any_passage_of_the_sample_comes_back_or_is_refused_but_is_never_garbage() -> None:
    text = "".join(path.read_text("utf-8") for path in sorted(SAMPLE.iterdir()))
    draw, refused = random.Random(7), 0  # noqa: S311 - the same on every run
    for _ in range(300):
        start, length = draw.randrange(len(text) - 200), draw.choice((6, 12, 40, 200))
        passage = text[start : start + length]
        try:
            assert decode(passage.encode("gb18030")).text == passage
        except errors.BadRequest:
            refused += 1
    assert refused <= 15


WESTERN_TEXTS = [
    "L’élève a déjà été reçu à l’hôtel « Étoile » ; coût : 25 €. Ça va, naïve Noël.",
    "RÈGLEMENT INTÉRIEUR DE LA SOCIÉTÉ\r\nArticle 1er – Durée",
    "Größe der Wohnung: 80 m, Kündigung über drei Monate – „Äpfel“ und Öl, § 5 BGB.",
    "¿Cuántos días de vacaciones? ¡Mañana! El año próximo, según el artículo 3.º",
    "A remuneração não é paga até à aprovação das ações.",
    "L’inquilino può recedere; è così perché la città già più volte.",
    "Hyresgästen får inte störa på nätterna. Även åska.",
    "De huurder betaalt €100, vóór de eerste. Coördinatie, geïnd.",
    "The tenant’s “quiet” hours – 22:00 to 6:00… Don’t smoke. £5 © 2024",
]


@pytest.mark.parametrize("text", WESTERN_TEXTS)
def test_a_western_text_comes_back_and_is_said_to_be_windows_1252(text: str) -> None:
    decoded = decode(text.encode("cp1252"))
    assert (decoded.text, decoded.note) == (text, WESTERN)
    assert decode(text.encode()) == Decoded(text)


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "euc-jp", "shift-jis"])
@pytest.mark.parametrize("length", [1, 2, 3, 6, 12, 40])
def test_chinese_is_never_taken_for_a_western_text(length: int, encoding: str) -> None:
    text = "".join(path.read_text("utf-8") for path in sorted(SAMPLE.iterdir()))
    draw = random.Random(7)  # noqa: S311 - the same on every run
    starts = [draw.randrange(len(text) - length) for _ in range(200)]
    passages = [text[start : start + length].encode(encoding, "ignore") for start in starts]
    assert not any(western(passage) for passage in passages if not passage.isascii())


KOREAN = "대한민국의 국민이 되는 요건은 법률로 정한다. 국가는 재외국민을 보호할 의무를 진다."
JAPANESE = "すべて国民は、法の下に平等であつて、人種、信条、性別により、差別されない。"


@pytest.mark.parametrize(
    "data",
    [
        KOREAN.encode("euc-kr"),
        JAPANESE.encode("euc-jp"),
        JAPANESE.encode("shift-jis"),
        "Nájemce platí měsíčně, výpověď je tři měsíce.".encode("cp1250"),
        "Opłata za mieszkanie jest wyższa, więc proszę.".encode("cp1250"),
        "Árvíztűrő tükörfúrógép, a bérlő fizeti a költségeket.".encode("cp1250"),
        "Kiracı aylık ödemeyi yapar, şubat ayında değişir.".encode("cp1254"),
        "Съешь же ещё этих мягких булок".encode("cp1251"),
        "Съешь же ещё этих мягких булок".encode("koi8-r"),
        "Ο μισθωτής πληρώνει κάθε μήνα".encode("cp1253"),
        "caf\xe9".encode("cp1252"),  # too few letters to tell
        "补充规定".encode("gbk"),  # 硃喃寞隅 in Big5
        b"\xff\xff\xff\xff",
        b"a\x00b\x00",
        bytes(range(256)),
        b"\x89PNG\r\n\x1a\n" + bytes(200),
        b"text\0text",
        b"\x01\x02\x03\x04 text",
        SIMPLIFIED.encode("utf-16")[:-1],
    ],
)
def test_what_cannot_be_told_is_refused(data: bytes) -> None:
    with pytest.raises(errors.BadRequest, match="not text in UTF-8"):
        decode(data)


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_a_refusal(data: bytes) -> None:
    with suppress(errors.BadRequest):
        assert "\0" not in decode(data).text
