"""go test: results from `go test -json`, as `go doc test2json` describes them; events name packages, ids name files."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.testing.report import Cause, RunnerCommand, SuiteReport, SuiteRun, TestResult, UnreadableFile, said
from thoughtforge.testing.toolchain import fetched

DESCRIPTION = "Go tests run by `go test`"
LANGUAGE = "go"
RANK = 50
PROGRAMS = ("go",)
CONFIG = ("go.mod", "go.work")
COMPILES_TOGETHER = True

OUTCOMES = {"pass": "passed", "fail": "failed", "skip": "skipped"}
COMPILER = re.compile(r"(?P<path>[^\s:]+\.go):(?P<line>\d+)(?::\d+)?: (?P<error>.+)")
MISSING = (
    re.compile(r"undefined: (?P<name>[\w.]+)"),
    re.compile(r"(?P<owner>[\w.]+) undefined \(type .* has no field or method (?P<name>\w+)"),
    re.compile(r"no required module provides package (?P<name>[^\s;]+)"),
    re.compile(r"package (?P<name>\S+) is not in (?:std|GOROOT)"),
)
DECLARED = re.compile(r"^func\s+((?:Test|Benchmark|Fuzz|Example)\w*)\s*\(", re.M)
LISTED = re.compile(r"(?:Test|Benchmark|Fuzz|Example)\w*")
LONGEST = 400


def applies(paths: Collection[str], read: Callable[[str], str]) -> bool:
    """Whether the repository is a Go module."""
    return "go.mod" in paths or "go.work" in paths


def is_test(path: str) -> bool:
    """`*_test.go` and everything in testdata."""
    at = PurePosixPath(path)
    return at.name.endswith("_test.go") or "testdata" in at.parts[:-1]


def command(job: SuiteRun) -> RunnerCommand:
    """All packages, or those of the files; its cache is in the private home, modules come from the environment."""
    argv = ["go", "test", "-json", "-count=1", "-vet=off"]
    argv += ["-list", "."] if job.collect_only else []
    packages = sorted({f"./{PurePosixPath(file).parent}" for file in job.files}) or ["./..."]
    env = {"GOTOOLCHAIN": "local", "GOPROXY": "off"}
    modules = fetched(job.environment, "go/modules")
    env |= {"GOMODCACHE": str(modules)} if modules else {}
    return RunnerCommand((*argv, *packages), env=env)


class GoEvent(NamedTuple):
    """How one test ended, and in which package."""

    package: str
    test: str
    action: str
    seconds: float


class Events:
    """What the packages of one run said."""

    def __init__(self) -> None:
        self.output: defaultdict[str, list[str]] = defaultdict(list)
        self.ends: dict[str, GoEvent] = {}
        self.packages: dict[str, str] = {}
        self.builds: list[str] = []

    def take(self, event: Mapping[str, Any]) -> None:
        """One event; those without a test are about their package or about a build."""
        action, package, test = event.get("Action", ""), event.get("Package", ""), event.get("Test", "")
        if action == "build-output":
            self.builds.append(str(event.get("Output", "")))
        elif action == "output":
            self.output[f"{package}.{test}" if test else package].append(str(event.get("Output", "")))
        elif action == "start":
            self.packages.setdefault(package, "")
        elif action in OUTCOMES and test:
            end = GoEvent(package, test, action, float(event.get("Elapsed", 0.0)))
            self.ends.setdefault(f"{package}.{test}", end)
        elif action in OUTCOMES:
            self.packages[package] = action


class Places:
    """Which file of the tree declares a test."""

    def __init__(self, job: SuiteRun) -> None:
        self.root = job.root
        found = re.search(r"^module\s+\"?([^\s\"]+)", job.config.get("go.mod", ""), re.M)
        self.module = found[1] if found else ""
        self.known: dict[str, dict[str, str]] = {}

    def id(self, package: str, test: str) -> str:
        """`path::TestName[part/of/it]`; the package stands for a file that cannot be found."""
        name, _, part = test.partition("/")
        path = self._declared(package).get(name, package)
        return f"{path}::{name}[{part}]" if part else f"{path}::{name}"

    def _declared(self, package: str) -> dict[str, str]:
        if package not in self.known:
            inside = package == self.module or package.startswith(f"{self.module}/")
            folder = self.root / package[len(self.module) :].strip("/") if self.module and inside else None
            files = sorted(folder.glob("*_test.go")) if folder else []
            self.known[package] = {
                name: file.relative_to(self.root).as_posix()
                for file in files
                for name in DECLARED.findall(file.read_text(encoding="utf-8", errors="replace"))
            }
        return self.known[package]


def names(path: str, text: str) -> tuple[str, ...]:
    """Ids of the tests a file declares."""
    return tuple(f"{path}::{name}" for name in DECLARED.findall(text))


def read(job: SuiteRun, ended: SandboxResult) -> SuiteReport:
    """Tests by file and name. A package that did not finish says nothing about the others either."""
    events = Events()
    stray = [line for line in ended.stdout.decode("utf-8", "replace").splitlines() if not _taken(events, line)]
    unreadable = tuple(_unreadable("\n".join([*stray, *events.builds, ended.stderr.decode("utf-8", "replace")]), job))
    places = Places(job)
    ids = {key: places.id(end.package, end.test) for key, end in events.ends.items()}
    collected = tuple(_listed(events, places)) if job.collect_only else tuple(ids.values())
    wanted = frozenset(job.ids)
    results = {
        id: _result(id, events.ends[key], events.output[key]) for key, id in ids.items() if not wanted or id in wanted
    }
    broken = "" if unreadable else _why_broken(events, ended)
    return SuiteReport(
        {} if job.collect_only else results,
        tuple(id for id in collected if not wanted or id in wanted),
        unreadable,
        broken=broken,
    )


def _taken(events: Events, line: str) -> bool:
    try:
        event = json.loads(line)
    except json.JSONDecodeError:
        return False
    if isinstance(event, dict):
        events.take(event)
    return isinstance(event, dict)


def _why_broken(events: Events, ended: SandboxResult) -> str:
    open_ones = [package for package, end in events.packages.items() if not end]
    if open_ones:
        return f"the tests of {open_ones[0]} did not finish"
    if not events.packages or ended.code not in (0, 1):
        return f"go test failed to run, code {ended.code}{said(ended)}"
    for package, end in events.packages.items():
        failed = any(each.package == package and each.action == "fail" for each in events.ends.values())
        if end == "fail" and not failed:
            return f"{package} failed without a failed test: {_last(events.output[package])}"
    return ""


def _unreadable(text: str, job: SuiteRun) -> Iterator[UnreadableFile]:
    for found in COMPILER.finditer(text):
        cause, missing = _missing(found["error"])
        path = found["path"].removeprefix("./").removeprefix(f"{job.root}/")
        yield UnreadableFile(path, int(found["line"]), found["error"][:LONGEST], cause, missing=missing)


def _missing(error: str) -> tuple[Cause, str]:
    for pattern in MISSING:
        if found := pattern.search(error):
            return "missing", found["name"].rpartition("/")[2]
    return "other", ""


def _listed(events: Events, places: Places) -> Iterator[str]:
    for package in events.packages:
        for line in "".join(events.output[package]).splitlines():
            if LISTED.fullmatch(line):
                yield places.id(package, line)


def _result(id: str, event: GoEvent, output: list[str]) -> TestResult:
    if event.action != "fail":
        return TestResult(id, "passed" if event.action == "pass" else "skipped", seconds=event.seconds)
    lines = [line.strip() for line in output if not re.match(r"\s*(?:===|---) ", line) and line.strip()]
    place = re.match(r"(?P<path>\S+\.go):(?P<line>\d+): (?P<error>.*)", lines[0] if lines else "")
    panicked = next((line for line in lines if line.startswith("panic:")), "")
    error = panicked or (place["error"] if place else _last(lines))
    # go has no assertions: a test fails by saying so, and everything else is a panic
    return TestResult(
        id,
        "failed",
        cause="other" if panicked else "assertion",
        error=error[:LONGEST],
        path=_beside(id, place["path"]) if place else "",
        line=int(place["line"]) if place else 0,
        seconds=event.seconds,
    )


def _beside(id: str, name: str) -> str:
    """Go names a file without its folder."""
    path = id.partition("::")[0]
    return f"{path.rpartition('/')[0]}/{name}" if path.endswith(".go") and "/" in path else name


def _last(lines: list[str]) -> str:
    return lines[-1].strip()[:LONGEST] if lines else "without an error message"
