"""Bytes of the first request of each command-line agent as a model of ours, beside what it sends by itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure

ROOT = Path(__file__).parents[1]
PROGRAMS = ROOT / ".make" / "agents" / "node_modules"


def measure(place: Path) -> Iterator[Figure]:
    """Nothing where the agents are not installed (make .make/agents)."""
    if not PROGRAMS.is_dir():
        return
    sys.path.insert(0, str(ROOT / "tests"))
    from agents.first_requests import agents, sizes

    for name, agent in agents(PROGRAMS).items():
        found = sizes(agent)
        yield Figure(f"first request of {name}", found.ours, "bytes")
        yield Figure(f"first request of {name} by itself", found.default, "bytes")
        yield Figure(f"first request of {name}, ours ÷ its own", round(found.ours / found.default, 3), "", 0.1)
