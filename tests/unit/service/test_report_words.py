"""What a report's sentences may mark: code, and nothing that leaves its cell."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from thoughtforge.service.handover import _prose


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("`shelf report --json` prints one array.", "<code>shelf report --json</code> prints one array."),
        ("`a | b` and <b>", "<code>a | b</code> and &lt;b&gt;"),
        ("one ` alone | and two `` ticks", "one ˋ alone | and two ˋˋ ticks"),
        ("`a\\| b` | c", "ˋa\\| bˋ | c"),
    ],
)
def test_code_is_code_and_stays_in_its_cell(text: str, html: str) -> None:
    table = f"| a | b |\n|---|---|\n| {_prose(text)} | end |"
    assert f"<td>{html}</td>\n<td>end</td>" in MarkdownIt("commonmark").enable("table").render(table)
