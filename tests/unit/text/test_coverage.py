from __future__ import annotations

from text.coverage import coverage, covered, words_of

IDF = {"影像": 3.0, "保存": 1.0}


def test_coverage_is_weighted_by_idf() -> None:
    assert coverage(IDF, {"影像"}) == 0.75
    assert coverage({}, {"影像"}) == 0.0


def test_one_sentence_with_its_headings_covers_and_words_strewn_over_the_passage_do_not() -> None:
    assert covered(IDF, {"电梯"}, [{"影像"}, {"保存"}]) == 0.75
    assert covered(IDF, {"保存"}, [{"影像"}, {"其他"}]) == 1.0
    assert covered(IDF, {"保存"}, []) == 0.25


def test_a_passage_is_words_above_it_and_words_of_each_sentence() -> None:
    above, said = words_of("电梯规定", "影像", "影像保存三十日。另行通知。")
    assert "影像" in above
    assert ["保存" in words for words in said] == [True, False]
