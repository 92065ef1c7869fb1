"""What a runner is asked to run, and what came of it: the same values for every runner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

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
    """What is missing, as the error names it (`shelf.report.as_json`, `as_json`, the parameter x as `f(x)`)."""
    error: str = ""
    """One line: type and message; of a skipped test the reason, where the runner tells it."""
    path: str = ""
    line: int = 0
    seconds: float = 0.0
    detail: str = ""
    """All lines of the error where one does not say everything, such as a difference."""
    raised_in: str = ""
    """The file of the repository in which the error came up, where the runner tells it; empty for a fixture's."""

    def told(self, most: int) -> str:
        """The error: its line, or so many characters of all its lines, set in."""
        if not self.detail:
            return self.error
        kept = self.detail if len(self.detail) <= most else f"{self.detail[:most]}\n[… {len(self.detail) - most} more]"
        return f"{self.error.partition(':')[0]}:\n" + "\n".join(f"    {line}" for line in kept.splitlines())


LONGEST = 3_000
"""Characters of the lines of one error."""
LEAST = 200
"""Characters that are worth more than one line."""


def told_all(results: Iterable[TestResult], most: int) -> dict[str, str]:
    """Id → error of each: with all its lines as long as there is room for them, then one line."""
    found: dict[str, str] = {}
    for result in results:
        found[result.id] = result.told(min(most, LONGEST)) if most > LEAST else result.error
        most -= len(found[result.id])
    return found


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


LONGEST_REASON = 300


def said(ended: SandboxResult) -> str:
    """The last words of a process, for a reason people read."""
    for stream in (ended.stderr, ended.stdout):
        lines = [line.strip() for line in stream.decode("utf-8", "replace").splitlines() if line.strip()]
        if lines:
            return f": {lines[-1][:LONGEST_REASON]}"
    return ""


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
