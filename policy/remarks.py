"""What the agent is told of its tool calls, in the asker's language: one sentence each, never a document's text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from state import Language, SubQuestion

Remark = dict[Language, str]

NO_TOOL: Final[Remark] = {
    "zh": "没有名为“{name}”的工具；可用的有：{tools}。",
    "en": "There is no tool '{name}'; there are: {tools}.",
}
WRONG: Final[Remark] = {"zh": "参数有误：{fault}。", "en": "Wrong arguments: {fault}."}
NO_DOCUMENT: Final[Remark] = {"zh": "没有这份文档。", "en": "There is no such document."}
NO_PASSAGE: Final[Remark] = {
    "zh": "没有检索到过这个段落。",
    "en": "No tool call has brought such a passage.",
}
NO_ITEM: Final[Remark] = {"zh": "清单里没有这一项。", "en": "The checklist has no such item."}
NO_QUOTE: Final[Remark] = {
    "zh": "引文不在该段落中，请逐字摘录。",
    "en": "The quote does not stand in that passage; copy it word for word.",
}
NOTHING: Final[Remark] = {"zh": "没有找到。", "en": "Nothing was found."}
NO_POINT: Final[Remark] = {
    "zh": "这份文档没有谈到这个问题。",
    "en": "The document says nothing on that question.",
}
PAST_THE_END: Final[Remark] = {
    "zh": "文档在位置 {end} 处结束。",
    "en": "The document ends at position {end}.",
}
MORE: Final[Remark] = {
    "zh": "还有更多位置没有列出，请用更具体的模式。",
    "en": "There are more places than are listed; use a more specific pattern.",
}
TOO_SLOW: Final[Remark] = {
    "zh": "查找超时，只看了前 {seen} 个段落。",
    "en": "It took too long; only the first {seen} passages were looked at.",
}
BAD_PATTERN: Final[Remark] = {
    "zh": "这个正则表达式不能用（RE2 语法）：{fault}。",
    "en": "This regular expression cannot be used (syntax of RE2): {fault}.",
}
LATE: Final[Remark] = {"zh": "没有及时返回。", "en": "It did not come back in time."}
NO_LANE: Final[Remark] = {"zh": "检索目前不可用。", "en": "Search does not work at present."}
NO_SEARCHES: Final[Remark] = {
    "zh": "检索次数已用完；其他工具仍可使用。",
    "en": "No searches are left; the other tools can still be used.",
}
NO_ROOM: Final[Remark] = {
    "zh": "剩余预算不够再调用一次模型。",
    "en": "The budget has no room for another model call.",
}
REPEATED: Final[Remark] = {
    "zh": "这一调用之前做过，结果相同。",
    "en": "The same call was made before; this is what it brought.",
}
BARREN: Final[Remark] = {
    "zh": "最近 {count} 次检索都没有记下新证据：请记录证据、换个办法，或结束；再检索一次仍无收获就会停止。",
    "en": (
        "The last {count} searches brought no new evidence: note some, change your approach or finish; after one more "
        "for nothing the search is stopped."
    ),
}
STOPPED: Final[Remark] = {
    "zh": "多次检索没有新证据，检索到此为止。",
    "en": "Search after search brought no new evidence; searching ends here.",
}
STILL_OPEN: Final[Remark] = {
    "zh": "还有未查明的事项：{items}。再次结束即视为放弃这些事项。",
    "en": "Still open: {items}. To finish again is to give these up.",
}


def still_open(items: Iterable[SubQuestion], language: Language) -> str:
    """What is open, said to an agent that wants to finish."""
    texts = [item["text"].rstrip("。？！?!. ") for item in items]
    return STILL_OPEN[language].format(items="；".join(texts) if language == "zh" else "; ".join(texts))
