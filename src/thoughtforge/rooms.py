"""The rooms that keep facts of their own. Loading them registers their events, stop reasons and projections."""

from __future__ import annotations

import importlib

ROOMS: tuple[str, ...] = ("thoughtforge.kernel.fold", "thoughtforge.workspaces.past")
"""Modules to import before a log is read; the order does not matter."""


def load_rooms() -> None:
    """Import every room once; a second call costs nothing."""
    for name in ROOMS:
        importlib.import_module(name)
