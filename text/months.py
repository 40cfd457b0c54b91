"""English names of months, whole and short."""

from __future__ import annotations

from typing import Final

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH_NAME: Final = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
"""One of them, with its full stop."""


def month_number(written: str) -> int:
    """1 for Jan, Jan. and January; digits as they stand, also where no month has them."""
    return int(written) if written.isdigit() else _MONTHS.index(written[:3].lower()) + 1
