"""A verdict for other programs: SARIF, JUnit and GitHub annotations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from thoughtforge.gate.findings import Finding, GateVerdict, Outcome, suggestion

LEVELS = {"critical": "error", "major": "error", "minor": "warning"}


def github(verdict: GateVerdict) -> str:
    """One line per new finding and per check that could not run."""
    lines = [_finding(finding) for finding in verdict.new]
    lines += [
        f"::error title={_property(f'{outcome.check} could not run')}::{_message(outcome.broken)}"
        for outcome in verdict.broken
    ]
    return "".join(f"{line}\n" for line in lines)


def _finding(finding: Finding) -> str:
    place = f"file={_property(finding.path)},line={max(finding.line, 1)}," if finding.path else ""
    title = _property(f"{finding.check} ({finding.id})")
    words = f"{finding.message.rstrip('.')}. {finding.hint}".rstrip()
    return f"::{LEVELS[finding.severity]} {place}title={title}::{_message(words)}"


def _message(text: str) -> str:
    """Nothing in a message can begin a command of its own."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters XML cannot hold."""


def junit(verdict: GateVerdict) -> str:
    """The report. Findings the base commit has too do not fail a check."""
    fresh = {finding.id for finding in verdict.new}
    failed = sum(any(finding.id in fresh for finding in outcome.findings) for outcome in verdict.outcomes)
    suite = Element(
        "testsuite",
        name="thoughtforge check",
        tests=str(len(verdict.outcomes)),
        failures=str(failed),
        errors=str(len(verdict.broken)),
        skipped="0",
        time=f"{verdict.seconds:.3f}",
    )
    for outcome in sorted(verdict.outcomes, key=lambda each: (each.category, each.check)):
        _case(suite, outcome, fresh)
    suites = Element("testsuites", name="thoughtforge")
    suites.append(suite)
    indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(suites, encoding="unicode") + "\n"


def _case(suite: Element, outcome: Outcome, fresh: set[str]) -> None:
    case = SubElement(
        suite, "testcase", classname=f"check.{outcome.category}", name=outcome.check, time=f"{outcome.seconds:.3f}"
    )
    if outcome.outcome == "broken":
        SubElement(case, "error", message=_fit(outcome.broken), type="broken")
    new = [finding for finding in outcome.findings if finding.id in fresh]
    if new:
        words = f"{len(new)} finding{'s' * (len(new) > 1)}"
        failure = SubElement(case, "failure", message=words, type=new[0].severity)
        failure.text = _fit("\n".join(_line(finding) for finding in new))


def _line(finding: Finding) -> str:
    return f"{finding.path}:{finding.line}: {finding.message} ({finding.id})"


def _fit(text: str) -> str:
    return UNFIT.sub("\ufffd", text)


SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(verdict: GateVerdict, *, version: str) -> dict[str, Any]:
    """One log with one run: findings as results, checks that could not run as notifications."""
    found = (*verdict.new, *verdict.existing)
    rules = sorted({(finding.check, finding.category) for finding in found})
    notes = [
        {
            "level": "error",
            "message": {"text": f"{outcome.check} could not run: {outcome.broken}"},
            "associatedRule": {"id": outcome.check},
        }
        for outcome in verdict.broken
    ]
    fresh = {finding.id for finding in verdict.new}
    driver = {
        "name": "thoughtforge",
        "version": version,
        "rules": [{"id": check, "properties": {"category": category}} for check, category in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not notes, "toolExecutionNotifications": notes}],
        "results": [_result(finding, new=finding.id in fresh) for finding in found],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: Finding, *, new: bool) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.check,
        "level": LEVELS[finding.severity],
        "message": {"text": f"{finding.message}\n{finding.hint}".strip()},
        "partialFingerprints": {"thoughtforge/v1": finding.id},
        "baselineState": "new" if new else "unchanged",
        "properties": {"severity": finding.severity, "category": finding.category, "rule": finding.rule},
    }
    if finding.path:
        place = {
            "artifactLocation": {"uri": quote(finding.path), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": max(finding.line, 1)},
        }
        result["locations"] = [{"physicalLocation": place}]
    return result


FORMATS = ("text", "json", "sarif", "junit", "github")


def written(verdict: GateVerdict, form: str, *, version: str) -> str:
    """The verdict in one of the formats, but for json, which the command wraps itself."""
    if form == "sarif":
        return json.dumps(sarif(verdict, version=version), ensure_ascii=False, indent=2) + "\n"
    if form == "junit":
        return junit(verdict)
    if form == "github":
        return github(verdict)
    return "".join(f"{_one_line(line)}\n" for line in _text(verdict))


def as_data(verdict: GateVerdict) -> dict[str, Any]:
    """Plain values."""
    return {
        "passed": verdict.passed,
        "new": [row(finding) for finding in verdict.new],
        "existing": [row(finding) for finding in verdict.existing],
        "broken": [{"check": outcome.check, "why": outcome.broken} for outcome in verdict.broken],
        "checks": [
            {
                "check": outcome.check,
                "category": outcome.category,
                "outcome": outcome.outcome,
                "findings": len(outcome.findings),
                "cached": outcome.cached,
                "seconds": round(outcome.seconds, 4),
            }
            for outcome in verdict.outcomes
        ],
        "next_action": verdict.next_action,
        "seconds": round(verdict.seconds, 4),
    }


def row(finding: Finding) -> dict[str, Any]:
    """One finding with what to do about it."""
    return {**finding._asdict(), "next_action": suggestion(finding)}


def _text(verdict: GateVerdict) -> Iterator[str]:
    for finding in verdict.new:
        place = f"{finding.path}:{finding.line}" if finding.path else "(repository)"
        rule = f" {finding.rule}" if finding.rule else ""
        yield f"{place}: {finding.severity}: {finding.message} [{finding.check}{rule}] {finding.id}"
    for outcome in verdict.broken:
        yield f"broken: {outcome.check}: {outcome.broken}"
    kept = f", {len(verdict.existing)} existed before" if verdict.existing else ""
    broken = f", {len(verdict.broken)} checks could not run" if verdict.broken else ""
    yield f"{len(verdict.new)} findings{kept}{broken}; {len(verdict.outcomes)} checks in {verdict.seconds:.2f} s"
    yield f"→ {verdict.next_action}"


def _one_line(text: str) -> str:
    """Text of a repository on one line of ours: no line of its own, no escape sequence for a terminal."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
