"""How many words a text has."""

from __future__ import annotations

import pytest

from thoughtforge.think.conversation import word_count


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        (" \n\t", 0),
        ("herbs", 1),
        ("I want a plan.", 4),
        ("hm.\n\n---\nlater", 3),
        ("나는 정원 계획을 원한다", 4),
        ("我想要一个阳台花园的计划。", 6),
        ("我想要一个阳台花园的计划。预算是八百元。", 9),
        ("庭の計画が欲しい。", 4),
        ("花", 1),
        ("。！？", 1),
        ("用 Python 写一个工具", 5),
        ("用Python写一个工具", 4),
        ("ฉันต้องการแผนสวน", 4),
        ("ｶﾀｶﾅ", 2),
        ("𠮷野家", 2),
    ],
)
def test_words_are_counted_with_and_without_spaces(text: str, words: int) -> None:
    assert word_count(text) == words
