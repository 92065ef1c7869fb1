"""The main job from request to verified specification."""

from __future__ import annotations

from pathlib import Path

from bench.command import run
from bench.figures import Figure


def measure(place: Path) -> list[Figure]:
    """`thoughtforge demo` as it is: repository, design, proof."""
    cost = run("demo", "--at", str(place / "demo"), "--json", cwd=place)
    return [
        Figure("design demonstration, wall", round(cost.wall, 2), "s", 60),
        Figure("design demonstration, CPU", round(cost.cpu, 2), "s"),
    ]
