"""What tests share: a repository, a home for the person, and no way to reach another machine."""

from __future__ import annotations

import gc
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from harness import configure, environments, forked, sample_repository
from harness.boundaries import Choose, chosen
from thoughtforge.rooms import load_rooms

load_rooms()


def pytest_addoption(parser: Any) -> None:
    """How deep a run of the tests goes; `make test-all` goes deepest."""
    parser.addoption("--every-boundary", action="store_true", help="Kill at every event, not at one of each kind.")
    parser.addoption("--update-stories", action="store_true", help="Write golden stories and outputs anew.")
    parser.addoption("--installed", action="store_true", help="Run the installed command everywhere, never a fork.")


def pytest_configure(config: Any) -> None:
    """Before the first test."""
    if config.getoption("--installed"):
        forked.only_installed()


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: nobody looks through it for garbage again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def shared_environments(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All workers make an environment once."""
    environments.keep(tmp_path_factory.getbasetemp())


@pytest.fixture(scope="session")
def choose(pytestconfig: Any) -> Choose:
    """Where the runs that die are killed, told by the record of a run nobody disturbed."""
    return partial(chosen, every=bool(pytestconfig.getoption("--every-boundary")))


@pytest.fixture
def person(tmp_path: Path) -> Path:
    """The home folder of the person who calls the command."""
    place = tmp_path / "person"
    place.mkdir()
    return place


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """The sample repository with the scripted replies of the demonstration configured."""
    place = tmp_path / "shelf"
    place.mkdir()
    sample_repository(place)
    configure(place)
    return place
