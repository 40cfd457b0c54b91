"""Small sums in a question, worked out by a bounded parser: never `eval`."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

from simpleeval import InvalidExpression, SimpleEval

from text.normalise import fold

MAX_CHARS: Final = 80
MAX_POWER: Final = 64
MAX_BITS: Final = 1_024
"""Of numerator and denominator; keeps towers of powers from growing."""
_ASKING: Final = re.compile(
    r"^(?P<asking>请问|请|帮我|算一下|计算一下|计算|算算|what is|what's|calculate|compute|how much is)?"
    r"\s*(?P<sum>[\d\s.+\-*/()^%]+?)"
    r"\s*(?P<asked>(?:等于多少|等于几|等于|是多少|得多少|得几|=)?\s*[?=]*)$"
)
_LIKE_A_DATE: Final = re.compile(r"\d+(?:[-/.]\d+)+\s*$")
"""A date or a telephone number that nobody asked to work out."""
_SPOKEN: Final = {"×": "*", "x": "*", "÷": "/", "加": "+", "减": "-", "乘以": "*", "乘": "*", "除以": "/", "^": "**"}
_SPOKEN_PATTERN: Final = re.compile(r"×|(?<=[\d\s)])x(?=[\d\s(])|÷|加|减|乘以|乘|除以|\^")


def expression(question: str) -> str | None:
    """The sum that the question consists of, such as '12 * (3 + 4)'; None when it asks for anything else."""
    if len(question) > MAX_CHARS:
        return None
    spelt = _SPOKEN_PATTERN.sub(lambda m: _SPOKEN[m.group()].replace("**", "^"), fold(question))
    match = _ASKING.match(spelt.strip())
    if match is None or not re.search(r"\d\s*[+\-*/^%]\s*[\d(]", match["sum"]):
        return None
    if not (match["asking"] or match["asked"]) and _LIKE_A_DATE.match(match["sum"]):
        return None
    return match["sum"].strip().replace("^", "**")


def calculate(sum_: str) -> str | None:
    """The value, exact where it is finite in decimals, otherwise to 10 digits; None when it has none or is too big."""
    calculator = SimpleEval(operators=_OPERATORS, functions={}, names={})
    calculator.nodes[ast.Constant] = lambda node: _number(node.value)
    try:
        value = calculator.eval(sum_)
    except (InvalidExpression, SyntaxError, ArithmeticError, ValueError, RecursionError):
        return None
    return _in_decimals(value) if isinstance(value, Fraction) else None


def _number(value: object) -> Fraction:
    if not isinstance(value, int | float):
        raise TypeError("only numbers")
    return Fraction(str(value))


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > MAX_POWER:
        raise ValueError("the exponent must be a whole number of at most 64")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits * abs(int(exponent)) > MAX_BITS:
        raise ValueError("the result is too big")
    return Fraction(base ** int(exponent))


_OPERATORS: Final[dict[type[ast.AST], Callable[..., Fraction]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def _in_decimals(value: Fraction) -> str:
    """Written out in full where that ends; a float would round, and cannot hold every sum."""
    places = value.denominator.bit_length()  # 2^a 5^b divides 10^max(a, b), and neither is larger than this
    if 10**places % value.denominator == 0:
        whole, rest = divmod(abs(value.numerator) * 10**places // value.denominator, 10**places)
        sign = "-" if value < 0 else ""
        return f"{sign}{whole}.{rest:0{places}}".rstrip("0").rstrip(".")
    return f"{Context(prec=10).divide(Decimal(value.numerator), Decimal(value.denominator)):.10g}"
