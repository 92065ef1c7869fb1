"""Runs a repository's tests in a sandbox and reads what they report over the pipe.

Tree and environment are read-only, everything else is private and discarded.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from thoughtforge.sandbox import sandbox as boxes
from thoughtforge.sandbox.box import Mount, SandboxResult, SandboxSpec
from thoughtforge.sandbox.sandbox import SEARCH_PATH, Sandbox
from thoughtforge.testing.language import Runner
from thoughtforge.testing.report import RunnerCommand, SuiteReport, SuiteRun, TestResult, UnreadableFile, said
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


ENDS = frozenset({0, 1, 5})
"""What a runner ends with when all is told: passed, failed, nothing to run."""
RANK = {"failed": 2, "skipped": 1, "passed": 0}


class ReportedFacts:
    """Facts as they come in, one test's first answer first."""

    def __init__(self) -> None:
        self.results: dict[str, TestResult] = {}
        self.answers: set[tuple[str, str]] = set()
        self.collected: dict[str, None] = {}
        self.unreadable: list[UnreadableFile] = []
        self.covered: dict[str, frozenset[int]] = {}
        self.broken: list[str] = []
        self.end: Mapping[str, Any] | None = None

    def take(self, fact: Mapping[str, Any]) -> None:
        """One fact. Nothing counts behind the end, and what has failed stays failed."""
        if self.end is not None:
            self.broken.append("the report continues after its end")
            return
        match fact["fact"]:
            case "collected":
                self.collected.update(dict.fromkeys(map(str, fact["ids"])))
            case "unreadable":
                self.unreadable.append(_unreadable(fact))
            case "result":
                self._result(fact)
            case "covered":
                self.covered[str(fact["path"])] = frozenset(map(int, fact["lines"]))
            case "broken":
                self.broken.append(str(fact["why"]))
            case "end":
                self.end = fact

    def _result(self, fact: Mapping[str, Any]) -> None:
        result = _result(fact)
        key = (result.id, str(fact["when"]))
        if key in self.answers and key[1] != "sub":
            self.broken.append(f"{result.id} was reported twice")
        self.answers.add(key)
        known = self.results.get(result.id)
        if known is None or RANK[result.outcome] > RANK[known.outcome]:
            self.results[result.id] = result


def report_of(ended: SandboxResult, *, collect_only: bool = False) -> SuiteReport:
    """What a process that used the report pipe came to."""
    told = ReportedFacts()
    try:
        for fact in _facts(ended.report):
            told.take(fact)
    except (ValueError, KeyError, TypeError) as error:
        told.broken.append(f"the report cannot be parsed: {error!r}")
    broken = _why_broken(told, ended, collect_only=collect_only)
    return SuiteReport(
        results=told.results,
        collected=tuple(told.collected),
        unreadable=tuple(told.unreadable),
        broken=broken,
        covered=told.covered,
        seconds=float(told.end["seconds"]) if told.end else 0.0,
    )


def _facts(data: bytes) -> Iterator[Mapping[str, Any]]:
    """Whole lines only: a process that was ended may leave half a fact, which then is none."""
    for line in data.split(b"\n")[:-1]:
        yield json.loads(line)


def _why_broken(told: ReportedFacts, ended: SandboxResult, *, collect_only: bool) -> str:
    if ended.stopped:
        return f"the tests were ended by the limit {ended.stopped}{_last(told)}"
    if told.broken:
        return told.broken[0]
    if told.end is None:
        return f"the test process ended without an end report, with code {ended.code}{_last(told)}{said(ended)}"
    if told.end["code"] not in ENDS and not told.unreadable:
        return f"the test runner failed to run, code {told.end['code']}{said(ended)}"
    if strange := sorted(told.results.keys() - told.collected.keys()):
        return f"the report has a test that was not collected: {strange[0]}"
    silent = [] if collect_only else [id for id in told.collected if id not in told.results]
    if silent:
        return f"{len(silent)} collected tests did not run; the first is {silent[0]}{said(ended)}"
    return ""


def _last(told: ReportedFacts) -> str:
    return f" after {list(told.results)[-1]}" if told.results else ""


def _unreadable(fact: Mapping[str, Any]) -> UnreadableFile:
    return UnreadableFile(
        str(fact["path"]), int(fact["line"]), str(fact["error"]), fact["cause"], missing=str(fact["missing"])
    )


def _result(fact: Mapping[str, Any]) -> TestResult:
    if fact["outcome"] not in RANK:
        raise ValueError(f"outcome {fact['outcome']!r}")
    return TestResult(
        id=str(fact["id"]),
        outcome=fact["outcome"],
        cause=fact.get("cause", ""),
        missing=str(fact.get("missing", "")),
        error=str(fact.get("error", "")),
        raised_in=str(fact.get("raised_in", "")),
        path=str(fact.get("path", "")),
        line=int(fact.get("line", 0)),
        seconds=float(fact.get("seconds", 0.0)),
        detail=str(fact.get("detail", "")),
    )
