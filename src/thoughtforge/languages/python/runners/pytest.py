"""pytest: results come over the report pipe as they happen, from a plug-in of the engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from thoughtforge.languages.python.pytest_options import SOURCES, PytestOptions, ini_of, options_of, written
from thoughtforge.languages.python.suite import (
    files_with_tests,
    imports_unittest_only,
    is_python_test,
    names_in,
    python_command,
)
from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.testing.report import Environment, RunnerCommand, SuiteReport, SuiteRun
from thoughtforge.testing.run import report_of

DESCRIPTION = "Python tests run by pytest"
LANGUAGE = "python"
RANK = 10
PROGRAMS: tuple[str, ...] = ()
CONFIG = (*SOURCES, "requirements*.txt", "requirements/*.txt")
COMPILES_TOGETHER = False

is_test = is_python_test
names = names_in

USUAL = "pytest"
"""What people type in the root of a project."""
ALONE = """import sys
sys.path[:] = sys.path[1:] + sys.argv[1:]
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider"]))
"""
"""The same: nothing of ours, nor the folder it starts in, helps it to find the code."""
ARGS = ("-p", "no:cacheprovider", "--continue-on-collection-errors", "--tb=no", "-q", "-rN", "--color=no")


def usual(environment: Environment) -> tuple[str, ...]:
    """How to run what people type; nothing where there is no Python."""
    if environment.python is None:
        return ()
    return (str(environment.python), "-c", ALONE, *map(str, environment.python_path))


def applies(paths: Collection[str], read: Callable[[str], str]) -> bool:
    """Whether there is Python to test, unless every test is for unittest and pytest is not configured."""
    configured = {path: read(path) for path in SOURCES if path in paths}
    if ini_of(configured) or any(PurePosixPath(path).name == "conftest.py" for path in paths):
        return True
    tests = files_with_tests(paths)
    if not tests:
        return any(path.endswith(".py") for path in paths)
    return not all(imports_unittest_only(read(path)) for path in tests)


class BaseSettings(NamedTuple):
    """What the base's configuration comes to for pytest, and the file that tells it so."""

    options: PytestOptions
    ini: str


@lru_cache(maxsize=8)  # the same configuration run after run
def _settings(config: frozenset[tuple[str, str]], *, plugins: bool) -> BaseSettings:
    options = options_of(dict(sorted(config)), plugins=plugins)
    return BaseSettings(options, written(options.ini))


def command(job: SuiteRun) -> RunnerCommand:
    """pytest with the base's settings, started by our own file in the box."""
    options, ini = _settings(frozenset(job.config.items()), plugins=not job.own_config)
    places = ["-c", "{run}/pytest.ini", "--rootdir", str(job.root), "--confcutdir", str(job.root)]
    more = ["--collect-only"] if job.collect_only else []
    ask = {
        "args": [*places, *ARGS, *options.args, *more],
        "files": list(dict.fromkeys([*job.files, *(_file(id) for id in job.ids)])),
        "plugins": list(options.plugins),
        "settings": options.settings,
    }
    made = python_command(job, "pytest_report", ask=ask, files={"pytest.ini": ini})
    return made._replace(env={**made.env, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})


def read(job: SuiteRun, ended: SandboxResult) -> SuiteReport:
    """What the plug-in told."""
    return report_of(ended, collect_only=job.collect_only)


def _file(id: str) -> str:
    return re.split(r"::", id, maxsplit=1)[0]
