"""How many words a text has, also in scripts that set no spaces between them."""

from __future__ import annotations

import re

HAN_AND_KANA = re.compile(
    r"[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
SOUTH_EAST = re.compile(r"[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Thai, Lao, Burmese and Khmer."""
UNSPACED = ((HAN_AND_KANA, 2), (SOUTH_EAST, 4))
"""Letters of a script → how many of them make a word, about; it decides only whether there is enough to go on."""


def word_count(text: str) -> int:
    """Everything between spaces is one word; where there are none, so many letters are."""
    return sum(map(_words_in, text.split()))


def _words_in(run: str) -> int:
    """The words in what stands between two spaces."""
    count, rest = 0, run
    for letters, length in UNSPACED:
        found = len(letters.findall(run))
        count += -(-found // length)
        rest = letters.sub("", rest)
    # what is left beside such letters is a word of its own, such as a name, or only marks
    return count + (rest == run or any(map(str.isalnum, rest)))
