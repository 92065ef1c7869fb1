"""Findings that were shown to a person, kept in the home so that a later command finds one by its id."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from thoughtforge.gate.cache import read_findings, write_findings
from thoughtforge.gate.finding import Finding
from thoughtforge.kernel.errors import Mistake

FILE = "findings.json"
MOST = 20_000
"""The oldest are forgotten above this number."""


def remember(home: Path, findings: Iterable[Finding]) -> None:
    """Add these; one that is known is kept as it is now."""
    known = {finding.id: finding for finding in read_findings(home / FILE) or ()}
    for finding in findings:
        known.pop(finding.id, None)
        known[finding.id] = finding
    write_findings(home / FILE, list(known.values())[-MOST:])


def find(home: Path, word: str) -> Finding:
    """The finding a person means by its id or a unique beginning of it."""
    known = read_findings(home / FILE) or ()
    fitting = [finding for finding in known if finding.id.startswith(word)] if word.startswith("V-") else []
    if len(fitting) == 1 or any(finding.id == word for finding in fitting):
        return next((finding for finding in fitting if finding.id == word), fitting[0])
    if fitting:
        shown = ", ".join(finding.id for finding in fitting[:5])
        raise Mistake(f"{word!r} fits several findings", do=f"Use one of: {shown}")
    raise Mistake(f"there is no finding {word!r}", do="See what there is: thoughtforge check")
