"""One trial per cheat, and the line a run ends with: what was tried, what escaped, what was delivered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cheats.cheat import Cheat, scenario, try_cheat, try_twin

DELIVERED = pytest.StashKey[set[str]]()
"""The honest scenarios this process has seen delivered."""


def pytest_addoption(parser: Any) -> None:
    """Known when this folder is named on the command line, as `make cheats` does."""
    parser.addoption("--every-twin", action="store_true", help="Run a twin for every cheat, also one seen before.")
    parser.addoption("--worker", default="", help="The agent that acts by itself: claude, codex, gemini or opencode.")


@pytest.fixture
def trial(tmp_path: Path, record_property: Callable[[str, object], None], pytestconfig: Any) -> Callable[[Cheat], None]:
    """Try a cheat, then its honest twin; a scenario whose twin was delivered already is not run again unless asked."""
    known = pytestconfig.stash.setdefault(DELIVERED, set())
    worker = str(pytestconfig.getoption("--worker", default=""))

    def tried(cheat: Cheat) -> None:
        record_property("tried", cheat.name)
        try_cheat(cheat, tmp_path / "cheat", worker)
        record_property("refused", cheat.name)
        if scenario(cheat) in known and not pytestconfig.getoption("--every-twin", default=False):
            return
        try_twin(cheat, tmp_path / "twin", worker)
        known.add(scenario(cheat))
        record_property("delivered", cheat.name)

    return tried


def pytest_unconfigure(config: Any) -> None:
    """The last line. Workers have nobody to tell."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = [report for some in reporter.stats.values() for report in some] if reporter else []
    told = [word for one in reports if getattr(one, "when", "") == "call" for word, _ in one.user_properties]
    tried, refused, delivered = (told.count(word) for word in ("tried", "refused", "delivered"))
    if tried:
        reporter.write_line(f"cheats: {tried} tried, {tried - refused} escaped; twins: {delivered} delivered")
