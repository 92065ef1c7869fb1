"""The code at hand: the places of files to change that the analysis quotes, as they are now."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from thoughtforge.agent.context import CODE, Block
from thoughtforge.agent.frame import measured_now
from thoughtforge.agent.repository_map import named_files
from thoughtforge.agent.run import Run
from thoughtforge.agent.tokens import estimate
from thoughtforge.coding.building import StageBuild
from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces.tree import FileTree

AROUND, NEAR = 3, 10
"""Lines around a quoted one that are shown first, and then."""
LONGEST = 160
"""Lines of the largest enclosing block that is shown whole."""
SMALL = 120
"""Lines of a file that is shown whole though nobody quotes it; of a longer one the beginning is."""
SHORT = 80
"""Lines of a file that is shown whole where there is room, whatever is quoted of it."""
HEAD = 30
CLOSERS = (")", "]", "}")
CHANGE = 1_500
"""Tokens of a change that is surely shown whole."""
HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


class QuotedLine(NamedTuple):
    """One line that somebody quotes."""

    path: str
    line: int


async def code_at_hand(site: StageBuild, tree: FileTree) -> Sequence[Block]:
    """What the stage is about to change, and what it has changed so far; no line of it twice."""
    places = [place for place in await places_to_change(site.run, tree) if not site.session.is_test(place.path)]
    texts = {path: await lines_now(tree, path) for path in dict.fromkeys(place.path for place in places)}
    change = await change_so_far(site, tree)
    seen = shown_by(change[0].text) if change and estimate(change[0].text) <= CHANGE else frozenset()
    order = [place for place in in_order(texts, places) if place not in seen]
    text = rendered(texts, order)
    title = "the code at hand; your change so far shows the rest" if seen else "the code at hand"
    shorten = partial(shortened, texts, order)
    return [Block(title, text, 2_500, floor=300, untrusted=True, need=CODE, shorten=shorten), *change]


def shown_by(diff: str) -> frozenset[QuotedLine]:
    """The lines of files, as they are now, that a difference shows."""
    found: set[QuotedLine] = set()
    path = ""
    for line in diff.splitlines():
        if line.startswith("+++ "):
            path = line.removeprefix("+++ ").removeprefix("b/")
        elif hunk := HUNK.match(line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            found |= {QuotedLine(path, number) for number in range(first, first + count)}
    return frozenset(found)


async def change_so_far(site: StageBuild, tree: FileTree) -> Sequence[Block]:
    """What this stage has changed; nothing before its first edit."""
    mine = site.run.record.memory(site.stage.name)
    if not mine.recent or measured_now(site.run, site.stage, "edit") is None:
        return []
    text = await site.session.workspace.diff(site.before, await site.session.workspace.tree())
    return [Block("your change so far", text, CHANGE, floor=300, untrusted=True, need=CODE)]


async def places_to_change(run: Run, tree: FileTree) -> list[QuotedLine]:
    """The quoted lines of the files to modify; of a file nobody quotes, the line most like the request."""
    accepted = run.record.accepted()
    paths = accepted.get("specification", {}).get("files_to_modify") or sorted(named_files(run))
    there = [path for path in paths if path in tree.entries]
    words = asked_words(accepted.get("specification", {}))
    found: list[QuotedLine] = []
    for path in there:
        before, now = await lines_now(run.library.tree, path), await lines_now(tree, path)
        quoted = [moved(line, before, now) for line in quoted_lines(accepted.get("analysis", {}), path, before)]
        found += [QuotedLine(path, line) for line in dict.fromkeys(quoted or [_meant(now, words)])]
    return found


def quoted_lines(analysis: Mapping[str, object], path: str, lines: Sequence[str]) -> list[int]:
    """The lines of a file that the evidence names, by number or by what they say."""
    evidence = analysis.get("evidence")
    found = []
    for piece in evidence if isinstance(evidence, list) else []:
        line, snippet = piece.get("line"), (piece.get("snippet") or "").strip()
        if piece.get("file") != path:
            continue
        if not line and snippet:
            line = next((number for number, text in enumerate(lines, start=1) if snippet in text), None)
        found += [line] if line and line <= len(lines) else []
    return found


async def lines_now(tree: FileTree, path: str) -> list[str]:
    """A file as it is now; nothing when it is not there or cannot be shown."""
    try:
        file = await tree.read(path)
    except UserError:
        return []
    return [] if file.gap else [row for _, row in file.numbered()]


def moved(line: int, before: Sequence[str], now: Sequence[str]) -> int:
    """Where a line is after edits: those above the first change stay, those below the last one move with it."""
    first, last = _changed(before, now)
    if line < first:
        return line
    if line > last - len(now) + len(before):
        return line + len(now) - len(before)
    return max(1, min(line, last))


def in_order(texts: Mapping[str, Sequence[str]], places: Iterable[QuotedLine]) -> list[QuotedLine]:
    """Every line worth showing, the most wanted first: around each quoted line, headers, the whole block, and at last
    what is left of a short file."""
    tiers: list[dict[QuotedLine, None]] = [{}, {}, {}, {}, {}]
    for path, line in places:
        lines = texts[path]
        if not lines:
            continue
        blocks = enclosing(lines, line)
        inside = [block for block in blocks if len(block) <= LONGEST]
        whole = inside[-1] if inside else range(max(1, line - NEAR), min(len(lines), line + NEAR) + 1)
        if line == 1 and not inside:
            whole = range(1, len(lines) + 1 if len(lines) <= SMALL else HEAD + 1)
        near = sorted(whole, key=lambda number: abs(number - line))
        tiers[0] |= {QuotedLine(path, number): None for number in near if abs(number - line) <= AROUND}
        tiers[1] |= {QuotedLine(path, block.start): None for block in blocks}
        tiers[2] |= {QuotedLine(path, number): None for number in near if abs(number - line) <= NEAR}
        tiers[3] |= {QuotedLine(path, number): None for number in near}
        if len(lines) <= SHORT:
            rest = sorted(range(1, len(lines) + 1), key=lambda number: abs(number - line))
            tiers[4] |= {QuotedLine(path, number): None for number in rest}
    return list(dict.fromkeys(place for tier in tiers for place in tier))


def enclosing(lines: Sequence[str], line: int) -> list[range]:
    """The blocks around a line by indentation, the innermost first; a line that opens one counts as inside."""
    found = []
    if len(own := block_at(lines, line)) > 1:
        found.append(own)
    depth = _indent(lines[line - 1])
    for number in range(line - 1, 0, -1):
        text = lines[number - 1]
        if text.strip() and _indent(text) < depth and not text.strip().startswith(CLOSERS):
            depth = _indent(text)
            found.append(block_at(lines, number))
    return found


def block_at(lines: Sequence[str], header: int) -> range:
    """A line with everything indented below it, and marks such as decorators right above."""
    depth, end = _indent(lines[header - 1]), header
    for number in range(header + 1, len(lines) + 1):
        text, deep = lines[number - 1].strip(), _indent(lines[number - 1])
        closes = deep == depth and (text.startswith(CLOSERS) or text == "end")
        if text and deep <= depth and not closes:
            break
        end = number if text else end
    start = header
    while end > header and start > 1 and lines[start - 2].strip().startswith("@"):
        start -= 1
    return range(start, end + 1)


def _indent(text: str) -> int:
    return len(text.expandtabs(8)) - len(text.expandtabs(8).lstrip())


def rendered(texts: Mapping[str, Sequence[str]], shown: Iterable[QuotedLine]) -> str:
    """Numbered lines file by file, with a mark where lines are left out."""
    by_path: dict[str, set[int]] = {}
    for place in shown:
        by_path.setdefault(place.path, set()).add(place.line)
    parts = []
    for path in texts:
        if not (numbers := sorted(by_path.get(path, ()))):
            continue
        rows = [f"{path}, {len(texts[path])} lines:"]
        for last, number in zip([0, *numbers], numbers, strict=False):
            rows += ["     …"] * (number > last + 1)
            rows.append(f"{number:>6}  {texts[path][number - 1]}")
        parts.append("\n".join([*rows, *["     …"] * (numbers[-1] < len(texts[path]))]))
    return "\n\n".join(parts)


def shortened(texts: Mapping[str, Sequence[str]], order: Sequence[QuotedLine], text: str, tokens: int) -> str:
    """As many of the most wanted lines as fit."""
    if estimate(text) <= tokens:
        return text
    count = bisect_right(range(1, len(order)), tokens, key=lambda count: estimate(rendered(texts, order[:count])))
    while count and estimate(rendered(texts, order[:count])) > tokens:
        count -= 1
    return rendered(texts, order[:count])


async def new_in(tree: FileTree, path: str, text: str) -> str:
    """A test file, or what was added to one that was there before."""
    before, now = await lines_now(tree, path) if path in tree.entries else [], text.splitlines()
    if not before:
        return text
    first, last = _changed(before, now)
    return rendered({path: now}, (QuotedLine(path, number) for number in range(first, last + 1)))


def _changed(before: Sequence[str], now: Sequence[str]) -> tuple[int, int]:
    """The first and the last line that are new."""
    most = min(len(before), len(now))
    above = next((at for at in range(most) if before[at] != now[at]), most)
    below = next((at for at in range(most - above) if before[-1 - at] != now[-1 - at]), most - above)
    return above + 1, len(now) - below


def words_of(lines: Iterable[str]) -> list[str]:
    """The words of some lines that are long enough to say something, each as often as it stands there."""
    return re.findall(r"\w{4,}", "\n".join(lines).casefold())


NAME = re.compile(r"`(\w+)`|\b(\w+)(?=\()|\b(\w+_\w+)\b|\b([a-z]+[A-Z]\w*)\b")
"""What a text names as code: in backticks, before a bracket, with an underscore or a capital inside."""
NAMED = 4
"""What a name counts for beside a plain word."""


def asked_words(specification: Mapping[str, object]) -> dict[str, int]:
    """The words of the requirements with what they count for."""
    wanted = specification.get("requirements")
    texts = [text for one in (wanted if isinstance(wanted, list) else []) for text in _said(one)]
    named = [each.casefold() for text in texts for found in NAME.finditer(text) for each in found.groups() if each]
    return {**dict.fromkeys(words_of(texts), 1), **dict.fromkeys(words_of(named), NAMED)}


def _said(requirement: Mapping[str, Any]) -> list[str]:
    criteria = requirement.get("acceptance_criteria")
    return [str(requirement.get("description", "")), *map(str, criteria if isinstance(criteria, list) else ())]


def _worth(texts: Iterable[str], words: Mapping[str, int]) -> int:
    return sum(words.get(word, 0) for word in {*words_of(texts)})


def _meant(lines: Sequence[str], words: Mapping[str, int]) -> int:
    """Where a file that nobody quotes is most likely meant: a short one from its beginning."""
    return _most_like(lines, words) if len(lines) > SMALL else 1


def _most_like(lines: Sequence[str], words: Mapping[str, int]) -> int:
    """The line that has most of the words; names count more."""
    return max(range(1, len(lines) + 1), key=lambda number: _worth([lines[number - 1]], words))
