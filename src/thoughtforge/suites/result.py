"""What a run of tests came to, in the same words for every runner."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from thoughtforge.sandbox.box import Boxed, Limits, Mount

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


class Unreadable(NamedTuple):
    """A test file that could not be collected or compiled."""

    path: str
    line: int
    error: str
    cause: Cause
    missing: str = ""


class Report(NamedTuple):
    """What a run said. `broken` says why it says nothing; then no result in it counts."""

    results: Mapping[str, TestResult] = {}
    """Test id → its first answer."""
    collected: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
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


class Job(NamedTuple):
    """What a runner is asked to run."""

    root: Path
    """The checkout, mounted read-only."""
    environment: Environment
    config: Mapping[str, str]
    """Runner configuration files as the base commit has them: path → text."""
    ids: tuple[str, ...] = ()
    """Only these tests; all when empty."""
    files: tuple[str, ...] = ()
    """Only the tests of these files; all when empty."""
    collect_only: bool = False
    coverage: tuple[str, ...] = ()
    """Measure which lines of these files run."""
    limits: Limits = Limits()


class Command(NamedTuple):
    """How to run a job: what the adapter answers. Paths given are the same inside the box and outside."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = {}
    files: Mapping[str, str] = {}
    """Files to write into the run's own folder before it starts: name → text. `{run}` in argv, env and texts is it."""
    mounts: tuple[Mount, ...] = ()


Ended = Boxed
