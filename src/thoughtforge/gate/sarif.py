"""A verdict as SARIF 2.1.0, the format code hosts and editors read."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from thoughtforge.gate.finding import Finding
from thoughtforge.gate.verdict import Verdict

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"critical": "error", "major": "error", "minor": "warning"}


def sarif(verdict: Verdict, *, version: str) -> dict[str, Any]:
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
