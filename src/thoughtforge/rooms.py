"""The rooms that keep facts of their own. Loading them registers their events, stop reasons and projections."""

from __future__ import annotations

import importlib

ROOMS: tuple[str, ...] = (
    "thoughtforge.kernel.fold",
    "thoughtforge.calls.spending",
    "thoughtforge.calls.conversations",
    "thoughtforge.people.events",
    "thoughtforge.people.exchanges",
    "thoughtforge.people.rulings",
    "thoughtforge.store.events",
    "thoughtforge.workspaces.events",
    "thoughtforge.workspaces.past",
    "thoughtforge.workspaces.project",
    "thoughtforge.polish.rounds",
    "thoughtforge.agent.memory",
    "thoughtforge.agent.context",
    "thoughtforge.think.stops",
    "thoughtforge.think.conversation",
    "thoughtforge.think.copying",
    "thoughtforge.think.rests",
    "thoughtforge.forge.plan",
)
"""Modules to import before a log is read; the order does not matter. Each imports little."""


def load_rooms() -> None:
    """Import every room once; a second call costs nothing."""
    for name in ROOMS:
        importlib.import_module(name)
