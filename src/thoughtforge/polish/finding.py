"""A finding of a review, and a review's report: counts come from the findings, what the reviewer states is compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, cast, get_args

from thoughtforge.contracts.contract import Contract
from thoughtforge.contracts.validate import check
from thoughtforge.kernel.model import JsonObject, Problem

Severity = Literal["critical", "medium", "minor"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""Worst first."""
PERSON = "person"
"""The source of what a person asks for."""
PATTERN = 3
"""Reviews running whose stated counts differ, before it is called a pattern."""


class ReviewFinding(NamedTuple):
    """One thing a reviewer found wrong."""

    severity: Severity
    description: str
    location: str = ""
    recommendation: str = ""
    title: str = ""
    id: str = ""
    """`F-` and a number, given by the engine when the finding is first seen; it stays over all iterations."""
    exists: bool = True
    """Whether its location is really there; one that is not is set aside."""
    test: str = ""
    """For wrong behaviour: what a test of it must check. A fix of a critical one must bring that test."""
    source: str = ""
    """`person` when a person asks for it; empty when a reviewer or the engine found it."""

    def text(self) -> str:
        """What it is recognised by."""
        return f"{self.title} {self.description}".strip()

    def told(self) -> str:
        """What is wrong, as agents read it."""
        return ": ".join(part for part in (self.title.rstrip(" .:"), self.description) if part)

    def full(self) -> str:
        """All of it, for people."""
        where = f" ({self.location})" if self.location.strip() else ""
        return f"{self.id} {self.severity}: {self.told()}{where} → {self.recommendation}"

    def line(self) -> str:
        """It in one line, for people."""
        where = f" ({self.location})" if self.location else ""
        return " ".join(f"{self.id} {self.severity}: {self.title or self.description}{where}".split())


class Counts(NamedTuple):
    """How many findings of each severity."""

    critical: int
    medium: int
    minor: int

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self)

    @property
    def serious(self) -> int:
        """Critical and medium together: what the trend is judged by."""
        return self.critical + self.medium

    def words(self) -> str:
        """The three numbers for people."""
        return f"{self.critical} critical, {self.medium} medium, {self.minor} minor"


class Ran(NamedTuple):
    """How a run of the tests went."""

    total: int
    passed: int
    failed: int


class ReviewReport(NamedTuple):
    """One review as it was handed in."""

    findings: tuple[ReviewFinding, ...]
    stated: Counts
    """What the reviewer says it counted; never used for anything but this comparison."""
    tests: Ran | None = None

    @property
    def counts(self) -> Counts:
        """What it really found."""
        return counted(self.findings)

    @property
    def diverges(self) -> str:
        """The difference between stated and derived counts in words; empty when there is none."""
        if self.stated == self.counts:
            return ""
        return f"the reviewer states {self.stated.words()}, its findings are {self.counts.words()}"


class ReviewRead(NamedTuple):
    """A report, or what is wrong with the answer; never a clean report for an answer that cannot be read."""

    report: ReviewReport | None
    problems: tuple[Problem, ...] = ()


def counted(findings: Iterable[ReviewFinding]) -> Counts:
    """The findings by severity."""
    listed = [finding.severity for finding in findings]
    return Counts(*(listed.count(severity) for severity in SEVERITIES))


def read_report(answer: JsonObject | None, contract: Contract) -> ReviewRead:
    """The report in a reviewer's answer, held against its contract `plan_review` or `code_review`."""
    problems = check(answer, contract)
    if answer is None or problems:
        return ReviewRead(None, problems)
    findings = tuple(
        ReviewFinding(
            cast("Severity", row["severity"]),
            row["description"],
            row["location"],
            row["recommendation"],
            title=row.get("title", ""),
            test=row.get("test", ""),
        )
        for row in answer["issues"]
    )
    tests = answer.get("tests")
    stated = Counts(*(answer[severity] for severity in SEVERITIES))
    return ReviewRead(ReviewReport(findings, stated, Ran(**tests) if tests else None))


def divergence(reports: Sequence[ReviewReport]) -> str:
    """What to note about the newest report's stated counts; three running are noted as a pattern."""
    if not reports or not reports[-1].diverges:
        return ""
    recent = reports[-PATTERN:]
    if len(recent) == PATTERN and all(report.diverges for report in recent):
        return f"{reports[-1].diverges}; this is a pattern: {PATTERN} reviews in a row"
    return reports[-1].diverges
