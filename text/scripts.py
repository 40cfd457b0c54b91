"""Character classes for regular expressions: Chinese characters, and words of all other scripts."""

from __future__ import annotations

from typing import Final

CJK: Final = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""To stand inside brackets."""
WORD: Final = rf"[^\W_{CJK}]+"
"""Letters and digits in a row, of any script but Chinese."""
