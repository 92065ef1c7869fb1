"""The place where the script plays the agent."""

from pathlib import Path

import pytest

from caged import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A machine of its own for each test."""
    return Place(tmp_path)
