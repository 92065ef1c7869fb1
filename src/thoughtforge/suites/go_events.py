"""Reads the events of `go test -json`, as `go doc test2json` describes them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from thoughtforge.sandbox.box import Boxed
from thoughtforge.suites.facts import said
from thoughtforge.suites.result import Cause, Job, Report, TestResult, Unreadable

OUTCOMES = {"pass": "passed", "fail": "failed", "skip": "skipped"}
COMPILER = re.compile(r"(?P<path>[^\s:]+\.go):(?P<line>\d+)(?::\d+)?: (?P<error>.+)")
MISSING = (
    re.compile(r"undefined: (?P<name>[\w.]+)"),
    re.compile(r"(?P<owner>[\w.]+) undefined \(type .* has no field or method (?P<name>\w+)"),
    re.compile(r"no required module provides package (?P<name>[^\s;]+)"),
    re.compile(r"package (?P<name>\S+) is not in (?:std|GOROOT)"),
)
LISTED = re.compile(r"(?:Test|Benchmark|Fuzz|Example)\w*")
LONGEST = 400


class Events:
    """What the packages of one run said."""

    def __init__(self) -> None:
        self.output: defaultdict[str, list[str]] = defaultdict(list)
        self.ends: dict[str, Mapping[str, Any]] = {}
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
            self.ends.setdefault(f"{package}.{test}", event)
        elif action in OUTCOMES:
            self.packages[package] = action


def go_report(job: Job, ended: Boxed) -> Report:
    """Tests by package and name. A package that did not come to an end says nothing about the others either."""
    events = Events()
    stray = [line for line in ended.stdout.decode("utf-8", "replace").splitlines() if not _taken(events, line)]
    unreadable = tuple(_unreadable("\n".join([*stray, *events.builds, ended.stderr.decode("utf-8", "replace")]), job))
    collected = tuple(_listed(events)) if job.collect_only else tuple(events.ends)
    wanted = frozenset(job.ids)
    results = {id: _result(id, event, events) for id, event in events.ends.items() if not wanted or id in wanted}
    broken = "" if unreadable else _why_broken(events, ended)
    return Report(
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


def _why_broken(events: Events, ended: Boxed) -> str:
    open_ones = [package for package, end in events.packages.items() if not end]
    if open_ones:
        return f"the tests of {open_ones[0]} did not come to an end"
    if not events.packages or ended.code not in (0, 1):
        return f"go test could not do its work, code {ended.code}{said(ended)}"
    for package, end in events.packages.items():
        failed = any(id.startswith(f"{package}.") and event["Action"] == "fail" for id, event in events.ends.items())
        if end == "fail" and not failed:
            return f"{package} failed without a failed test: {_last(events.output[package])}"
    return ""


def _unreadable(text: str, job: Job) -> Iterator[Unreadable]:
    for found in COMPILER.finditer(text):
        cause, missing = _missing(found["error"])
        path = found["path"].removeprefix("./").removeprefix(f"{job.root}/")
        yield Unreadable(path, int(found["line"]), found["error"][:LONGEST], cause, missing=missing)


def _missing(error: str) -> tuple[Cause, str]:
    for pattern in MISSING:
        if found := pattern.search(error):
            return "missing", found["name"]
    return "other", ""


def _listed(events: Events) -> Iterator[str]:
    for package in events.packages:
        for line in "".join(events.output[package]).splitlines():
            if LISTED.fullmatch(line):
                yield f"{package}.{line}"


def _result(id: str, event: Mapping[str, Any], events: Events) -> TestResult:
    seconds = float(event.get("Elapsed", 0.0))
    if event["Action"] != "fail":
        return TestResult(id, "passed" if event["Action"] == "pass" else "skipped", seconds=seconds)
    lines = [line.strip() for line in events.output[id] if not re.match(r"\s*(?:===|---) ", line) and line.strip()]
    place = re.match(r"(?P<path>\S+\.go):(?P<line>\d+): (?P<error>.*)", lines[0] if lines else "")
    panicked = next((line for line in lines if line.startswith("panic:")), "")
    error = panicked or (place["error"] if place else _last(lines))
    # go has no assertions: a test fails by saying so, and everything else is a panic
    return TestResult(
        id,
        "failed",
        cause="other" if panicked else "assertion",
        error=error[:LONGEST],
        path=place["path"] if place else "",
        line=int(place["line"]) if place else 0,
        seconds=seconds,
    )


def _last(lines: list[str]) -> str:
    return lines[-1].strip()[:LONGEST] if lines else "without a word"
