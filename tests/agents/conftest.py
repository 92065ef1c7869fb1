"""Where the real agents are; without them their tests are left out, except where they must be there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from agents.running import PROGRAMS


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder npm put the agents into."""
    if PROGRAMS.is_dir():
        return PROGRAMS
    if os.environ.get("CI") and shutil.which("npm"):
        pytest.fail(f"{PROGRAMS} is missing although npm is here: make .make/agents")
    pytest.skip("the command-line agents are not installed: make .make/agents (needs npm)")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The agent's private home."""
    place = tmp_path / "home"
    place.mkdir()
    return place


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder the agent starts in."""
    place = tmp_path / "work"
    place.mkdir()
    return place
