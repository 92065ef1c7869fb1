"""Runs a repository's tests in a sandbox: tree and environment read-only, everything else private and discarded."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from thoughtforge.sandbox import sandbox as boxes
from thoughtforge.sandbox.box import Mount, SandboxResult, SandboxSpec
from thoughtforge.sandbox.sandbox import SEARCH_PATH, Sandbox
from thoughtforge.testing.language import Runner
from thoughtforge.testing.report import RunnerCommand, SuiteReport, SuiteRun
from thoughtforge.workspaces.patterns import any_matches

MAX_OUTPUT = 64 * 1024 * 1024
"""Bytes kept of the report; one that was cut has no end and so counts as broken."""
READ_ONLY = "Read-only file system"
PLACE = "{run}"
"""What stands for the run's own folder in what an adapter answers."""


async def run(
    job: SuiteRun, adapter: Runner, *, sandbox: Sandbox, scratch: Path, writable: bool = False
) -> SuiteReport:
    """Run a job's tests. `writable` gives a suite that writes into its tree a copy to write into; its tests and their
    configuration stay read-only in it."""
    scratch.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=scratch)).resolve()
    try:
        mounts: tuple[Mount, ...] = (Mount(job.root),)
        if writable:
            job = job._replace(root=await asyncio.to_thread(_copy, job.root, folder / "tree"))
            kept = await asyncio.to_thread(_kept, job.root, adapter)
            mounts = (Mount(job.root, writable=True), *(Mount(job.root / path) for path in kept))
        ended = await _boxed(job, adapter.command(job), sandbox=sandbox, folder=folder, mounts=mounts)
        report = adapter.read(job, ended)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    if ended.stopped and not report.broken:
        return report._replace(broken=f"the tests were ended by the limit {ended.stopped}")
    return report


async def collect(job: SuiteRun, adapter: Runner, *, sandbox: Sandbox, scratch: Path) -> SuiteReport:
    """Find out which tests there are without running them."""
    return await run(job._replace(collect_only=True), adapter, sandbox=sandbox, scratch=scratch)


def writes_into_tree(report: SuiteReport) -> bool:
    """Whether a test failed only because the tree is read-only; such a suite is run again with `writable`."""
    results = [result.error for result in report.results.values()]
    said = [report.broken, *results, *(file.error for file in report.unreadable)]
    return any(READ_ONLY in text for text in said)


async def _boxed(
    job: SuiteRun, command: RunnerCommand, *, sandbox: Sandbox, folder: Path, mounts: tuple[Mount, ...]
) -> SandboxResult:
    own = folder / "own"
    own.mkdir()
    for name, text in command.files.items():
        (own / name).parent.mkdir(parents=True, exist_ok=True)
        (own / name).write_text(text.replace(PLACE, str(own)), encoding="utf-8")
    search = ":".join([*map(str, job.environment.path), SEARCH_PATH])
    box = SandboxSpec(
        cwd=job.root,
        mounts=(*mounts, *job.environment.mounts, *command.mounts, Mount(own)),
        env={"PATH": search, "TZ": "UTC"} | {key: value.replace(PLACE, str(own)) for key, value in command.env.items()},
        limits=job.limits,
    )
    argv = [part.replace(PLACE, str(own)) for part in command.argv]
    return await boxes.run(sandbox, box, argv, report=True, max_output=MAX_OUTPUT)


def _copy(source: Path, target: Path) -> Path:
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    return target


def _kept(root: Path, adapter: Runner) -> tuple[str, ...]:
    """What stays read-only in a copy: folders of nothing but tests as a whole, other test files one by one."""
    paths = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
    fixed = [path for path in paths if adapter.is_test(path) or any_matches(path, adapter.CONFIG)]
    free = {folder for path in set(paths) - set(fixed) for folder in _folders(path)}
    return tuple(sorted({_topmost(path, free) for path in fixed}))


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")
    for count in range(1, len(parts)):
        yield "/".join(parts[:count])


def _topmost(path: str, free: Iterable[str]) -> str:
    return next((folder for folder in _folders(path) if folder not in free), path)
