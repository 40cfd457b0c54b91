"""What a document states about itself is taken; what is not clear is left out."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.documents import NewDocument
from corpus.ingest.facts import FIELDS, extract


def facts(text: str = "x", title: str | None = None, doc_id: str = "d", **metadata: Any) -> dict[str, Any]:
    return extract(NewDocument(doc_id, text, title, metadata))


RULES = """# 上海市电梯安全管理办法

沪府规[2024]第5号

第一条 根据国发〔2013〕5号，2019年起试点的做法予以总结。

第九条 本办法自二〇二四年三月一日起施行，有效期至2029年2月28日。
"""


def test_a_regulation_says_all_of_it() -> None:
    assert facts(RULES, doc_id="法规/2023/x.md") == {
        "year": 2024,
        "kind": "办法",
        "place": "上海市",
        "document_number": "沪府规〔2024〕5号",
        "effective_from": "2024-03-01",
        "effective_to": "2029-02-28",
    }


@pytest.mark.parametrize(
    ("title", "year"),
    [
        ("关于二〇二四年春节放假的通知", 2024),
        ("员工手册（2023版）", 2023),
        ("Travel policy 2024", 2024),
        ("2021 Annual Report", 2021),
        ("2020-2023年城市更新规划", None),
        ("2022年至2024年预算", None),
        ("2000元补贴办法", None),
        ("Windows 2000 Manual", None),
        ("Windows 2000", None),
        ("Windows Server 2019", None),
        ("Room 2010", None),
        ("GB/T 7588-2003 电梯安全规范", None),
        ("ISO 9001:2015 手册", None),
        ("X2000 说明书", None),
        ("第2024号", None),
    ],
)
def test_year_of_a_title(title: str, year: int | None) -> None:
    assert facts(title=title).get("year") == year


@pytest.mark.parametrize(
    "date", ["2022-05-01", "2022年5月1日", "1 May 2022", "2022-05-01T10:00:00", dt.date(2022, 5, 1)]
)
def test_the_date_in_the_front_matter_comes_before_the_title(date: Any) -> None:
    assert facts(title="2021 Annual Report", date=date)["year"] == 2022


@pytest.mark.parametrize(
    ("doc_id", "year"),
    [("2024-03-01-notice.md", 2024), ("policy_2023.md", 2023), ("2022/contract.md", 2022), ("room-2010-plan.md", None)],
)
def test_year_of_a_name(doc_id: str, year: int | None) -> None:
    assert facts(doc_id=doc_id).get("year") == year


def test_a_year_in_the_body_is_not_the_documents() -> None:
    assert "year" not in facts("In 2019 the lift failed. 2020年又坏了。", title="Lift log")


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("劳动合同", "合同"),
        ("中华人民共和国劳动合同法", "法"),
        ("《上海市住宅物业管理规定》（试行）", "规定"),
        ("员工手册 V2.1", "手册"),
        ("Travel Policies", "policy"),
        ("Annual Report 2023", "report"),
        ("使用方法", None),
        ("合同管理", None),
        ("policy-makers", None),
        ("会议纪要", "纪要"),
        ("中医疗法", None),
        ("How to report", None),
        ("Annual_report", "report"),
    ],
)
def test_kind_of_a_title(title: str, kind: str | None) -> None:
    assert facts(title=title).get("kind") == kind


def test_kind_of_a_folder() -> None:
    assert facts(doc_id="contracts/2024/acme.md")["kind"] == "contract"
    assert facts(doc_id="案例/甲.md")["kind"] == "案例"
    assert "kind" not in facts(doc_id="合同资料/甲.md")


@pytest.mark.parametrize(
    ("title", "doc_id", "place"),
    [
        ("浙江省杭州市住宅管理条例", "d", ["浙江省", "杭州市"]),
        ("《北京市物业管理条例》", "d", "北京市"),
        ("城市绿化条例", "d", None),
        ("大城市治理", "d", None),
        ("中心区规划", "d", None),
        ("电梯条例", "淄博市/电梯.md", "淄博市"),
        ("我在上海市的一天", "d", None),
        ("上海市场分析报告", "d", None),
        ("上海市场地管理办法", "d", "上海市"),
    ],
)
def test_place(title: str, doc_id: str, place: object) -> None:
    assert facts(title=title, doc_id=doc_id).get("place") == place


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("This policy takes effect on March 1, 2024.", "2024-03-01"),
        ("Effective date: 2024-03-01", "2024-03-01"),
        ("施行日期：2024年3月1日", "2024-03-01"),
        ("自2020年1月1日起施行。原办法自2010年1月1日起施行。", "2020-01-01"),
        ("本办法自2020年1月1日起施行，本办法第三条自2021年1月1日起施行。", None),
        ("第九条 办法自2020年1月1日起施行。", "2020-01-01"),
        ("《电梯办法》已经通过，现予公布，自2020年1月1日起施行。", "2020-01-01"),
        ("问：何时施行？\n答：《中华人民共和国民法典》自2021年1月1日起施行。", None),
        ("公司法自2024年7月1日起施行，本案应适用。", None),
        ("旧系统自2024年3月1日起执行停机。", None),
        ("The GDPR takes effect on 25 May 2018.", None),
        ("The agreement is effective from 1 March 2024.", "2024-03-01"),
        ("自2024年2月30日起施行。", None),
        ("自发布之日起施行。", None),
        ("He effectively left 1 March 2024.", None),
    ],
)
def test_date_of_effect(text: str, start: str | None) -> None:
    assert facts(text).get("effective_from") == start


def test_a_document_may_call_itself_by_its_title() -> None:
    assert facts("《电梯办法》自2020年1月1日起施行。", title="电梯办法")["effective_from"] == "2020-01-01"


def test_the_end_of_something_else_is_not_the_documents() -> None:
    assert facts("有效期至2030年3月1日。")["effective_to"] == "2030-03-01"
    assert "effective_to" not in facts("身份证有效期至2030年3月1日。")


def test_an_end_before_the_start_is_not_clear() -> None:
    assert not facts("自2024年3月1日起施行，有效期至2023年2月28日。")


def test_a_number_inside_a_sentence_is_another_documents() -> None:
    assert "document_number" not in facts("根据国发〔2013〕5号的要求。")
    assert "document_number" not in facts("国发〔2013〕5号\n沪府规〔2024〕5号\n")


def test_a_title_that_is_known_is_not_said_again() -> None:
    assert "title" not in facts("甲\n\n乙丙丁", title="办法")
    assert "title" not in facts("# 办法\n\n乙丙丁")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("电梯管理办法\n\n第一条 总则。", "电梯管理办法"),
        ("电梯每年检验一次。\n费用由物业承担。", None),
        ("- item\n\nmore", None),
        ("only one line", None),
    ],
)
def test_title_of_a_plain_text(text: str, title: str | None) -> None:
    assert facts(text).get("title") == title


@given(st.text(max_size=80), st.text(max_size=40), st.text(min_size=1, max_size=40))
def test_any_text_gives_plain_known_fields(text: str, title: str, doc_id: str) -> None:
    found = facts(text, title, doc_id)
    assert found.keys() <= set(FIELDS)
    assert json.loads(json.dumps(found)) == found
    assert None not in found.values()
