"""The scorecards of the open-source components a proposal names: measured, never written by a model."""

from __future__ import annotations

from datetime import date

from thoughtforge.agent.means import Means
from thoughtforge.deliverables.code.discovery import Component, Scorecard, discover
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.outside.registries import registry_fetch

WHAT = "scorecards"


async def scorecards(means: Means, stage: Stage, proposal: JsonObject) -> list[str]:
    """One line per signal and component, on record; what no registry answered is unknown, and unknown is no pass."""
    if means.outside is None or not proposal["components"]:
        return []
    wanted = [Component(row["name"], row["ecosystem"]) for row in proposal["components"]]
    settings = means.outside.discovery
    today = date.fromisoformat(means.journal.state.time[:10])
    fetch = registry_fetch(settings, means.outside.machine.secret)
    lines = [_line(card) for card in await discover(wanted, settings, fetch=fetch, today=today)]
    mine = means.stage(stage.name)
    means.journal.append(
        Measured(
            stage=stage.name,
            round=mine.round,
            step=means.journal.state.used.steps,
            what=WHAT,
            outcome="pass",
            summary=f"{len(lines)} components looked up",
            report=means.put({"lines": lines}),
        )
    )
    return lines


def known_scorecards(means: Means) -> str:
    """The scorecards on record, as they stand in the specification."""
    found = means.stage("spec").measured.get(WHAT)
    data = means.artifact(found.report) if found and found.report else None
    return "\n".join(f"- {line}" for line in data["lines"]) if data else ""


def _line(card: Scorecard) -> str:
    signals = ", ".join(f"{signal.name} {signal.value} ({signal.outcome})" for signal in card.signals)
    verdict = "qualified" if card.qualified else f"not qualified: {card.why}"
    return f"{card.component.name} ({card.component.ecosystem}): {verdict}; {signals}"
