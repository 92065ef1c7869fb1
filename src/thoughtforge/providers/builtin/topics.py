"""Which words in a note belong below which heading of a plan."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from thoughtforge.providers.builtin.cues import data, words


class Topic(NamedTuple):
    """Headings and the words that belong below them."""

    headings: re.Pattern[str]
    words: re.Pattern[str]


@cache
def topics() -> tuple[Topic, ...]:
    """Every topic there is."""
    return tuple(Topic(words(each["headings"]), words(each["words"])) for each in data()["topics"])


def touches(text: str, heading: str) -> int:
    """How many topics of the heading the text touches."""
    return sum(1 for topic in topics() if topic.headings.search(heading) and topic.words.search(text))
