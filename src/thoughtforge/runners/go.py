"""go test: results from `go test -json`, what does not compile from the compiler's own lines."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import PurePosixPath

from thoughtforge.sandbox.box import Boxed
from thoughtforge.suites.go_events import go_names, go_report
from thoughtforge.suites.result import Command, Job, Report
from thoughtforge.suites.toolchain import fetched

DESCRIPTION = "Go tests run by `go test`"
LANGUAGE = "go"
RANK = 50
PROGRAMS = ("go",)
CONFIG = ("go.mod", "go.work")
COMPILES_TOGETHER = True


def applies(paths: Collection[str], read: Callable[[str], str]) -> bool:
    """Whether the repository is a Go module."""
    return "go.mod" in paths or "go.work" in paths


def is_test(path: str) -> bool:
    """`*_test.go` and everything in testdata."""
    at = PurePosixPath(path)
    return at.name.endswith("_test.go") or "testdata" in at.parts[:-1]


def command(job: Job) -> Command:
    """All packages, or those of the files; its cache is in the private home, modules come from the environment."""
    argv = ["go", "test", "-json", "-count=1", "-vet=off"]
    argv += ["-list", "."] if job.collect_only else []
    packages = sorted({f"./{PurePosixPath(file).parent}" for file in job.files}) or ["./..."]
    env = {"GOTOOLCHAIN": "local", "GOPROXY": "off"}
    modules = fetched(job.environment, "go/modules")
    env |= {"GOMODCACHE": str(modules)} if modules else {}
    return Command((*argv, *packages), env=env)


def names(path: str, text: str) -> tuple[str, ...]:
    """The tests that a file's text shows."""
    return go_names(path, text)


def read(job: Job, ended: Boxed) -> Report:
    """What the events say."""
    return go_report(job, ended)
