"""The files of a thought's code as they are at this step: what fails or is to be changed first, whole where it fits."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath

from thoughtforge.agent.context import CODE, Block
from thoughtforge.agent.frame import measured_now
from thoughtforge.agent.tokens import estimate
from thoughtforge.coding.at_hand import QuotedLine, change_so_far, in_order, shortened
from thoughtforge.coding.building import StageBuild
from thoughtforge.coding.writing import red_tests
from thoughtforge.deliverables.code.files import body, is_code
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import JsonObject
from thoughtforge.polish.locations import files_named, lines_named
from thoughtforge.think.deliverable import FixOrder
from thoughtforge.workspaces.tree import FileTree

FILE = 4_000
"""Tokens of one file that are shown before the next has its turn."""
WORD = re.compile(r"\w{4,}")
PLACE = re.compile(r"([\w./-]+\.\w+):(\d+)")
MISSING = "Referenced file not found."


async def code_now(tree: FileTree) -> dict[str, str]:
    """Path → text of every file of the code, as tools show it."""
    found: dict[str, str] = {}
    for path in filter(is_code, tree.composed):
        try:
            file = await tree.read(path)
        except UserError:
            continue
        if file.text and not file.gap:
            found[path] = file.text
    return found


def file_title(path: str) -> str:
    """What the block of a file is called; by it the engine knows what an agent has seen."""
    return f"file {path}"


async def built_so_far(site: StageBuild, tree: FileTree) -> Sequence[Block]:
    """For a builder: what it has written, the files that failing tests touch first. The given tests stand elsewhere."""
    files = await code_now(tree)
    given = set(red_tests(site.run).files)
    own = {path: text for path, text in files.items() if path not in given}
    failing = _failing(site, files)
    return [_shown(path, own[path], _lines(failing, path)) for path in by_need(own, failing)]


async def tests_so_far(site: StageBuild, tree: FileTree) -> Sequence[Block]:
    """For a test engineer: the files it has written."""
    changed = await site.session.workspace.changes(site.before, await site.session.workspace.tree())
    files, mine = await code_now(tree), {one.path for one in changed}
    return [_shown(path, text)._replace(floor=1_000) for path, text in files.items() if path in mine]


async def fixed_so_far(site: StageBuild, tree: FileTree, order: FixOrder) -> Sequence[Block]:
    """For a fixer: its own change so far, and the files its points are about; those that are missing are named."""
    files = await code_now(tree)
    blocks = [_concerned(order, path, files.get(path)) for path in concerned(site, order, files)]
    change = [
        block._replace(title="your change so far; the files below have it") for block in await change_so_far(site, tree)
    ]
    return [*change, *blocks]


def concerned(site: StageBuild, order: FixOrder, files: Mapping[str, str]) -> tuple[str, ...]:
    """What a fixer is shown: the files its points name, tests that name these, and what failing tests touch.

    A point without a place, such as a wish of the person, may be about any file: those that share its words come first.
    """
    given = set(red_tests(site.run).files)
    named = dict.fromkeys(path for one in order.findings for path in files_named(one.location))
    others = {path: text for path, text in files.items() if path not in named and path not in given}
    tests = [path for path in others if site.session.is_test(path)]
    words = [re.compile(rf"\b{re.escape(PurePosixPath(path).stem)}\b") for path in named if path in files]
    beside = [path for path in tests if any(word.search(others[path]) for word in words)]
    small = sorted(named, key=lambda path: len(files.get(path, "")))
    placed = all(files.keys() & {*files_named(one.location)} for one in order.findings) and order.findings
    failing = _failing(site, files)
    touched = [path for path in by_need(others, failing) if _touches(path, failing)]
    rest = [] if placed else by_need(others, " ".join(f"{one.title} {one.description}" for one in order.findings))
    return tuple(dict.fromkeys((*small, *beside, *touched, *rest)))


def by_need(files: Mapping[str, str], about: str) -> list[str]:
    """The files by what is shared with a text: those it names, then those with most of its words, then the smallest."""
    words = {*WORD.findall(about.casefold())}

    def need(path: str) -> tuple[bool, int, int]:
        shared = len(words & {*WORD.findall(files[path].casefold())})
        return (not _touches(path, about), -shared, len(files[path]))

    return sorted(files, key=need)


def _touches(path: str, about: str) -> bool:
    stem = PurePosixPath(path).stem
    return path in about or re.search(rf"\b{re.escape(stem)}\b", about) is not None


def _failing(site: StageBuild, files: Mapping[str, str]) -> str:
    """What does not pass, as measured last, with the text of the tests themselves."""
    reports = [
        site.run.record.artifact(one.report) or {}
        for what in ("exit", "edit")
        if (one := measured_now(site.run, site.stage, what)) and one.report
    ]
    told = [line for report in reports for line in _told(report)]
    tests = {line.partition(" ")[0] for line in told if "::" in line.partition(" ")[0]}
    return "\n".join([*told, *(body(test, files.get(test.partition("::")[0], "")) for test in sorted(tests))])


def _told(report: JsonObject) -> Iterable[str]:
    for problems in report.get("problems", {}).values():
        yield from map(str, problems)
    yield from map(str, report.get("failing", ()))
    yield from (f"{row['path']}:{row['line']}" for row in _findings(report))


def _findings(report: JsonObject) -> Collection[JsonObject]:
    found = report.get("findings", ())
    listed: Collection[JsonObject] = found.get("new", ()) if isinstance(found, dict) else found
    return listed


def _lines(about: str, path: str) -> list[int]:
    """The lines of a file that a text names."""
    return list(dict.fromkeys(int(number) for name, number in PLACE.findall(about) if name == path))


def _concerned(order: FixOrder, path: str, text: str | None) -> Block:
    if text is None:
        return Block(file_title(path), MISSING, FILE, floor=40, untrusted=True, need=CODE)
    return _shown(path, text, [line for one in order.findings for line in lines_named(one.location, path)])


def _shown(path: str, text: str, lines: Sequence[int] = ()) -> Block:
    """A file; one there is no room for is shown around the lines that are named."""
    block, rows = Block(file_title(path), text, FILE, untrusted=True, need=CODE), text.splitlines()
    found = [line for line in lines if 1 <= line <= len(rows)]
    if not found or estimate(text) <= 200:
        return block
    places = in_order({path: rows}, [QuotedLine(path, line) for line in dict.fromkeys(found)])
    return block._replace(shorten=partial(shortened, {path: rows}, places))
