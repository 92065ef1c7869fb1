"""Small repositories and their tests, run for real in a box."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thoughtforge.sandbox.box import Mount, ResourceLimits
from thoughtforge.sandbox.sandbox import Sandbox, find
from thoughtforge.testing.language import runner
from thoughtforge.testing.report import Environment, SuiteReport, SuiteRun
from thoughtforge.testing.run import run

LIMITS = ResourceLimits(wall_seconds=60.0)


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
) -> SuiteReport:
    """Run the tests of a folder and answer what came of it."""
    adapter = runner(name)
    config = {path.name: path.read_text() for pattern in adapter.CONFIG for path in root.glob(pattern)}
    job = SuiteRun(root, env or python_environment(), **{"config": config, "limits": LIMITS} | asked)

    async def whole() -> SuiteReport:
        sandbox = await find(os.environ["PATH"], allow_weak=False)
        return await run(job, adapter, sandbox=sandbox, scratch=scratch, writable=writable)

    return asyncio.run(whole())
