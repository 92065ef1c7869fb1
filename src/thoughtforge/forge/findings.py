"""A finding of an audit, and the same finding over the rounds of an audit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

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


def identified(rounds: Sequence[Sequence[AuditFinding]]) -> tuple[tuple[AuditFinding, ...], ...]:
    """The findings of all rounds with ids: what was said before in other words keeps the id it had."""
    raise NotImplementedError


def surviving(rounds: Sequence[Sequence[AuditFinding]], revisions: int = 2) -> tuple[AuditFinding, ...]:
    """The blocking findings of the newest round that stood through so many revisions; what ends a forge early."""
    raise NotImplementedError
