"""What whole runs share: a fresh place for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.place import Place, make_place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A sample repository with the scripted replies of the demonstration."""
    return make_place(tmp_path)
