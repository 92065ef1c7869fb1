"""npm test: test by test where the script uses node's own runner or speaks TAP; otherwise as one test."""

from __future__ import annotations

from collections.abc import Callable, Collection

from thoughtforge.languages.javascript.dependencies import names_in
from thoughtforge.languages.javascript.reports import (
    cause_of,
    inside,
    is_javascript_test,
    javascript_report,
    package,
    telling,
)
from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.sandbox.sandbox import SEARCH_PATH
from thoughtforge.testing.report import RunnerCommand, SuiteReport, SuiteRun, whole_report
from thoughtforge.testing.tap import tap_report

DESCRIPTION = "whatever `npm test` does; node's own runner and TAP are read test by test"
LANGUAGE = "javascript"
RANK = 70
PROGRAMS = ("node",)
CONFIG = ("package.json", ".npmrc", ".mocharc*", "ava.config.*", ".taprc")
COMPILES_TOGETHER = False

is_test = is_javascript_test
names = names_in

EMPTY = "no test specified"
"""What npm writes into a new package's test script."""


def applies(paths: Collection[str], read: Callable[[str], str]) -> bool:
    """Whether the package has a test script of its own."""
    script = _script(package(paths, read))
    return bool(script) and EMPTY not in script


def command(job: SuiteRun) -> RunnerCommand:
    """The base's test script. Node's runner is given our reporter; other scripts do not see the difference."""
    script = _script(package(job.config, job.config.__getitem__))
    search = ":".join(map(str, (job.root / "node_modules/.bin", *job.environment.path, SEARCH_PATH)))
    env = {**telling(job), "PATH": search, "NODE_OPTIONS": '"--test-reporter={run}/node_report.mjs"'}
    return RunnerCommand(("sh", "-c", script or "exit 127"), env=env, files=inside("node_report.mjs"))


def read(job: SuiteRun, ended: SandboxResult) -> SuiteReport:
    """What the reporter told, the script's TAP, or its exit code."""
    if ended.report:
        return _asked(job, javascript_report(job, ended))
    text = ended.stdout.decode("utf-8", "replace")
    if "TAP version" in text:
        return tap_report(text, job, ended, cause_of=cause_of)
    return whole_report("npm test", job, ended)


def _asked(job: SuiteRun, report: SuiteReport) -> SuiteReport:
    """A script cannot be asked for some files alone; what they did not say is left out."""
    if not job.files:
        return report
    mine = {id: result for id, result in report.results.items() if id.partition("::")[0] in job.files}
    collected = tuple(id for id in report.collected if id.partition("::")[0] in job.files)
    unreadable = tuple(file for file in report.unreadable if file.path in job.files)
    return report._replace(results=mine, collected=collected, unreadable=unreadable)


def _script(data: dict[str, object]) -> str:
    scripts = data.get("scripts")
    test = scripts.get("test") if isinstance(scripts, dict) else None
    return test if isinstance(test, str) else ""
