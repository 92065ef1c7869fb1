"""What tests share: a repository, a home for the person, and no way to reach another machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import configure, sample_repository


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
