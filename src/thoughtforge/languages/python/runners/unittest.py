"""unittest: each test file is loaded by name and its tests are told over the report pipe as they end."""

from __future__ import annotations

from collections.abc import Callable, Collection

from thoughtforge.languages.python.suite import (
    files_with_tests,
    imports_unittest_only,
    is_python_test,
    names_in,
    python_command,
)
from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.testing.report import RunnerCommand, SuiteReport, SuiteRun
from thoughtforge.testing.run import report_of

DESCRIPTION = "Python tests written for unittest"
LANGUAGE = "python"
RANK = 20
PROGRAMS: tuple[str, ...] = ()
CONFIG = ("pyproject.toml", "setup.cfg")
COMPILES_TOGETHER = False

is_test = is_python_test
names = names_in


def applies(paths: Collection[str], read: Callable[[str], str]) -> bool:
    """Whether a test file is written for unittest."""
    return any(imports_unittest_only(read(path)) for path in files_with_tests(paths))


def command(job: SuiteRun) -> RunnerCommand:
    """Our own file in the box, which loads and runs the tests."""
    return python_command(job, "unittest_report", ask={"files": list(job.files)}, files={})


def read(job: SuiteRun, ended: SandboxResult) -> SuiteReport:
    """What was told."""
    return report_of(ended, collect_only=job.collect_only)
