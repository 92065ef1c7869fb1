"""Reads the Test Anything Protocol, which many small runners print."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.testing.report import Cause, SuiteReport, SuiteRun, TestResult

POINT = re.compile(
    r"(?P<indent> *)(?P<outcome>ok|not ok)\b *\d* *-? *(?P<name>.*?)(?: *# *(?P<mark>SKIP|TODO)\b.*)?", re.I
)
PLAN = re.compile(r"1\.\.(\d+)")
ERROR = re.compile(r"\s*error: (?:\|-?\s*)?['\"]?(?P<text>.*?)['\"]?$")
NAME = re.compile(r"\s*name: ['\"]?(?P<text>\w+)")
ASSERTION = re.compile(r"\s*code: ['\"]?ERR_ASSERTION")


class Point(NamedTuple):
    """One result line and what was said below it."""

    depth: int
    name: str
    outcome: str
    notes: tuple[str, ...]


def plain_cause(error: str) -> tuple[Cause, str]:
    """Why a test failed, as far as every language says it alike."""
    return ("assertion" if error.startswith("AssertionError") else "other"), ""


def tap_report(
    text: str, job: SuiteRun, ended: SandboxResult, *, cause_of: Callable[[str], tuple[Cause, str]] = plain_cause
) -> SuiteReport:
    """The innermost results, named by the groups they are in. A plan that is not fulfilled says nothing.

    `cause_of` reads an error as its language writes it: why the test failed, and what is missing.
    """
    points = list(_points(text.splitlines()))
    results: dict[str, TestResult] = {}
    for id, point in _leaves(points):
        if id in results:
            id = f"{id} #{sum(known == id or known.startswith(f'{id} #') for known in results) + 1}"
        results[id] = _result(id, point, cause_of)
    outer = sum(point.depth == 0 for point in points)
    plan = [int(match[1]) for line in text.splitlines() if (match := PLAN.match(line))]
    report = SuiteReport({} if job.collect_only else results, tuple(results))
    if not plan or sum(plan) != outer:
        return report._replace(broken=f"the tests ended early: {outer} results of {sum(plan) or 'an unknown number'}")
    if ended.code and all(result.outcome != "failed" for result in results.values()):
        return report._replace(broken=f"every test passed, but the command ended with code {ended.code}")
    return report


def _points(lines: list[str]) -> Iterator[Point]:
    for at, line in enumerate(lines):
        if found := POINT.fullmatch(line):
            outcome = "skipped" if found["mark"] else "passed" if found["outcome"].lower() == "ok" else "failed"
            yield Point(len(found["indent"]) // 4, found["name"].strip(), outcome, tuple(_notes(lines[at + 1 :])))


def _notes(lines: list[str]) -> Iterator[str]:
    """The YAML block right below a result."""
    if not lines or lines[0].strip() != "---":
        return
    for line in lines[1:]:
        if line.strip() == "...":
            return
        yield line


def _leaves(points: list[Point]) -> Iterator[tuple[str, Point]]:
    """A group's own line comes after its members and is deeper in nothing."""
    groups: list[str] = []
    leaves: list[tuple[str, Point]] = []
    for at in range(len(points) - 1, -1, -1):
        point = points[at]
        groups[point.depth :] = [point.name]
        group = at > 0 and points[at - 1].depth > point.depth
        if not group:
            leaves.append((" > ".join(groups), point))
    return reversed(leaves)


def _result(id: str, point: Point, cause_of: Callable[[str], tuple[Cause, str]]) -> TestResult:
    if point.outcome != "failed":
        return TestResult(id, "skipped" if point.outcome == "skipped" else "passed")
    text = next((match["text"] for note in point.notes if (match := ERROR.match(note))), "")
    kind = next((match["text"] for note in point.notes if (match := NAME.match(note))), "Error")
    cause, missing = cause_of(f"{kind}: {text}")
    if any(ASSERTION.match(note) for note in point.notes):
        cause = "assertion"
    return TestResult(id, "failed", cause=cause, missing=missing, error=f"{kind}: {text}")
