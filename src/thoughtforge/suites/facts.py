"""From the facts a test process sent to a report. It was a witness; here is who judges what its words are worth."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from thoughtforge.sandbox.box import Boxed
from thoughtforge.suites.result import Report, TestResult, Unreadable

ENDS = frozenset({0, 1, 5})
"""What a runner ends with when all is told: passed, failed, nothing to run."""
RANK = {"failed": 2, "skipped": 1, "passed": 0}
LONGEST_REASON = 300


class Told:
    """Facts as they come in, one test's first answer first."""

    def __init__(self) -> None:
        self.results: dict[str, TestResult] = {}
        self.answers: set[tuple[str, str]] = set()
        self.collected: dict[str, None] = {}
        self.unreadable: list[Unreadable] = []
        self.covered: dict[str, frozenset[int]] = {}
        self.broken: list[str] = []
        self.end: Mapping[str, Any] | None = None

    def take(self, fact: Mapping[str, Any]) -> None:
        """One fact. Nothing counts behind the end, and what has failed stays failed."""
        if self.end is not None:
            self.broken.append("something was reported after the end")
            return
        match fact["fact"]:
            case "collected":
                self.collected.update(dict.fromkeys(map(str, fact["ids"])))
            case "unreadable":
                self.unreadable.append(_unreadable(fact))
            case "result":
                self._result(fact)
            case "covered":
                self.covered[str(fact["path"])] = frozenset(map(int, fact["lines"]))
            case "broken":
                self.broken.append(str(fact["why"]))
            case "end":
                self.end = fact

    def _result(self, fact: Mapping[str, Any]) -> None:
        result = _result(fact)
        key = (result.id, str(fact["when"]))
        if key in self.answers and key[1] != "sub":
            self.broken.append(f"{result.id} was answered twice")
        self.answers.add(key)
        known = self.results.get(result.id)
        if known is None or RANK[result.outcome] > RANK[known.outcome]:
            self.results[result.id] = result


def report_of(ended: Boxed, *, collect_only: bool = False) -> Report:
    """What a process that used the report pipe came to."""
    told = Told()
    try:
        for fact in _facts(ended.report):
            told.take(fact)
    except (ValueError, KeyError, TypeError) as error:
        told.broken.append(f"the report cannot be read: {error!r}")
    broken = _why_broken(told, ended, collect_only=collect_only)
    return Report(
        results=told.results,
        collected=tuple(told.collected),
        unreadable=tuple(told.unreadable),
        broken=broken,
        covered=told.covered,
        seconds=float(told.end["seconds"]) if told.end else 0.0,
    )


def _facts(data: bytes) -> Iterator[Mapping[str, Any]]:
    """Whole lines only: a process that was ended may leave half a fact, which then is none."""
    for line in data.split(b"\n")[:-1]:
        yield json.loads(line)


def _why_broken(told: Told, ended: Boxed, *, collect_only: bool) -> str:
    if ended.stopped:
        return f"the tests were ended by the limit {ended.stopped}{_last(told)}"
    if told.broken:
        return told.broken[0]
    if told.end is None:
        return f"the test process ended without saying so, with code {ended.code}{_last(told)}{said(ended)}"
    if told.end["code"] not in ENDS and not told.unreadable:
        return f"the test runner could not do its work, code {told.end['code']}{said(ended)}"
    if strange := sorted(told.results.keys() - told.collected.keys()):
        return f"a test was answered that was not collected: {strange[0]}"
    silent = [] if collect_only else [id for id in told.collected if id not in told.results]
    if silent:
        return f"{len(silent)} collected tests were not run, the first is {silent[0]}{said(ended)}"
    return ""


def _last(told: Told) -> str:
    return f" after {list(told.results)[-1]}" if told.results else ""


def said(ended: Boxed) -> str:
    """The last words of a process, for a reason people read."""
    for stream in (ended.stderr, ended.stdout):
        lines = [line.strip() for line in stream.decode("utf-8", "replace").splitlines() if line.strip()]
        if lines:
            return f": {lines[-1][:LONGEST_REASON]}"
    return ""


def _unreadable(fact: Mapping[str, Any]) -> Unreadable:
    return Unreadable(
        str(fact["path"]), int(fact["line"]), str(fact["error"]), fact["cause"], missing=str(fact["missing"])
    )


def _result(fact: Mapping[str, Any]) -> TestResult:
    if fact["outcome"] not in RANK:
        raise ValueError(f"outcome {fact['outcome']!r}")
    return TestResult(
        id=str(fact["id"]),
        outcome=fact["outcome"],
        cause=fact.get("cause", ""),
        missing=str(fact.get("missing", "")),
        error=str(fact.get("error", "")),
        path=str(fact.get("path", "")),
        line=int(fact.get("line", 0)),
        seconds=float(fact.get("seconds", 0.0)),
    )
