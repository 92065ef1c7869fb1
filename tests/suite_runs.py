"""Small repositories and their tests, run for real in a box."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thoughtforge.sandbox.box import Limits, Mount
from thoughtforge.sandbox.boxes import Sandbox, find
from thoughtforge.suites.result import Environment, Job, Report
from thoughtforge.suites.run import run
from thoughtforge.suites.runner import runner

LIMITS = Limits(wall_seconds=60.0)


def write(root: Path, files: Mapping[str, str]) -> Path:
    """A folder with these files."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def python_environment(*more: Path, python: Path | None = None) -> Environment:
    """This interpreter with what is installed for it, and further folders to see."""
    prefixes = {Path(sys.prefix), Path(sys.base_prefix)}
    seen = [place for place in prefixes if not place.is_relative_to("/usr")]
    return Environment("test", tuple(map(Mount, (*seen, *more))), python=python or Path(sys.executable))


def found_sandbox() -> Sandbox:
    return asyncio.run(find(os.environ["PATH"], allow_weak=False))


def run_tests(
    root: Path,
    scratch: Path,
    *,
    name: str = "pytest",
    writable: bool = False,
    env: Environment | None = None,
    **asked: Any,
) -> Report:
    """Run the tests of a folder and answer what came of it."""
    adapter = runner(name)
    config = {path.name: path.read_text() for pattern in adapter.CONFIG for path in root.glob(pattern)}
    job = Job(root, env or python_environment(), **{"config": config, "limits": LIMITS} | asked)

    async def whole() -> Report:
        sandbox = await find(os.environ["PATH"], allow_weak=False)
        return await run(job, adapter, sandbox=sandbox, scratch=scratch, writable=writable)

    return asyncio.run(whole())
