"""What an auditor's answer amounts to: the worst severity in it, and whether the plan has to be revised."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from thoughtforge.forge.findings import AUDIT_SEVERITIES, AuditFinding
from thoughtforge.forge.markers import as_findings, markers_in
from thoughtforge.forge.phrases import PhrasedVerdict, opinion
from thoughtforge.forge.severity_words import MaxSeverity, worst
from thoughtforge.forge.stated_json import Stated, stated_in
from thoughtforge.forge.structure import without

LONGEST = 400
SPACED = re.compile(r"[_-]")
FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^\n]*$", re.MULTILINE)
VerdictSource = Literal["json", "marker", "phrase", "unrecognised"]


class AuditVerdict(NamedTuple):
    """The verdict of one audit. The engine derives it; nothing the auditor states about looping counts."""

    max_severity: MaxSeverity
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
    """The verdict in an answer: JSON first, then markers of severity, then phrases; never an error.

    Where they contradict each other, the strictest counts. Phrases count only when there is no severity.
    """
    stated = stated_in(text)
    marked = markers_in(text, stated.regions)
    severities = (*stated.severities, *(one.severity for one in marked))
    found = worst(severities)
    source: VerdictSource = "json" if stated.severities else "marker" if marked else "unrecognised"
    said = _phrases(text, stated) if found == "none" else None
    if said and (said.opinion == "refused" or not severities):
        found = "blocking" if said.opinion == "refused" else "minor"
        source = "json" if stated.severities or stated.verdicts else "phrase"
    findings = dict.fromkeys((*stated.findings, *as_findings(marked)))
    if found == "blocking" and all(finding.severity != "blocking" for finding in findings):
        findings[AuditFinding("blocking", (said and said.told) or _rest(text, stated))] = None
    ordered = sorted(findings, key=lambda finding: AUDIT_SEVERITIES.index(finding.severity))
    return AuditVerdict(found, found == "blocking", tuple(ordered), source)


def _phrases(text: str, stated: Stated) -> PhrasedVerdict | None:
    """The opinion in words, those of a verdict within JSON first; in the other JSON nothing is a phrase."""
    said = (f"Verdict: {SPACED.sub(' ', told)}" for told in stated.verdicts)
    return opinion("\n\n".join([*said, without(text, stated.regions)]))


def _rest(text: str, stated: Stated) -> str:
    """What stands for the findings of an answer that blocks and names none: its words, or else its JSON."""
    words = FENCE.sub("", without(text, stated.regions))
    if not re.search(r"[^\W\d_]", words):
        words = f"The auditor blocks and names no finding: {text}"
    return " ".join(words[:LONGEST].split())
