"""Texts that break what is careless with texts."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    "quote": "'",
    "quotes": '"\'`"',
    "sql": "x'; DROP TABLE documents; --",
    "or": "' OR 1=1 --",
    "upwards": "../../etc/passwd",
    "upwards in Windows": "..\\..\\x",
    "absolute": "/etc/passwd",
    "escaped": "%2e%2e%2f%00",
    "nul": "\x00",
    "nul within": "a\x00b",
    "long": "x" * 10_240,
    "long in Chinese": "电" * 3_500,
    "emoji": "😀👩‍👩‍👧‍👦🏳️‍🌈",
    "half": "\ud800",
    "half within": "a\udfff",
    "escape": "\x1b[31m\x9b2J",
    "lines": "a\r\nSet-Cookie: a=b\u2028\u2029\x85",
    "turned": "\u202egpj.exe\u202c\u200f",
    "invisible": "\u200b\ufeff\u2060",
    "combining": "e" + "\u0301" * 500,
    "no character": "\uffff\ufffe",
    "zero": "0",
    "minus zero": "-0",
    "past a float": "1e999",
    "past 64 bits": str(2**63),
    "past 200 bits": str(2**200),
    "not a number": "NaN",
    "null": "null",
    "list": "[]",
    "object": '{"$ne": null}',
    "operator": "$where",
    "html": "<script>alert(1)</script>",
    "template": "{{7*7}}${jndi:ldap://x}%s%n",
    "pattern": "(a+)+$*[",
}
NUMBERS: Final = (
    *("1e999", "-1e999", "NaN", "-Infinity", "-0", "-0.0", "5e-324", "1e400", "0.1e1", "1" + "0" * 400),
    *("9" * 5_000, str(2**63), str(-(2**63) - 1), str(2**200), "true", "null", '""', "[]", "{}"),
)
"""Numbers, or what stands in the place of one, as JSON has them or Python's reader takes them."""
