from __future__ import annotations

import pytest

from text.markup import Markup


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>alert(1)</script> 14 weeks [1].", "&lt;script>alert(1)&lt;/script> 14 weeks [1]."),
        ("See ![the plan](http://evil/?q=1) [1].", "See the plan [1]."),
        ("![x](//evil/a) ![y](<http://evil>) ![z][id]", "x y z"),
        ("![a [b]](http://evil)", "[a [b]](http://evil)"),
        ("<img src=x onerror='a. ", "&lt;img src=x onerror='a. "),
        ("<!-- hidden --> <?php ?>", "&lt;!-- hidden --> &lt;?php ?>"),
        ("[press](javascript:alert(1))", "press"),
        ("Keep a < b, 3<5 and x <= y [1].", "Keep a < b, 3<5 and x <= y [1]."),
        ("Write `<b>` and ``![x](http://y)``.", "Write `<b>` and ``![x](http://y)``."),
        ("\\`<script>\\`", "\\`&lt;script>\\`"),
        (
            "See <https://example.org/a> and [text](https://example.org).",
            "See <https://example.org/a> and [text](https://example.org).",
        ),
        ("Done![1][2] 好![2]", "Done![1][2] 好![2]"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert Markup().plain(text) == shown


def test_a_fence_keeps_its_lines_until_it_closes() -> None:
    markup = Markup()
    pieces = ["As code:\n", "```html\n", "<b>x</b>\n", "```js\n", "<i>\n", "```", "\n<b>y</b>"]
    assert "".join(map(markup.plain, pieces)) == "As code:\n```html\n<b>x</b>\n```js\n<i>\n```\n&lt;b>y&lt;/b>"
