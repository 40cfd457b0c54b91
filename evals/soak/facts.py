"""What a soak asks: a document a device, each with figures of its own, and questions that carry a receipt."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Final

DEVICES: Final = 60

_PROPERTIES: Final = (("保修期", 1_000, "天"), ("检查周期", 3_000, "小时"), ("年度维护费", 5_000, "元"))
"""What is told of a device: a name, the figure of the device with the number 0, and a unit."""


@dataclass(frozen=True)
class Question:
    """A question, the receipt that no other question carries, and the figure that its answer has to name.

    One that `leans` on the question before it in its thread names no device, and its answer shows whose thread it saw.
    """

    text: str
    receipt: str
    device: int
    figure: str
    leans: bool = False


def documents() -> list[dict[str, Any]]:
    """As `POST /documents` takes them."""
    return [{"doc_id": f"device-{n}", "title": f"设备 {_name(n)} 手册", "text": _text(n)} for n in range(DEVICES)]


def question(chance: Random, before: Question | None = None) -> Question:
    """A question about any device; or one about that of the question before, without its name."""
    receipt = f"K{chance.getrandbits(32):08x}"
    asked, first, unit = chance.choice(_PROPERTIES)
    device = chance.randrange(DEVICES) if before is None else before.device
    figure = f"{first + device} {unit}"
    if before is None:
        return Question(f"设备 {_name(device)} 的{asked}是多少{unit}（回执号 {receipt}）？", receipt, device, figure)
    return Question(f"它的{asked}是多少{unit}（回执号 {receipt}）？", receipt, device, figure, leans=True)


def _name(device: int) -> str:
    return f"QX-{device:04d}"


def _text(device: int) -> str:
    parts = (
        f"# {told}\n\n设备 {_name(device)} 的{told}为 {first + device} {unit}。" for told, first, unit in _PROPERTIES
    )
    return "\n\n".join(parts)
