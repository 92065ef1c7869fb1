"""A verdict as workflow commands, which GitHub shows beside the changed lines."""

from __future__ import annotations

from thoughtforge.gate.finding import Finding
from thoughtforge.gate.verdict import Verdict

LEVELS = {"critical": "error", "major": "error", "minor": "warning"}


def github(verdict: Verdict) -> str:
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
