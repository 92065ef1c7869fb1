"""jest: a reporter of the engine tells each file's results from jest's own process."""

from __future__ import annotations

from collections.abc import Callable, Collection

from thoughtforge.languages.javascript import dependencies as written
from thoughtforge.languages.javascript import reports
from thoughtforge.testing.report import RunnerCommand, SuiteRun

DESCRIPTION = "JavaScript and TypeScript tests run by jest"
LANGUAGE = "javascript"
RANK = 40
PROGRAMS = ("node",)
CONFIG = ("package.json", "jest.config.*", "babel.config.*", ".babelrc*", "tsconfig*.json")
COMPILES_TOGETHER = False

is_test = reports.is_javascript_test
names = written.names_in
read = reports.javascript_report


def applies(paths: Collection[str], read: Callable[[str], str]) -> bool:
    """Whether the package asks for jest."""
    return reports.uses(reports.package(paths, read), "jest")


def command(job: SuiteRun) -> RunnerCommand:
    """jest once, without its cache and its watcher."""
    argv = ["node", str(job.root / "node_modules/jest/bin/jest.js"), "--ci", "--no-cache", "--no-watchman", "--silent"]
    argv += ["--reporters", "{run}/jest_report.cjs", "--passWithNoTests", "--testLocationInResults", "--no-color"]
    argv += ["-t", reports.NOTHING] if job.collect_only else []
    argv += ["--runTestsByPath", *files] if (files := reports.files_of(job)) else []
    return RunnerCommand(tuple(argv), env=reports.telling(job), files=reports.inside("jest_report.cjs"))
