"""Which two texts disagree on what was asked, and which only look as if they did."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.contrast import contrast

KEPT_ZH = "监控录像保存多久"
KEPT_EN = "How long is footage kept?"
LEASE = "房屋能不能出租"
SMOKING = "Is smoking permitted on the balcony?"
OPENS = "When does the library open?"

DISAGREE = [
    (KEPT_ZH, "监控录像应当保存三十日以上。", "监控录像保存不少于15天。", ("30日", "15天")),
    (KEPT_EN, "The footage is kept for thirty days.", "Footage is kept for 7 days.", ("30 days", "7 days")),
    (KEPT_EN, "Footage is kept for 24 hours.", "Footage is kept for 3 days.", ("24 hours", "3 days")),
    ("押金是多少", "押金为3000元。", "押金为贰仟元。", ("3000元", "2000元")),
    ("违约金是多少", "违约金为合同金额的百分之五。", "违约金为合同金额的3%。", ("5%", "3%")),
    ("办法什么时候施行", "本办法2024年3月1日施行。", "本办法2023年3月1日施行。", ("2024年3月1日", "2023年3月1日")),
    ("When was the mill built?", "The mill was built in 1881.", "The mill was built in 1861.", ("1881", "1861")),
    ("How many guards are on duty?", "Five guards are on duty.", "Six guards are on duty.", ("5", "6")),
    (LEASE, "业主不得将房屋出租。", "业主可以将房屋出租。", ("", "")),
    (
        "Are pets allowed in the lobby?",
        "Pets are not allowed in the lobby.",
        "Pets are allowed in the lobby.",
        ("", ""),
    ),
    ("宿舍可以养猫吗", "宿舍允许养猫。", "宿舍禁止养猫。", ("", "")),
    ("宿舍能养猫吗", "宿舍内不允许养猫。", "宿舍内可以养猫。", ("", "")),
    ("访客需要登记身份证吗", "访客必须登记身份证。", "访客无须登记身份证。", ("", "")),
    (SMOKING, "Smoking is permitted on the balcony.", "Smoking is forbidden on the balcony.", ("", "")),
    (SMOKING, "Smoking is prohibited on the balcony.", "Smoking is allowed on the balcony.", ("", "")),
    ("Are helmets required on site?", "Helmets on site are required.", "Helmets on site are optional.", ("", "")),
    ("Must visitors sign in?", "Visitors must sign in.", "Visitors do not have to sign in.", ("", "")),
    (OPENS, "The library opens at 9 am.", "The library opens at 10:30.", ("9 am", "10:30")),
    ("图书馆几点开门", "图书馆上午九点开门。", "图书馆10点半开门。", ("上午九点", "10点半")),
]
AGREE = [
    (KEPT_ZH, "监控录像保存三十日。", "监控录像保存30天。"),
    (KEPT_EN, "Footage is kept for 24 hours.", "Footage is kept for 1 day."),
    ("合同期多长", "合同期为一年。", "合同期为12个月。"),
    (KEPT_ZH, "监控录像应当保存30日。", "监控录像保存不得少于三十日。"),
    (OPENS, "The library opens at 9 am.", "The library opens at 9:00."),
    (OPENS, "The library opens at 9 o'clock.", "The library opens at 9:00-17:00."),
    ("图书馆几点关门", "图书馆下午五点关门。", "图书馆17:00关门。"),
    ("宿舍能养猫吗", "宿舍不允许养猫。", "宿舍禁止养猫。"),
    (SMOKING, "Smoking is forbidden on the balcony.", "Smoking is not allowed on the balcony."),
]
OTHER_SUBJECT = [
    ("How much is the deposit?", "The deposit for a flat is 500 yuan.", "The deposit for a garage is 300 yuan."),
    ("年假有几天", "试用期员工年假为5天。", "正式员工年假为10天。"),
    ("电梯限载多少", "X200电梯限载800千克。", "X300电梯限载1000千克。"),
    ("What was the revenue?", "Revenue in 2022 was 5 million yuan.", "Revenue in 2023 was 6 million yuan."),
    ("When was Senator Hill born?", "Senator John Hill was born in 1921.", "Senator Ann Hill was born in 1930."),
    (KEPT_EN, "The gate is closed for 30 days.", "The gate is closed for 7 days."),
    (KEPT_ZH, "监控录像保存三十日。", "申请在七日内提出。"),
    (OPENS, "The library opens at 9 am.", "The library closes at 5 pm."),
    (OPENS, "The library opens at 9 am on Monday.", "The library opens at 10 am on Sunday."),
    ("图书馆几点开门", "图书馆周一9点开门。", "图书馆周日10点开门。"),
    ("When does the train to Linz leave?", "The train to Linz leaves at 9:00.", "The train to Linz leaves at 10:30."),
    ("录像多久内申请", "录像保存30天，申请在7天内提出。", "录像保存30天，申请在7天内提出。"),
]
NO_DENIAL = [
    (LEASE, "经同意，业主可以将房屋出租。", "未经同意，业主不得将房屋出租。"),
    (LEASE, "业主不得将房屋出租，但物业同意的除外。", "业主可以将房屋出租。"),
    (LEASE, "（二）业主将房屋出租；", "业主不得将房屋出租。"),
    ("宿舍可以养猫吗", "经宿管同意，宿舍允许养猫。", "宿舍禁止养猫。"),
    ("宿舍可以养猫吗", "宿舍允许养猫。", "宿舍禁止养狗。"),
    ("访客要登记吗", "访客可以登记身份证。", "访客不必登记身份证。"),
    ("校园内可以停车吗", "校园内允许停车。", "校园内22点后禁止停车。"),
    ("校园内可以停车吗", "校园内允许停车2小时。", "校园内禁止停车3小时。"),
    (SMOKING, "Smoking is permitted on the balcony.", "Smoking is forbidden on the balcony after 10 pm."),
    (SMOKING, "Smoking is permitted on the balcony.", "Smoking is not prohibited on the balcony."),
    (SMOKING, "Smoking is permitted on the balcony.", "Smoking is forbidden in the lobby."),
    ("Are helmets required on site?", "Helmets on site are optional.", "Helmets on site are permitted."),
]


@pytest.mark.parametrize(("question", "one", "other", "values"), DISAGREE)
def test_different_values_of_the_same(question: str, one: str, other: str, values: tuple[str, str]) -> None:
    found = contrast(one, other, question)
    assert found is not None
    assert (found.values, found.sentences) == (values, (one, other))


@pytest.mark.parametrize(("question", "one", "other"), AGREE)
def test_the_same_value_in_another_notation(question: str, one: str, other: str) -> None:
    assert contrast(one, other, question) is None


@pytest.mark.parametrize(("question", "one", "other"), OTHER_SUBJECT)
def test_values_of_another_subject_or_case(question: str, one: str, other: str) -> None:
    assert contrast(one, other, question) is None


@pytest.mark.parametrize(("question", "one", "other"), NO_DENIAL)
def test_an_exception_or_an_item_of_a_list_denies_nothing(question: str, one: str, other: str) -> None:
    assert contrast(one, other, question) is None


def test_a_title_that_the_question_names_makes_another_subject() -> None:
    asked, one, other = "北楼录像保存多久", "录像保存30天。", "录像保存7天。"
    assert contrast(one, other, "录像保存多久", first_about="北楼", second_about="南楼") is not None
    assert contrast(one, other, asked, first_about="北楼录像", second_about="南楼录像") is None


def test_a_text_that_gives_the_others_value_too_does_not_contradict_it() -> None:
    both = "Footage is kept for 30 days. Footage is kept for 7 days."
    assert contrast(both, "Footage is kept for 7 days.", KEPT_EN) is None


SICK = ("员工每年可以请12天病假。", "员工每年可以请30天病假。")
ANNUAL = ("员工每年可以请10天年假。", "员工每年可以请15天年假。")


@pytest.mark.parametrize("question", ["员工每年可以请多少天病假？", "员工的病假一年能请几天？"])
def test_a_neighbour_of_what_is_asked_is_no_side(question: str) -> None:
    assert contrast(*SICK, question, beside=[*SICK, *ANNUAL]) is not None
    assert contrast(*ANNUAL, question, beside=[*SICK, *ANNUAL]) is None


def test_what_is_counted_must_be_named_though_nothing_else_answers() -> None:
    assert contrast(*ANNUAL, "员工每年可以请多少天病假？") is None
    assert contrast(*ANNUAL, "员工每年可以请多少天年假？") is not None
    annual = "Annual leave is 20 days a year.", "Annual leave is 25 days a year."
    assert contrast(*annual, "How many days of sick leave do employees get a year?") is None
    assert contrast(*annual, "How many days of annual leave do employees get a year?") is not None
    titled = contrast(
        "员工每年可以请12天。",
        "员工每年可以请30天。",
        "员工每年可以请多少天病假？",
        first_about="病假",
        second_about="病假",
    )
    assert titled is not None


def test_whom_a_handbook_is_for_makes_no_other_subject() -> None:
    one, other = "年假每年10天。", "年假每年15天。"
    assert contrast(one, other, "员工年假有多少天？", first_about="员工手册", second_about="考勤制度") is not None


SENTENCES = st.sampled_from([text for row in (*AGREE, *OTHER_SUBJECT, *NO_DENIAL) for text in row[1:]])
TEXTS = st.lists(SENTENCES, min_size=1, max_size=3).map(" ".join)
QUESTIONS = st.sampled_from([row[0] for row in (*DISAGREE, *AGREE, *OTHER_SUBJECT)])


@given(TEXTS, TEXTS, QUESTIONS)
def test_it_is_symmetric(one: str, other: str, question: str) -> None:
    there, back = contrast(one, other, question), contrast(other, one, question)
    assert (there is None) == (back is None)


@given(TEXTS, QUESTIONS)
def test_nothing_contradicts_itself(text: str, question: str) -> None:
    assert contrast(text, text, question) is None


HAN = dict(zip(range(1, 11), "一二三四五六七八九十", strict=True))
DAYS = st.integers(1, 10)
NOTATION = st.sampled_from(["{n}天", "{n}日", "{n} days", "{n} 天", "{han}日", "{han}天"])


@given(DAYS, DAYS, NOTATION, NOTATION)
def test_two_periods_disagree_exactly_when_they_differ(first: int, second: int, one: str, other: str) -> None:
    left, right = (f"录像保存{form.format(n=n, han=HAN[n])}。" for n, form in ((first, one), (second, other)))
    assert (contrast(left, right, "录像保存多久") is not None) == (first != second)
