"""A verdict as a JUnit report: each check is a test case."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from thoughtforge.gate.finding import Finding, Outcome
from thoughtforge.gate.verdict import Verdict

UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters XML cannot hold."""


def junit(verdict: Verdict) -> str:
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
