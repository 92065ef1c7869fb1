"""The gate after every edit, on somebody else's 50,000 lines, beside the same tools started from scratch."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any

from bench.figures import Figure
from bench.published import published
from thoughtforge.catalog import Catalog
from thoughtforge.gate.active import check_names
from thoughtforge.gate.cache import BaseFiles
from thoughtforge.gate.conformance import load
from thoughtforge.gate.findings import GateVerdict
from thoughtforge.gate.run import Gate, GateConfig
from thoughtforge.settings.environment import search_path
from thoughtforge.workspaces.git import Git, find_repository

PACKAGE = "src/prompt_toolkit"
EDITED = "src/prompt_toolkit/layout/containers.py"
"""2,767 lines."""
SMALL = "src/prompt_toolkit/layout/margins.py"
EDITS = 20
BIN = Path(sys.executable).parent
ROOT = Path(__file__).parents[1]
GRAPH = "import sys, grimp; sys.path.insert(0, 'src'); grimp.build_graph('prompt_toolkit', cache_dir=None)"
COMPILE = (
    "import pathlib; [compile(file.read_bytes(), str(file), 'exec') for file in pathlib.Path('src').rglob('*.py')]"
)


def measure(place: Path) -> list[Figure]:
    """Cold and warm figures and the ratio, all from one run on one machine."""
    repository = published(place)
    return asyncio.run(_measure(repository, place))


async def _measure(repository: Path, place: Path) -> list[Figure]:
    load = os.getloadavg()[0]
    before = await _before(repository)
    lines = sum(text.count("\n") for name, text in before.texts.items() if name.endswith(".py"))
    base = await _base(repository, before, place)
    first = _first(repository, place)
    gate = await _opened(repository, before, place, "warm")
    try:
        await gate.edit([EDITED], wide=True)
        warm = await _edits(gate, repository / EDITED, lambda: gate.edit([EDITED], wide=False))
        wide = await _edits(gate, repository / EDITED, lambda: gate.edit([EDITED], wide=True))
        small = await _edits(gate, repository / SMALL, lambda: gate.edit([SMALL], wide=False))
        scratch = _from_scratch(repository, gate)
    finally:
        await gate.close()
    whole, bare = sum(scratch.values()), sum(scratch.values()) - scratch["detect-secrets"]
    return [
        Figure("gate: lines of the repository", lines, "lines"),
        Figure("gate: others who want the processors", round(load, 1), f"of {os.cpu_count()}"),
        Figure("gate: warm, 2,767-line file, median", round(warm * 1000, 1), "ms", 120),
        Figure("gate: warm, with types of dependents", round(wide * 1000, 1), "ms"),
        Figure("gate: warm, small file, median", round(small * 1000, 1), "ms"),
        Figure("gate: first one, new process, base known", round(first, 2), "s", 1.5),
        Figure("gate: base commit measured once, wall", round(base, 2), "s"),
        Figure("gate: same tools from scratch, wall", round(whole, 2), "s"),
        *(Figure(f"gate: from scratch, {name}", round(value, 2), "s") for name, value in scratch.items()),
        Figure("gate: warm ÷ from scratch", round(warm / whole, 4), "×", round(1 / 30, 4)),
        Figure("gate: warm ÷ from scratch, no detect-secrets", round(warm / bare, 4), "×"),
    ]


async def _opened(repository: Path, before: BaseFiles, place: Path, name: str) -> Gate:
    conformance = load(Catalog(project={}, user=None), check_names())
    means = GateConfig(place=place / name, search_path=search_path(), kept=place / "kept")
    gate = Gate(repository, conformance, before=before, config=means)
    await gate.open(before.paths)
    return gate


async def _base(repository: Path, before: BaseFiles, place: Path) -> float:
    """What is measured once per base commit and kept."""
    gate = await _opened(repository, before, place, "base")
    began = time.perf_counter()
    await gate.baseline()
    took = time.perf_counter() - began
    await gate.close()
    return took


def _first(repository: Path, place: Path) -> float:
    """A new process from start to first answer: imports, files taken, servers started, one edit judged."""
    file = repository / EDITED
    text = file.read_text(encoding="utf-8")
    file.write_text(f"{text}\n_first = 1\n", encoding="utf-8")
    took = _timed([sys.executable, "-m", "bench.gate", repository, place], ROOT)
    file.write_text(text, encoding="utf-8")
    return took


async def one_edit(repository: Path, place: Path) -> None:
    """What the process for the first gate does."""
    gate = await _opened(repository, await _before(repository), place, "first")
    _sound(await gate.edit([EDITED], wide=False), new=0)
    await gate.close()


async def _before(repository: Path) -> BaseFiles:
    git = Git(await find_repository(repository, path=search_path()), path=search_path())
    return await BaseFiles.read(git, await git.head())


async def _edits(gate: Gate, file: Path, edit: Callable[[], Awaitable[GateVerdict]]) -> float:
    """The median over edits that take turns in being right and wrong; each must be judged rightly."""
    text = file.read_text(encoding="utf-8")
    took = []
    for number in range(EDITS):
        wrong = number % 2
        file.write_text(f"{text}\n_edit_{number}: int = {'str()' if wrong else number}\n", encoding="utf-8")
        began = time.perf_counter()
        verdict = await edit()
        took.append(time.perf_counter() - began)
        _sound(verdict, new=wrong)
    file.write_text(text, encoding="utf-8")
    await edit()
    return median(took)


def _sound(verdict: GateVerdict, *, new: int) -> None:
    """A figure of a gate that judged wrongly means nothing."""
    if verdict.broken or len(verdict.new) != new:
        raise SystemExit(f"the gate found {len(verdict.new)} instead of {new}: {verdict.next_action}")


def _from_scratch(repository: Path, gate: Gate) -> dict[str, float]:
    """Each tool once in a new process over the whole package, one after the other, without caches."""
    commands: dict[str, list[Any]] = {
        "compile": [sys.executable, "-c", COMPILE],
        "ruff": [BIN / "ruff", "check", "--no-cache", "--quiet", "--config", gate.files.ruff.config, PACKAGE],
        "ty": [BIN / "ty", "check", "--quiet", PACKAGE],
        "grimp": [sys.executable, "-c", GRAPH],
        "detect-secrets": [BIN / "detect-secrets", "scan", PACKAGE],
    }
    return {name: _timed(argv, repository) for name, argv in commands.items()}


def _timed(argv: list[Any], cwd: Path) -> float:
    began = time.perf_counter()
    ended = subprocess.run([str(part) for part in argv], cwd=cwd, capture_output=True, check=False)
    if ended.returncode not in (0, 1):  # 1 says that there are findings
        raise SystemExit(f"{argv[0]} ended with {ended.returncode}: {ended.stderr.decode()}")
    return time.perf_counter() - began


if __name__ == "__main__":
    asyncio.run(one_edit(Path(sys.argv[1]), Path(sys.argv[2])))
