"""What whoever writes tests is shown: where tests are kept, those nearest to what is asked, and the code under test."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from thoughtforge.agent.context import CODE, OLDER, SPECIFICATION, Block
from thoughtforge.agent.repository_map import named_files
from thoughtforge.agent.tokens import estimate
from thoughtforge.code.affected import affected
from thoughtforge.coding.at_hand import (
    CLOSERS,
    QuotedLine,
    asked_words,
    block_at,
    in_order,
    lines_now,
    places_to_change,
    quoted_lines,
    rendered,
    shortened,
    words_of,
)
from thoughtforge.coding.building import StageBuild

FOLDERS = 5
"""Folders with tests that are named, those with most of them."""
FILES = 8
"""Test files that are looked at for tests like those that are asked for."""
SHORT_TESTS = 80
"""Lines of a test file that is shown whole."""
IMPORTS = 12
"""Lines at the beginning of one that come before the examples."""
EXAMPLES = 3
"""Tests that are shown, the nearest to the words of the specification first."""
LONG_TEST = 60
"""Lines of a group of tests that counts as one test; of a longer one its parts do."""
GROUP = re.compile(r"(?:export\s+|pub\s+|public\s+)*(?:class|describe|context|module|mod|impl)\b")
"""The first line of several tests together."""
TESTS_ROOM = 1_000
"""Tokens that the nearest tests have together."""
CODE_ROOM = 900
"""Tokens that the code under test has at most."""
CONSTANT = re.compile(r"(?:\s*(?:export|const|let|var|static|final|pub)\b)*\s*([A-Za-z_]\w*)\s*(?::[^=]*)?=(?!=)")
"""A line that gives a value to a name."""


class Example(NamedTuple):
    """One test: its lines, and those of the marks above it such as rows of parameters."""

    path: str
    lines: range
    marks: range

    def whole(self) -> list[QuotedLine]:
        """The test itself first, then its marks."""
        return [QuotedLine(self.path, number) for number in (*self.lines, *self.marks)]


async def nearest_tests(site: StageBuild) -> Sequence[Block]:
    """Where tests are kept, the beginning of the file they go with, and the tests most like what is asked for."""
    run, tree = site.run, site.run.library.tree
    accepted = run.record.accepted()
    specification, analysis = accepted.get("specification", {}), accepted.get("analysis", {})
    named = [path for path in sorted(named_files(run)) if path in tree.entries and site.session.is_test(path)]
    changed = specification.get("files_to_modify", [])
    reached = [path for path in await affected(site.session, changed, seconds=math.inf) if path not in named]
    texts = {path: await lines_now(tree, path) for path in [*named, *reached][:FILES]}
    words = asked_words(specification)
    main = max(named or reached[:FILES], key=lambda path: _worth(texts[path], words), default="")
    blocks = [_test_folders(site)]
    if main and texts[main]:
        quoted = [QuotedLine(main, line) for line in quoted_lines(analysis, main, texts[main])[:2]]
        blocks.append(_shown_tests(texts, main, [*_around(texts, quoted), *_nearest(texts, words)]))
    return [block for block in (*blocks, await _under_test(site, words)) if block.text]


def _shown_tests(texts: Mapping[str, Sequence[str]], main: str, examples: Iterable[Example]) -> Block:
    lines = texts[main]
    head = [QuotedLine(main, number) for number in range(1, min(len(lines), IMPORTS) + 1)]
    pieces, left = [head], TESTS_ROOM
    for example in dict.fromkeys(examples):
        size = estimate(rendered(texts, example.whole()))
        if len(pieces) == 1 or size <= left:
            pieces.append(example.whole())
            left -= size
    if len(lines) <= SHORT_TESTS:
        pieces.append([QuotedLine(main, number) for number in range(1, len(lines) + 1)])
    shown = {path: texts[path] for path in (main, *texts)}
    text = rendered(shown, (place for piece in pieces for place in piece))
    shorten = partial(_fewer, shown, pieces)
    return Block(
        "the nearest tests there are already", text, TESTS_ROOM, floor=400, untrusted=True, need=CODE, shorten=shorten
    )


def _fewer(texts: Mapping[str, Sequence[str]], pieces: Sequence[Sequence[QuotedLine]], text: str, tokens: int) -> str:
    """As many whole tests as fit; of the first one that does not fit alone, its beginning."""
    if estimate(text) <= tokens:
        return text
    for count in range(len(pieces) - 1, 1, -1):
        fewer = rendered(texts, (place for piece in pieces[:count] for place in piece))
        if estimate(fewer) <= tokens:
            return fewer
    order = [place for piece in pieces[:2] for place in piece]
    return shortened(texts, order, rendered(texts, order), tokens)


def _test_folders(site: StageBuild) -> Block:
    """Where this repository keeps its tests: files whose tests ran, or else those named like tests."""
    there = site.run.library.tree.entries
    ran = {id.partition("::")[0] for id in site.session.baseline.outcomes} & there.keys()
    tests = sorted(ran or filter(site.session.runner.is_test, there))
    counts = Counter(path.rpartition("/")[0] or "." for path in tests).most_common(FOLDERS)
    text = "\n".join(f"{folder}/ ({count} test file{'s' * (count != 1)})" for folder, count in counts)
    return Block("folders with tests", text, 120, floor=60, untrusted=True, need=SPECIFICATION)


def _nearest(texts: Mapping[str, Sequence[str]], words: Mapping[str, int]) -> list[Example]:
    """The tests that have most of what is asked for; a word that most tests have says little."""
    every = [example for path, lines in texts.items() for example in examples_in(path, lines)]
    said = {example: {*words_of(_lines(texts, example))} & words.keys() for example in every}
    often = Counter(word for mine in said.values() for word in mine)
    worth = {one: sum(words[word] * math.log(1 + len(every) / often[word]) for word in said[one]) for one in every}
    return [one for one in sorted(every, key=lambda one: -worth[one]) if worth[one]][:EXAMPLES]


def _around(texts: Mapping[str, Sequence[str]], places: Iterable[QuotedLine]) -> list[Example]:
    """The tests that somebody quotes."""
    return [
        example
        for place in places
        for example in examples_in(place.path, texts[place.path])
        if place.line in example.lines or place.line in example.marks
    ]


def _lines(texts: Mapping[str, Sequence[str]], example: Example) -> list[str]:
    return [texts[example.path][number - 1] for number in (*example.lines, *example.marks)]


def examples_in(path: str, lines: Sequence[str]) -> Iterator[Example]:
    """The blocks of a test file by indentation, each with the marks above it; of a long group its parts."""
    yield from _examples(path, lines, range(1, len(lines) + 1))


def _examples(path: str, lines: Sequence[str], within: range) -> Iterator[Example]:
    marks, number = 0, within.start
    while number < within.stop:
        text = lines[number - 1].strip()
        block = block_at(lines, number)
        if text.startswith("@"):
            marks = marks or number
        elif len(block) > 1 and not text.startswith(CLOSERS):
            parted = len(block) > LONG_TEST and GROUP.match(text)
            inner = list(_examples(path, lines, range(number + 1, block.stop))) if parted else []
            yield from inner or [Example(path, range(number, block.stop), range(marks or number, number))]
            marks = 0
        elif text:
            marks = 0
        number = max(number + 1, block.stop)


async def _under_test(site: StageBuild, words: Mapping[str, int]) -> Block:
    """Where the names of the specification get their values, and the places that the analysis quotes."""
    tree = site.run.library.tree
    places = [place for place in await places_to_change(site.run, tree) if not site.session.is_test(place.path)]
    texts = {path: await lines_now(tree, path) for path in dict.fromkeys(place.path for place in places)}
    constants = [
        QuotedLine(path, number)
        for path, lines in texts.items()
        for number, line in enumerate(lines, start=1)
        if (found := CONSTANT.match(line)) and not line[:1].isspace() and found[1].casefold() in words
    ]
    order = [*constants, *in_order(texts, places)]
    text = shortened(texts, order, rendered(texts, order), CODE_ROOM)
    return Block("the code under test", text, CODE_ROOM, floor=150, untrusted=True, need=OLDER)


def _worth(lines: Iterable[str], words: Mapping[str, int]) -> int:
    return sum(words.get(word, 0) for word in {*words_of(lines)})
