"""What kind of document a title or a folder names: a small vocabulary, in the words of the document's own language."""

from __future__ import annotations

import re
from typing import Final

_CHINESE: Final = """
法 条例 规定 办法 细则 规则 规程 规范 标准 制度 章程 政策 通知 公告 通告 决定 意见 批复 函 解释 合同 协议 案例 判决书
裁定书 报告 手册 指南 说明书 方案 计划 预案 规划 流程 纪要 公约 规约 承诺书 申请表 问答
"""
_ENGLISH: Final = """
law act regulation policy procedure standard guideline notice announcement decision contract agreement case judgment
report manual handbook guide plan proposal minutes memo faq form invoice specification
"""
KINDS: Final = frozenset(_CHINESE.split()) | frozenset(_ENGLISH.split())
"""Every value that the field `kind` can have."""
_SINGULAR: Final = {re.sub(r"y$", "ie", word) + "s": word for word in _ENGLISH.split()} | {
    word: word for word in _ENGLISH.split()
}
_BY_LENGTH: Final = sorted(_CHINESE.split(), key=len, reverse=True)
_TAIL: Final = re.compile(
    r"[\s_-]*(?:[(\[〔【][^()\[\]〔〕【】]{1,30}[)\]〕】]|(?:19|20)\d\d年?版?|v?\d+(?:\.\d+)+|v\d+|final|draft|试行|修订版?|终稿)\s*$"
)
_NO_LAWS: Final = """
方法 办法 做法 看法 想法 用法 说法 语法 算法 书法 司法 执法 违法 合法 疗法 魔法 手法 技法 写法 读法 吃法 玩法 打法 解法
画法 饪法 针法 刀法 笔法 句法 文法 历法 兵法 佛法 加法 减法 乘法 除法 泳法 护法 守法 普法 立法 无法 设法
"""
_NOT_LAWS: Final = tuple(_NO_LAWS.split())


def kind_of_title(title: str) -> str | None:
    """The word that a folded title ends with, its year, version and brackets left aside; None when it is no kind."""
    bare = _bare(title)
    last = re.search(r"(?<!\bto )(?<![a-z])[a-z]+$", bare)
    if last:
        return _SINGULAR.get(last[0])
    found = next((kind for kind in _BY_LENGTH if bare.endswith(kind)), None)
    return None if found == "法" and bare.endswith(_NOT_LAWS) else found


def kind_of_folder(name: str) -> str | None:
    """The kind when a folder is named by it alone: 合同, contracts."""
    return name if name in _BY_LENGTH and name != "法" else _SINGULAR.get(name)


def _bare(title: str) -> str:
    bare = title.strip().strip("《》\"'")
    while (shorter := _TAIL.sub("", bare).rstrip("》 \"'")) != bare:
        bare = shorter
    return bare
