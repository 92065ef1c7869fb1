"""A finding of an audit, and the same finding over the rounds of an audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:  # whoever looks at a plan compares no findings
    from thoughtforge.polish.finding import ReviewFinding, Severity
    from thoughtforge.polish.matching import KnownFinding

AuditSeverity = Literal["blocking", "medium", "minor", "suggestion"]
AUDIT_SEVERITIES: tuple[AuditSeverity, ...] = get_args(AuditSeverity)
"""Worst first."""


class AuditFinding(NamedTuple):
    """One thing an audit found wrong with a change plan or with its implementation."""

    severity: AuditSeverity
    description: str
    location: str = ""
    """A section, a file, or a file and a line; empty when the auditor names none."""
    title: str = ""
    recommendation: str = ""
    id: str = ""
    """`F-` and three digits, given by the engine; it stays over all rounds."""

    def line(self) -> str:
        """It in one line, for people."""
        where = f" ({self.location})" if self.location else ""
        return " ".join(f"{self.id} {self.severity}: {self.title or self.description}{where}".split())


SCALE: Mapping[AuditSeverity, Severity] = {
    "blocking": "critical",
    "medium": "medium",
    "minor": "minor",
    "suggestion": "minor",
}
"""Severities as reviews of polishing have them, whose comparison of findings is used here."""


def identified(rounds: Sequence[Sequence[AuditFinding]], *, after: int = 0) -> tuple[tuple[AuditFinding, ...], ...]:
    """The findings of all rounds with ids: what was said before in other words keeps the id it had.

    Numbers begin after the one that is given.
    """
    from thoughtforge.polish.matching import follow

    known: tuple[KnownFinding, ...] = ()
    told: list[tuple[AuditFinding, ...]] = []
    for found in rounds:
        compared = follow(known, [_as_review(finding._replace(id="")) for finding in found])
        known = compared.known
        ids: dict[ReviewFinding, list[str]] = {}
        for one in compared.open:
            ids.setdefault(one._replace(id=""), []).append(f"F-{int(one.id.removeprefix('F-')) + after:03}")
        named = (finding._replace(id=ids[_as_review(finding)._replace(id="")].pop(0)) for finding in found)
        told.append(tuple(named))
    return tuple(told)


def _as_review(finding: AuditFinding) -> ReviewFinding:
    from thoughtforge.polish.finding import ReviewFinding

    severity = SCALE[finding.severity]
    texts = (finding.description, finding.location, finding.recommendation, finding.title)
    return ReviewFinding(severity, *texts, id=finding.id)


def surviving(rounds: Sequence[Sequence[AuditFinding]], revisions: int = 2) -> tuple[AuditFinding, ...]:
    """The blocking findings of the newest round that stood through so many revisions; what ends a forge early."""
    if len(rounds) <= revisions:
        return ()
    newest = [
        {one.id: one for one in found if one.severity == "blocking"} for found in identified(rounds)[-revisions - 1 :]
    ]
    return tuple(finding for name, finding in newest[-1].items() if all(name in found for found in newest))
