"""What an auditor's answer amounts to: the worst severity in it, and whether the plan has to be revised."""

from __future__ import annotations

from typing import Literal, NamedTuple

from thoughtforge.forge.findings import AuditFinding, AuditSeverity

VerdictSource = Literal["json", "marker", "phrase", "unrecognised"]


class AuditVerdict(NamedTuple):
    """The verdict of one audit. The engine derives it; nothing the auditor states about looping counts."""

    max_severity: AuditSeverity | Literal["none"]
    should_loop: bool
    """Whether anything is blocking."""
    findings: tuple[AuditFinding, ...]
    """Worst first, without ids."""
    source: VerdictSource

    @property
    def unparsed(self) -> bool:
        """Whether nothing was recognised: neither clean nor approved, ask once more, then a person."""
        return self.max_severity == "none" and self.source == "unrecognised"


Verdict = AuditVerdict
"""Its name to those who call `parse_verdict`."""


def parse_verdict(text: str) -> AuditVerdict:
    """The verdict in an answer: JSON first, then markers of severity, then phrases; never an error."""
    raise NotImplementedError
