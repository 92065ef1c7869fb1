"""A verdict for people and for programs, in every format `check` prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from thoughtforge.gate.finding import Finding
from thoughtforge.gate.github import github
from thoughtforge.gate.junit import junit
from thoughtforge.gate.sarif import sarif
from thoughtforge.gate.verdict import Verdict, suggestion

FORMATS = ("text", "json", "sarif", "junit", "github")


def written(verdict: Verdict, form: str, *, version: str) -> str:
    """The verdict in one of the formats, but for json, which the command wraps itself."""
    if form == "sarif":
        return json.dumps(sarif(verdict, version=version), ensure_ascii=False, indent=2) + "\n"
    if form == "junit":
        return junit(verdict)
    if form == "github":
        return github(verdict)
    return "".join(f"{_one_line(line)}\n" for line in _text(verdict))


def as_data(verdict: Verdict) -> dict[str, Any]:
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


def _text(verdict: Verdict) -> Iterator[str]:
    for finding in verdict.new:
        place = f"{finding.path}:{finding.line}" if finding.path else "(repository)"
        rule = f" {finding.rule}" if finding.rule else ""
        yield f"{place}: {finding.severity}: {finding.message} [{finding.check}{rule}] {finding.id}"
    for outcome in verdict.broken:
        yield f"broken: {outcome.check}: {outcome.broken}"
    kept = f", {len(verdict.existing)} were there before" if verdict.existing else ""
    broken = f", {len(verdict.broken)} checks could not run" if verdict.broken else ""
    yield f"{len(verdict.new)} findings{kept}{broken}; {len(verdict.outcomes)} checks in {verdict.seconds:.2f} s"
    yield f"→ {verdict.next_action}"


def _one_line(text: str) -> str:
    """Text of a repository on one line of ours: no line of its own, no escape sequence for a terminal."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
