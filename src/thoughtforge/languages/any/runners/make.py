"""make test: one answer for everything, by the exit code; for repositories that offer nothing finer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from pathlib import PurePosixPath

from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.testing.report import RunnerCommand, SuiteReport, SuiteRun, whole_report

DESCRIPTION = "whatever `make test` or `make check` does, as one test"
LANGUAGE = "any"
RANK = 80
PROGRAMS = ("make",)
CONFIG = ("Makefile", "makefile", "GNUmakefile", "*.mk")
COMPILES_TOGETHER = True

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
FOLDERS = {"tests", "test", "t", "testdata", "spec"}
TARGET = re.compile(r"^(?P<name>test|check)\s*:(?!=)", re.M)


def applies(paths: Collection[str], read: Callable[[str], str]) -> bool:
    """Whether there is a makefile with something to test."""
    return any(TARGET.search(read(name)) for name in MAKEFILES if name in paths)


def is_test(path: str) -> bool:
    """Everything in a folder of tests, and files named so."""
    at = PurePosixPath(path)
    return bool(FOLDERS & set(at.parts[:-1])) or bool(re.search(r"(?:^|[_.-])(?:test|tests|spec)(?:[_.-]|$)", at.stem))


def command(job: SuiteRun) -> RunnerCommand:
    """The target, as the base commit names it; `--no-print-directory` keeps machine paths out of what is said."""
    return RunnerCommand(("make", "--no-print-directory", *(["--dry-run"] if job.collect_only else []), target(job)))


def names(path: str, text: str) -> tuple[str, ...]:
    """None: what a makefile runs is one test, whatever the files are."""
    return ()


def read(job: SuiteRun, ended: SandboxResult) -> SuiteReport:
    """Passed when make says so. A makefile that could not be read at all is broken, not failed."""
    broken = "No rule to make target" in ended.stderr.decode("utf-8", "replace")
    return whole_report(f"make {target(job)}", job, ended, broken=broken)


def target(job: SuiteRun) -> str:
    """`test` when a makefile has it, otherwise `check`."""
    found = [match["name"] for text in job.config.values() for match in TARGET.finditer(text)]
    return "check" if "check" in found and "test" not in found else "test"
