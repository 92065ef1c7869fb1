"""The result of a test run, in the same form for every runner."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from thoughtforge.sandbox.box import Mount, ResourceLimits, SandboxResult

Cause = Literal["assertion", "missing", "other", ""]


class TestResult(NamedTuple):
    """One test. A test that did not run is not in the list; absence is for the caller to notice."""

    id: str
    outcome: Literal["passed", "failed", "skipped"]
    """An error in a fixture, an unexpected pass and a crash count as failed; an expected failure as skipped."""
    cause: Cause = ""
    """Why it failed: an assertion; a name, attribute, module or symbol that is missing; anything else."""
    missing: str = ""
    """What is missing, as the error names it (`shelf.report.as_json`, `as_json`); only for the cause `missing`."""
    error: str = ""
    """One line: type and message."""
    path: str = ""
    line: int = 0
    seconds: float = 0.0


class UnreadableFile(NamedTuple):
    """A test file that could not be collected or compiled."""

    path: str
    line: int
    error: str
    cause: Cause
    missing: str = ""


class SuiteReport(NamedTuple):
    """What a run said. `broken` says why it says nothing; then no result in it counts."""

    results: Mapping[str, TestResult] = {}
    """Test id → its first answer."""
    collected: tuple[str, ...] = ()
    unreadable: tuple[UnreadableFile, ...] = ()
    broken: str = ""
    covered: Mapping[str, frozenset[int]] = {}
    """File → lines that ran, when coverage was asked for."""
    seconds: float = 0.0


class Environment(NamedTuple):
    """The repository's dependencies, ready and read-only. It never holds the project itself."""

    digest: str
    mounts: tuple[Mount, ...] = ()
    path: tuple[Path, ...] = ()
    """Folders of programs, first on PATH."""
    python: Path | None = None
    """The interpreter that sees the dependencies."""
    python_path: tuple[Path, ...] = ()
    """Further folders of Python modules, after the dependencies: the engine's own test tools."""


class SuiteRun(NamedTuple):
    """What a runner is asked to run."""

    root: Path
    """The checkout, mounted read-only."""
    environment: Environment
    config: Mapping[str, str]
    """Runner configuration files as the base commit has them: path → text."""
    own_config: bool = False
    """An agent wrote the configuration: what would load code of the project into the runner itself is left out."""
    ids: tuple[str, ...] = ()
    """Only these tests; all when empty."""
    files: tuple[str, ...] = ()
    """Only the tests of these files; all when empty."""
    collect_only: bool = False
    coverage: tuple[str, ...] = ()
    """Measure which lines of these files run."""
    limits: ResourceLimits = ResourceLimits()


class RunnerCommand(NamedTuple):
    """How to run a job: what the adapter answers. Paths given are the same inside the box and outside."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = {}
    files: Mapping[str, str] = {}
    """Files to write into the run's own folder before it starts: name → text. `{run}` in argv, env and texts is it."""
    mounts: tuple[Mount, ...] = ()


Ended = SandboxResult


ENDS = frozenset({0, 1, 5})
"""What a runner ends with when all is told: passed, failed, nothing to run."""
RANK = {"failed": 2, "skipped": 1, "passed": 0}
LONGEST_REASON = 300


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


def said(ended: SandboxResult) -> str:
    """The last words of a process, for a reason people read."""
    for stream in (ended.stderr, ended.stdout):
        lines = [line.strip() for line in stream.decode("utf-8", "replace").splitlines() if line.strip()]
        if lines:
            return f": {lines[-1][:LONGEST_REASON]}"
    return ""


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
        path=str(fact.get("path", "")),
        line=int(fact.get("line", 0)),
        seconds=float(fact.get("seconds", 0.0)),
    )


COMMAND_MISSING = (126, 127)


def whole_report(id: str, job: SuiteRun, ended: SandboxResult, *, broken: bool = False) -> SuiteReport:
    """One test of that name. A command that could not be started, or was ended by a signal, says nothing."""
    if broken or ended.code in COMMAND_MISSING or ended.code > 128:
        return SuiteReport(collected=(id,), broken=f"{id} failed to run, code {ended.code}{said(ended)}")
    if job.collect_only:
        return SuiteReport(collected=(id,))
    if ended.code == 0:
        return SuiteReport({id: TestResult(id, "passed")}, (id,))
    error = f"code {ended.code}{said(ended)}"
    return SuiteReport({id: TestResult(id, "failed", cause="other", error=error)}, (id,))
