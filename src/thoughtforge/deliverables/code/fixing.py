"""What a fixer of code is shown, and how much of a file it must have seen before it may change it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath

from thoughtforge.agent.asking import today_block
from thoughtforge.agent.context import Block
from thoughtforge.agent.tokens import estimate
from thoughtforge.code.tool_context import ToolContext
from thoughtforge.code.write_policy import clean
from thoughtforge.coding.at_hand import QuotedLine, in_order, shortened
from thoughtforge.coding.building import StageBuild
from thoughtforge.coding.reach import Sight
from thoughtforge.coding.writing import red_tests
from thoughtforge.deliverables.code.composing import tests_told, with_material
from thoughtforge.deliverables.code.files import listing, whole_text
from thoughtforge.polish.locations import files_named, lines_named
from thoughtforge.think.deliverable import FixOrder, listed
from thoughtforge.think.documents import SPEC, read
from thoughtforge.think.said_since import said_block
from thoughtforge.think.texts import constraints_block

FILE = 4_000
"""Tokens of one file that a fixer is shown, or of all when its points name none."""


def shown_files(site: StageBuild, order: FixOrder, files: Mapping[str, str]) -> tuple[str, ...]:
    """What a fixer is shown: the files its points name, also where they are missing, and the tests that name these."""
    named = dict.fromkeys(path for one in order.findings for path in files_named(one.location))
    given = {*red_tests(site.run).files, *named}
    if not named.keys() & files.keys() and estimate(whole_text(files)) <= FILE:  # a wish of the person names no place
        return (*named, *(path for path in files if path not in given))
    tests = [path for path in files if site.session.is_test(path) and path not in given]
    words = [re.compile(rf"\b{re.escape(PurePosixPath(path).stem)}\b") for path in named if path in files]
    return (*named, *(path for path in tests if any(word.search(files[path]) for word in words)))


def sight(site: StageBuild, context: ToolContext, path: str) -> Sight:
    """How much of a file a fixer has seen: what its context really showed, what it read or made itself."""
    name = context.tree.composed.get(path)
    if name is None or not context.tree.entries[name].size:
        return "all"  # there is nothing to lose
    seen = [context.shown.get(each) for each in (path, _title(path))]
    if True in seen:
        return "all"
    opened = site.run.record.memory(site.stage.name).opened  # also what it did before a crash
    return "part" if False in seen or path in map(clean, opened) else "none"


async def told(site: StageBuild, order: FixOrder, files: Mapping[str, str]) -> Sequence[Block]:
    """The points, what was measured, why the last fix was refused, and the files concerned; missing ones are named."""
    paths = shown_files(site, order, files)
    blocks = [
        order.refusal(),
        said_block(site.run, budget=800),
        today_block(site.run),
        Block("findings to fix", listed(order.findings), 1_200, floor=1_100, untrusted=True),
        constraints_block("constraints", order.constraints, budget=700),
        Block("specification", read(site.run, SPEC), 900, floor=200, untrusted=True),
        Block("what was measured", "\n".join(order.measured), 900, floor=300, untrusted=True),
        *await tests_told(site),
        Block("all files", listing(files), 600, floor=200, untrusted=True),
        # the smallest come first and whole; what does not fit is cut from the largest, and the tools read the rest
        *(_shown(order, path, files.get(path)) for path in sorted(paths, key=lambda path: len(files.get(path, "")))),
    ]
    return await with_material(site.run, blocks, about=listed(order.findings))


def _title(path: str) -> str:
    return f"file {path}"


def _shown(order: FixOrder, path: str, text: str | None) -> Block:
    """A file; one there is no room for is shown around the lines its points name."""
    if text is None:
        return Block(_title(path), "Referenced file not found.", FILE, untrusted=True)
    block, lines = Block(_title(path), text, FILE, untrusted=True), text.splitlines()
    found = [line for one in order.findings for line in lines_named(one.location, path) if line <= len(lines)]
    if not found:
        return block
    places = in_order({path: lines}, [QuotedLine(path, line) for line in dict.fromkeys(found)])
    return block._replace(shorten=partial(shortened, {path: lines}, places))
