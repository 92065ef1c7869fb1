"""What is wrong with a plan's structure, found without any model."""

from __future__ import annotations

from typing import NamedTuple

from thoughtforge.forge.findings import AuditFinding


def preflight(text: str, *, name: str = "", template: str = "") -> tuple[AuditFinding, ...]:
    """A missing required section is blocking; placeholder text, an empty or a doubled section is medium.

    `name` is the file's: another id in the header is blocking. Blocking findings stop the audit before any model is
    called, medium ones stop the approval.
    """
    raise NotImplementedError


class PlanLimits(NamedTuple):
    """How large a plan may be, and how often it is audited."""

    small: bool
    """Whether it names one or two files."""
    body_lines: int | None
    """60 for a small plan; None for any other."""
    audit_rounds: int
    """1 for a small plan, as long as nothing blocks; else the cap."""


def limits(text: str, *, audit_rounds: int = 5) -> PlanLimits:
    """The limits of a plan, by the files it names."""
    raise NotImplementedError
