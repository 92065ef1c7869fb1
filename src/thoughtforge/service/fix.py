"""From a finding's id to the request of a task that removes it."""

from __future__ import annotations

import asyncio

from thoughtforge.gate import remembered
from thoughtforge.kernel.errors import Mistake
from thoughtforge.service.app import App
from thoughtforge.service.check import check
from thoughtforge.workshop.finding import ID


def request_for(app: App, asked: str) -> str:
    """The request for one finding; one that nobody knows or that is gone is a Mistake."""
    wanted = asked.strip()
    if not ID.fullmatch(wanted):
        raise Mistake(
            f"{wanted[:80]!r} is not the id of a finding",
            do="List them: thoughtforge check; then: thoughtforge fix V-…",
        )
    known = remembered.find(app.home.root, wanted)
    now = asyncio.run(check(app))
    if all(finding.id != wanted for finding in now.verdict.new):
        raise Mistake(f"{wanted} is gone: {known.path} does not have it any more", do="Nothing is left to fix.")
    return f"Fix {wanted} in {known.path}:{known.line} ({known.check}): {known.message}. {known.hint}".strip()
