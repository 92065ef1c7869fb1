"""The cyclomatic complexity of every function of Python files, measured by ruff on their text alone."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from thoughtforge.gate import language_servers
from thoughtforge.gate.context import Broken
from thoughtforge.sandbox import process

ARGS = ("check", "--isolated", "--no-cache", "--ignore-noqa", "--select=C901", "--output-format=json")
EVERY = ("--config", "lint.mccabe.max-complexity=0")
SAID = re.compile(r"`(?P<name>[^`]+)`.*\((?P<value>\d+) > 0\)")
WALL_SECONDS = 60.0
AT_ONCE = 4
MEASURED = (".py", ".pyi")
"""Endings of the files ruff can measure."""


class FunctionComplexity(NamedTuple):
    """One function; its complexity is one more than the number of decisions in it."""

    path: str
    line: int
    name: str
    value: int


class ComplexityReport(NamedTuple):
    """Every function that could be measured, the most complex first, and why some files could not."""

    functions: tuple[FunctionComplexity, ...]
    unmeasured: tuple[str, ...] = ()


async def measure(texts: Mapping[str, str], *, search_path: str = "") -> ComplexityReport:
    """Measure files given as path → text. Without ruff it is Broken, not simple."""
    ruff = language_servers.program("ruff", search_path=search_path)
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(path: str, text: str) -> ComplexityReport:
        if not path.endswith(MEASURED):
            return ComplexityReport((), (f"{path}: complexity is measured for Python only",))
        async with turns:
            return await _file(ruff, path, text)

    found = await asyncio.gather(*(one(path, text) for path, text in texts.items()))
    functions = [function for each in found for function in each.functions]
    ranked = sorted(functions, key=lambda function: (-function.value, function.path, function.line))
    return ComplexityReport(tuple(ranked), tuple(why for each in found for why in each.unmeasured))


async def highest(texts: Mapping[str, str], *, search_path: str = "") -> int:
    """The complexity of the most complex function; 0 when there is no function."""
    measured = await measure(texts, search_path=search_path)
    return measured.functions[0].value if measured.functions else 0


async def _file(ruff: Path, path: str, text: str) -> ComplexityReport:
    # a name that says nothing: settings and exclusions by path must not matter, and a path may look like an option
    argv: list[str | Path] = [ruff, *ARGS, *EVERY, "--stdin-filename=file.py", "-"]
    ended = await process.run(argv, cwd=Path("/"), env={}, stdin=_encoded(text), wall_seconds=WALL_SECONDS)
    if ended.code not in (0, 1) or ended.timed_out or ended.cut:
        said = ended.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise Broken(f"ruff could not measure {path}: {said or 'no reason given'}", do=language_servers.INSTALL)
    functions = []
    for item in json.loads(ended.stdout):
        read = SAID.search(item["message"])
        if read is None:
            return ComplexityReport((), (f"{path}:{item['location']['row']}: it does not parse: {item['message']}",))
        functions.append(FunctionComplexity(path, item["location"]["row"], read["name"], int(read["value"])))
    return ComplexityReport(tuple(functions))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
