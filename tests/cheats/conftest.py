"""One trial per cheat, and the line a run ends with: what was tried, what escaped, what was delivered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cheats.cheat import Cheat, scenario, try_cheat, try_in, try_twin, was_delivered
from cheats.place import World
from cheats.session import Session

DELIVERED = pytest.StashKey[set[str]]()
"""The honest scenarios this process has seen delivered."""


def pytest_addoption(parser: Any) -> None:
    """Known when this folder is named on the command line, as `make cheats` does."""
    parser.addoption("--end-to-end", action="store_true", help="Run every cheat and its twin from beginning to end.")
    parser.addoption("--worker", default="", help="The agent that acts by itself: claude, codex, gemini or opencode.")


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory, pytestconfig: Any) -> Session:
    """The honest run most cheats go on from; it was delivered itself."""
    made = Session(tmp_path_factory.mktemp("session"))
    was_delivered(made.honest)
    pytestconfig.stash.setdefault(DELIVERED, set()).add(scenario(Cheat("none", ())))
    return made


@pytest.fixture
def trial(
    tmp_path: Path, record_property: Callable[[str, object], None], request: pytest.FixtureRequest
) -> Callable[[Cheat], None]:
    """Try a cheat, then its honest twin.

    From beginning to end run the first cheat of each file, all of a file that is WHOLE, those in a repository of their
    own, and with --end-to-end or a worker every one. The others go on from a session; a scenario whose twin was
    delivered already is not run again.
    """
    config = request.config
    known = config.stash.setdefault(DELIVERED, set())
    worker = str(config.getoption("--worker", default=""))
    every = bool(config.getoption("--end-to-end", default=False))

    def tried(cheat: Cheat) -> None:
        record_property("tried", cheat.name)
        alone = cheat is request.module.CHEATS[0] or getattr(request.module, "WHOLE", False)
        if every or worker or alone or cheat.world != World():
            try_cheat(cheat, tmp_path / "cheat", worker)
        else:
            try_in(request.getfixturevalue("session"), cheat)
        record_property("refused", cheat.name)
        if scenario(cheat) in known and not every:
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
    tried, refused, delivered = (told.count(f"thought_{word}") for word in ("tried", "refused", "delivered"))
    if tried:
        escaped = tried - refused
        reporter.write_line(f"cheats through think: {tried} tried, {escaped} escaped; twins: {delivered} delivered")
