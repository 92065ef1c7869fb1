"""npm test: results test by test where the script speaks TAP, as node's own runner does; otherwise as one test."""

from __future__ import annotations

from collections.abc import Callable, Collection

from thoughtforge.sandbox.box import Boxed
from thoughtforge.sandbox.boxes import SEARCH_PATH
from thoughtforge.suites.javascript import is_javascript_test, package
from thoughtforge.suites.result import Command, Job, Report
from thoughtforge.suites.tap import tap_report
from thoughtforge.suites.whole import whole_report

DESCRIPTION = "whatever `npm test` does; TAP is read test by test"
LANGUAGE = "javascript"
RANK = 70
CONFIG = ("package.json", ".npmrc", ".mocharc*", "ava.config.*", ".taprc")
COMPILES_TOGETHER = False

EMPTY = "no test specified"
"""What npm writes into a new package's test script."""


def applies(paths: Collection[str], read: Callable[[str], str]) -> bool:
    """Whether the package has a test script of its own."""
    script = _script(package(paths, read))
    return bool(script) and EMPTY not in script


def is_test(path: str) -> bool:
    """Tests by name, snapshots, and everything in a folder of tests."""
    return is_javascript_test(path)


def command(job: Job) -> Command:
    """The base's test script. Node's runner is asked for TAP; other scripts do not see the difference."""
    script = _script(package(job.config, job.config.__getitem__))
    search = ":".join(map(str, (job.root / "node_modules/.bin", *job.environment.path, SEARCH_PATH)))
    env = {"PATH": search, "CI": "true", "NODE_ENV": "test", "NODE_OPTIONS": "--test-reporter=tap"}
    return Command(("sh", "-c", script or "exit 127"), env=env)


def read(job: Job, ended: Boxed) -> Report:
    """The script's TAP, or its exit code."""
    text = ended.stdout.decode("utf-8", "replace")
    if "TAP version" in text:
        return tap_report(text, job, ended)
    return whole_report("npm test", job, ended)


def _script(data: dict[str, object]) -> str:
    scripts = data.get("scripts")
    test = scripts.get("test") if isinstance(scripts, dict) else None
    return test if isinstance(test, str) else ""
