"""vitest: a reporter of the engine tells each result from vitest's own process; the tests run in others."""

from __future__ import annotations

from collections.abc import Callable, Collection

from thoughtforge.languages.javascript import dependencies as written
from thoughtforge.languages.javascript import reports
from thoughtforge.testing.report import RunnerCommand, SuiteRun

DESCRIPTION = "JavaScript and TypeScript tests run by vitest"
LANGUAGE = "javascript"
RANK = 30
PROGRAMS = ("node",)
CONFIG = ("package.json", "vitest.config.*", "vite.config.*", "vitest.workspace.*", "tsconfig*.json")
COMPILES_TOGETHER = False

is_test = reports.is_javascript_test
names = written.names_in
read = reports.javascript_report


def applies(paths: Collection[str], read: Callable[[str], str]) -> bool:
    """Whether the package asks for vitest."""
    return reports.uses(reports.package(paths, read), "vitest")


def command(job: SuiteRun) -> RunnerCommand:
    """vitest once, without its cache, which would be in the tree."""
    argv = ["node", str(job.root / "node_modules/vitest/vitest.mjs"), "run", "--no-cache", "--configLoader", "runner"]
    argv += ["--reporter", "{run}/vitest_report.mjs", "--passWithNoTests", "--includeTaskLocation", "--no-color"]
    argv += ["-t", reports.NOTHING] if job.collect_only else []
    return RunnerCommand(
        (*argv, *reports.files_of(job)), env=reports.telling(job), files=reports.inside("vitest_report.mjs")
    )
