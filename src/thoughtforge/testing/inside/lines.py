"""Which lines of the tree run, measured by coverage.py with no configuration but ours and kept in memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .witness import Witness


def measured(ask: Mapping[str, Any]) -> Any:
    """A measurement that has begun; None when none is asked for."""
    if not ask["coverage"]:
        return None
    import coverage

    files = [str(Path(ask["root"], name)) for name in ask["coverage"]]
    measure = coverage.Coverage(data_file=None, config_file=False, include=files)
    measure.start()
    return measure


def tell_lines(witness: Witness, measure: Any, ask: Mapping[str, Any]) -> None:
    """End a measurement and send what it saw. Comments that exclude lines mean nothing here: it is about what ran."""
    if measure is None:
        return
    measure.stop()
    data = measure.get_data()
    for name in ask["coverage"]:
        lines = data.lines(str(Path(ask["root"], name)))
        witness.send("covered", path=name, lines=sorted(lines or ()))
