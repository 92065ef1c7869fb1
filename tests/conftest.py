"""What tests share: a repository, a home for the person, and no way to reach another machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness import configure, sample_repository
from thoughtforge.rooms import load_rooms

load_rooms()


def pytest_addoption(parser: Any) -> None:
    """`pytest tests/stories tests/golden --update-stories`; `git diff` then shows what changed."""
    parser.addoption("--update-stories", action="store_true", help="Write golden stories and outputs anew.")


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
