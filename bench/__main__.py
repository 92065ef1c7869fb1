"""Measure everything, print a table, write bench.json. A missed goal is told; it does not fail the command."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench import appends, contexts, demo, first_requests, gate, narrow, notes, plans, starts, steps, walk
from bench.figures import Figure, write


def main() -> None:
    """Run each family in a place of its own."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("bench.json"), help="where the figures go")
    out: Path = parser.parse_args().out
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="thoughtforge-bench-") as place:
        for family in (starts, appends, steps, notes, contexts, plans, gate, narrow, first_requests, demo, walk):
            folder = Path(place) / family.__name__
            folder.mkdir()
            for figure in family.measure(folder):
                figures.append(figure)
                sys.stdout.write(figure.line + "\n")
                sys.stdout.flush()
    write(figures, out)
    missed = sum(figure.ok is False for figure in figures)
    sys.stdout.write(f"{missed} goals missed; {out} has every figure\n")


if __name__ == "__main__":
    main()
